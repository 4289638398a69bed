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

use super::{Record, RecordReader, SpoolError};
use crate::wait;

/// Reads a spool and waits for more.
///
/// For an event loop: when [`AsFd::as_fd`] is readable, call [`RecordFollower::try_next`] until it returns `None`.
pub struct RecordFollower {
    reader: RecordReader,
    notifications: OwnedFd,
}

impl RecordFollower {
    /// Opens a spool at an offset.
    pub fn open(directory: &Path, from: u64) -> Result<Self, SpoolError> {
        let failed = |error: rustix::io::Errno| SpoolError::io("watch", directory, error.into());
        // Watch before the first read, so that no change in between is missed.
        let notifications = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).map_err(failed)?;
        inotify::add_watch(&notifications, directory, WatchFlags::MODIFY | WatchFlags::CREATE)
            .map_err(failed)?;
        Ok(Self { reader: RecordReader::open(directory, from)?, notifications })
    }

    /// Returns the next record, or `None`; `as_fd` then becomes readable when there is more.
    pub fn try_next(&mut self) -> Result<Option<Record>, SpoolError> {
        if let Some(record) = self.reader.next_record()? {
            return Ok(Some(record));
        }
        self.discard_notifications();
        self.reader.next_record()
    }

    /// Waits for the next record; `None` if the deadline passed.
    pub fn next_until(&mut self, deadline: Option<Instant>) -> Result<Option<Record>, SpoolError> {
        loop {
            if let Some(record) = self.try_next()? {
                return Ok(Some(record));
            }
            let mut polled = [PollFd::new(&self.notifications, PollFlags::IN)];
            if !wait::until_ready(&mut polled, deadline) {
                return Ok(None);
            }
        }
    }

    /// Returns the offset after the last returned record.
    pub fn offset(&self) -> u64 {
        self.reader.offset()
    }

    fn discard_notifications(&self) {
        let mut buffer = [0_u8; 1024];
        while rustix::io::read(&self.notifications, &mut buffer).is_ok_and(|length| length > 0) {}
    }
}

impl AsFd for RecordFollower {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.notifications.as_fd()
    }
}
