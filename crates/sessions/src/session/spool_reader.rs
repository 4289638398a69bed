//! Reads a session's spool and feeds it to the driver, record by record. Sends nothing.

use std::{
    collections::VecDeque,
    os::fd::{AsFd, BorrowedFd},
    path::{Path, PathBuf},
};

use drivers::{Driver, DriverSetup, OutputStream, Reaction, SideChannelReader, SpoolChunk};
use holder::spool::{self, Exit, Record, RecordBody, RecordFollower};

use super::SessionReport;
use crate::error::SessionError;

/// Follows a spool with a driver.
pub(super) struct SpoolReader {
    directory: PathBuf,
    pub(super) driver: Box<dyn Driver>,
    follower: RecordFollower,
    side_channel: SideChannelReader,
    /// The offset at which reading started.
    start: u64,
    /// The ends of turns that the holder was asked to record, until their records are read.
    marked_turn_ends: VecDeque<u64>,
}

/// The effect of one spool record.
pub(super) enum SpoolEvent {
    /// The driver's reaction to output at this offset.
    Output(Reaction, u64),
    /// Reports that need no reply.
    Reports(Vec<SessionReport>),
    /// The holder has written all inputs up to this sequence number.
    InputWritten(u64),
    Exited(Exit),
}

impl SpoolReader {
    pub(super) fn open(directory: &Path, setup: DriverSetup) -> Result<Self, SessionError> {
        let DriverSetup { driver, side_channel, read_from } = setup;
        let follower = RecordFollower::open(directory, read_from)
            .map_err(SessionError::spool_error_mapper(directory))?;
        Ok(Self {
            directory: directory.to_owned(),
            driver,
            follower,
            side_channel,
            start: read_from,
            marked_turn_ends: VecDeque::new(),
        })
    }

    /// Returns the descriptor that becomes readable when there may be more records.
    pub(super) fn readable_fd(&self) -> BorrowedFd<'_> {
        self.follower.as_fd()
    }

    /// Returns the offset after the last record that was read.
    pub(super) fn offset(&self) -> u64 {
        self.follower.offset()
    }

    /// Reads the next record, if there is one, with its time in milliseconds since the epoch.
    pub(super) fn read_next_record(&mut self) -> Result<Option<(u64, SpoolEvent)>, SessionError> {
        let next = self.follower.try_next().map_err(SessionError::spool_error_mapper(&self.directory))?;
        let Some(Record { offset, at_ms, body }) = next else { return Ok(None) };
        let outcome = match body {
            RecordBody::Output { stream: spool::OutputSource::SideChannel, bytes } => {
                let events = self.side_channel.read_record(offset, &bytes, self.driver.resume_offset());
                SpoolEvent::Reports(events.into_iter().map(SessionReport::Event).collect())
            }
            RecordBody::Output { stream, bytes } => {
                let stream = match stream {
                    spool::OutputSource::Error => OutputStream::Stderr,
                    spool::OutputSource::Terminal
                    | spool::OutputSource::Output
                    | spool::OutputSource::SideChannel => OutputStream::Output,
                };
                SpoolEvent::Output(
                    self.driver.on_output(SpoolChunk { stream, offset, bytes: &bytes }),
                    offset,
                )
            }
            RecordBody::Input { number, .. } => SpoolEvent::InputWritten(number),
            RecordBody::TurnEnd { offset } => SpoolEvent::Output(self.handle_turn_end(offset), self.offset()),
            RecordBody::Exit(exit) => SpoolEvent::Exited(exit),
            RecordBody::Resize { .. } | RecordBody::Gap { .. } | RecordBody::Unknown { .. } => {
                SpoolEvent::Reports(Vec::new())
            }
        };
        Ok(Some((at_ms, outcome)))
    }

    /// Notes that the holder was asked to record the end of a turn that the driver has already reported.
    pub(super) fn expect_turn_end_record(&mut self, offset: u64) {
        self.marked_turn_ends.push_back(offset);
    }

    /// Passes a recorded end of a turn to the driver, unless the driver reported it itself.
    fn handle_turn_end(&mut self, offset: u64) -> Reaction {
        let is_reported = self.marked_turn_ends.pop_front_if(|marked| *marked == offset).is_some();
        // A turn that ended before `start` is not part of what this driver reads.
        if is_reported || offset <= self.start {
            Reaction::default()
        } else {
            self.driver.on_replayed_turn_end()
        }
    }
}
