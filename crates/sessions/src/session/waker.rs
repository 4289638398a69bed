//! Wakes a thread that waits for a session.

use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::Arc,
    time::Instant,
};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

/// Makes [`Session::next_reports`](super::Session::next_reports) return, now or on its next call.
#[derive(Debug, Clone)]
pub struct Waker(Arc<OwnedFd>);

impl Waker {
    pub fn new() -> io::Result<Self> {
        Ok(Self(Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?)))
    }

    /// Wakes the waiting thread. Several calls before it runs count as one.
    pub fn wake(&self) {
        // A full counter wakes as well.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }

    /// Sleeps until `readable` is readable, [`Waker::wake`] is called, or `until`. An earlier call is not lost.
    pub fn sleep(&self, readable: impl AsFd, until: Instant) {
        let timeout = Timespec::try_from(until.saturating_duration_since(Instant::now())).ok();
        let polled = [readable.as_fd(), self.as_fd()].map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        // If it returns early, the caller checks its condition and sleeps again.
        let _ = poll(&mut polled.to_vec(), timeout.as_ref());
    }

    /// Returns whether it was woken, and resets it.
    pub(super) fn take_wakeup(&self) -> bool {
        rustix::io::read(&self.0, &mut [0; 8]).is_ok()
    }
}

impl AsFd for Waker {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
