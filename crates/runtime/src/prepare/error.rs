//! Why a run can't begin.

use std::{io, path::PathBuf};

use domain::ParseError;
use repo::RepoError;

use super::input::InputError;

/// Why a run can't begin.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// A file can't be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// There is no plan where plans are.
    #[error("there is no plan in {} [TASKS_NOT_FOUND]", .project.display())]
    NoPlan {
        /// The project's folder.
        project: PathBuf,
    },
    /// There are several, and none is meant more than the others.
    #[error("there are {} plans", .found.len())]
    SeveralPlans {
        /// All of them.
        found: Vec<PathBuf>,
    },
    /// The plan has mistakes, and can't be run as it is.
    #[error("the plan {name} has {n_errors} error{}", if *.n_errors == 1 { "" } else { "s" })]
    PlanMistakes {
        /// The plan's name.
        name: String,
        /// How many of its mistakes are errors.
        n_errors: usize,
    },
    /// Nobody knows the agent that is to work.
    #[error("{problem}")]
    UnknownAgent {
        /// What is known of it.
        problem: String,
    },
    /// Nobody is there who could work.
    #[error("no agent is installed and logged in")]
    NoAgent,
    /// An agent that was found has a name that none can have.
    #[error(transparent)]
    AgentName(#[from] ParseError),
    /// The project is in no repository.
    #[error("{} is in no git repository", .path.display())]
    NoRepository {
        /// The project's folder.
        path: PathBuf,
    },
    /// Git says no.
    #[error(transparent)]
    Git(RepoError),
    /// The branch has no commit.
    #[error("the branch {branch} has no commit yet, so agents have nothing to start from")]
    Unborn {
        /// The branch.
        branch: String,
    },
    /// A submodule is behind.
    #[error("submodule {} has not got the commit that this project wants", .path.display())]
    Submodule {
        /// Where it is.
        path: PathBuf,
    },
    /// The program for large files is missing.
    #[error("this repository keeps files by Git LFS, and git-lfs is not installed")]
    LfsProgram,
    /// Git does not know what to do with large files.
    #[error("this repository keeps files by Git LFS, and git does not know its filter here")]
    LfsFilter,
    /// The template of prompts can't be read.
    #[error("read the prompt template {}: {source}", .path.display())]
    Template {
        /// Where it should be.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl From<RepoError> for PrepareError {
    fn from(error: RepoError) -> Self {
        match error {
            RepoError::NotARepository { path } => Self::NoRepository { path },
            error => Self::Git(error),
        }
    }
}

impl PrepareError {
    /// Returns what to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Input(error) => error.hint(),
            Self::NoPlan { .. } => "write one, such as TASKS.md in the project's folder".to_owned(),
            Self::SeveralPlans { found } => {
                let names: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
                format!("name one of them: {}", names.join(", "))
            }
            Self::PlanMistakes { .. } => "mend it: each mistake says where it is".to_owned(),
            Self::UnknownAgent { .. } | Self::AgentName(_) => {
                "see which there are with `jangdan agents`".to_owned()
            }
            Self::NoAgent => {
                "See what is missing: jangdan agents. Or configure an agent of your own in jangdan.toml."
                    .to_owned()
            }
            Self::NoRepository { .. } => "make one: git init, then commit".to_owned(),
            Self::Git(error) => error.hint().to_owned(),
            Self::Unborn { .. } => "commit something first: git add . && git commit -m begin".to_owned(),
            Self::Submodule { path } => format!(
                "fetch it, because worktrees take it from here: git submodule update --init {}; \
                 or go without: worktree.submodules = false",
                path.display()
            ),
            Self::LfsProgram => "install git-lfs: without it no worktree can be checked out".to_owned(),
            Self::LfsFilter => {
                "install git-lfs and run `git lfs install`: else large files would be lost in commits"
                    .to_owned()
            }
            Self::Template { .. } => "write the path of a text file at prompt.template".to_owned(),
        }
    }
}
