//! Whole runs: `jangdan run` with a plan of four tasks, each done by another real agent, all at once.
//!
//! The model makes every agent write a file with its own tool and then report DONE. Questions are answered with
//! `jangdan answer`. The files on the branch, the log and the processes are checked afterwards.

mod agent_tasks;
mod outcome;

use std::{
    path::Path,
    process::ExitStatus,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use model_server::Rule;

use agent_tasks::{AGENT_TASKS, AgentTask};

use crate::{
    processes,
    project::{self, Project, ProjectSetup},
    run_log::Log,
};

/// Time limit for a run.
const RUN_MAX: Duration = Duration::from_secs(180);

/// What happens during a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scenario {
    /// Undisturbed, in the sandbox: one agent asks a question.
    Quiet,
    /// The server is killed while two agents reply, and the run is resumed. One requests a permission.
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
    let project = Project::create(setup(scenario), folder, jangdan)?;
    let output = project.output.display().to_string();
    let status = run_and_answer(scenario, &project).with_context(|| format!("its output is in {output}"))?;
    ensure!(status.success(), "jangdan ended with {status}; its output is in {output}");
    let log = Log::read(&project)?;
    log.check(scenario)?;
    outcome::land_and_check(&project)?;
    outcome::check_requests(scenario, &project)?;
    project.check_codex_settings()?;
    processes::check_ended(folder)
}

/// Starts the run, answers its questions, and returns its exit status.
fn run_and_answer(scenario: Scenario, project: &Project) -> Result<ExitStatus> {
    let deadline = Instant::now() + RUN_MAX;
    let mut command = project.start_jangdan(&["run", "TASKS.md"])?;
    if scenario == Scenario::Killed {
        project::wait_until("both agents reply", deadline, || slow_agents_are_replying(project))?;
        command.kill()?;
        let log = Log::read(project)?;
        let n_ended = log.events_of_kind("TurnEnded").count();
        ensure!(n_ended == 0, "the server was killed too late: {n_ended} turns had ended");
        command = project.start_jangdan(&["resume"])?;
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
        project::wait_for_next_check();
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

fn setup(scenario: Scenario) -> ProjectSetup {
    let model = |one: &AgentTask| {
        let rule = Rule { contains: None, conversation_contains: None, turns: one.turns(scenario).into() };
        (one.agent, vec![rule])
    };
    ProjectSetup {
        plan: plan(),
        configuration: configuration(scenario),
        files: &[],
        models: AGENT_TASKS.iter().map(model).collect(),
    }
}

fn configuration(scenario: Scenario) -> String {
    // In the sandbox no agent requests a permission.
    let more = match scenario {
        Scenario::Quiet => "",
        Scenario::Killed => "[sandbox]\nmode = \"off\"\n",
        Scenario::Parked => "[sandbox]\nmode = \"off\"\n[park]\nfrozen_after = \"1s\"\ncold_after = \"2s\"\n",
    };
    format!("[orchestration]\nmax_concurrency = 4\ngate_approval = \"automatic\"\n{more}")
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
