//! Prepares a run of the current directory: prints problems of the plan, and offers to create a repository.

use std::{
    io::{self, BufRead, IsTerminal, Write},
    path::{Path, PathBuf},
    process::Command,
};

use config::LoadedConfig;
use runtime::prepare::{LoadedPlan, PrepareError, PreparedRun, user_name};

use crate::{failure::Failure, plan_check, printable::printable};

/// The run that the command line requests.
#[derive(Debug, Clone, Default)]
pub(crate) struct PrepareOptions {
    /// Plan file; `None` for the plan of the project.
    pub plan: Option<PathBuf>,
    /// Format of the plan; `None` to detect it.
    pub format: Option<plan::PlanFormat>,
    /// Whether optional tasks are included.
    pub with_optional: bool,
    /// Agent for tasks that name none.
    pub agent: Option<String>,
    /// Whether all agents work in the project's folder, without worktrees.
    pub in_place: bool,
    /// Whether a missing repository is created without asking.
    pub confirmed: bool,
    /// Where `jangdan.toml` was searched.
    pub config_searched: Vec<PathBuf>,
}

/// Prepares a run without starting it.
pub(crate) fn prepare_run(
    project: &Path,
    loaded: &LoadedConfig,
    request: &PrepareOptions,
) -> Result<PreparedRun, Failure> {
    let plan = LoadedPlan::find(project, request.plan.as_deref(), request.format)
        .map_err(|error| prepare_failure(&error, &[]))?;
    // If standard error is closed, nothing can be reported.
    let _ = plan_check::print_problems(Path::new(&plan.name), &plan.source, &plan.reading);
    let options = runtime::prepare::RunOptions {
        with_optional: request.with_optional,
        agent: request.agent.clone(),
        in_place: request.in_place,
        person: user_name(),
    };
    let prepared = || runtime::prepare::prepare_run(project, &loaded.config, &plan, &options);
    let made = match prepared() {
        Err(PrepareError::NoRepository { .. }) if request.confirmed || confirms_init(project) => {
            init_repository(project)?;
            prepared()
        }
        made => made,
    };
    made.map_err(|error| prepare_failure(&error, &request.config_searched))
}

fn confirms_init(project: &Path) -> bool {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return false;
    }
    let folder = printable(&project.display().to_string());
    let mut stderr = io::stderr().lock();
    let asked = write!(stderr, "{folder} is not a git repository. Create one and commit all files? [y/N] ");
    let mut answer = String::new();
    asked.is_ok()
        && stderr.flush().is_ok()
        && io::stdin().lock().read_line(&mut answer).is_ok()
        && matches!(answer.trim(), "y" | "Y" | "yes" | "예" | "네")
}

/// Creates a repository with the user's own git configuration and hooks.
fn init_repository(project: &Path) -> Result<(), Failure> {
    for arguments in [&["init", "--quiet"][..], &["add", "--all"], &["commit", "--quiet", "-m", "begin"]] {
        let status = Command::new("git").arg("-C").arg(project).args(arguments).status();
        if !status.as_ref().is_ok_and(std::process::ExitStatus::success) {
            return Err(Failure {
                what: format!("'git {}' failed in {}.", arguments.join(" "), project.display()),
                hint: Some("Create the repository yourself, or use --no-worktrees.".to_owned()),
                exit: 1,
            });
        }
    }
    Ok(())
}

/// Adds what to do at a terminal.
fn prepare_failure(error: &PrepareError, config_searched: &[PathBuf]) -> Failure {
    let hint = match error {
        PrepareError::NoAgent if !config_searched.is_empty() => {
            let searched: Vec<_> = config_searched.iter().map(|path| path.display().to_string()).collect();
            format!("{} Searched: {}", error.hint(), searched.join(", "))
        }
        PrepareError::NoPlan { .. } => {
            format!("Name one: jangdan run FILE. Searched: {}", runtime::prepare::PLAN_NAMES.join(", "))
        }
        PrepareError::PlanMistakes { name, .. } => format!("Fix it, then run: jangdan plan check {name}"),
        PrepareError::NoRepository { .. } => {
            "Create one (git init, then commit), or work in this folder without isolation: --no-worktrees"
                .to_owned()
        }
        error @ PrepareError::Input(_)
        | error @ PrepareError::SeveralPlans { .. }
        | error @ PrepareError::UnknownAgent { .. }
        | error @ PrepareError::NoAgent
        | error @ PrepareError::NotInstalled { .. }
        | error @ PrepareError::NoScript { .. }
        | error @ PrepareError::AgentName(_)
        | error @ PrepareError::Git(_)
        | error @ PrepareError::Unborn { .. }
        | error @ PrepareError::Submodule { .. }
        | error @ PrepareError::LfsProgram
        | error @ PrepareError::LfsFilter
        | error @ PrepareError::Template { .. } => error.hint(),
    };
    let exit = if matches!(error, PrepareError::UnknownAgent { .. }) { 2 } else { 1 };
    Failure { what: error.to_string(), hint: Some(hint), exit }
}
