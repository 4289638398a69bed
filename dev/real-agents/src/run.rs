//! Whole runs: `jangdan run` with a plan of four tasks, each done by another real agent, all at once.
//!
//! The model makes every agent write a file with its own tool and then report DONE. Questions are answered with
//! `jangdan answer`. The files on the branch, the log and the processes are checked afterwards.

mod agent_tasks;
mod outcome;
mod project;

use std::{
    fs,
    path::Path,
    process::{Child, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};

use agent_tasks::{AGENT_TASKS, AgentTask};
use outcome::Log;
use project::Project;

/// Time limit for a run.
const RUN_MAX: Duration = Duration::from_secs(180);
/// Interval at which the run is checked.
const CHECK_EVERY: Duration = Duration::from_millis(100);

/// What happens during a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scenario {
    /// Undisturbed: one agent asks a question, one requests a permission.
    Quiet,
    /// The server is killed while two agents reply, and the run is resumed.
    Killed,
    /// All agents ask, and are answered only after their processes have ended.
    Parked,
}

impl Scenario {
    pub(crate) const ALL: [Self; 3] = [Self::Quiet, Self::Killed, Self::Parked];

    /// Returns its name in the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Quiet => "run",
            Self::Killed => "run, server killed",
            Self::Parked => "run, late answers",
        }
    }
}

/// Does a run from its plan to the merge, and checks the result.
pub(crate) fn check_run(scenario: Scenario, folder: &Path, jangdan: &Path) -> Result<()> {
    let project = Project::create(scenario, folder, jangdan)?;
    let output = project.output.display().to_string();
    let status = run_and_answer(scenario, &project).with_context(|| format!("its output is in {output}"))?;
    ensure!(status.success(), "jangdan ended with {status}; its output is in {output}");
    let log = Log::read(&project)?;
    log.check(scenario)?;
    outcome::land_and_check(&project)?;
    outcome::check_requests(scenario, &project)?;
    outcome::check_codex_settings(&project)?;
    outcome::check_processes(folder)
}

/// Starts the run, answers its questions, and returns its exit status.
fn run_and_answer(scenario: Scenario, project: &Project) -> Result<ExitStatus> {
    let deadline = Instant::now() + RUN_MAX;
    let mut command = KilledOnDrop(start_jangdan(project, &["run", "TASKS.md"])?);
    if scenario == Scenario::Killed {
        wait_until("both agents reply", deadline, || slow_agents_are_replying(project))?;
        command.kill()?;
        let log = Log::read(project)?;
        let n_ended = log.events_of_kind("TurnEnded").count();
        ensure!(n_ended == 0, "the server was killed too late: {n_ended} turns had ended");
        command = KilledOnDrop(start_jangdan(project, &["resume"])?);
    }
    let mut answered = Vec::new();
    loop {
        if let Some(status) = command.0.try_wait()? {
            return Ok(status);
        }
        if Instant::now() >= deadline {
            bail!("the run did not end within {RUN_MAX:?}");
        }
        for (question, answer) in Log::read(project).map(|log| log.due_answers(scenario)).unwrap_or_default()
        {
            if !answered.contains(&question) {
                project.jangdan(&["answer", &question, answer])?;
                answered.push(question);
            }
        }
        thread::sleep(CHECK_EVERY);
    }
}

/// Tells whether all slow agents have started their first reply.
fn slow_agents_are_replying(project: &Project) -> bool {
    let log = Log::read(project).unwrap_or_default();
    let has_input = |session: &str| log.events_about("InputSent", session).next().is_some();
    let has_request = |agent: &str| {
        project.model_server(agent).is_ok_and(|model| model.requests().iter().any(|one| !one.is_side_request))
    };
    let replies = |one: &AgentTask| has_request(one.agent) && log.sessions_of_agent(one.agent).any(has_input);
    AGENT_TASKS.iter().filter(|one| one.is_slow).all(replies)
}

fn start_jangdan(project: &Project, arguments: &[&str]) -> Result<Child> {
    let output = fs::OpenOptions::new().create(true).append(true).open(&project.output)?;
    let mut command = project.jangdan_command(arguments);
    command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
    command.spawn().context("start jangdan")
}

fn wait_until(what: &str, deadline: Instant, holds: impl Fn() -> bool) -> Result<()> {
    while !holds() {
        ensure!(Instant::now() < deadline, "waited in vain until {what}");
        thread::sleep(CHECK_EVERY);
    }
    Ok(())
}

/// The command that contains the server; killed when dropped.
struct KilledOnDrop(Child);

impl KilledOnDrop {
    fn kill(&mut self) -> Result<()> {
        self.0.kill()?;
        self.0.wait()?;
        Ok(())
    }
}

impl Drop for KilledOnDrop {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}
