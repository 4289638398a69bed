//! Ends what a session left behind when its holder was killed and could not do it.
//!
//! Every descendant inherited the session's mark in its environment, whatever session or group it moved to. One that
//! threw its environment away is found as a descendant of one that did not, or by the cgroup, or not at all.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, PidfdFlags, Signal, getpid, pidfd_open, pidfd_send_signal};

use crate::{SESSION_VARIABLE, cgroup::Cgroup, processes, status};

/// What became of a session's orphans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Orphans {
    /// How many processes were signalled.
    pub found: usize,
    /// How many were still there at the end.
    pub left: usize,
}

/// Ends every process that carries a session's mark, at most until a time is over.
///
/// Call it only when the session's holder is dead: it would end the agent under a living one. `directory` is the
/// session's folder, where the holder noted its cgroup, if it had one.
pub fn end_orphans(directory: &std::path::Path, session: &str, time_max: Duration) -> Orphans {
    let deadline = Instant::now() + time_max;
    let noted = status::read(directory).ok().flatten().and_then(|summary| summary.cgroup);
    let cgroup = noted.map(Cgroup::adopt);
    if let Some(cgroup) = &cgroup {
        cgroup.kill();
    }
    let mut ended: Vec<(Pid, u64)> = Vec::new();
    let mut pause = Duration::from_millis(2);
    let mut is_clear = false;
    loop {
        let mut living = marked(session);
        // One that is dying has no environment any more, but is not gone yet.
        living.extend(ended.iter().filter(|(pid, started)| is_living(*pid, *started)));
        // One that was forked or changed its program during the first look is in the second.
        if living.is_empty() && is_clear {
            if let Some(cgroup) = &cgroup {
                cgroup.remove();
            }
            return Orphans { found: ended.len(), left: 0 };
        }
        is_clear = living.is_empty();
        for (pid, started) in &living {
            kill(*pid, *started);
            if !ended.contains(&(*pid, *started)) {
                ended.push((*pid, *started));
            }
        }
        if Instant::now() >= deadline {
            return Orphans { found: ended.len(), left: living.len() };
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

fn is_living(pid: Pid, started: u64) -> bool {
    processes::look(pid).is_some_and(|look| look.started == started && !look.is_dead())
}

/// Returns the living processes that carry a session's mark, and their descendants.
fn marked(session: &str) -> Vec<(Pid, u64)> {
    let mark = format!("{SESSION_VARIABLE}={session}");
    let mut pids: Vec<Pid> = Vec::new();
    for pid in processes::all() {
        if pid != getpid() && has_mark(pid, mark.as_bytes()) {
            pids.push(pid);
            pids.extend(processes::descendants(pid));
        }
    }
    pids.sort_by_key(|pid| pid.as_raw_nonzero());
    pids.dedup();
    let living = |pid: Pid| processes::look(pid).filter(|look| !look.is_dead());
    pids.into_iter().filter_map(|pid| Some((pid, living(pid)?.started))).collect()
}

fn has_mark(pid: Pid, mark: &[u8]) -> bool {
    fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero()))
        .is_ok_and(|environment| environment.split(|byte| *byte == 0).any(|variable| variable == mark))
}

/// Kills the process that was looked at, and not one that got its number since.
fn kill(pid: Pid, started: u64) {
    let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) else { return };
    if processes::look(pid).is_some_and(|look| look.started == started) {
        let _ = pidfd_send_signal(process, Signal::KILL);
    }
}
