//! Reads along in a session that somebody else speaks with, or that is long over.

use std::{path::Path, time::Instant};

use domain::Timestamp;
use drivers::DriverSetup;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::{
    Seen,
    hearing::{Heard, Hearing},
};
use crate::{error::SessionError, ledger::Told};

/// A session and a driver that only listens.
pub struct Watching {
    directory: std::path::PathBuf,
    hearing: Hearing,
    told: Told,
}

/// What was seen at once, and when the session's holder wrote it down.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// When.
    pub at: Timestamp,
    /// What.
    pub seen: Vec<Seen>,
}

impl Watching {
    /// Begins where the driver reads from.
    pub fn open(directory: &Path, mut setup: DriverSetup) -> Result<Self, SessionError> {
        // What it would send was sent by whoever speaks.
        setup.driver.open();
        let hearing = Hearing::open(directory, setup)?;
        let told = read_told(directory)?;
        Ok(Self { directory: directory.to_owned(), hearing, told })
    }

    /// Returns the next that was seen, if it is there already.
    pub fn try_next(&mut self) -> Result<Option<Moment>, SessionError> {
        let Some((at_ms, heard)) = self.hearing.next()? else { return Ok(None) };
        let happened = |happened: Vec<_>| happened.into_iter().map(Seen::Happened);
        let seen = match heard {
            Heard::Wrote(reaction, _) => happened(reaction.happened).collect(),
            Heard::Noted(seen) => seen,
            Heard::Typed(number) => {
                // It is in the ledger before it is typed, but perhaps not when we last looked.
                if self.told.ends_with(number).is_none() {
                    self.told = read_told(&self.directory)?;
                }
                self.told.ends_with(number).map(|number| Seen::Typed { number }).into_iter().collect()
            }
            Heard::Exited(exit) => {
                happened(self.hearing.driver.end().happened).chain([Seen::Ended(exit)]).collect()
            }
        };
        Ok(Some(Moment { at: Timestamp(i64::try_from(at_ms).unwrap_or(i64::MAX)), seen }))
    }

    /// Waits for the next, until a deadline.
    pub fn next(&mut self, deadline: Option<Instant>) -> Result<Option<Moment>, SessionError> {
        loop {
            if let Some(moment) = self.try_next()? {
                return Ok(Some(moment));
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(None);
            }
            let left = left.and_then(|left| Timespec::try_from(left).ok());
            // Woken too early, the loop looks and sleeps again.
            let _ =
                poll(&mut [PollFd::from_borrowed_fd(self.hearing.readable(), PollFlags::IN)], left.as_ref());
        }
    }
}

fn read_told(directory: &Path) -> Result<Told, SessionError> {
    Told::read(directory).map_err(SessionError::io("read the ledger of inputs in", directory))
}
