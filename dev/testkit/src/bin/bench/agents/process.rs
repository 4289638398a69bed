//! What the kernel knows of a process: its memory, how often it was woken, how long it ran.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

use crate::child::WAIT_MAX;

/// How long nothing may happen to a process that is called quiet.
const QUIET: Duration = Duration::from_millis(300);

/// Returns the memory that would be free without the process, in KiB.
///
/// A holder does not let others of its user look into its memory. Then all of its memory counts, also what it shares.
pub fn private_kib(pid: u32) -> Result<f64> {
    if let Ok(text) = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")) {
        return Ok(sum(&text, "Private_"));
    }
    Ok(sum(&fs::read_to_string(format!("/proc/{pid}/status"))?, "VmRSS:"))
}

/// Returns how often a process was put to sleep or interrupted.
pub fn switches(pid: u32) -> Result<f64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status"))?;
    Ok(sum(&text, "voluntary_ctxt") + sum(&text, "nonvoluntary_ctxt"))
}

/// Returns how many ticks of the clock a process ran, in its own code and in the kernel's.
pub fn ticks(pid: u32) -> Result<f64> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name can hold anything; behind its last bracket the third field follows.
    let (_, behind) = text.rsplit_once(')').context("a process has a name")?;
    let fields = behind.split_whitespace().skip(11).take(2);
    Ok(fields.filter_map(|field| field.parse::<f64>().ok()).sum())
}

/// Waits until nothing happens in some processes any more.
pub fn wait_quiet(pids: &[u32]) -> Result<()> {
    let all = || pids.iter().map(|pid| switches(*pid)).sum::<Result<f64>>();
    let mut before = all()?;
    wait_for("the processes are idle", || {
        thread::sleep(QUIET);
        let now = all()?;
        Ok(std::mem::replace(&mut before, now) == now)
    })
}

/// Waits until a condition holds; an error names it if that takes longer than [`WAIT_MAX`].
pub fn wait_for(condition: &str, mut holds: impl FnMut() -> Result<bool>) -> Result<()> {
    let deadline = Instant::now() + WAIT_MAX;
    while !holds()? {
        if Instant::now() > deadline {
            bail!("waited {WAIT_MAX:?} in vain until {condition}");
        }
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// Adds the first numbers of all lines that begin like this.
fn sum(text: &str, start: &str) -> f64 {
    let lines = text.lines().filter(|line| line.starts_with(start));
    lines.filter_map(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_same_kind_are_added() {
        let text = "Rss: 9 kB\nPrivate_Clean:   4 kB\nPrivate_Dirty:  38 kB\n";
        assert_eq!(sum(text, "Private_"), 42.0);
        assert_eq!(sum(text, "Swap:"), 0.0);
    }

    #[test]
    fn the_kernel_knows_our_own_process() {
        let own = std::process::id();
        assert!(private_kib(own).unwrap() > 0.0 && switches(own).unwrap() > 0.0 && ticks(own).is_ok());
        assert!(private_kib(u32::MAX).is_err());
    }
}
