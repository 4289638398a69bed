//! Signals as a descriptor that can be polled.

use std::{
    io::{self, PipeReader, Read},
    os::fd::{AsFd, BorrowedFd},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signal_hook::{
    SigId,
    consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGWINCH},
    flag,
    low_level::{pipe, unregister},
};

use crate::{failure::Failure, localized::localized};

/// Signals that end watching, and signals that require a redraw.
const TERMINATING: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];
const REDRAWING: [i32; 2] = [SIGWINCH, SIGCONT];

/// Registered signal handlers; removed when dropped.
pub(crate) struct Signals {
    is_ended: Arc<AtomicBool>,
    wake: PipeReader,
    registered: Vec<SigId>,
}

impl Signals {
    /// Registers the handlers.
    pub(crate) fn install() -> Result<Self, Failure> {
        Self::register_handlers().map_err(|error| Failure {
            what: localized(
                format!("Cannot handle signals ({error})."),
                format!("시그널을 처리할 수 없습니다({error})."),
            ),
            hint: None,
            exit: 1,
        })
    }

    fn register_handlers() -> io::Result<Self> {
        let (wake, bell) = io::pipe()?;
        let mut signals = Self { is_ended: Arc::default(), wake, registered: Vec::new() };
        for signal in TERMINATING {
            signals.registered.push(flag::register(signal, Arc::clone(&signals.is_ended))?);
        }
        for signal in TERMINATING.into_iter().chain(REDRAWING) {
            signals.registered.push(pipe::register(signal, bell.try_clone()?)?);
        }
        Ok(signals)
    }

    /// Tells whether a terminating signal was received.
    pub(crate) fn is_terminated(&self) -> bool {
        self.is_ended.load(Ordering::SeqCst)
    }

    /// Returns a descriptor that is readable after a signal. Cleared by `clear_wake`.
    pub(crate) fn wake_descriptor(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }

    /// Waits for a signal or the timeout, which must be below a second.
    pub(crate) fn wait(&self, time: Duration) {
        let wait = Timespec { tv_sec: 0, tv_nsec: i64::from(time.subsec_nanos()) };
        let mut polled = [PollFd::new(&self.wake, PollFlags::IN)];
        // If it returns early, the caller checks its condition and waits again.
        let _ = poll(&mut polled, Some(&wait));
    }

    /// Clears the wake descriptor.
    pub(crate) fn clear_wake(&mut self) {
        let mut bells = [0; 64];
        // Called only if the descriptor is readable.
        let _ = self.wake.read(&mut bells);
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        for id in self.registered.drain(..) {
            unregister(id);
        }
    }
}
