//! A tmux server of the bench's own, ended when it is dropped.

use std::{
    ffi::OsString,
    fs,
    process::{Command, Stdio},
};

use anyhow::{Result, ensure};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// A server with a socket in a folder that only we have; nobody's configuration counts.
pub struct Tmux {
    // In the system's folder for such things, as a socket's path must be short.
    folder: TempDir,
}

impl Tmux {
    pub fn is_installed() -> bool {
        let mut tmux = Command::new("tmux");
        tmux.arg("-V").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        tmux.status().is_ok_and(|status| status.success())
    }

    /// Prepares a server, which the first session starts.
    pub fn prepare() -> Result<Self> {
        Ok(Self { folder: tempfile::tempdir()? })
    }

    /// Starts a session that nobody looks at.
    pub fn new_session(&self, command: &[OsString]) -> Result<()> {
        let status = self.command(&["new-session", "-d"]).args(command).status()?;
        ensure!(status.success(), "tmux new-session: {status}");
        Ok(())
    }

    /// Ends the sessions that are there, and leaves the server with one.
    pub fn end_other_sessions(&self) -> Result<()> {
        let status = self.command(&["kill-session", "-a", "-t", "0"]).status()?;
        ensure!(status.success(), "tmux kill-session: {status}");
        Ok(())
    }

    /// Returns the server's process number.
    pub fn pid(&self) -> Result<u32> {
        let output = self.command(&["display-message", "-p", "#{pid}"]).stdout(Stdio::piped()).output()?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().parse()?)
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
        let _ = self.command(&["kill-server"]).status();
        // One that only waits to be taken note of has no command line any more.
        let is_gone = || Ok(fs::read(format!("/proc/{pid}/cmdline")).map_or(true, |line| line.is_empty()));
        if super::process::wait_for("tmux ends", is_gone).is_err()
            // Only what is still tmux: the number may be somebody else's by now.
            && fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.starts_with("tmux"))
            && let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw)
        {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}
