//! What a session's spool says to its driver, record by record. Sends nothing.

use std::{
    collections::VecDeque,
    os::fd::{AsFd, BorrowedFd},
    path::{Path, PathBuf},
};

use drivers::{AsideReader, Chunk, Driver, DriverSetup, Reaction, Stream};
use holder::spool::{self, Body, Exit, Follower, Record};

use super::Seen;
use crate::error::SessionError;

/// Follows a spool with a driver.
pub(super) struct Hearing {
    directory: PathBuf,
    pub(super) driver: Box<dyn Driver>,
    follower: Follower,
    /// Reads what helpers of the agent's say beside its output.
    aside: AsideReader,
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
    pub(super) fn open(directory: &Path, setup: DriverSetup) -> Result<Self, SessionError> {
        let follower = Follower::open(directory, setup.read_from).map_err(SessionError::spool(directory))?;
        let DriverSetup { driver, aside, read_from: from } = setup;
        Ok(Self { directory: directory.to_owned(), driver, follower, aside, from, marked: VecDeque::new() })
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
    pub(super) fn next(&mut self) -> Result<Option<(u64, Heard)>, SessionError> {
        let next = self.follower.try_next().map_err(SessionError::spool(&self.directory))?;
        let Some(Record { offset, at_ms, body }) = next else { return Ok(None) };
        let heard = match body {
            Body::Output { stream: spool::Stream::Aside, bytes } => {
                let said = self.aside.read(offset, &bytes, self.driver.read_from());
                Heard::Noted(said.into_iter().map(Seen::Happened).collect())
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
}
