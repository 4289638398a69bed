//! Figures of a process from the kernel: memory, context switches, CPU time.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

use crate::child::WAIT_MAX;

/// A process without a context switch for this time counts as idle.
const QUIET: Duration = Duration::from_millis(300);

/// Returns the private memory of a process, in KiB.
///
/// Falls back to the resident memory if the details are not readable: a holder hides them from other processes of its user.
pub(super) fn private_kib(pid: u32) -> Result<f64> {
    if let Ok(text) = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")) {
        return Ok(sum_lines_starting_with(&text, "Private_"));
    }
    Ok(sum_lines_starting_with(&fs::read_to_string(format!("/proc/{pid}/status"))?, "VmRSS:"))
}

/// Returns the number of context switches of a process.
pub(super) fn context_switches(pid: u32) -> Result<f64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status"))?;
    Ok(sum_lines_starting_with(&text, "voluntary_ctxt") + sum_lines_starting_with(&text, "nonvoluntary_ctxt"))
}

/// Returns the CPU time of a process in clock ticks, user and system.
pub(super) fn cpu_ticks(pid: u32) -> Result<f64> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name can contain anything; the third field follows the last bracket.
    let (_, rest) = text.rsplit_once(')').context("/proc/PID/stat has no name")?;
    let fields = rest.split_whitespace().skip(11).take(2);
    Ok(fields.filter_map(|field| field.parse::<f64>().ok()).sum())
}

/// Waits until the processes are idle.
pub(super) fn wait_until_idle(pids: &[u32]) -> Result<()> {
    let all = || pids.iter().map(|pid| context_switches(*pid)).sum::<Result<f64>>();
    let mut before = all()?;
    wait_for_condition("the processes are idle", || {
        thread::sleep(QUIET);
        let now = all()?;
        Ok(std::mem::replace(&mut before, now) == now)
    })
}

/// Waits until a condition holds; an error names it if that takes longer than [`WAIT_MAX`].
pub(super) fn wait_for_condition(condition: &str, mut holds: impl FnMut() -> Result<bool>) -> Result<()> {
    let deadline = Instant::now() + WAIT_MAX;
    while !holds()? {
        if Instant::now() > deadline {
            bail!("waited {WAIT_MAX:?} in vain until {condition}");
        }
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// Adds the numbers of all lines with this start.
fn sum_lines_starting_with(text: &str, start: &str) -> f64 {
    let lines = text.lines().filter(|line| line.starts_with(start));
    lines.filter_map(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_the_same_start_are_added() {
        let text = "Rss: 9 kB\nPrivate_Clean:   4 kB\nPrivate_Dirty:  38 kB\n";
        assert_eq!(sum_lines_starting_with(text, "Private_"), 42.0);
        assert_eq!(sum_lines_starting_with(text, "Swap:"), 0.0);
    }

    #[test]
    fn figures_of_this_process_are_available() {
        let own = std::process::id();
        assert!(
            private_kib(own).unwrap() > 0.0 && context_switches(own).unwrap() > 0.0 && cpu_ticks(own).is_ok()
        );
        assert!(private_kib(u32::MAX).is_err());
    }
}
