//! Input and output records of a session's process, in pages.
//!
//! Reads only the requested part of the spool, since its file names contain their offsets.

use std::path::Path;

use domain::{RunId, SessionId, Timestamp};
use holder::spool::{self, OutputSource, RecordBody, RecordReader, SpoolError};
use sessions::SessionState;

use super::screen::take_whole_characters;
use crate::{Host, HostError};

/// Length limit of an input; longer ones are truncated. A pasted page is shorter.
const INPUT_BYTES_MAX: usize = 64 << 10;
/// Limit of inputs on a page. Inputs have no length in the output, so they cannot be divided among pages.
const INPUTS_MAX: usize = 1_000;

/// Selects a page of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IoRecordQuery {
    /// Number of the process; the last one if absent.
    pub process: Option<u32>,
    /// Where the page starts.
    pub start: PageStart,
    /// Limit of output bytes.
    pub bytes_max: u64,
}

/// Where a page of records starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageStart {
    /// At this offset of the output.
    After(u64),
    /// So that the page ends at this offset.
    Before(u64),
    /// So that the page ends at the end of the output.
    End,
}

/// A page of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IoRecordPage {
    /// Number of the process in its session, from 1.
    pub process: u32,
    /// Whether the process has a terminal.
    pub has_terminal: bool,
    /// Offset of the first output byte in the spool.
    pub first: u64,
    /// Offset of the first output byte of the page.
    pub offset: u64,
    /// Offset of the output byte after the page.
    pub next: u64,
    /// Whether no more records will follow.
    pub is_last: bool,
    /// Records in order.
    pub records: Vec<IoRecord>,
}

/// Input or output of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IoRecord {
    /// Whether it is input, output or standard error.
    pub direction: IoDirection,
    /// Offset of the first output byte; for an input, of the output byte that followed.
    pub offset: u64,
    /// Time of the first byte.
    pub at: Timestamp,
    /// Complete characters; secrets are masked.
    pub text: String,
}

/// Direction of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IoDirection {
    /// Standard output or terminal of the process.
    Output,
    /// Standard error of the process.
    Error,
    /// Input with this number.
    Input(u64),
}

impl Host {
    /// Returns a page of the input and output of a session.
    pub fn io_records(
        &self,
        run: &RunId,
        session: SessionId,
        query: IoRecordQuery,
    ) -> Result<IoRecordPage, HostError> {
        let (process, entry) = self.find_process(run, session, query.process)?;
        let spool_error = |source: SpoolError| HostError::Spool { session, source };
        let page = read_page(&entry.directory, query.start, query.bytes_max).map_err(spool_error)?;
        let has_ended = matches!(entry.state, SessionState::Ended { .. } | SessionState::Lost);
        Ok(IoRecordPage {
            process,
            has_terminal: entry.metadata.has_terminal,
            first: page.first,
            offset: page.offset,
            next: page.next,
            is_last: page.has_exit || page.is_at_end && has_ended,
            records: page.records,
        })
    }
}

#[derive(Debug, Default)]
struct PageBuilder {
    first: u64,
    offset: u64,
    next: u64,
    /// Whether the spool had no further record.
    is_at_end: bool,
    has_exit: bool,
    records: Vec<IoRecord>,
    /// Bytes of an incomplete character at the end.
    partial: Vec<u8>,
    partial_direction: Option<IoDirection>,
}

fn read_page(directory: &Path, start: PageStart, bytes_max: u64) -> Result<PageBuilder, SpoolError> {
    let first = spool::first_offset(directory)?;
    let back = |from: u64| from.saturating_sub(bytes_max).max(first);
    let (from, until) = match start {
        PageStart::After(after) => (after, after.saturating_add(bytes_max)),
        PageStart::Before(before) => (back(before), before),
        PageStart::End => {
            let end = spool::spool_end_offset(directory)?;
            (back(end), end)
        }
    };
    let mut page = PageBuilder { first, offset: from, next: from, is_at_end: true, ..PageBuilder::default() };
    let mut reader = RecordReader::open(directory, from)?;
    let mut n_inputs = 0;
    while let Some(record) = reader.next_record()? {
        let at = Timestamp(i64::try_from(record.at_ms).unwrap_or(i64::MAX));
        match record.body {
            RecordBody::Output { .. } if record.offset >= until => {
                page.is_at_end = false;
                break;
            }
            RecordBody::Output { stream, mut bytes } => {
                bytes.truncate(usize::try_from(until - record.offset).unwrap_or(usize::MAX));
                page.next = record.offset + bytes.len() as u64;
                let mut offset = record.offset;
                if offset == from && from > first && start != PageStart::After(from) {
                    // A character that starts before the page belongs to the previous page.
                    let n_rest = bytes.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
                    bytes.drain(..n_rest);
                    offset += n_rest as u64;
                    page.offset = offset;
                }
                match stream {
                    OutputSource::Terminal | OutputSource::Output => {
                        page.add(IoDirection::Output, offset, at, bytes)
                    }
                    OutputSource::Error => page.add(IoDirection::Error, offset, at, bytes),
                    OutputSource::SideChannel => {}
                }
            }
            // An input at the end of the page belongs to the next page.
            RecordBody::Input { .. } if matches!(start, PageStart::Before(before) if record.offset >= before) =>
                {}
            RecordBody::Input { number, mut bytes } => {
                n_inputs += 1;
                bytes.truncate(INPUT_BYTES_MAX);
                let text = String::from_utf8_lossy(&bytes).into_owned();
                if n_inputs <= INPUTS_MAX {
                    page.records.push(IoRecord {
                        direction: IoDirection::Input(number),
                        offset: record.offset,
                        at,
                        text,
                    });
                }
            }
            RecordBody::Exit(_) => page.has_exit = true,
            RecordBody::TurnEnd { .. }
            | RecordBody::Resize { .. }
            | RecordBody::Gap { .. }
            | RecordBody::Unknown { .. } => {}
        }
    }
    // An incomplete character belongs to the next page.
    page.next -= page.partial.len() as u64;
    Ok(page)
}

impl PageBuilder {
    fn add(&mut self, direction: IoDirection, offset: u64, at: Timestamp, bytes: Vec<u8>) {
        if self.partial_direction.replace(direction).is_some_and(|previous| previous != direction) {
            // The other stream follows, so the character is never completed.
            self.partial.clear();
        }
        let offset = offset.saturating_sub(self.partial.len() as u64);
        let text = take_whole_characters(&mut self.partial, bytes);
        if text.is_empty() {
            return;
        }
        match self.records.last_mut() {
            // An incomplete line is continued.
            Some(last) if last.direction == direction && !last.text.ends_with('\n') => {
                last.text.push_str(&text);
            }
            Some(_) | None => self.records.push(IoRecord { direction, offset, at, text }),
        }
    }
}

#[cfg(test)]
mod tests;
