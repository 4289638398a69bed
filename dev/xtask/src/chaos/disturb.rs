//! What goes wrong: somebody who works for a run is killed.

use std::{fs, path::Path, process::Child};

use anyhow::Result;
use rustix::process::{Pid, Signal, kill_process};

/// Chance that can be had again.
pub struct Luck(u64);

impl Luck {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a number below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        // xorshift64*: small, and good enough to choose whom to kill.
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound.max(1)
    }
}

/// Kills somebody, and says whom.
pub fn disturb(luck: &mut Luck, server: &mut Child, data: &Path) -> Result<String> {
    let (holders, others) = workers(data, server.id());
    let chosen = match luck.below(4) {
        0 if !holders.is_empty() => Some(("holder", &holders)),
        1 if !others.is_empty() => Some(("process of an agent", &others)),
        _ => None,
    };
    if let Some((what, pids)) = chosen {
        let pid = pids.get(usize::try_from(luck.below(pids.len() as u64))?).copied().unwrap_or(0);
        // It may have ended by itself.
        if let Some(pid) = Pid::from_raw(pid) {
            let _ = kill_process(pid, Signal::KILL);
        }
        return Ok(format!("killed a {what}"));
    }
    server.kill()?;
    server.wait()?;
    Ok("killed the server".to_owned())
}

/// Returns the processes that work for the runs of a data directory: holders, and what they hold.
fn workers(data: &Path, server: u32) -> (Vec<i32>, Vec<i32>) {
    let (mut holders, mut others) = (Vec::new(), Vec::new());
    for pid in processes_of(data) {
        if u32::try_from(pid) == Ok(server) {
            continue;
        }
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        if name.starts_with("jangdan-holder") { &mut holders } else { &mut others }.push(pid);
    }
    (holders, others)
}

/// Returns all processes that know a data directory by their environment or their command line.
pub fn processes_of(data: &Path) -> Vec<i32> {
    let name = data.as_os_str().as_encoded_bytes();
    let knows = |pid: i32, file: &str| {
        let bytes = fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        bytes.windows(name.len()).any(|window| window == name)
    };
    let own = i32::try_from(std::process::id()).unwrap_or(0);
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let is_zombie = |pid: i32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'))
    };
    pids.filter(|pid| *pid != own && !is_zombie(*pid))
        .filter(|pid| knows(*pid, "environ") || knows(*pid, "cmdline"))
        .collect()
}
