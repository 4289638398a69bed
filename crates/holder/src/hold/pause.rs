//! Stops all processes of a session, and continues them.
//!
//! An agent that leads the foreground first gets SIGTSTP and 100 ms, so that it can restore its terminal. Then
//! everything is stopped by the cgroup freezer or process by process, until two scans in a row find no running
//! process. Parents are stopped before and continued after their children, so that no shell treats a stopped job as
//! its own.

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

/// Time for an agent to stop by itself.
const POLITE_MAX: Duration = Duration::from_millis(100);
/// Interval between scans.
const LOOK_AGAIN: Duration = Duration::from_millis(2);
/// Number of scans in which a child is stopped only after its parent.
const PATIENT_LOOKS: u32 = 25;
/// Interval, in scans, at which children that block their parent by `vfork` are continued.
const NUDGE_EVERY: u32 = 4;
/// A process in an uninterruptible call stops when the call ends; waits no longer than this.
const STUBBORN_MAX: Duration = Duration::from_secs(2);

/// Whether the processes of a session are running.
#[derive(Default)]
pub(super) enum Pause {
    #[default]
    Moving,
    Stopping(Stopping),
    Still {
        /// Processes that were stopped before; they must not be continued.
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
    /// Starts to stop all processes.
    pub(super) fn begin(agent: &Agent, asker: Asker, now: Instant) -> Self {
        let stopped = |pid: Pid| processes::look(pid).filter(Look::is_stopped);
        let before = processes::descendants(getpid())
            .into_iter()
            .filter_map(|pid| Some((pid, stopped(pid)?.started)))
            .collect();
        // If a shell has put a job into the foreground, SIGTSTP would look like Ctrl-Z to the shell.
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

    /// Advances stopping when a check is due; returns the requests to answer.
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

    /// Continues all processes; returns the stop requests that will not be fulfilled.
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

/// Returns the process group that owns the terminal, or the agent's.
pub(super) fn foreground(agent: &Agent) -> Pid {
    let terminal = agent.terminal.as_ref().and_then(|terminal| tcgetpgrp(terminal).ok());
    let own = getpgid(None).ok();
    terminal.filter(|group| Some(*group) != own).unwrap_or(agent.pid)
}

/// Stops all running processes; returns true if there were none.
///
/// With `is_patient`, only processes whose parent has stopped are stopped. Otherwise a shell that has not yet reacted
/// to SIGSTOP would notice its job stopping, and take the terminal back when both continue.
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

/// Continues stopped children of uninterruptible processes.
///
/// A parent that used `vfork` sleeps until the child calls `exec`. If the child is stopped before that, the parent
/// cannot stop. The child runs until the next scan, which is enough, and is stopped again.
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
