//! A session of the bench: a holder with its agent, ended when it is dropped.

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
    Connection, LaunchedSession, Ready, end_orphans,
    protocol::{Attachment, Launch, Limits, Reply, Request, Status, WindowSize},
};

use super::process::PATIENCE;

/// As large as the window that tmux makes when nobody looks.
pub const WINDOW: WindowSize = WindowSize { columns: 80, rows: 24 };
/// What an agent does that is silent; it ends by itself should the bench be killed.
pub const SILENT: &str = "exec sleep 600";

static COUNTER: AtomicU32 = AtomicU32::new(0);

/// A session that lives as long as this.
pub struct Session {
    pub directory: PathBuf,
    pub holder: Child,
    pub connection: Connection,
    name: String,
}

impl Session {
    /// Starts a script on a terminal of its own.
    pub fn start(program: &Path, root: &Path, script: &str) -> Result<Self> {
        Self::start_with(Ready::start(program)?, root, script)
    }

    /// Does the same with a holder that is there already.
    pub fn start_with(ready: Ready, root: &Path, script: &str) -> Result<Self> {
        let name = format!("bench-{}-{}", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed));
        let directory = root.join(&name);
        let LaunchedSession { holder, connection, .. } = ready.launch(&directory, &launch(&name, script))?;
        Ok(Self { directory, holder, connection, name })
    }

    pub fn pid(&self) -> u32 {
        self.holder.id()
    }

    pub fn status(&mut self) -> Result<Status> {
        match self.connection.ask(&Request::Status, PATIENCE)? {
            Reply::Status(status) => Ok(status),
            other => bail!("the holder was asked for its status and said {other:?}"),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let ended = self.connection.ask(&Request::End { grace: Duration::ZERO }, PATIENCE);
        if ended.is_err() {
            let _ = self.holder.kill();
        }
        let _ = self.holder.wait();
        if ended.is_err() {
            end_orphans(&self.directory, &self.name, PATIENCE);
        }
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// Returns the command line of a script.
pub fn shell(script: &str) -> [OsString; 3] {
    ["sh".into(), "-c".into(), script.into()]
}

fn launch(name: &str, script: &str) -> Launch {
    let [command, arguments @ ..] = shell(script);
    Launch {
        session: name.to_owned(),
        command,
        arguments: arguments.into(),
        environment: std::env::vars_os().collect(),
        directory: "/".into(),
        attachment: Attachment::Terminal(WINDOW),
        limits: Limits { memory_bytes_max: None, time_max: None, end_grace: Duration::ZERO, oom_score: 500 },
        cgroup_parent: holder::delegated_cgroup(),
        leftover_grace: Duration::from_millis(500),
        secrets: Vec::new(),
    }
}
