//! Looks at processes of the machine.

use std::{
    fs,
    time::{Duration, Instant},
};

/// What the machine does not show within this time, it never will.
const PATIENCE: Duration = Duration::from_secs(30);

/// A process, known by more than its number, which another may get.
pub struct Process {
    pub pid: u32,
    started: String,
}

impl Process {
    pub fn of(pid: u32) -> Self {
        let started = field(pid, 19).unwrap_or_default();
        Self { pid, started }
    }

    pub fn is_gone(&self) -> bool {
        let state = field(self.pid, 0);
        field(self.pid, 19).as_ref() != Some(&self.started) || state.is_none_or(|state| state == "Z")
    }

    /// Tells whether it was stopped by a signal, or with all processes of its control group.
    pub fn is_stopped(&self) -> bool {
        field(self.pid, 0).is_some_and(|state| state == "T") || is_in_frozen_group(self.pid)
    }
}

/// Returns a field of /proc/PID/stat, counted from the one behind the name.
fn field(pid: u32, number: usize) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(") ")?;
    rest.split(' ').nth(number).map(str::to_owned)
}

fn is_in_frozen_group(pid: u32) -> bool {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
    let root = mounts.lines().find(|line| line.contains(" cgroup2 ")).and_then(|line| line.split(' ').nth(1));
    let group = groups.lines().find_map(|line| line.strip_prefix("0::"));
    let (Some(root), Some(group)) = (root, group) else { return false };
    let events = fs::read_to_string(format!("{root}{group}/cgroup.events")).unwrap_or_default();
    events.lines().any(|line| line == "frozen 1")
}

/// Waits for something outside of the run, which nobody tells us of.
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "it does not come true that {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
