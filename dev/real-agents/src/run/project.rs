//! A project with a plan, a home for each agent, a model for each of them, and a data directory.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};
use model_server::{ModelServer, Script};

use super::{
    Course,
    hands::{HANDS, Hand},
};
use crate::{place::Place, programs};

/// A project that can be run.
pub struct Project {
    jangdan: PathBuf,
    /// The repository.
    pub repository: PathBuf,
    /// The person's home.
    home: PathBuf,
    /// Where Jangdan keeps its runs.
    pub data: PathBuf,
    /// What was said by the commands that watch the run.
    pub said: PathBuf,
    models: Vec<ModelServer>,
}

impl Project {
    /// Makes everything below a folder.
    pub fn new(course: Course, folder: &Path, jangdan: &Path) -> Result<Self> {
        let [repository, home, data] = ["project", "person", "data"].map(|name| folder.join(name));
        for folder in [&repository, &home] {
            fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
        }
        let mut models = Vec::new();
        let mut agents = String::new();
        for hand in &HANDS {
            let key_behind = Some("your key".to_owned());
            let model = ModelServer::start(Script { key_behind, ..Script::of(hand.turns(course)) })?;
            let place = Place::new(programs::find(hand.agent)?, &folder.join(hand.agent), &model.url())?;
            writeln!(agents, "[agents.{}.environment]", hand.agent)?;
            for (name, value) in place.environment() {
                // A text of JSON is one of TOML too.
                let value = serde_json::to_string(&value.to_string_lossy())?;
                writeln!(agents, "{} = {value}", name.to_string_lossy())?;
            }
            models.push(model);
        }
        fs::write(repository.join("jangdan.toml"), configuration(course) + &agents)?;
        fs::write(repository.join("TASKS.md"), plan())?;
        let said = folder.join("said");
        let project = Self { jangdan: jangdan.to_owned(), repository, home, data, said, models };
        project.git(&["init", "--quiet", "--initial-branch", "main"])?;
        for (key, value) in [("user.name", "Somebody"), ("user.email", "somebody@jangdan.invalid")] {
            project.git(&["config", key, value])?;
        }
        project.git(&["add", "--all"])?;
        project.git(&["commit", "--quiet", "--message", "A plan"])?;
        Ok(project)
    }

    /// Returns the model of an agent.
    pub fn model(&self, agent: &str) -> &ModelServer {
        let number = HANDS.iter().position(|hand| hand.agent == agent);
        number.and_then(|number| self.models.get(number)).unwrap_or_else(|| unreachable!("a hand"))
    }

    /// Returns a command of Jangdan's that works on this project.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.jangdan);
        command.args(arguments).arg("--data").arg(&self.data);
        command.current_dir(&self.repository).env("HOME", &self.home);
        command
    }

    /// Runs a command of Jangdan's, and returns what it printed.
    pub fn jangdan(&self, arguments: &[&str]) -> Result<String> {
        output(&mut self.command(arguments))
    }

    /// Runs git in the repository, and returns what it printed.
    pub fn git(&self, arguments: &[&str]) -> Result<String> {
        let mut command = Command::new("git");
        output(command.args(arguments).current_dir(&self.repository).env("HOME", &self.home))
    }

    /// Returns the name of the only run.
    pub fn run(&self) -> Result<String> {
        let run = fs::read_dir(self.data.join("runs"))?.next().context("there is no run yet")??;
        run.file_name().into_string().ok().context("a run's name is text")
    }
}

fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("start {command:?}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?} ended with {}: {said}", output.status);
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn configuration(course: Course) -> String {
    let park = match course {
        Course::Quiet | Course::Killed => "",
        Course::Parked => "[park]\nfrozen_after = \"1s\"\ncold_after = \"2s\"\n",
    };
    format!("[orchestration]\nmax_concurrency = 4\ngate_approval = \"automatic\"\n{park}")
}

fn plan() -> String {
    let task = |hand: &Hand| {
        let (file, text) = (hand.file(), hand.text());
        format!(
            "### {}: Write {file}\n- **Agent**: {}\n- **Touches**: `{file}`\n- **Verify**: `grep -qx '{}' {file}`\n\n",
            hand.task,
            hand.agent,
            text.trim_end()
        )
    };
    format!("# Four files\n\n## Phase 1: Files\n\n{}", HANDS.iter().map(task).collect::<String>())
}
