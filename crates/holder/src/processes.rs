//! Reads process information from `/proc`: descendants, states, environments.
//!
//! Nothing is cached, because process numbers are reused.

use std::{collections::VecDeque, fs};

use rustix::process::{Pid, Signal, kill_process};

/// State of a process as read from `/proc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProcessState {
    pub(crate) state: u8,
    pub(crate) parent: i32,
    /// In clock ticks since boot; together with the pid it identifies a process.
    pub(crate) started: u64,
}

impl ProcessState {
    pub(crate) fn is_stopped(&self) -> bool {
        matches!(self.state, b'T' | b't')
    }

    /// Sleeps in the kernel and does not react to signals.
    pub(crate) fn is_uninterruptible(&self) -> bool {
        self.state == b'D'
    }

    /// Has exited, but was not reaped.
    pub(crate) fn is_dead(&self) -> bool {
        matches!(self.state, b'Z' | b'X' | b'x')
    }

    /// Does not run until it is continued, or never again.
    pub(crate) fn is_stopped_or_dead(&self) -> bool {
        self.is_stopped() || self.is_dead()
    }
}

/// Returns the state of a process, or `None` if it does not exist.
pub(crate) fn read_state(pid: Pid) -> Option<ProcessState> {
    let text = fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    // The name is in parentheses and may itself contain parentheses.
    let behind = text.iter().rposition(|byte| *byte == b')')?;
    let text = std::str::from_utf8(text.get(behind + 1..)?).ok()?;
    let mut fields = text.split_ascii_whitespace();
    let state = fields.next()?.bytes().next()?;
    let parent = fields.next()?.parse().ok()?;
    let started = fields.nth(17)?.parse().ok()?;
    Some(ProcessState { state, parent, started })
}

/// Returns all live descendants of a process, parents before children.
///
/// Children created during the scan may be missed; callers that need all of them scan again.
pub(crate) fn descendants(of: Pid) -> Vec<Pid> {
    let mut pids = Vec::new();
    let mut next = VecDeque::from([of]);
    while let Some(parent) = next.pop_front() {
        let Some(children) = children(parent) else { return descendants_by_parent(of) };
        for child in children {
            if !pids.contains(&child) {
                pids.push(child);
                next.push_back(child);
            }
        }
    }
    pids
}

/// Sends a signal to all given processes, ignoring those that have exited.
pub(crate) fn signal_all<'a>(pids: impl IntoIterator<Item = &'a Pid>, signal: Signal) {
    for pid in pids {
        // Fails only if it has exited.
        let _ = kill_process(*pid, signal);
    }
}

/// Returns all visible processes of the machine.
pub(crate) fn list_processes() -> Vec<Pid> {
    numeric_entries("/proc").unwrap_or_default()
}

/// Returns the children of all threads of a process, or `None` if the kernel does not list them.
fn children(parent: Pid) -> Option<Vec<Pid>> {
    let tasks = format!("/proc/{}/task", parent.as_raw_nonzero());
    let mut pids = Vec::new();
    // A process that has exited has no children.
    for task in numeric_entries(&tasks).unwrap_or_default() {
        match fs::read_to_string(format!("{tasks}/{}/children", task.as_raw_nonzero())) {
            Ok(text) => pids.extend(text.split_ascii_whitespace().filter_map(parse_pid)),
            Err(_) if read_state(parent).is_none() || read_state(task).is_none() => {}
            Err(_) => return None,
        }
    }
    Some(pids)
}

/// Finds descendants by the parents of all processes.
fn descendants_by_parent(of: Pid) -> Vec<Pid> {
    let all: Vec<(Pid, i32)> =
        list_processes().into_iter().filter_map(|pid| Some((pid, read_state(pid)?.parent))).collect();
    let mut pids = Vec::new();
    let mut next = VecDeque::from([of]);
    while let Some(parent) = next.pop_front() {
        for (child, _) in all.iter().filter(|(_, of)| *of == parent.as_raw_nonzero().get()) {
            if !pids.contains(child) {
                pids.push(*child);
                next.push_back(*child);
            }
        }
    }
    pids
}

/// Returns the numeric entries of a `/proc` folder.
fn numeric_entries(folder: &str) -> Option<Vec<Pid>> {
    let entries = fs::read_dir(folder).ok()?;
    Some(entries.flatten().filter_map(|entry| parse_pid(entry.file_name().to_str()?)).collect())
}

fn parse_pid(text: &str) -> Option<Pid> {
    text.parse().ok().and_then(Pid::from_raw)
}
