//! Errors that prevent a run from starting.

use std::{io, path::PathBuf};

use domain::{ParseError, RunId, TaskId};
use repo::RepoError;

use super::input::InputError;

/// Why a run cannot start.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// A file could not be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The project has no plan file.
    #[error("no plan file in {} [TASKS_NOT_FOUND]", .project.display())]
    NoPlan {
        /// Folder of the project.
        project: PathBuf,
    },
    /// The project has several plan files, and none has precedence.
    #[error("the project has {} plan files", .found.len())]
    SeveralPlans {
        /// Paths of the plan files.
        found: Vec<PathBuf>,
    },
    /// The plan has errors.
    #[error("plan {name} has {n_errors} error{}", if *.n_errors == 1 { "" } else { "s" })]
    PlanMistakes {
        /// Display name of the plan.
        name: String,
        /// Number of errors; warnings are not counted.
        n_errors: usize,
    },
    /// An agent of the command line or the plan is unknown.
    #[error("unknown agent '{name}'{}", task.as_ref().map(|task| format!(" of task {task}")).unwrap_or_default())]
    UnknownAgent {
        /// The unknown name.
        name: String,
        /// Known name that it resembles.
        closest: Option<String>,
        /// All known names.
        known: Vec<String>,
        /// Task that names it; `None` if the command line does.
        task: Option<TaskId>,
    },
    /// The named agent is configured incorrectly.
    #[error("{problem}")]
    InvalidAgent {
        /// What is wrong with it.
        problem: String,
    },
    /// The program of an agent is not on this machine.
    #[error("agent {name} is not installed: {command} {}", if .command.starts_with('/') { "does not exist" } else { "is not on PATH" })]
    NotInstalled {
        /// Name of the agent's preset.
        name: String,
        /// Program that was looked for.
        command: String,
        /// How to install it; empty if unknown.
        install: String,
    },
    /// No file or variable shows that an agent is signed in.
    #[error("agent {name} is not signed in")]
    SignedOut {
        /// Name of the agent's preset.
        name: String,
        /// How to sign in.
        how: String,
    },
    /// An agent is an interpreter without a script, which would execute prompts as code.
    #[error("agent {name} has no script: it would execute the text of the plan as shell commands")]
    NoScript {
        /// Name of the agent's preset.
        name: String,
    },
    /// No agent is configured, and no known agent is usable on this machine.
    #[error("no agent is installed and signed in")]
    NoAgent,
    /// The name of an installed agent is not a valid agent name.
    #[error(transparent)]
    AgentName(#[from] ParseError),
    /// The program of a check is not on this machine.
    #[error("the check `{command}` cannot run: {program} is not on PATH")]
    CheckProgram {
        /// Program that was looked for.
        program: String,
        /// Command of the check.
        command: String,
    },
    /// Earlier runs did all open tasks of the plan.
    #[error("run {run} already did {} of the plan", if *.n_tasks == 1 { "the only open task".to_owned() } else { format!("all {n_tasks} open tasks") })]
    AlreadyDone {
        /// Run that did the first of them.
        run: RunId,
        /// Number of open tasks.
        n_tasks: usize,
    },
    /// No task is left after those of earlier runs were left out.
    #[error("no task of the plan is open: run {run} did them")]
    NothingOpen {
        /// Run that did the first of them.
        run: RunId,
    },
    /// The project is not in a git repository.
    #[error("{} is not in a git repository", .path.display())]
    NoRepository {
        /// Folder of the project.
        path: PathBuf,
    },
    /// A git operation failed.
    #[error(transparent)]
    Git(RepoError),
    /// The checked-out branch has no commit.
    #[error("branch {branch} has no commit yet; agents start from a commit")]
    Unborn {
        /// Name of the branch.
        branch: String,
    },
    /// A submodule does not have the commit that the project references.
    #[error("submodule {} does not have the commit that this project references", .path.display())]
    Submodule {
        /// Path of the submodule.
        path: PathBuf,
    },
    /// The repository uses Git LFS, which is not installed.
    #[error("this repository uses Git LFS, and git-lfs is not installed")]
    LfsProgram,
    /// The repository uses Git LFS, whose filter is not configured.
    #[error("this repository uses Git LFS, and its filter is not configured here")]
    LfsFilter,
    /// The prompt template could not be read.
    #[error("cannot read the prompt template {}: {source}", .path.display())]
    Template {
        /// Path of the template.
        path: PathBuf,
        /// Error of the file system.
        source: io::Error,
    },
}

impl From<RepoError> for PrepareError {
    fn from(error: RepoError) -> Self {
        match error {
            RepoError::NotARepository { path } => Self::NoRepository { path },
            error @ RepoError::GitMissing { .. }
            | error @ RepoError::GitTooOld { .. }
            | error @ RepoError::CommitNotFound { .. }
            | error @ RepoError::CommandFailed { .. }
            | error @ RepoError::TimedOut { .. }
            | error @ RepoError::PipeInTheWay { .. }
            | error @ RepoError::TooMuchOutput { .. }
            | error @ RepoError::UnexpectedOutput { .. }
            | error @ RepoError::Io { .. }
            | error @ RepoError::BranchMoved { .. }
            | error @ RepoError::BranchCheckedOut { .. }
            | error @ RepoError::BranchNotFound { .. }
            | error @ RepoError::RefMoved { .. }
            | error @ RepoError::HeadDiverged { .. }
            | error @ RepoError::UnresolvedConflicts { .. }
            | error @ RepoError::LargeFiles { .. }
            | error @ RepoError::WouldLoseWork { .. }
            | error @ RepoError::PathOccupied { .. }
            | error @ RepoError::SubmoduleCommitMissing { .. }
            | error @ RepoError::WorktreeReplaced { .. }
            | error @ RepoError::NotACheckout { .. }
            | error @ RepoError::WorktreeNotReady { .. } => Self::Git(error),
        }
    }
}

impl PrepareError {
    /// Returns what the user can do.
    pub fn hint(&self) -> String {
        match self {
            Self::Input(error) => error.hint(),
            Self::NoPlan { .. } => "Write one, such as TASKS.md in the project's folder.".to_owned(),
            Self::SeveralPlans { found } => {
                let names: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
                format!("Name one of them: {}", names.join(", "))
            }
            Self::PlanMistakes { .. } => "Fix them; each error has its line.".to_owned(),
            Self::UnknownAgent { closest: Some(closest), task: None, .. } => {
                format!("Did you mean {closest}? List the agents: jangdan agents")
            }
            Self::UnknownAgent { name, closest: Some(closest), task: Some(_), .. } => {
                format!("Did you mean {closest}? If not, define it in jangdan.toml: [agents.{name}]")
            }
            Self::UnknownAgent { closest: None, known, .. } => {
                format!("Known agents: {}. Add one to jangdan.toml: [agents.NAME]", known.join(", "))
            }
            Self::InvalidAgent { .. } | Self::AgentName(_) => "List the agents: jangdan agents".to_owned(),
            Self::NotInstalled { install, .. } if install.is_empty() => {
                "Install it or correct its command, or choose another agent. List the agents: jangdan agents".to_owned()
            }
            Self::NotInstalled { install, .. } => {
                format!("Install it: {install}. Or choose another agent.")
            }
            Self::SignedOut { name, how } => format!(
                "Sign in: {how}. If it is signed in otherwise, name a variable or file that shows it: \
                 agents.{name}.login.variables or agents.{name}.login.files"
            ),
            Self::CheckProgram { .. } => {
                "Install it, correct the check, or install it in each worktree: worktree.setup".to_owned()
            }
            Self::AlreadyDone { run, .. } => {
                format!("Merge its work: jangdan land {run}. Run all tasks again: --again")
            }
            Self::NothingOpen { run } => {
                format!("Merge its work: jangdan land {run}. Run all tasks again: --again")
            }
            Self::NoScript { .. } => {
                "Configure an agent in jangdan.toml: [agents.mine], extends = \"shell\", arguments = [\"agent.sh\"]"
                    .to_owned()
            }
            Self::NoAgent => {
                "See what is missing: jangdan agents. Or configure an agent of your own in jangdan.toml."
                    .to_owned()
            }
            Self::NoRepository { .. } => "Create one: git init, then commit.".to_owned(),
            Self::Git(error) => error.hint().to_owned(),
            Self::Unborn { .. } => "Commit first: git add . && git commit -m begin".to_owned(),
            Self::Submodule { path } => format!(
                "Fetch it, since worktrees use this copy: git submodule update --init {}. \
                 Or leave submodules out: worktree.submodules = false",
                path.display()
            ),
            Self::LfsProgram => "Install git-lfs: no worktree can be checked out without it.".to_owned(),
            Self::LfsFilter => {
                "Install git-lfs and run: git lfs install. Without it, commits would lose large files."
                    .to_owned()
            }
            Self::Template { .. } => "Set prompt.template to the path of a text file.".to_owned(),
        }
    }
}
