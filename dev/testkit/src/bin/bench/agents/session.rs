//! A session of the bench: a holder with its agent, ended when dropped.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Child,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use anyhow::{Result, bail};
use holder::{
    HolderConnection, IdleHolder, LaunchedSession, kill_orphans,
    protocol::{LaunchSpec, Reply, Request, ResourceLimits, SessionStatus, StdioAttachment, WindowSize},
};

use crate::child::{self, WAIT_MAX};

/// The size of the window that tmux creates without a client.
pub(super) const WINDOW: WindowSize = WindowSize { columns: 80, rows: 24 };
/// Script of an idle agent; it ends by itself if the bench is killed.
pub(super) const SILENT: &str = "exec sleep 600";

static COUNTER: AtomicU32 = AtomicU32::new(0);

/// A session that is ended when dropped.
pub(super) struct Session {
    pub directory: PathBuf,
    pub holder: Child,
    pub connection: HolderConnection,
    name: String,
}

impl Session {
    /// Starts a script on its own terminal.
    pub(super) fn start(program: &Path, root: &Path, script: &str) -> Result<Self> {
        Self::start_in_holder(IdleHolder::start(program)?, root, script)
    }

    /// Like [`Self::start`], with a holder that runs already.
    pub(super) fn start_in_holder(ready: IdleHolder, root: &Path, script: &str) -> Result<Self> {
        let name = format!("bench-{}-{}", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed));
        let directory = root.join(&name);
        let LaunchedSession { holder, connection, .. } =
            ready.launch(&directory, &launch_spec(&name, script))?;
        Ok(Self { directory, holder, connection, name })
    }

    pub(super) fn holder_pid(&self) -> u32 {
        self.holder.id()
    }

    /// Waits until the holder has ended, which it does after its agent; kills it if that takes too long.
    pub(super) fn wait(&mut self) -> Result<()> {
        child::wait(&mut self.holder, "the holder", WAIT_MAX).map(drop)
    }

    pub(super) fn status(&mut self) -> Result<SessionStatus> {
        match self.connection.request(&Request::Status, WAIT_MAX)? {
            Reply::Status(status) => Ok(status),
            other @ Reply::Hello(_)
            | other @ Reply::Accepted
            | other @ Reply::Started(_)
            | other @ Reply::Done
            | other @ Reply::Refused(_)
            | other @ Reply::InputWritten { .. }
            | other @ Reply::Record(_)
            | other @ Reply::Unknown { .. } => {
                bail!("the holder replied to a request for its status with {other:?}")
            }
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let ended = self.connection.request(&Request::End { grace: Duration::ZERO }, WAIT_MAX);
        if ended.is_err() {
            let _ = self.holder.kill();
        }
        let _ = self.wait();
        if ended.is_err() {
            kill_orphans(&self.directory, &self.name, WAIT_MAX);
        }
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// Returns the command line of a script.
pub(super) fn shell(script: &str) -> [OsString; 3] {
    ["sh".into(), "-c".into(), script.into()]
}

fn launch_spec(name: &str, script: &str) -> LaunchSpec {
    let [command, arguments @ ..] = shell(script);
    LaunchSpec {
        session: name.to_owned(),
        command,
        arguments: arguments.into(),
        environment: std::env::vars_os().collect(),
        directory: "/".into(),
        attachment: StdioAttachment::Terminal(WINDOW),
        limits: ResourceLimits {
            memory_bytes_max: None,
            time_max: None,
            end_grace: Duration::ZERO,
            oom_score: 500,
            output_bytes_max: None,
        },
        cgroup_parent: holder::delegated_cgroup(),
        leftover_grace: Duration::from_millis(500),
        secrets: Vec::new(),
        temporary: None,
    }
}
