//! A run of this folder, made ready: shows what is wrong with its plan, and offers to make a repository.

use std::{
    io::{self, BufRead, IsTerminal, Write},
    path::{Path, PathBuf},
    process::Command,
};

use config::LoadedConfig;
use runtime::prepare::{PrepareError, Prepared, ReadPlan, person};

use crate::{failure::Failure, plan_check, printable::printable};

/// What the command line says of a run.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// The plan file; without it the one that is found.
    pub plan: Option<PathBuf>,
    /// In which format it is.
    pub format: Option<plan::PlanFormat>,
    /// Whether optional tasks are done too.
    pub with_optional: bool,
    /// Who does what nobody is named for.
    pub agent: Option<String>,
    /// Whether all work in the project's own folder.
    pub in_place: bool,
    /// Whether a missing repository is created without asking.
    pub confirmed: bool,
    /// Where `jangdan.toml` was looked for.
    pub config_searched: Vec<PathBuf>,
}

/// Makes everything ready; nothing has begun.
pub fn make_ready(project: &Path, loaded: &LoadedConfig, wanted: &Wanted) -> Result<Prepared, Failure> {
    let plan = ReadPlan::find(project, wanted.plan.as_deref(), wanted.format)
        .map_err(|error| explained(&error, &[]))?;
    // With standard error gone there is nobody left to tell.
    let _ = plan_check::show_mistakes(Path::new(&plan.name), &plan.source, &plan.reading);
    let options = runtime::prepare::Wanted {
        with_optional: wanted.with_optional,
        agent: wanted.agent.clone(),
        in_place: wanted.in_place,
        person: person(),
    };
    let prepared = || runtime::prepare::prepare(project, &loaded.config, &plan, &options);
    let made = match prepared() {
        Err(PrepareError::NoRepository { .. }) if wanted.confirmed || confirms_init(project) => {
            init(project)?;
            prepared()
        }
        made => made,
    };
    made.map_err(|error| explained(&error, &wanted.config_searched))
}

fn confirms_init(project: &Path) -> bool {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return false;
    }
    let folder = printable(&project.display().to_string());
    let mut stderr = io::stderr().lock();
    let asked =
        write!(stderr, "{folder} is no git repository. Make one, with all its files committed? [y/N] ");
    let mut answer = String::new();
    asked.is_ok()
        && stderr.flush().is_ok()
        && io::stdin().lock().read_line(&mut answer).is_ok()
        && matches!(answer.trim(), "y" | "Y" | "yes" | "예" | "네")
}

/// Makes a repository as the person would, with their own name and hooks.
fn init(project: &Path) -> Result<(), Failure> {
    for arguments in [&["init", "--quiet"][..], &["add", "--all"], &["commit", "--quiet", "-m", "begin"]] {
        let status = Command::new("git").arg("-C").arg(project).args(arguments).status();
        if !status.as_ref().is_ok_and(std::process::ExitStatus::success) {
            return Err(Failure {
                what: format!("git {} failed in {}", arguments.join(" "), project.display()),
                hint: Some("make the repository yourself, or go on with --no-worktrees".to_owned()),
                exit: 1,
            });
        }
    }
    Ok(())
}

/// Adds what to do at a terminal.
fn explained(error: &PrepareError, config_searched: &[PathBuf]) -> Failure {
    let hint = match error {
        PrepareError::NoAgent if !config_searched.is_empty() => {
            let searched: Vec<_> = config_searched.iter().map(|path| path.display().to_string()).collect();
            format!("{} It was searched at {}.", error.hint(), searched.join(", "))
        }
        PrepareError::NoPlan { .. } => {
            format!("name one: jangdan run FILE. Looked for {}", runtime::prepare::PLAN_NAMES.join(", "))
        }
        PrepareError::PlanMistakes { .. } => "mend it, then look at it with `jangdan plan check`".to_owned(),
        PrepareError::NoRepository { .. } => {
            "make one (git init, then commit), or let all agents work in this folder with --no-worktrees"
                .to_owned()
        }
        error => error.hint(),
    };
    let exit = if matches!(error, PrepareError::UnknownAgent { .. }) { 2 } else { 1 };
    Failure { what: error.to_string(), hint: Some(hint), exit }
}
