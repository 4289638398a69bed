//! The home folder, working folder and environment of an agent. Never below the temporary folder, where some agents
//! refuse to run.

use std::{
    collections::BTreeMap,
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

use crate::programs::Agent;

/// The folders and the environment of one agent.
pub(crate) struct AgentHome {
    home: PathBuf,
    /// The folder in which the agent works.
    pub work: PathBuf,
    /// The data directory of its sessions.
    pub data: PathBuf,
    environment: BTreeMap<OsString, OsString>,
}

impl AgentHome {
    /// Creates the folders of an agent; removes those of an earlier run.
    pub(crate) fn create(agent: &Agent, folder: &Path, model: &str) -> Result<Self> {
        if folder.exists() {
            fs::remove_dir_all(folder).with_context(|| format!("clear {}", folder.display()))?;
        }
        let [home, work, data] = ["home", "work", "data"].map(|name| folder.join(name));
        for folder in [&home, &work] {
            fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
        }
        let filled = |text: &str| text.replace("$MODEL", model).replace("$WORK", &work.to_string_lossy());
        for (name, text) in agent.files {
            let path = home.join(name);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(&path, filled(text))?;
        }
        let own = agent.environment.iter().map(|(name, value)| ((*name).into(), filled(value).into()));
        let environment = own.chain([("HOME".into(), home.clone().into())]).collect();
        Ok(Self { home, work, data, environment })
    }

    /// Returns the variables that are added to this process's clean environment.
    pub(crate) fn environment(&self) -> &BTreeMap<OsString, OsString> {
        &self.environment
    }

    /// Returns a command that starts a program of the agent in its working folder.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.work).env_clear();
        for name in ["PATH", "LANG", "TERM"] {
            command.env(name, env::var_os(name).unwrap_or_default());
        }
        command.env("HOME", &self.home).envs(&self.environment);
        command
    }
}
