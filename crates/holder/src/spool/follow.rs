//! Follows a spool without polling: sleeps until the kernel reports a change of its files.

use std::{
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::Path,
    time::Instant,
};

use rustix::{
    event::{PollFd, PollFlags},
    fs::inotify::{self, CreateFlags, WatchFlags},
};

use super::{Reader, Record, SpoolError};
use crate::wait;

/// Reads a spool and waits for more.
///
/// For an event loop: when [`AsFd::as_fd`] is readable, call [`RecordFollower::try_next`] until it returns `None`.
pub struct Follower {
    reader: Reader,
    changes: OwnedFd,
}

impl Follower {
    /// Opens a spool at an offset.
    pub fn open(directory: &Path, from: u64) -> Result<Self, SpoolError> {
        let failed = |error: rustix::io::Errno| SpoolError::io("watch", directory, error.into());
        // Watch before the first read, so that no change in between is missed.
        let changes = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).map_err(failed)?;
        inotify::add_watch(&changes, directory, WatchFlags::MODIFY | WatchFlags::CREATE).map_err(failed)?;
        Ok(Self { reader: Reader::open(directory, from)?, changes })
    }

    /// Returns the next record, or `None`; `as_fd` then becomes readable when there is more.
    pub fn try_next(&mut self) -> Result<Option<Record>, SpoolError> {
        if let Some(record) = self.reader.next_record()? {
            return Ok(Some(record));
        }
        self.forget_changes();
        self.reader.next_record()
    }

    /// Waits for the next record; `None` if the deadline passed.
    pub fn next_until(&mut self, deadline: Option<Instant>) -> Result<Option<Record>, SpoolError> {
        loop {
            if let Some(record) = self.try_next()? {
                return Ok(Some(record));
            }
            let mut polled = [PollFd::new(&self.changes, PollFlags::IN)];
            if !wait::until_ready(&mut polled, deadline) {
                return Ok(None);
            }
        }
    }

    /// Returns the offset after the last returned record.
    pub fn offset(&self) -> u64 {
        self.reader.offset()
    }

    fn forget_changes(&self) {
        let mut buffer = [0_u8; 1024];
        while rustix::io::read(&self.changes, &mut buffer).is_ok_and(|length| length > 0) {}
    }
}

impl AsFd for Follower {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.changes.as_fd()
    }
}
