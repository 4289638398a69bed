//! `jangdan run` itself: a plan file, a configuration, a script as the agent.
//!
//! Everything is in a folder of its own, with its own git repository and home: settings of this machine, and of the
//! repository that the folder may lie in, have no effect.

use std::{
    env,
    fmt::Write as _,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use holder::protocol::Request;
use sessions::{SessionEntry, SessionState, Sessions};
use tempfile::{TempDir, tempdir_in};
use testkit::workloads::Workload;

use crate::child::{self, KillOnDropChild, SignalPipe, WAIT_MAX};

/// Limit for a run of the whole graph, which takes up to a minute.
const RUN_MAX: Duration = Duration::from_secs(300);

/// Runs all tasks of a graph.
pub(super) fn run_all_tasks(jangdan: &Path, work: &Workload, folder: &Path) -> Result<()> {
    let mut plan = "# A plan\n".to_owned();
    for task in 0..work.durations.len() {
        let before: Vec<String> = work
            .edges
            .iter()
            .filter(|(_, later)| *later == task)
            .map(|(earlier, _)| format!("T{}", earlier + 1))
            .collect();
        let before = if before.is_empty() { "none".to_owned() } else { before.join(", ") };
        write!(plan, "\n### T{}: Nothing\n- **Dependencies**: {before}\n", task + 1)?;
    }
    let project =
        Project::create(folder, &plan, "read -r task; echo \"DONE:$JANGDAN_TASK:nothing to change\"")?;
    let outcome = child::run(&mut project.command(jangdan, false)?, RUN_MAX);
    outcome.with_context(|| project.end_sessions_and_read_errors())
}

/// Returns the time from the start of the program until the first agent runs.
pub(super) fn time_first_task(jangdan: &Path, folder: &Path, in_worktree: bool) -> Result<Duration> {
    let script = "echo here > $STARTED; read -r task; echo \"DONE:$JANGDAN_TASK:nothing to change\"";
    let project = Project::create(folder, "# A plan\n\n### T1: Nothing\n", script)?;
    if in_worktree {
        project.git(&["add", "."])?;
        project.git(&["commit", "--quiet", "-m", "begin"])?;
    }
    let mut pipe = SignalPipe::create(&project.signal_folder().join("started"))?;
    let mut command = project.command(jangdan, in_worktree)?;
    command.env("STARTED", &pipe.path);
    let mut run = || {
        let start = Instant::now();
        let mut child = KillOnDropChild::spawn(&mut command)?;
        let took = pipe.wait_while_runs(&child, WAIT_MAX)?.duration_since(start);
        let status = child.wait(WAIT_MAX)?;
        ensure!(status.success(), "jangdan ended with {status}");
        Ok(took)
    };
    run().with_context(|| project.end_sessions_and_read_errors())
}

/// A project with one agent, and the data directory of its runs.
pub(crate) struct Project {
    root: TempDir,
}

impl Project {
    pub(crate) fn create(parent: &Path, plan: &str, script: &str) -> Result<Self> {
        let project = Self { root: tempdir_in(parent)? };
        let (folder, signals) = (project.folder(), project.signal_folder());
        fs::create_dir(&folder)?;
        fs::create_dir(&signals)?;
        fs::write(folder.join("TASKS.md"), plan)?;
        fs::write(folder.join("agent.sh"), script)?;
        let config = format!(
            "[agents.script]\nextends = \"shell\"\narguments = [\"{}\"]\n[team]\nworker = \"script\"\n\
             [sandbox]\nwrite = [\"{}\"]\n",
            folder.join("agent.sh").display(),
            signals.display()
        );
        fs::write(folder.join("jangdan.toml"), config)?;
        project.git(&["init", "--quiet"])?;
        Ok(project)
    }

    fn folder(&self) -> PathBuf {
        self.root.path().join("project")
    }

    /// Returns the folder of named pipes, which the sandboxed agent may write to.
    fn signal_folder(&self) -> PathBuf {
        self.root.path().join("signals")
    }

    fn data_directory(&self) -> PathBuf {
        self.root.path().join("data")
    }

    fn errors_file(&self) -> PathBuf {
        self.root.path().join("errors")
    }

    fn git(&self, arguments: &[&str]) -> Result<()> {
        let mut git = self.isolated_command("git");
        git.args(["-c", "user.name=bench", "-c", "user.email=bench@localhost"]).args(arguments);
        child::run(&mut git, WAIT_MAX)
    }

    /// Returns `jangdan run` for the project; what it prints to standard error goes to a file.
    pub(crate) fn command(&self, jangdan: &Path, in_worktree: bool) -> Result<Command> {
        let mut command = self.isolated_command(jangdan);
        command.args(["run", "--json", "--set", "orchestration.gate_approval=automatic"]);
        command.args(["--set", "orchestration.max_concurrency=4"]);
        if !in_worktree {
            command.arg("--no-worktrees");
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(self.errors_file())?);
        Ok(command)
    }

    /// Returns a command in the project's folder that gets nothing of this machine's environment but the PATH.
    fn isolated_command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder()).env_clear();
        command.env("PATH", env::var_os("PATH").unwrap_or_default()).env("LANG", "C.UTF-8");
        command.env("HOME", self.root.path()).env("JANGDAN_DATA", self.data_directory());
        command
    }

    /// Ends the sessions that a killed `jangdan` has left running, and returns what it printed, for an error message.
    pub(crate) fn end_sessions_and_read_errors(&self) -> String {
        let live =
            |session: &SessionEntry| matches!(session.state, SessionState::Alive(_) | SessionState::Starting);
        if let Ok(sessions) = Sessions::open(&self.data_directory()) {
            for session in sessions.list().unwrap_or_default().iter().filter(|session| live(session)) {
                let _ = sessions.request(session, &Request::End { grace: Duration::ZERO }, WAIT_MAX);
            }
        }
        let errors = child::read_file_tail(&self.errors_file()).unwrap_or_default();
        format!("jangdan run failed; the end of its standard error: {errors:?}")
    }
}
