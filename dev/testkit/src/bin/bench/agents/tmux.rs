//! A tmux server of the bench's own, ended when it is dropped.

use std::{
    ffi::OsString,
    fs,
    process::{Command, Stdio},
};

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::child::{self, BoundedChild, LineReader, WAIT_MAX};

/// A server with a socket in a folder that only we have; nobody's configuration counts.
pub struct Tmux {
    // In the system's folder for such things, as a socket's path must be short.
    folder: TempDir,
}

impl Tmux {
    pub fn is_installed() -> bool {
        child::is_installed("tmux", "-V")
    }

    /// Prepares a server, which the first session starts.
    pub fn prepare() -> Result<Self> {
        Ok(Self { folder: tempfile::tempdir()? })
    }

    /// Starts a session that nobody looks at.
    pub fn new_session(&self, command: &[OsString]) -> Result<()> {
        child::run(self.command(&["new-session", "-d"]).args(command), WAIT_MAX)
    }

    /// Ends the sessions that are there, and leaves the server with one.
    pub fn end_other_sessions(&self) -> Result<()> {
        child::run(&mut self.command(&["kill-session", "-a", "-t", "0"]), WAIT_MAX)
    }

    /// Returns the server's process number.
    pub fn pid(&self) -> Result<u32> {
        let mut command = self.command(&["display-message", "-p", "#{pid}"]);
        let mut tmux = BoundedChild::spawn(command.stdout(Stdio::piped()))?;
        let output = tmux.child.stdout.take().context("tmux has no output")?;
        Ok(LineReader::new(output).next_line(WAIT_MAX)?.trim().parse()?)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(self.folder.path().join("s")).args(["-f", "/dev/null"]).args(arguments);
        command.env_remove("TMUX").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let Ok(pid) = self.pid() else { return };
        let _ = child::run(&mut self.command(&["kill-server"]), WAIT_MAX);
        // One that only waits to be taken note of has no command line any more.
        let is_gone = || Ok(fs::read(format!("/proc/{pid}/cmdline")).map_or(true, |line| line.is_empty()));
        if super::process::wait_for("tmux has ended", is_gone).is_err()
            // Only what is still tmux: the number may be somebody else's by now.
            && fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.starts_with("tmux"))
            && let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw)
        {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}
