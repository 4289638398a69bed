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

use super::{agent::Agent, event_loop::ReplyAddress};
use crate::{
    cgroup::Cgroup,
    processes::{self, ProcessState},
};

/// Time for an agent to stop by itself.
const SIGTSTP_GRACE: Duration = Duration::from_millis(100);
/// Interval between scans.
const SCAN_INTERVAL: Duration = Duration::from_millis(2);
/// Number of scans in which a child is stopped only after its parent.
const PATIENT_SCANS: u32 = 25;
/// Interval, in scans, at which children that block their parent by `vfork` are continued.
const VFORK_RELEASE_INTERVAL: u32 = 4;
/// A process in an uninterruptible call stops when the call ends; waits no longer than this.
const STOP_MAX: Duration = Duration::from_secs(2);

/// Whether the processes of a session are running.
#[derive(Default)]
pub(super) enum PauseState {
    #[default]
    Running,
    Stopping(StopInProgress),
    Stopped {
        /// Processes that were stopped before; they must not be continued.
        before: Vec<(Pid, u64)>,
    },
}

pub(super) struct StopInProgress {
    pub(super) waiters: Vec<ReplyAddress>,
    before: Vec<(Pid, u64)>,
    since: Instant,
    scan_at: Instant,
    is_forced: bool,
    was_stopped: bool,
    n_scans: u32,
}

impl PauseState {
    /// Starts to stop all processes.
    pub(super) fn begin(agent: &Agent, waiter: ReplyAddress, now: Instant) -> Self {
        let stopped = |pid: Pid| processes::read_state(pid).filter(ProcessState::is_stopped);
        let before = processes::descendants(getpid())
            .into_iter()
            .filter_map(|pid| Some((pid, stopped(pid)?.started)))
            .collect();
        // If a shell has put a job into the foreground, SIGTSTP would look like Ctrl-Z to the shell.
        let has_signalled = foreground_process_group(agent) == agent.pid
            && kill_process_group(agent.pid, Signal::TSTP).is_ok();
        let grace = if has_signalled { SIGTSTP_GRACE } else { Duration::ZERO };
        Self::Stopping(StopInProgress {
            waiters: vec![waiter],
            before,
            since: now,
            scan_at: now + grace,
            is_forced: false,
            was_stopped: false,
            n_scans: 0,
        })
    }

    pub(super) fn next_scan_at(&self) -> Option<Instant> {
        if let Self::Stopping(stopping) = self { Some(stopping.scan_at) } else { None }
    }

    /// Advances stopping when a check is due; returns the requests to answer.
    pub(super) fn tick(&mut self, agent: &Agent, cgroup: Option<&Cgroup>, now: Instant) -> Vec<ReplyAddress> {
        let Self::Stopping(stopping) = self else { return Vec::new() };
        if !stopping.is_forced {
            let has_stopped =
                processes::read_state(agent.pid).is_some_and(|state| state.is_stopped_or_dead());
            if now < stopping.scan_at && !has_stopped {
                return Vec::new();
            }
            stopping.is_forced = true;
        } else if now < stopping.scan_at {
            return Vec::new();
        }
        stopping.scan_at = now + SCAN_INTERVAL;
        let is_stopped_or_dead = match cgroup {
            Some(cgroup) if cgroup.freeze() => cgroup.is_frozen(),
            Some(_) | None => try_stop_all_processes(stopping.n_scans < PATIENT_SCANS),
        };
        stopping.n_scans += 1;
        if !is_stopped_or_dead && cgroup.is_none() && stopping.n_scans.is_multiple_of(VFORK_RELEASE_INTERVAL)
        {
            release_vfork_children(&stopping.before);
        }
        let is_sure = is_stopped_or_dead && (stopping.was_stopped || cgroup.is_some());
        stopping.was_stopped = is_stopped_or_dead;
        if !is_sure && now < stopping.since + STOP_MAX {
            return Vec::new();
        }
        let before = std::mem::take(&mut stopping.before);
        let waiters = std::mem::take(&mut stopping.waiters);
        *self = Self::Stopped { before };
        waiters
    }

    /// Continues all processes; returns the stop requests that will not be fulfilled.
    pub(super) fn resume(&mut self, cgroup: Option<&Cgroup>) -> Vec<ReplyAddress> {
        let (before, waiters) = match std::mem::take(self) {
            Self::Running => return Vec::new(),
            Self::Stopping(stopping) => (stopping.before, stopping.waiters),
            Self::Stopped { before } => (before, Vec::new()),
        };
        if let Some(cgroup) = cgroup {
            cgroup.thaw();
        }
        let ours = |pid: &Pid| {
            processes::read_state(*pid).is_some_and(|state| !before.contains(&(*pid, state.started)))
        };
        let mut stopped = processes::descendants(getpid());
        stopped.retain(ours);
        processes::signal_all(stopped.iter().rev(), Signal::CONT);
        waiters
    }
}

/// Returns the process group that owns the terminal, or the agent's.
pub(super) fn foreground_process_group(agent: &Agent) -> Pid {
    let terminal = agent.terminal.as_ref().and_then(|terminal| tcgetpgrp(terminal).ok());
    let own = getpgid(None).ok();
    terminal.filter(|group| Some(*group) != own).unwrap_or(agent.pid)
}

/// Stops all running processes; returns true if there were none.
///
/// With `waits_for_parent`, only processes whose parent has stopped are stopped. Otherwise a shell that has not yet reacted
/// to SIGSTOP would notice its job stopping, and take the terminal back when both continue.
fn try_stop_all_processes(waits_for_parent: bool) -> bool {
    let all: Vec<(Pid, ProcessState)> = processes::descendants(getpid())
        .into_iter()
        .filter_map(|pid| Some((pid, processes::read_state(pid)?)))
        .filter(|(_, state)| !state.is_stopped_or_dead())
        .collect();
    let is_running = |parent: i32| all.iter().any(|(pid, _)| pid.as_raw_nonzero().get() == parent);
    let next = all.iter().filter(|(_, state)| !waits_for_parent || !is_running(state.parent));
    processes::signal_all(next.map(|(pid, _)| pid), Signal::STOP);
    all.is_empty()
}

/// Continues stopped children of uninterruptible processes.
///
/// A parent that used `vfork` sleeps until the child calls `exec`. If the child is stopped before that, the parent
/// cannot stop. The child runs until the next scan, which is enough, and is stopped again.
fn release_vfork_children(before: &[(Pid, u64)]) {
    let all: Vec<(Pid, ProcessState)> = processes::descendants(getpid())
        .into_iter()
        .filter_map(|pid| Some((pid, processes::read_state(pid)?)))
        .collect();
    let is_blocked = |parent: i32| {
        all.iter().any(|(pid, state)| pid.as_raw_nonzero().get() == parent && state.is_uninterruptible())
    };
    for (pid, state) in &all {
        if state.is_stopped() && is_blocked(state.parent) && !before.contains(&(*pid, state.started)) {
            processes::signal_all([pid], Signal::CONT);
        }
    }
}
