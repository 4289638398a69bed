//! A project with a plan, a home folder and a model for each agent, and a data directory.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use model_server::{ModelServer, Rule, Script};

use crate::{agent_home::AgentHome, programs};

/// Interval at which a run is checked.
const CHECK_EVERY: Duration = Duration::from_millis(100);

/// The content of a project, and the models of its agents.
pub(crate) struct ProjectSetup {
    /// The plan, `TASKS.md`.
    pub plan: String,
    /// The settings, `jangdan.toml`, without the environment of the agents.
    pub configuration: String,
    /// Other files: path and content.
    pub files: &'static [(&'static str, &'static str)],
    /// The agents with the turns of their models.
    pub models: Vec<(&'static str, Vec<Rule>)>,
}

/// A project for one run.
pub(crate) struct Project {
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
    codex_settings: (PathBuf, String),
}

impl Project {
    /// Creates the project below a folder.
    pub(crate) fn create(setup: ProjectSetup, folder: &Path, jangdan: &Path) -> Result<Self> {
        let [repository, home, data] = ["project", "person", "data"].map(|name| folder.join(name));
        for folder in [&repository, &home] {
            fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
        }
        let mut models = BTreeMap::new();
        let mut agents = String::new();
        for (agent, rules) in setup.models {
            let key_after = Some("your key".to_owned());
            let model = ModelServer::start(Script { key_after, rules, ..Script::from_turns([]) })?;
            let home = AgentHome::create(programs::find_agent(agent)?, &folder.join(agent), &model.url())?;
            writeln!(agents, "[agents.{agent}.environment]")?;
            for (name, value) in home.environment() {
                // A JSON string is a valid TOML string.
                let value = serde_json::to_string(&value.to_string_lossy())?;
                writeln!(agents, "{} = {value}", name.to_string_lossy())?;
            }
            models.insert(agent, model);
        }
        fs::write(repository.join("jangdan.toml"), setup.configuration + &agents)?;
        fs::write(repository.join("TASKS.md"), setup.plan)?;
        for (name, text) in setup.files {
            fs::write(repository.join(name), text)?;
        }
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
    pub(crate) fn model_server(&self, agent: &str) -> Result<&ModelServer> {
        self.models.get(agent).with_context(|| format!("{agent} has no model"))
    }

    /// Returns a `jangdan` command for this project.
    pub(crate) fn jangdan_command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.jangdan);
        command.args(arguments).arg("--data").arg(&self.data);
        command.current_dir(&self.repository).env("HOME", &self.home);
        command
    }

    /// Runs a `jangdan` command, and returns its output.
    pub(crate) fn jangdan(&self, arguments: &[&str]) -> Result<String> {
        command_output(&mut self.jangdan_command(arguments))
    }

    /// Starts a `jangdan` command that contains the server.
    pub(crate) fn start_jangdan(&self, arguments: &[&str]) -> Result<ServerProcess> {
        let output = fs::OpenOptions::new().create(true).append(true).open(&self.output)?;
        let mut command = self.jangdan_command(arguments);
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
        Ok(ServerProcess(command.spawn().context("start jangdan")?))
    }

    /// Runs git in the repository, and returns its output.
    pub(crate) fn git(&self, arguments: &[&str]) -> Result<String> {
        let mut command = Command::new("git");
        command_output(command.args(arguments).current_dir(&self.repository).env("HOME", &self.home))
    }

    /// Returns the name of the only run.
    pub(crate) fn run_name(&self) -> Result<String> {
        let run =
            fs::read_dir(self.data.join("runs"))?.next().context("the data directory has no run yet")??;
        run.file_name().into_string().ok().context("the name of the run is not UTF-8")
    }

    /// Checks that the run did not change the user's own settings of Codex.
    pub(crate) fn check_codex_settings(&self) -> Result<()> {
        let (path, before) = &self.codex_settings;
        let after = fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?;
        ensure!(after == *before, "{} was changed to:\n{after}", path.display());
        Ok(())
    }
}

/// A command that contains the server; killed when dropped.
pub(crate) struct ServerProcess(pub Child);

impl ServerProcess {
    /// Kills the command, and waits for its end.
    pub(crate) fn kill(&mut self) -> Result<()> {
        self.0.kill()?;
        self.0.wait()?;
        Ok(())
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // An error means that it has ended already.
        let _ = self.kill();
    }
}

/// Waits until a condition holds, and fails after the deadline.
pub(crate) fn wait_until(what: &str, deadline: Instant, holds: impl Fn() -> bool) -> Result<()> {
    while !holds() {
        ensure!(Instant::now() < deadline, "waited in vain until {what}");
        wait_for_next_check();
    }
    Ok(())
}

/// Waits until the run is to be checked again.
pub(crate) fn wait_for_next_check() {
    thread::sleep(CHECK_EVERY);
}

fn command_output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("start {command:?}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?} ended with {}: {errors}", output.status);
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
