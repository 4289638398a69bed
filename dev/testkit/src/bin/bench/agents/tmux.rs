//! A separate tmux server for the bench, ended when dropped.

use std::{
    ffi::OsString,
    fs,
    process::{Command, Stdio},
};

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::child::{self, KillOnDropChild, LineReader, WAIT_MAX};

/// A server with its socket in a new folder and without a configuration file.
pub(super) struct Tmux {
    // In the system's temporary folder, as the path of a socket must be short.
    folder: TempDir,
}

impl Tmux {
    pub(super) fn is_installed() -> bool {
        child::is_installed("tmux", "-V")
    }

    /// Prepares a server, which is started by its first session.
    pub(super) fn with_new_socket() -> Result<Self> {
        Ok(Self { folder: tempfile::tempdir()? })
    }

    /// Starts a detached session.
    pub(super) fn new_session(&self, command: &[OsString]) -> Result<()> {
        child::run(self.command(&["new-session", "-d"]).args(command), WAIT_MAX)
    }

    /// Ends all sessions but the first.
    pub(super) fn end_all_but_first_session(&self) -> Result<()> {
        child::run(&mut self.command(&["kill-session", "-a", "-t", "0"]), WAIT_MAX)
    }

    /// Returns the process id of the server.
    pub(super) fn pid(&self) -> Result<u32> {
        let mut command = self.command(&["display-message", "-p", "#{pid}"]);
        let mut tmux = KillOnDropChild::spawn(command.stdout(Stdio::piped()))?;
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
        // A zombie has no command line.
        let is_gone = || Ok(fs::read(format!("/proc/{pid}/cmdline")).map_or(true, |line| line.is_empty()));
        if super::process::wait_for_condition("tmux has ended", is_gone).is_err()
            // The id may belong to another process by now.
            && fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.starts_with("tmux"))
            && let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw)
        {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}
