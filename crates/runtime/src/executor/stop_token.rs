//! Stops a long operation from another thread.

use std::{
    os::fd::AsFd,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    time::{Duration, Instant},
};

use sessions::Waker;

const NOT_STOPPED: u8 = 0;
const DETACH: u8 = 1;
const KILL: u8 = 2;

/// Time between two looks at the token if there is no waker.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// A request to stop, shared by all clones.
#[derive(Debug, Clone)]
pub(crate) struct StopToken {
    request: Arc<AtomicU8>,
    waker: Option<Waker>,
}

/// How an operation is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopRequest {
    /// Stop waiting; the process continues.
    Detach,
    /// End the process.
    Kill,
}

impl StopToken {
    pub(crate) fn new() -> Self {
        // Without a free file descriptor the token is polled instead.
        Self { request: Arc::new(AtomicU8::new(NOT_STOPPED)), waker: Waker::new().ok() }
    }

    pub(super) fn detach(&self) {
        self.set(DETACH);
    }

    pub(crate) fn kill(&self) {
        self.set(KILL);
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop_request().is_some()
    }

    pub(super) fn stop_request(&self) -> Option<StopRequest> {
        match self.request.load(Ordering::Acquire) {
            NOT_STOPPED => None,
            DETACH => Some(StopRequest::Detach),
            _ => Some(StopRequest::Kill),
        }
    }

    /// Sleeps until `readable` has data, a stop is requested, or the deadline passes.
    pub(super) fn sleep(&self, readable: impl AsFd, until: Instant) {
        match &self.waker {
            Some(waker) => waker.sleep(readable, until),
            None => std::thread::sleep(POLL_INTERVAL.min(until.saturating_duration_since(Instant::now()))),
        }
    }

    fn set(&self, request: u8) {
        self.request.store(request, Ordering::Release);
        if let Some(waker) = &self.waker {
            waker.wake();
        }
    }
}
