//! Checks that a run leaves no process behind.

use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, bail};

/// Time limit for processes to end after their run.
const PROCESS_END_MAX: Duration = Duration::from_secs(10);

/// Waits until all processes have ended that have a folder in their environment or command line.
pub(crate) fn check_ended(folder: &Path) -> Result<()> {
    let deadline = Instant::now() + PROCESS_END_MAX;
    loop {
        let processes = processes_of(folder);
        if processes.is_empty() {
            return Ok(());
        }
        if Instant::now() >= deadline {
            bail!("processes were left behind:\n{}", processes.join("\n"));
        }
        thread::sleep(Duration::from_millis(50));
    }
}

fn processes_of(folder: &Path) -> Vec<String> {
    let name = folder.as_os_str().as_encoded_bytes();
    let own = std::process::id().to_string();
    let read = |pid: &str, file: &str| fs::read(Path::new("/proc").join(pid).join(file)).unwrap_or_default();
    let knows = |pid: &str| {
        ["environ", "cmdline"].iter().any(|file| read(pid, file).windows(name.len()).any(|part| part == name))
    };
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().into_string().ok());
    pids.filter(|pid| pid.bytes().all(|byte| byte.is_ascii_digit()) && *pid != own && knows(pid))
        .map(|pid| format!("{pid} {}", String::from_utf8_lossy(&read(&pid, "cmdline")).replace('\0', " ")))
        .collect()
}
