//! Prepares a run of the current directory: prints problems of the plan, and offers to create a repository.

mod korean;

use std::{
    io::{self, BufRead, IsTerminal, Write},
    path::{Path, PathBuf},
    process::Command,
};

use config::LoadedConfig;
use domain::Locale;
use runtime::prepare::{EarlierRun, LoadedPlan, PrepareError, PreparedRun, RepeatPolicy, user_name};

use crate::{
    failure::Failure, localized::localized, plan_check, printable::printable, remote::environment_locale,
};

/// The run that the command line requests.
#[derive(Debug, Clone, Default)]
pub(crate) struct PrepareOptions {
    /// Plan file; `None` for the plan of the project.
    pub plan: Option<PathBuf>,
    /// Format of the plan; `None` to detect it.
    pub format: Option<plan::PlanFormat>,
    pub tag: Option<String>,
    /// Whether optional tasks are included.
    pub with_optional: bool,
    /// Agent for tasks that name none.
    pub agent: Option<String>,
    /// Whether all agents work in the project's folder, without worktrees.
    pub in_place: bool,
    /// Whether the run starts with the uncommitted changes of the checkout.
    pub include_changes: bool,
    /// What is done with tasks that an earlier run did.
    pub repeat: RepeatPolicy,
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
    earlier_runs: impl FnOnce(&LoadedPlan) -> Vec<EarlierRun>,
) -> Result<PreparedRun, Failure> {
    let parse_options = plan::ParseOptions { format: request.format, tag: request.tag.as_deref() };
    let plan = LoadedPlan::find(project, request.plan.as_deref(), parse_options)
        .map_err(|error| prepare_failure(&error, &[]))?;
    // If standard error is closed, nothing can be reported.
    let _ = plan_check::print_problems(Path::new(&plan.name), &plan.source, &plan.reading, false);
    let options = runtime::prepare::RunOptions {
        with_optional: request.with_optional,
        agent: request.agent.clone(),
        in_place: request.in_place,
        include_changes: request.include_changes,
        repeat: request.repeat,
        earlier_runs: earlier_runs(&plan),
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
    let question = localized(
        format!("{folder} is not a git repository. Create one and commit all files? [y/N] "),
        format!("{folder} 폴더는 git 저장소가 아닙니다. 저장소를 만들고 모든 파일을 커밋할까요? [y/N] "),
    );
    let asked = write!(stderr, "{question}");
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
                what: localized(
                    format!("'git {}' failed in {}.", arguments.join(" "), project.display()),
                    format!("{}에서 'git {}' 명령이 실패했습니다.", project.display(), arguments.join(" ")),
                ),
                hint: Some(localized(
                    "Create the repository yourself, or use --no-worktrees.",
                    "저장소를 직접 만들거나 --no-worktrees 옵션을 사용하세요.",
                )),
                exit: 1,
            });
        }
    }
    Ok(())
}

/// Returns the refusal in the user's language, with what to do at a terminal.
pub(crate) fn prepare_failure(error: &PrepareError, config_searched: &[PathBuf]) -> Failure {
    let (what, hint) = match environment_locale() {
        Locale::En => (error.to_string(), hint_in_english(error, config_searched)),
        Locale::Ko => korean::refusal(error, config_searched),
    };
    let exit = match error {
        PrepareError::UnknownAgent { task: None, .. } | PrepareError::InvalidAgent { .. } => 2,
        PrepareError::UnknownAgent { task: Some(_), .. }
        | PrepareError::Input(_)
        | PrepareError::NoPlan { .. }
        | PrepareError::SeveralPlans { .. }
        | PrepareError::PlanMistakes { .. }
        | PrepareError::NoAgent
        | PrepareError::NotInstalled { .. }
        | PrepareError::SignedOut { .. }
        | PrepareError::NoScript { .. }
        | PrepareError::AgentName(_)
        | PrepareError::CheckProgram { .. }
        | PrepareError::AlreadyDone { .. }
        | PrepareError::NothingOpen { .. }
        | PrepareError::NoRepository { .. }
        | PrepareError::Git(_)
        | PrepareError::Unborn { .. }
        | PrepareError::Submodule { .. }
        | PrepareError::LfsProgram
        | PrepareError::LfsFilter
        | PrepareError::Template { .. } => 1,
    };
    Failure { what, hint: Some(hint), exit }
}

fn hint_in_english(error: &PrepareError, config_searched: &[PathBuf]) -> String {
    match error {
        PrepareError::NoAgent if !config_searched.is_empty() => {
            format!("{} Searched: {}", error.hint(), join_paths(config_searched))
        }
        PrepareError::NoPlan { .. } => format!(
            "Write one: jangdan init. Or name one: jangdan run FILE. Searched: {}",
            runtime::prepare::PLAN_NAMES.join(", ")
        ),
        PrepareError::PlanMistakes { name, .. } => format!("Fix it, then run: jangdan plan check {name}"),
        PrepareError::NoRepository { .. } => {
            "Create one (git init, then commit), or work in this folder without isolation: --no-worktrees"
                .to_owned()
        }
        error @ PrepareError::Input(_)
        | error @ PrepareError::SeveralPlans { .. }
        | error @ PrepareError::UnknownAgent { .. }
        | error @ PrepareError::InvalidAgent { .. }
        | error @ PrepareError::NoAgent
        | error @ PrepareError::NotInstalled { .. }
        | error @ PrepareError::SignedOut { .. }
        | error @ PrepareError::NoScript { .. }
        | error @ PrepareError::AgentName(_)
        | error @ PrepareError::CheckProgram { .. }
        | error @ PrepareError::AlreadyDone { .. }
        | error @ PrepareError::NothingOpen { .. }
        | error @ PrepareError::Git(_)
        | error @ PrepareError::Unborn { .. }
        | error @ PrepareError::Submodule { .. }
        | error @ PrepareError::LfsProgram
        | error @ PrepareError::LfsFilter
        | error @ PrepareError::Template { .. } => error.hint(),
    }
}

fn join_paths(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}
