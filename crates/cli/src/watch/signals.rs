//! Signals, as something that can be polled.

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

use crate::failure::Failure;

/// The signals that end watching, and those that only want a new look.
const ENDS: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];
const LOOKS: [i32; 2] = [SIGWINCH, SIGCONT];

/// Signals that came. As before when dropped.
pub struct Signals {
    is_ended: Arc<AtomicBool>,
    wake: PipeReader,
    registered: Vec<SigId>,
}

impl Signals {
    /// Takes the signals over.
    pub fn take() -> Result<Self, Failure> {
        Self::register().map_err(|error| Failure {
            what: format!("listen to signals: {error}"),
            hint: None,
            exit: 1,
        })
    }

    fn register() -> io::Result<Self> {
        let (wake, bell) = io::pipe()?;
        let mut signals = Self { is_ended: Arc::default(), wake, registered: Vec::new() };
        for signal in ENDS {
            signals.registered.push(flag::register(signal, Arc::clone(&signals.is_ended))?);
        }
        for signal in ENDS.into_iter().chain(LOOKS) {
            signals.registered.push(pipe::register(signal, bell.try_clone()?)?);
        }
        Ok(signals)
    }

    /// Tells whether somebody wants this to end.
    pub fn is_ended(&self) -> bool {
        self.is_ended.load(Ordering::SeqCst)
    }

    /// Returns what can be read when a signal came. To be emptied by `quiet`.
    pub fn wake(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }

    /// Waits until a signal comes, or so long.
    pub fn wait(&self, time: Duration) {
        let wait = Timespec { tv_sec: 0, tv_nsec: i64::from(time.subsec_nanos()) };
        let mut polled = [PollFd::new(&self.wake, PollFlags::IN)];
        let _ = poll(&mut polled, Some(&wait));
    }

    /// Takes note of having been woken.
    pub fn quiet(&mut self) {
        let mut bells = [0; 64];
        // Only called when there is something to read.
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
