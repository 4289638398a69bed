//! Stops all processes of a session, and lets them go on.
//!
//! An agent that leads the foreground is asked first (SIGTSTP), so that it can put its terminal in order; it has 100 ms.
//! Then everything is stopped by the cgroup's freezer, or process by process, until two walks in a row find nobody
//! moving. Parents are stopped before their children and continued after them, so that no shell takes a stopped job for
//! its own business.

use std::time::{Duration, Instant};

use rustix::{
    process::{Pid, Signal, getpgid, getpid, kill_process_group},
    termios::tcgetpgrp,
};

use super::{agent::Agent, session::Asker};
use crate::{
    cgroup::Cgroup,
    processes::{self, Look},
};

/// How long an agent has to stop by itself.
const POLITE_MAX: Duration = Duration::from_millis(100);
/// How long after a signal it is looked again.
const LOOK_AGAIN: Duration = Duration::from_millis(2);
/// For so many looks a child is not stopped before its parent stands still.
const PATIENT_LOOKS: u32 = 25;
/// After so many looks, who waits for a stopped child gets it back for a moment.
const NUDGE_EVERY: u32 = 4;
/// A process in an uninterruptible call stops when the call is over. Nobody waits longer for it than this.
const STUBBORN_MAX: Duration = Duration::from_secs(2);

/// Whether a session moves.
#[derive(Default)]
pub(super) enum Pause {
    /// It does.
    #[default]
    Moving,
    /// It is being stopped.
    Stopping(Stopping),
    /// It does not.
    Still {
        /// Those that somebody else had stopped before: they are not ours to continue.
        before: Vec<(Pid, u64)>,
    },
}

pub(super) struct Stopping {
    pub(super) askers: Vec<Asker>,
    before: Vec<(Pid, u64)>,
    since: Instant,
    look_at: Instant,
    is_forced: bool,
    found_still: bool,
    n_looks: u32,
}

impl Pause {
    /// Begins to stop everything.
    pub(super) fn begin(agent: &Agent, asker: Asker, now: Instant) -> Self {
        let stopped = |pid: Pid| processes::look(pid).filter(Look::is_stopped);
        let before = processes::descendants(getpid())
            .into_iter()
            .filter_map(|pid| Some((pid, stopped(pid)?.started)))
            .collect();
        // Where a shell has put a job into the foreground, a polite word to the job would look to the shell like Ctrl-Z.
        let is_polite = foreground(agent) == agent.pid && kill_process_group(agent.pid, Signal::TSTP).is_ok();
        let polite_max = if is_polite { POLITE_MAX } else { Duration::ZERO };
        Self::Stopping(Stopping {
            askers: vec![asker],
            before,
            since: now,
            look_at: now + polite_max,
            is_forced: false,
            found_still: false,
            n_looks: 0,
        })
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        if let Self::Stopping(stopping) = self { Some(stopping.look_at) } else { None }
    }

    /// Goes on with stopping when it is time, or when a child has just stopped. Returns who is to be told.
    pub(super) fn tick(&mut self, agent: &Agent, cgroup: Option<&Cgroup>, now: Instant) -> Vec<Asker> {
        let Self::Stopping(stopping) = self else { return Vec::new() };
        if !stopping.is_forced {
            let has_obeyed = processes::look(agent.pid).is_some_and(|look| look.is_still());
            if now < stopping.look_at && !has_obeyed {
                return Vec::new();
            }
            stopping.is_forced = true;
        } else if now < stopping.look_at {
            return Vec::new();
        }
        stopping.look_at = now + LOOK_AGAIN;
        let is_still = match cgroup {
            Some(cgroup) if cgroup.freeze() => cgroup.is_frozen(),
            Some(_) | None => stop_all(stopping.n_looks < PATIENT_LOOKS),
        };
        stopping.n_looks += 1;
        if !is_still && cgroup.is_none() && stopping.n_looks.is_multiple_of(NUDGE_EVERY) {
            nudge(&stopping.before);
        }
        let is_sure = is_still && (stopping.found_still || cgroup.is_some());
        stopping.found_still = is_still;
        if !is_sure && now < stopping.since + STUBBORN_MAX {
            return Vec::new();
        }
        let before = std::mem::take(&mut stopping.before);
        let askers = std::mem::take(&mut stopping.askers);
        *self = Self::Still { before };
        askers
    }

    /// Lets everything go on, and returns who waited for a stop that does not come now.
    pub(super) fn go_on(&mut self, cgroup: Option<&Cgroup>) -> Vec<Asker> {
        let (before, askers) = match std::mem::take(self) {
            Self::Moving => return Vec::new(),
            Self::Stopping(stopping) => (stopping.before, stopping.askers),
            Self::Still { before } => (before, Vec::new()),
        };
        if let Some(cgroup) = cgroup {
            cgroup.thaw();
        }
        let ours =
            |pid: &Pid| processes::look(*pid).is_some_and(|look| !before.contains(&(*pid, look.started)));
        let mut stopped = processes::descendants(getpid());
        stopped.retain(ours);
        processes::signal_all(stopped.iter().rev(), Signal::CONT);
        askers
    }
}

/// Returns the group that has the terminal, or the agent's own.
pub(super) fn foreground(agent: &Agent) -> Pid {
    let terminal = agent.terminal.as_ref().and_then(|terminal| tcgetpgrp(terminal).ok());
    let own = getpgid(None).ok();
    terminal.filter(|group| Some(*group) != own).unwrap_or(agent.pid)
}

/// Stops everybody who moves. Says whether nobody did.
///
/// With patience only those whose parent stands still already. A shell that has heard SIGSTOP and not obeyed yet would see
/// its job stop, and take the terminal back from it when both go on.
fn stop_all(is_patient: bool) -> bool {
    let all: Vec<(Pid, Look)> = processes::descendants(getpid())
        .into_iter()
        .filter_map(|pid| Some((pid, processes::look(pid)?)))
        .filter(|(_, look)| !look.is_still())
        .collect();
    let is_moving = |parent: i32| all.iter().any(|(pid, _)| pid.as_raw_nonzero().get() == parent);
    let next = all.iter().filter(|(_, look)| !is_patient || !is_moving(look.parent));
    processes::signal_all(next.map(|(pid, _)| pid), Signal::STOP);
    all.is_empty()
}

/// Lets go of the stopped children of processes that can't be interrupted.
///
/// Who starts a program with `vfork` sleeps so until the child has become it. Stopped in that moment, the child keeps
/// its parent from stopping. It gets on until the next look, which is enough, and is stopped again then.
fn nudge(before: &[(Pid, u64)]) {
    let all: Vec<(Pid, Look)> = processes::descendants(getpid())
        .into_iter()
        .filter_map(|pid| Some((pid, processes::look(pid)?)))
        .collect();
    let is_held = |parent: i32| {
        all.iter().any(|(pid, look)| pid.as_raw_nonzero().get() == parent && look.is_uninterruptible())
    };
    for (pid, look) in &all {
        if look.is_stopped() && is_held(look.parent) && !before.contains(&(*pid, look.started)) {
            processes::signal_all([pid], Signal::CONT);
        }
    }
}
