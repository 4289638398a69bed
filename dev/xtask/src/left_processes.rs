//! Finds processes that a command left behind, also as daemons.
//!
//! All processes of a command inherit a variable with a value of their own, so that others on the machine do not count.
//! Holders have no environment, but their program is in a temporary folder of the command.

use std::{
    env, fs,
    path::PathBuf,
    process::Command,
    sync::OnceLock,
    thread,
    time::{Duration, Instant, SystemTime},
};

use anyhow::{Result, bail};

const VARIABLE: &str = "JANGDAN_XTASK";
/// Time that processes have to end by themselves.
const END_MAX: Duration = Duration::from_secs(20);
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Marks a command and everything that it starts.
pub(crate) fn mark(command: &mut Command) -> &mut Command {
    let folder = temporary_folder();
    // Without the folder, programs report that they cannot use it.
    drop(fs::create_dir_all(&folder));
    command.env(VARIABLE, mark_value()).env("TMPDIR", folder)
}

/// Fails if processes of marked commands are left; removes their temporary folder otherwise.
pub(crate) fn ensure_none_left() -> Result<()> {
    let deadline = Instant::now() + END_MAX;
    loop {
        let left = marked_processes();
        if left.is_empty() {
            // What is left of it is of no importance.
            drop(fs::remove_dir_all(temporary_folder()));
            return Ok(());
        }
        if Instant::now() >= deadline {
            bail!("processes were left behind:\n{}", left.join("\n"));
        }
        thread::sleep(POLL_INTERVAL);
    }
}

/// Returns the value of this process: process ids are used again.
fn mark_value() -> &'static str {
    static VALUE: OnceLock<String> = OnceLock::new();
    VALUE.get_or_init(|| {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        format!("{}-{}", std::process::id(), since.as_millis())
    })
}

/// Returns the temporary folder of marked commands. Its path is short, because tests create sockets below it.
fn temporary_folder() -> PathBuf {
    env::temp_dir().join(format!("jx-{}", std::process::id()))
}

/// Returns the marked processes that have not ended, with their command lines. The environment and the command line of one
/// that has ended are empty.
fn marked_processes() -> Vec<String> {
    let variable = format!("{VARIABLE}={}", mark_value());
    let folder = format!("{}/", temporary_folder().display());
    let mut left = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        let is_marked = environment.split(|byte| *byte == 0).any(|entry| entry == variable.as_bytes());
        if is_marked || line.starts_with(&folder) {
            left.push(format!("{name} {line}"));
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_processes_are_found_until_they_end() {
        let mut command = Command::new("sleep");
        let mut sleep = mark(command.arg("1000")).spawn().unwrap();
        let is_found = || marked_processes().iter().any(|line| line.contains(&sleep.id().to_string()));
        let deadline = Instant::now() + END_MAX;
        while !is_found() {
            assert!(Instant::now() < deadline);
            thread::yield_now();
        }
        sleep.kill().unwrap();
        sleep.wait().unwrap();
        ensure_none_left().unwrap();
    }
}
