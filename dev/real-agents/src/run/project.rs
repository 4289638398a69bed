//! A project with a plan, a home folder and a model for each agent, and a data directory.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};
use model_server::{ModelServer, Script};

use super::{
    Scenario,
    agent_tasks::{AGENT_TASKS, AgentTask},
};
use crate::{agent_home::AgentHome, programs};

/// A project for one run.
pub(super) struct Project {
    jangdan: PathBuf,
    pub repository: PathBuf,
    /// Home folder of the user.
    home: PathBuf,
    /// Jangdan's data directory.
    pub data: PathBuf,
    /// Output of the commands that contain the server.
    pub output: PathBuf,
    models: BTreeMap<&'static str, ModelServer>,
    /// The user's own settings of Codex, which a run must not change: path and content.
    pub codex_settings: (PathBuf, String),
}

impl Project {
    /// Creates the project below a folder.
    pub(super) fn create(scenario: Scenario, folder: &Path, jangdan: &Path) -> Result<Self> {
        let [repository, home, data] = ["project", "person", "data"].map(|name| folder.join(name));
        for folder in [&repository, &home] {
            fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
        }
        let mut models = BTreeMap::new();
        let mut agents = String::new();
        for one in &AGENT_TASKS {
            let key_after = Some("your key".to_owned());
            let model = ModelServer::start(Script { key_after, ..Script::from_turns(one.turns(scenario)) })?;
            let home =
                AgentHome::create(programs::find_agent(one.agent)?, &folder.join(one.agent), &model.url())?;
            writeln!(agents, "[agents.{}.environment]", one.agent)?;
            for (name, value) in home.environment() {
                // A JSON string is a valid TOML string.
                let value = serde_json::to_string(&value.to_string_lossy())?;
                writeln!(agents, "{} = {value}", name.to_string_lossy())?;
            }
            models.insert(one.agent, model);
        }
        fs::write(repository.join("jangdan.toml"), configuration(scenario) + &agents)?;
        fs::write(repository.join("TASKS.md"), plan())?;
        let output = folder.join("output");
        let codex_file = folder.join("codex/home/.codex/config.toml");
        let codex_settings = fs::read_to_string(&codex_file)?;
        let codex_settings = (codex_file, codex_settings);
        let jangdan = jangdan.to_owned();
        let project = Self { jangdan, repository, home, data, output, models, codex_settings };
        project.git(&["init", "--quiet", "--initial-branch", "main"])?;
        for (key, value) in [("user.name", "Ana"), ("user.email", "ana@jangdan.invalid")] {
            project.git(&["config", key, value])?;
        }
        project.git(&["add", "--all"])?;
        project.git(&["commit", "--quiet", "--message", "A plan"])?;
        Ok(project)
    }

    /// Returns the model of an agent.
    pub(super) fn model_server(&self, agent: &str) -> Result<&ModelServer> {
        self.models.get(agent).with_context(|| format!("{agent} has no model"))
    }

    /// Returns a `jangdan` command for this project.
    pub(super) fn jangdan_command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.jangdan);
        command.args(arguments).arg("--data").arg(&self.data);
        command.current_dir(&self.repository).env("HOME", &self.home);
        command
    }

    /// Runs a `jangdan` command, and returns its output.
    pub(super) fn jangdan(&self, arguments: &[&str]) -> Result<String> {
        command_output(&mut self.jangdan_command(arguments))
    }

    /// Runs git in the repository, and returns its output.
    pub(super) fn git(&self, arguments: &[&str]) -> Result<String> {
        let mut command = Command::new("git");
        command_output(command.args(arguments).current_dir(&self.repository).env("HOME", &self.home))
    }

    /// Returns the name of the only run.
    pub(super) fn run_name(&self) -> Result<String> {
        let run =
            fs::read_dir(self.data.join("runs"))?.next().context("the data directory has no run yet")??;
        run.file_name().into_string().ok().context("the name of the run is not UTF-8")
    }
}

fn command_output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("start {command:?}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?} ended with {}: {errors}", output.status);
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn configuration(scenario: Scenario) -> String {
    let park = match scenario {
        Scenario::Quiet | Scenario::Killed => "",
        Scenario::Parked => "[park]\nfrozen_after = \"1s\"\ncold_after = \"2s\"\n",
    };
    format!("[orchestration]\nmax_concurrency = 4\ngate_approval = \"automatic\"\n{park}")
}

fn plan() -> String {
    let task = |one: &AgentTask| {
        let (file, text) = (one.file(), one.file_text());
        format!(
            "### {}: Write {file}\n- **Agent**: {}\n- **Touches**: `{file}`\n- **Verify**: `grep -qx '{}' {file}`\n\n",
            one.task,
            one.agent,
            text.trim_end()
        )
    };
    format!("# Four files\n\n## Phase 1: Files\n\n{}", AGENT_TASKS.iter().map(task).collect::<String>())
}
