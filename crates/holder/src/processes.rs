//! Looks at processes through `/proc`: who descends from whom, who is stopped, who carries a session's mark.
//!
//! Never remembers anything: a process number means something only for the moment.

use std::{collections::VecDeque, fs};

use rustix::process::{Pid, Signal, kill_process};

/// What `/proc` says about a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) state: u8,
    pub(crate) parent: i32,
    /// When it started, in ticks since the machine did: with the number it names a process for ever.
    pub(crate) started: u64,
}

impl Look {
    pub(crate) fn is_stopped(&self) -> bool {
        matches!(self.state, b'T' | b't')
    }

    /// Says that it sleeps in the kernel and hears nothing, not even that it is to stop.
    pub(crate) fn is_uninterruptible(&self) -> bool {
        self.state == b'D'
    }

    /// Says that only the note of its end is left.
    pub(crate) fn is_dead(&self) -> bool {
        matches!(self.state, b'Z' | b'X' | b'x')
    }

    /// Says that a process does nothing until it is continued, or will never do anything again.
    pub(crate) fn is_still(&self) -> bool {
        self.is_stopped() || self.is_dead()
    }
}

/// Looks at a process. Nothing means that it is gone.
pub(crate) fn look(pid: Pid) -> Option<Look> {
    let text = fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    // The name is in parentheses and can hold any byte, also a parenthesis.
    let behind = text.iter().rposition(|byte| *byte == b')')?;
    let text = std::str::from_utf8(text.get(behind + 1..)?).ok()?;
    let mut words = text.split_ascii_whitespace();
    let state = words.next()?.bytes().next()?;
    let parent = words.next()?.parse().ok()?;
    let started = words.nth(17)?.parse().ok()?;
    Some(Look { state, parent, started })
}

/// Returns all living descendants of a process, parents before children.
///
/// While they run, a child can be missed that was made during the walk; who must have all of them walks again.
pub(crate) fn descendants(of: Pid) -> Vec<Pid> {
    let mut found = Vec::new();
    let mut next = VecDeque::from([of]);
    while let Some(parent) = next.pop_front() {
        let Some(children) = children(parent) else { return descendants_by_parent(of) };
        for child in children {
            if !found.contains(&child) {
                found.push(child);
                next.push_back(child);
            }
        }
    }
    found
}

/// Sends a signal to each of many processes. One that is gone needs none.
pub(crate) fn signal_all<'a>(pids: impl IntoIterator<Item = &'a Pid>, signal: Signal) {
    for pid in pids {
        let _ = kill_process(*pid, signal);
    }
}

/// Returns all processes of the machine that can be seen.
pub(crate) fn all() -> Vec<Pid> {
    numbers("/proc").unwrap_or_default()
}

/// Returns the children of all threads of a process, or nothing if this kernel does not list them.
fn children(parent: Pid) -> Option<Vec<Pid>> {
    let tasks = format!("/proc/{}/task", parent.as_raw_nonzero());
    let mut found = Vec::new();
    // A process that is gone has no children any more.
    for task in numbers(&tasks).unwrap_or_default() {
        match fs::read_to_string(format!("{tasks}/{}/children", task.as_raw_nonzero())) {
            Ok(text) => found.extend(text.split_ascii_whitespace().filter_map(to_pid)),
            Err(_) if look(parent).is_none() || look(task).is_none() => {}
            Err(_) => return None,
        }
    }
    Some(found)
}

/// Finds the descendants among all processes by their parents.
fn descendants_by_parent(of: Pid) -> Vec<Pid> {
    let all: Vec<(Pid, i32)> = all().into_iter().filter_map(|pid| Some((pid, look(pid)?.parent))).collect();
    let mut found = Vec::new();
    let mut next = VecDeque::from([of]);
    while let Some(parent) = next.pop_front() {
        for (child, _) in all.iter().filter(|(_, of)| *of == parent.as_raw_nonzero().get()) {
            if !found.contains(child) {
                found.push(*child);
                next.push_back(*child);
            }
        }
    }
    found
}

/// Returns the entries of a folder of `/proc` that are numbers.
fn numbers(folder: &str) -> Option<Vec<Pid>> {
    let entries = fs::read_dir(folder).ok()?;
    Some(entries.flatten().filter_map(|entry| to_pid(entry.file_name().to_str()?)).collect())
}

fn to_pid(text: &str) -> Option<Pid> {
    text.parse().ok().and_then(Pid::from_raw)
}
