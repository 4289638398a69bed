//! Reads a session that another process sends inputs to, or that has ended.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use domain::Timestamp;
use drivers::{DriverEvent, DriverSetup};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::{
    SessionReport,
    spool_reader::{SpoolEvent, SpoolReader},
};
use crate::{error::SessionError, input_ledger::SentInputs};

/// A session with a driver that only reads.
pub struct SessionObserver {
    directory: PathBuf,
    spool: SpoolReader,
    sent: SentInputs,
}

/// The reports of one spool record.
#[derive(Debug, Clone, PartialEq)]
pub struct TimedReports {
    /// The time at which the holder wrote the record.
    pub at: Timestamp,
    pub reports: Vec<SessionReport>,
}

impl SessionObserver {
    /// Opens a session at the offset that the driver reads from.
    pub fn open(directory: &Path, mut setup: DriverSetup) -> Result<Self, SessionError> {
        // The handshake is not sent: the process that sends the inputs has done so.
        setup.driver.on_start();
        let spool = SpoolReader::open(directory, setup)?;
        let sent = read_input_ledger(directory)?;
        Ok(Self { directory: directory.to_owned(), spool, sent })
    }

    /// Returns the next reports, if the spool has them already.
    pub fn try_next_reports(&mut self) -> Result<Option<TimedReports>, SessionError> {
        let Some((at_ms, outcome)) = self.spool.read_next_record()? else { return Ok(None) };
        let to_reports = |events: Vec<DriverEvent>| events.into_iter().map(SessionReport::Event);
        let reports = match outcome {
            SpoolEvent::Output(reaction, _) => to_reports(reaction.events).collect(),
            SpoolEvent::Reports(reports) => reports,
            SpoolEvent::InputWritten(sequence) => {
                // The ledger has every input before it is written, but this copy may be older.
                if self.sent.input_completed_by(sequence).is_none() {
                    self.sent = read_input_ledger(&self.directory)?;
                }
                let input = self.sent.input_completed_by(sequence);
                input.map(|number| SessionReport::InputWritten { number }).into_iter().collect()
            }
            SpoolEvent::Exited(exit) => {
                to_reports(self.spool.driver.on_exit().events).chain([SessionReport::Ended(exit)]).collect()
            }
        };
        Ok(Some(TimedReports { at: Timestamp(i64::try_from(at_ms).unwrap_or(i64::MAX)), reports }))
    }

    /// Waits for the next reports. Returns `None` at the deadline.
    pub fn next_reports(&mut self, deadline: Option<Instant>) -> Result<Option<TimedReports>, SessionError> {
        loop {
            if let Some(reports) = self.try_next_reports()? {
                return Ok(Some(reports));
            }
            let timeout = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if timeout.is_some_and(|timeout| timeout.is_zero()) {
                return Ok(None);
            }
            let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
            // If it returns early, the loop reads and sleeps again.
            let _ = poll(
                &mut [PollFd::from_borrowed_fd(self.spool.readable_fd(), PollFlags::IN)],
                timeout.as_ref(),
            );
        }
    }
}

fn read_input_ledger(directory: &Path) -> Result<SentInputs, SessionError> {
    SentInputs::read(directory)
        .map_err(SessionError::io_error_mapper("read the ledger of inputs in", directory))
}
