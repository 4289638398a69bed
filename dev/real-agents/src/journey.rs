//! A whole plan: eight tasks in two phases with three real agents, default permissions, and most of what can happen.
//!
//! An agent asks in prose, a permission is denied, a check fails, two tasks conflict, a phase is rejected, the server is
//! killed, and the user's branch moves on. The result is compared with what the scripted models did. Whole runs with
//! less, but with all agents, are in `run`.

mod agent_tasks;
mod outcome;
mod user;

use std::{
    path::Path,
    process::ExitStatus,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};

use agent_tasks::{AGENT_TASKS, AGENTS, AgentTask, CONFLICTING_FILE, SLOW_TASK};
use user::User;

use crate::{
    processes,
    project::{self, Project, ProjectSetup},
    run_log::{Log, text_field},
};

/// Its name in the table.
pub(crate) const NAME: &str = "journey";
/// Time limit for the run.
const RUN_MAX: Duration = Duration::from_secs(300);

/// Does the plan from its start to the merge, and checks the result.
pub(crate) fn check_journey(folder: &Path, jangdan: &Path) -> Result<()> {
    let project = Project::create(setup(), folder, jangdan)?;
    let output = project.output.display().to_string();
    let status = run_and_decide(&project).with_context(|| format!("its output is in {output}"))?;
    ensure!(status.success(), "jangdan ended with {status}; its output is in {output}");
    let log = Log::read(&project)?;
    outcome::check_requests(&project)?;
    outcome::check_log(&log)?;
    outcome::check_status(&project)?;
    outcome::land_and_check(&project, &log)?;
    project.check_codex_settings()?;
    processes::check_ended(folder)
}

fn setup() -> ProjectSetup {
    let model = |agent| {
        let tasks = AGENT_TASKS.iter().filter(|one| one.agent == agent);
        (agent, tasks.flat_map(AgentTask::rules).collect())
    };
    let phase = |tasks: &[AgentTask]| tasks.iter().map(AgentTask::section).collect::<String>();
    let (first, second) = AGENT_TASKS.split_at(AGENT_TASKS.len() / 2);
    ProjectSetup {
        plan: format!(
            "# Notes\n\n## Phase 1: Service\n\n{}## Phase 2: Client\n\n{}",
            phase(first),
            phase(second)
        ),
        // All tasks of a phase start from the same commit, so that two of them conflict. In the sandbox, agents do not ask
        // about each command.
        configuration: "[orchestration]\nmax_concurrency = 4\n[sandbox]\nmode = \"worktree\"\n".to_owned(),
        files: &[CONFLICTING_FILE],
        models: AGENTS.into_iter().map(model).collect(),
    }
}

/// Does the run, with the decisions of the user and one killed server. Returns the exit status of the last command.
fn run_and_decide(project: &Project) -> Result<ExitStatus> {
    let deadline = Instant::now() + RUN_MAX;
    let mut user = User::default();
    let mut command = project.start_jangdan(&["run", "TASKS.md"])?;
    let mut is_killed = false;
    loop {
        if let Some(status) = command.0.try_wait()? {
            ensure!(is_killed, "the run ended with {status} before its server was killed");
            return Ok(status);
        }
        if Instant::now() >= deadline {
            bail!("the run did not end within {RUN_MAX:?}");
        }
        // The run may not have a log yet.
        let log = Log::read(project).unwrap_or_default();
        user.decide(project, &log)?;
        if !is_killed && slow_agent_is_replying(project, &log) {
            command.kill()?;
            is_killed = true;
            let n_claims = Log::read(project)?.events_about("TaskClaimed", SLOW_TASK).count();
            ensure!(n_claims == 0, "the server was killed too late: {SLOW_TASK} was reported as done");
            command = project.start_jangdan(&["resume"])?;
            project::wait_until("the server runs again", deadline, || project.jangdan(&["link"]).is_ok())?;
        }
        project::wait_for_next_check();
    }
}

/// Tells whether the model of the slow task has started its first reply.
fn slow_agent_is_replying(project: &Project, log: &Log) -> bool {
    let Some(one) = AGENT_TASKS.iter().find(|one| one.task == SLOW_TASK) else { return false };
    let session = log.events_about("TaskStarted", SLOW_TASK).next().map(|event| text_field(event, "session"));
    let has_input = session.is_some_and(|session| log.events_about("InputSent", session).next().is_some());
    let has_request = || {
        let requests = project.model_server(one.agent).map(model_server::ModelServer::requests);
        requests.is_ok_and(|all| all.iter().any(|one_of| one_of.body.to_string().contains(&one.heading())))
    };
    has_input && has_request()
}
