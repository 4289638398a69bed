//! Wakes whoever waits for a session, from another thread.

use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::Arc,
};

use rustix::event::{EventfdFlags, eventfd};

/// Makes [`Living::next`](super::Living::next) return, now or when it is called next.
#[derive(Debug, Clone)]
pub struct Waker(Arc<OwnedFd>);

impl Waker {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self(Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?)))
    }

    /// Wakes it. Several calls before it looks are one.
    pub fn wake(&self) {
        // A counter that is full wakes as well.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
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
