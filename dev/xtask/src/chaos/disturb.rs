//! The disturbances: a process of a run is killed, the disk is filled, the lock file is removed.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use rustix::process::{Pid, Signal, kill_process};

/// The run that is disturbed.
pub(super) struct DisturbedRun<'a> {
    pub jangdan: &'a Path,
    /// The data directory.
    pub data: &'a Path,
    /// Whether the data directory is on a small disk of its own.
    pub is_small: bool,
}

/// Pseudo-random numbers that depend on the seed alone.
pub(super) struct RandomSource(u64);

impl RandomSource {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a number below a bound.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        // xorshift64*: small, and good enough to choose a process.
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound.max(1)
    }
}

/// Causes one disturbance and returns its description.
pub(super) fn disturb(
    random: &mut RandomSource,
    server: &mut Child,
    run: &DisturbedRun<'_>,
) -> Result<String> {
    let data = run.data;
    let kind = random.below(8);
    if kind == 4 && run.is_small {
        let time = Duration::from_millis(50 + random.below(500));
        fill_disk(data, time);
        return Ok(format!("filled the disk for {} ms", time.as_millis()));
    }
    if kind == 7 {
        let is_killed = kill_git_of(server.id());
        return Ok(if is_killed { "killed a git process" } else { "found no git process to kill" }.to_owned());
    }
    if kind == 5 {
        return start_second_server_without_lock(server, run);
    }
    let (holders, others) = session_processes(data, server.id());
    if kind == 6 {
        server.kill()?;
        holders.iter().chain(&others).for_each(|pid| kill(*pid));
        server.wait()?;
        return Ok("killed all processes".to_owned());
    }
    let chosen = match kind {
        0 if !holders.is_empty() => Some(("holder", &holders)),
        1 if !others.is_empty() => Some(("process of an agent", &others)),
        _ => None,
    };
    if let Some((what, pids)) = chosen {
        let pid = pids.get(usize::try_from(random.below(pids.len() as u64))?).copied().unwrap_or(0);
        kill(pid);
        return Ok(format!("killed a {what}"));
    }
    server.kill()?;
    server.wait()?;
    Ok("killed the server".to_owned())
}

/// Kills the next git process that a server starts, if it starts one soon.
fn kill_git_of(server: u32) -> bool {
    let deadline = Instant::now() + Duration::from_secs(1);
    while Instant::now() < deadline {
        // A process is the child of the thread that started it.
        let threads = fs::read_dir(format!("/proc/{server}/task")).into_iter().flatten().flatten();
        let children: String = threads
            .map(|thread| fs::read_to_string(thread.path().join("children")).unwrap_or_default())
            .collect();
        let is_git = |pid: &i32| {
            fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.starts_with("git"))
        };
        if let Some(pid) = children.split_whitespace().filter_map(|pid| pid.parse().ok()).find(is_git) {
            kill(pid);
            return true;
        }
    }
    false
}

fn kill(pid: i32) {
    // The process may have ended already.
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// Fills the disk for this time. No other program may use it.
fn fill_disk(data: &Path, time: Duration) {
    let path = data.join("filler");
    if let Ok(mut file) = fs::File::create(&path) {
        let block = vec![0; 64 * 1024];
        while file.write_all(&block).is_ok() {}
        thread::sleep(time);
    }
    let _ = fs::remove_file(&path);
}

/// Removes the lock file and starts a second server, which must refuse to serve beside the first.
fn start_second_server_without_lock(server: &mut Child, run: &DisturbedRun<'_>) -> Result<String> {
    let _ = fs::remove_file(run.data.join("log.lock"));
    let mut other = Command::new(run.jangdan);
    other.args(["serve", "--data"]).arg(run.data);
    other.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut other = other.spawn()?;
    let deadline = Instant::now() + Duration::from_secs(5);
    while other.try_wait()?.is_none() {
        // If the first has ended by itself, the second may serve.
        let is_over = server.try_wait()?.is_some();
        if is_over || Instant::now() >= deadline {
            other.kill()?;
            other.wait()?;
            ensure!(is_over, "a second server serves beside the first");
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok("removed the lock file and started a second server".to_owned())
}

/// Returns the processes of the runs of a data directory: holders, and all others.
fn session_processes(data: &Path, server: u32) -> (Vec<i32>, Vec<i32>) {
    let (mut holders, mut others) = (Vec::new(), Vec::new());
    for pid in processes_of_data_directory(data) {
        if u32::try_from(pid) == Ok(server) {
            continue;
        }
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        if name.starts_with("jangdan-holder") { &mut holders } else { &mut others }.push(pid);
    }
    (holders, others)
}

/// Returns all processes that have a data directory in their environment or command line.
pub(super) fn processes_of_data_directory(data: &Path) -> Vec<i32> {
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
