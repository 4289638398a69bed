//! Observes processes of the machine.

use std::{
    fs,
    time::{Duration, Instant},
};

/// Time after which a test fails.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A process, identified by its pid and start time, since a pid can be reused.
pub(crate) struct Process {
    pub pid: u32,
    started: String,
}

impl Process {
    pub(crate) fn from_pid(pid: u32) -> Self {
        let started = stat_field(pid, 19).unwrap_or_default();
        Self { pid, started }
    }

    pub(crate) fn has_exited(&self) -> bool {
        let state = stat_field(self.pid, 0);
        stat_field(self.pid, 19).as_ref() != Some(&self.started) || state.is_none_or(|state| state == "Z")
    }

    /// Tells whether it is stopped by a signal, or frozen with its control group.
    pub(crate) fn is_stopped(&self) -> bool {
        stat_field(self.pid, 0).is_some_and(|state| state == "T") || is_in_frozen_group(self.pid)
    }
}

/// Returns a field of /proc/PID/stat; number 0 is the one after the name.
fn stat_field(pid: u32, number: usize) -> Option<String> {
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

/// Polls a condition outside of the run, for which there is no event.
pub(crate) fn wait_until(description: &str, mut is_true: impl FnMut() -> bool) {
    let deadline = Instant::now() + TIMEOUT;
    while !is_true() {
        assert!(Instant::now() < deadline, "timed out waiting until {description}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
