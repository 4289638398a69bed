//! Wakes whoever waits for a session, from another thread.

use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::Arc,
    time::Instant,
};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

/// Makes [`Living::next`](super::Living::next) return, now or when it is called next.
#[derive(Debug, Clone)]
pub struct Waker(Arc<OwnedFd>);

impl Waker {
    /// Makes one that wakes nobody yet.
    pub fn new() -> io::Result<Self> {
        Ok(Self(Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?)))
    }

    /// Wakes it. Several calls before it looks are one.
    pub fn wake(&self) {
        // A counter that is full wakes as well.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }

    /// Sleeps until something can be read, somebody calls, or it is time. Never forgets a call.
    pub fn sleep(&self, readable: impl AsFd, until: Instant) {
        let left = Timespec::try_from(until.saturating_duration_since(Instant::now())).ok();
        let polled = [readable.as_fd(), self.as_fd()].map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        // Woken too early, whoever sleeps looks and sleeps again.
        let _ = poll(&mut polled.to_vec(), left.as_ref());
    }

    /// Tells whether somebody called, and forgets it.
    pub(super) fn take(&self) -> bool {
        rustix::io::read(&self.0, &mut [0; 8]).is_ok()
    }
}

impl AsFd for Waker {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
