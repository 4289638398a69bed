//! Kills the remaining processes of a session whose holder was killed.
//!
//! All descendants inherit the session variable, even in other sessions and process groups. A process that cleared
//! its environment is found only as a descendant of one that did not, or by the cgroup.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, PidfdFlags, Signal, getpid, pidfd_open, pidfd_send_signal};

use crate::{SESSION_VARIABLE, cgroup::Cgroup, processes, status};

/// Result of killing orphans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrphanReport {
    /// Number of processes that were signalled.
    pub killed: usize,
    /// Number of processes that still existed at the end.
    pub remaining: usize,
}

/// Kills every process with the session's variable, within a time limit.
///
/// Call it only if the session's holder is dead, since it would also kill the agent of a running one. `directory` is
/// the session's folder, where the holder recorded its cgroup, if any.
pub fn kill_orphans(directory: &std::path::Path, session: &str, time_max: Duration) -> OrphanReport {
    let recorded = status::read(directory).ok().flatten().and_then(|summary| summary.cgroup);
    let cgroup = recorded.map(Cgroup::from_path);
    if let Some(cgroup) = &cgroup {
        cgroup.kill();
    }
    kill_marked(cgroup.as_ref(), &|mark| mark == session.as_bytes(), time_max)
}

/// Kills every process whose session variable starts with a text, within a time limit: those of sessions whose folders
/// were removed, so that their complete variable is unknown.
pub fn kill_orphans_by_prefix(prefix: &str, time_max: Duration) -> OrphanReport {
    kill_marked(None, &|mark| mark.starts_with(prefix.as_bytes()), time_max)
}

fn kill_marked(
    cgroup: Option<&Cgroup>,
    is_of_session: &dyn Fn(&[u8]) -> bool,
    time_max: Duration,
) -> OrphanReport {
    let deadline = Instant::now() + time_max;
    let mut ended: Vec<(Pid, u64)> = Vec::new();
    let mut pause = Duration::from_millis(2);
    let mut is_clear = false;
    loop {
        let mut alive = find_session_processes(is_of_session);
        // A dying process has no environment any more but still exists.
        alive.extend(ended.iter().filter(|(pid, started)| is_alive(*pid, *started)));
        // The second scan finds processes that were forked or called exec during the first.
        if alive.is_empty() && is_clear {
            if let Some(cgroup) = cgroup {
                cgroup.remove();
            }
            return OrphanReport { killed: ended.len(), remaining: 0 };
        }
        is_clear = alive.is_empty();
        for (pid, started) in &alive {
            kill(*pid, *started);
            if !ended.contains(&(*pid, *started)) {
                ended.push((*pid, *started));
            }
        }
        if Instant::now() >= deadline {
            return OrphanReport { killed: ended.len(), remaining: alive.len() };
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

fn is_alive(pid: Pid, started: u64) -> bool {
    processes::read_state(pid).is_some_and(|state| state.started == started && !state.is_dead())
}

/// Returns the live processes with the session's variable, and their descendants.
fn find_session_processes(is_of_session: &dyn Fn(&[u8]) -> bool) -> Vec<(Pid, u64)> {
    let mut pids: Vec<Pid> = Vec::new();
    for pid in processes::list_processes() {
        if pid != getpid() && has_session_variable(pid, is_of_session) {
            pids.push(pid);
            pids.extend(processes::descendants(pid));
        }
    }
    pids.sort_by_key(|pid| pid.as_raw_nonzero());
    pids.dedup();
    let alive = |pid: Pid| processes::read_state(pid).filter(|state| !state.is_dead());
    pids.into_iter().filter_map(|pid| Some((pid, alive(pid)?.started))).collect()
}

fn has_session_variable(pid: Pid, is_of_session: &dyn Fn(&[u8]) -> bool) -> bool {
    let Ok(environment) = fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())) else { return false };
    let value = |variable: &[u8]| {
        let value = variable.strip_prefix(SESSION_VARIABLE.as_bytes())?.strip_prefix(b"=")?;
        Some(is_of_session(value))
    };
    environment.split(|byte| *byte == 0).any(|variable| value(variable) == Some(true))
}

/// Kills the process unless its number was reused.
fn kill(pid: Pid, started: u64) {
    let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) else { return };
    if processes::read_state(pid).is_some_and(|state| state.started == started) {
        // Fails only if it has exited.
        let _ = pidfd_send_signal(process, Signal::KILL);
    }
}
