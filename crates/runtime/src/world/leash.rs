//! Holds something that takes its time, so that it can be called back from another thread.

use std::{
    os::fd::AsFd,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    time::{Duration, Instant},
};

use sessions::Waker;

const LET_GO: u8 = 0;
const LEAVE: u8 = 1;
const END: u8 = 2;

/// Without a waker it is looked at so often whether somebody pulled.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// A leash; whoever holds a clone pulls the same one.
#[derive(Debug, Clone)]
pub(super) struct Leash {
    pull: Arc<AtomicU8>,
    waker: Option<Waker>,
}

/// What whoever is on a leash is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pull {
    /// Turn away from what it waits for, which goes on.
    Leave,
    /// End what it waits for.
    End,
}

impl Leash {
    pub(super) fn new() -> Self {
        // A machine without a free descriptor is slower to let go, and works all the same.
        Self { pull: Arc::new(AtomicU8::new(LET_GO)), waker: Waker::new().ok() }
    }

    /// Lets what is waited for go on, and nobody wait for it.
    pub(super) fn leave(&self) {
        self.set(LEAVE);
    }

    /// Lets what is waited for end.
    pub(super) fn end(&self) {
        self.set(END);
    }

    pub(super) fn is_pulled(&self) -> bool {
        self.pulled().is_some()
    }

    pub(super) fn pulled(&self) -> Option<Pull> {
        match self.pull.load(Ordering::Acquire) {
            LET_GO => None,
            LEAVE => Some(Pull::Leave),
            _ => Some(Pull::End),
        }
    }

    /// Sleeps until something can be read, somebody pulls, or it is time.
    pub(super) fn sleep(&self, readable: impl AsFd, until: Instant) {
        match &self.waker {
            Some(waker) => waker.sleep(readable, until),
            None => std::thread::sleep(LOOK_EVERY.min(until.saturating_duration_since(Instant::now()))),
        }
    }

    fn set(&self, pull: u8) {
        self.pull.store(pull, Ordering::Release);
        if let Some(waker) = &self.waker {
            waker.wake();
        }
    }
}
