//! Ends all processes of a session: SIGTERM first, SIGKILL after the grace period, until none is left.

use std::time::{Duration, Instant};

use rustix::process::{Signal, getpid};

use super::event_loop::ReplyAddress;
use crate::{cgroup::Cgroup, processes, spool::EndReason};

/// Interval between attempts to kill the remaining processes, at first and at most.
const KILL_INTERVAL_MIN: Duration = Duration::from_millis(2);
const KILL_INTERVAL_MAX: Duration = Duration::from_millis(100);

/// A termination in progress.
pub(super) struct Termination {
    pub(super) reason: EndReason,
    pub(super) waiters: Vec<ReplyAddress>,
    kill_at: Instant,
    pause: Duration,
}

impl Termination {
    /// Asks all processes to end. Stopped processes are continued to receive the signal.
    pub(super) fn begin(reason: EndReason, grace: Duration, cgroup: Option<&Cgroup>, now: Instant) -> Self {
        if let Some(cgroup) = cgroup {
            cgroup.thaw();
        }
        let descendants = processes::descendants(getpid());
        processes::signal_all(&descendants, Signal::CONT);
        processes::signal_all(&descendants, Signal::TERM);
        // Continue processes that were stopped during the first round.
        processes::signal_all(&descendants, Signal::CONT);
        Self { reason, waiters: Vec::new(), kill_at: now + grace, pause: KILL_INTERVAL_MIN }
    }

    pub(super) fn shorten_grace(&mut self, grace: Duration, now: Instant) {
        self.kill_at = self.kill_at.min(now + grace);
    }

    pub(super) fn kill_at(&self) -> Instant {
        self.kill_at
    }

    /// Kills all processes after the grace period, and repeats it for processes forked meanwhile.
    pub(super) fn tick(&mut self, cgroup: Option<&Cgroup>, now: Instant) {
        if now < self.kill_at {
            return;
        }
        if let Some(cgroup) = cgroup {
            cgroup.kill();
        }
        processes::signal_all(&processes::descendants(getpid()), Signal::KILL);
        self.kill_at = now + self.pause;
        self.pause = (self.pause * 2).min(KILL_INTERVAL_MAX);
    }
}
