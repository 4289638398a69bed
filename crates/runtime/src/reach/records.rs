//! What went to and fro between a session's process and whoever speaks with it: pieces, from any place of its output.
//!
//! Never reads more than was asked for, wherever the place is: a spool says by its files' names where to look.

use std::path::Path;

use domain::{RunId, SessionId, Timestamp};
use holder::spool::{self, RecordBody, RecordReader, SpoolError, Stream};
use sessions::SessionState;

use super::terminal::whole;
use crate::{Host, HostError};

/// How long an input is shown. A pasted page is shorter; what is longer is cut.
const INPUT_BYTES_MAX: usize = 64 << 10;
/// How many inputs an answer has. They have no place of their own in the output, so they can't be asked for one by one.
const INPUTS_MAX: usize = 1_000;

/// Which records are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WantedRecords {
    /// The process; the last where none is named.
    pub process: Option<u32>,
    /// From where.
    pub place: Place,
    /// How much output at most.
    pub bytes_max: u64,
}

/// Where records are wanted from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// From this output byte on.
    After(u64),
    /// The last ones before this output byte.
    Before(u64),
    /// The last ones.
    End,
}

/// Some of what went to and fro.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Records {
    /// Which process of the session it is, from 1.
    pub process: u32,
    /// Whether it is on a terminal.
    pub has_terminal: bool,
    /// The first output byte that is still kept.
    pub first: u64,
    /// The output byte at which the records begin.
    pub offset: u64,
    /// The output byte behind them.
    pub next: u64,
    /// Whether nothing will follow them.
    pub is_over: bool,
    /// The pieces, in order.
    pub pieces: Vec<Piece>,
}

/// One piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Which way it went.
    pub way: Way,
    /// The output byte at which it begins, or before which it was typed.
    pub offset: u64,
    /// When.
    pub at: Timestamp,
    /// What; secrets are masked.
    pub text: String,
}

/// Which way a piece went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The process wrote it.
    Output,
    /// The process wrote it to its standard error.
    Error,
    /// It was typed, as the input of this number.
    Input(u64),
}

impl Host {
    /// Returns some of what went to and fro between a session and whoever speaks with it.
    pub fn records(
        &self,
        run: &RunId,
        session: SessionId,
        wanted: WantedRecords,
    ) -> Result<Records, HostError> {
        let (process, found) = self.process(run, session, wanted.process)?;
        let damaged = |source: SpoolError| HostError::Spool { session, source };
        let read = read(&found.directory, wanted.place, wanted.bytes_max).map_err(damaged)?;
        let has_ended = matches!(found.state, SessionState::Ended { .. } | SessionState::Lost);
        Ok(Records {
            process,
            has_terminal: found.metadata.has_terminal,
            first: read.first,
            offset: read.offset,
            next: read.next,
            is_over: read.has_exit || read.is_last && has_ended,
            pieces: read.pieces,
        })
    }
}

#[derive(Debug, Default)]
struct Read {
    first: u64,
    offset: u64,
    next: u64,
    /// Whether nothing more was there.
    is_last: bool,
    has_exit: bool,
    pieces: Vec<Piece>,
    /// Bytes of a character that is not whole yet, and which way they went.
    partial: Vec<u8>,
    partial_way: Option<Way>,
}

fn read(directory: &Path, place: Place, bytes_max: u64) -> Result<Read, SpoolError> {
    let first = spool::first_offset(directory)?;
    let back = |from: u64| from.saturating_sub(bytes_max).max(first);
    let (from, until) = match place {
        Place::After(after) => (after, after.saturating_add(bytes_max)),
        Place::Before(before) => (back(before), before),
        Place::End => {
            let end = spool::end_offset(directory)?;
            (back(end), end)
        }
    };
    let mut read = Read { first, offset: from, next: from, is_last: true, ..Read::default() };
    let mut reader = RecordReader::open(directory, from)?;
    let mut n_inputs = 0;
    while let Some(record) = reader.next_record()? {
        let at = Timestamp(i64::try_from(record.at_ms).unwrap_or(i64::MAX));
        match record.body {
            RecordBody::Output { .. } if record.offset >= until => {
                read.is_last = false;
                break;
            }
            RecordBody::Output { stream, mut bytes } => {
                bytes.truncate(usize::try_from(until - record.offset).unwrap_or(usize::MAX));
                read.next = record.offset + bytes.len() as u64;
                let mut offset = record.offset;
                if offset == from && from > first && place != Place::After(from) {
                    // A character that is begun before the place belongs to what is before.
                    let n_rest = bytes.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
                    bytes.drain(..n_rest);
                    offset += n_rest as u64;
                    read.offset = offset;
                }
                match stream {
                    Stream::Terminal | Stream::Output => read.add(Way::Output, offset, at, bytes),
                    Stream::Error => read.add(Way::Error, offset, at, bytes),
                    Stream::SideChannel => {}
                }
            }
            // Those at the border are in the answer that begins there.
            RecordBody::Input { .. } if matches!(place, Place::Before(before) if record.offset >= before) => {
            }
            RecordBody::Input { number, mut bytes } => {
                n_inputs += 1;
                bytes.truncate(INPUT_BYTES_MAX);
                let text = String::from_utf8_lossy(&bytes).into_owned();
                if n_inputs <= INPUTS_MAX {
                    read.pieces.push(Piece { way: Way::Input(number), offset: record.offset, at, text });
                }
            }
            RecordBody::Exit(_) => read.has_exit = true,
            RecordBody::TurnEnd { .. }
            | RecordBody::Resize { .. }
            | RecordBody::Gap { .. }
            | RecordBody::Unknown { .. } => {}
        }
    }
    // The rest of the last character comes with the next answer.
    read.next -= read.partial.len() as u64;
    Ok(read)
}

impl Read {
    fn add(&mut self, way: Way, offset: u64, at: Timestamp, bytes: Vec<u8>) {
        if self.partial_way.replace(way).is_some_and(|before| before != way) {
            // A stream that was left within a character is not waited for.
            self.partial.clear();
        }
        let offset = offset.saturating_sub(self.partial.len() as u64);
        let text = whole(&mut self.partial, bytes);
        if text.is_empty() {
            return;
        }
        match self.pieces.last_mut() {
            // A line that is not over is one piece, however it was written.
            Some(last) if last.way == way && !last.text.ends_with('\n') => last.text.push_str(&text),
            Some(_) | None => self.pieces.push(Piece { way, offset, at, text }),
        }
    }
}

#[cfg(test)]
mod tests;
