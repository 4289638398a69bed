//! Ends all processes of a session: a word first, force after the grace, until the kernel says that there are none.

use std::time::{Duration, Instant};

use rustix::process::{Signal, getpid};

use super::session::Asker;
use crate::{cgroup::Cgroup, processes, spool::EndReason};

/// How soon it is looked whether killing has left somebody, at first and at most.
const LOOK_MIN: Duration = Duration::from_millis(2);
const LOOK_MAX: Duration = Duration::from_millis(100);

/// An end that has begun.
pub(super) struct Ending {
    pub(super) reason: EndReason,
    pub(super) askers: Vec<Asker>,
    kill_at: Instant,
    pause: Duration,
}

impl Ending {
    /// Asks everybody to end. Who was stopped must move to hear it.
    pub(super) fn begin(reason: EndReason, grace: Duration, cgroup: Option<&Cgroup>, now: Instant) -> Self {
        if let Some(cgroup) = cgroup {
            cgroup.thaw();
        }
        let everybody = processes::descendants(getpid());
        processes::signal_all(&everybody, Signal::CONT);
        processes::signal_all(&everybody, Signal::TERM);
        // What was stopped in the middle of the first round gets another chance to move.
        processes::signal_all(&everybody, Signal::CONT);
        Self { reason, askers: Vec::new(), kill_at: now + grace, pause: LOOK_MIN }
    }

    /// Allows less time than before.
    pub(super) fn hurry(&mut self, grace: Duration, now: Instant) {
        self.kill_at = self.kill_at.min(now + grace);
    }

    pub(super) fn deadline(&self) -> Instant {
        self.kill_at
    }

    /// Kills everybody when it is time, again and again: who forks faster than one walk is in the next.
    pub(super) fn tick(&mut self, cgroup: Option<&Cgroup>, now: Instant) {
        if now < self.kill_at {
            return;
        }
        if let Some(cgroup) = cgroup {
            cgroup.kill();
        }
        processes::signal_all(&processes::descendants(getpid()), Signal::KILL);
        self.kill_at = now + self.pause;
        self.pause = (self.pause * 2).min(LOOK_MAX);
    }
}
