//! What a session's spool says to its driver, record by record. Sends nothing.

use std::{
    collections::VecDeque,
    os::fd::{AsFd, BorrowedFd},
    path::Path,
};

use holder::spool::{self, Body, Exit, Follower, Record, SpoolError};
use protocol::Item;

use super::Seen;
use crate::driver::{Chunk, Driver, Happening, Reaction, Stream};

/// Follows a spool with a driver.
pub(super) struct Hearing {
    pub(super) driver: Box<dyn Driver>,
    follower: Follower,
    /// Reads what helpers of the agent's say beside its output.
    aside: protocol::Decoder,
    /// From where its output is read.
    from: u64,
    /// The ends of turns that were told to the holder and not yet read in the spool.
    marked: VecDeque<u64>,
}

/// What a record is.
pub(super) enum Heard {
    /// The agent wrote something at this offset.
    Wrote(Reaction, u64),
    /// Something that asks for no reaction.
    Noted(Vec<Seen>),
    /// All inputs up to this one are typed.
    Typed(u64),
    /// The process is gone.
    Exited(Exit),
}

impl Hearing {
    pub(super) fn open(
        directory: &Path,
        driver: Box<dyn Driver>,
        aside: protocol::Options,
        from: u64,
    ) -> Result<Self, SpoolError> {
        let follower = Follower::open(directory, from)?;
        let (aside, marked) = (protocol::Decoder::new(aside), VecDeque::new());
        Ok(Self { driver, follower, aside, from, marked })
    }

    /// Returns what is readable when there may be more.
    pub(super) fn readable(&self) -> BorrowedFd<'_> {
        self.follower.as_fd()
    }

    /// Returns the offset behind all that was heard.
    pub(super) fn offset(&self) -> u64 {
        self.follower.offset()
    }

    /// Hears the next record, if there is one; with it comes when it was written, in milliseconds.
    pub(super) fn next(&mut self) -> Result<Option<(u64, Heard)>, SpoolError> {
        let Some(Record { offset, at_ms, body }) = self.follower.try_next()? else { return Ok(None) };
        let heard = match body {
            Body::Output { stream: spool::Stream::Aside, bytes } => {
                Heard::Noted(self.hear_aside(offset, &bytes))
            }
            Body::Output { stream, bytes } => {
                let stream = match stream {
                    spool::Stream::Error => Stream::Errors,
                    spool::Stream::Terminal | spool::Stream::Output | spool::Stream::Aside => Stream::Output,
                };
                Heard::Wrote(self.driver.hear(Chunk { stream, offset, bytes: &bytes }), offset)
            }
            Body::Input { number, .. } => Heard::Typed(number),
            Body::TurnEnd { offset } => Heard::Wrote(self.had_ended(offset), self.offset()),
            Body::Exit(exit) => Heard::Exited(exit),
            Body::Resize { .. } | Body::Gap { .. } | Body::Unknown { .. } => Heard::Noted(Vec::new()),
        };
        Ok(Some((at_ms, heard)))
    }

    /// Notes that we have told the holder of a turn's end.
    pub(super) fn mark(&mut self, offset: u64) {
        self.marked.push_back(offset);
    }

    /// A turn's end stands in the spool: one that we wrote there, or that was seen by whoever read before us.
    fn had_ended(&mut self, offset: u64) -> Reaction {
        let is_ours = self.marked.pop_front_if(|marked| *marked == offset).is_some();
        // What ended before the place from which we read is no end of what we read.
        if is_ours || offset <= self.from { Reaction::default() } else { self.driver.turn_had_ended() }
    }

    /// A helper says whole messages, each in a record of its own: its place is the record's.
    fn hear_aside(&mut self, offset: u64, bytes: &[u8]) -> Vec<Seen> {
        let mut items: Vec<Item> = self.aside.push(bytes);
        items.extend(self.aside.end_turn());
        let end = offset + bytes.len() as u64;
        let said = |(item, ordinal)| {
            let heard = domain::MessageOffset { start: offset, ordinal };
            Seen::Happened(Happening::Said { heard, read_from: self.driver.read_from().min(end), item })
        };
        items.into_iter().zip(0..).map(said).collect()
    }
}
