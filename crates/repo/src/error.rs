//! What can go wrong with git, and what to do about it.

use std::{io, path::PathBuf, time::Duration};

use crate::CommitId;

/// Why git, or we, did not do it.
#[derive(Debug, thiserror::Error)]
pub enum RepoError {
    /// The program can't be started.
    #[error("start {}", .program.display())]
    GitMissing {
        /// What was started.
        program: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The program can't do what is needed.
    #[error("git {found} is too old, {needed} is needed")]
    GitTooOld {
        /// What `git version` said.
        found: String,
        /// The oldest that will do.
        needed: &'static str,
    },
    /// There is no repository at or above a path.
    #[error("{} is in no git repository", .path.display())]
    NotARepository {
        /// The path.
        path: PathBuf,
    },
    /// The repository has no commit to start from.
    #[error("the repository at {} has no commit '{revision}'", .path.display())]
    CommitNotFound {
        /// The repository.
        path: PathBuf,
        /// What was looked for.
        revision: String,
    },
    /// Git refused or failed.
    #[error("{command} in {}: {stderr}", .folder.display())]
    CommandFailed {
        /// The command, without its input.
        command: String,
        /// Where it ran.
        folder: PathBuf,
        /// Its exit status; a signal has none.
        status: Option<i32>,
        /// The last lines of what it said.
        stderr: String,
    },
    /// Git was stopped because it took too long.
    #[error("{command} in {} took longer than {limit:?}", .folder.display())]
    TimedOut {
        /// The command.
        command: String,
        /// Where it ran.
        folder: PathBuf,
        /// The bound.
        limit: Duration,
    },
    /// Git was stopped because it said too much.
    #[error("{command} in {} wrote more than {limit} bytes", .folder.display())]
    TooMuchOutput {
        /// The command.
        command: String,
        /// Where it ran.
        folder: PathBuf,
        /// The bound.
        limit: usize,
    },
    /// Git's answer is not in the form that its manual promises.
    #[error("{command} answered what can't be read: {answer}")]
    UnexpectedOutput {
        /// The command.
        command: String,
        /// The start of the answer.
        answer: String,
    },
    /// The file system refused.
    #[error("{operation} {}", .path.display())]
    Io {
        /// What was tried.
        operation: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A branch is not where it should be: somebody else moved it.
    #[error("branch {branch} is at {}, not at {expected}", .actual.as_ref().map_or("no commit", CommitId::as_str))]
    BranchMoved {
        /// The branch.
        branch: String,
        /// Where it should be.
        expected: CommitId,
        /// Where it is.
        actual: Option<CommitId>,
    },
    /// A branch is checked out, so it is not moved behind its owner's back.
    #[error("branch {branch} is checked out at {}", .path.display())]
    BranchCheckedOut {
        /// The branch.
        branch: String,
        /// Where.
        path: PathBuf,
    },
    /// A branch that is needed does not exist.
    #[error("there is no branch {branch}")]
    BranchNotFound {
        /// The branch.
        branch: String,
    },
    /// An agent left its task's branch for a commit that does not follow from it.
    #[error("{} is at {head}, which does not follow from {branch}", .path.display())]
    HeadDiverged {
        /// The worktree.
        path: PathBuf,
        /// The task's branch.
        branch: String,
        /// Where the worktree is.
        head: String,
    },
    /// A merge that an agent began has open conflicts.
    #[error("{} has open conflicts in {} file(s)", .path.display(), .files.len())]
    UnresolvedConflicts {
        /// The worktree.
        path: PathBuf,
        /// The files.
        files: Vec<PathBuf>,
    },
    /// A worktree holds what no ref can reach, so it is not removed.
    #[error("{} holds what can't be kept: {}", .path.display(), .what.display())]
    WouldLoseWork {
        /// The worktree.
        path: PathBuf,
        /// The first of it.
        what: PathBuf,
    },
    /// A place for a worktree is taken by something that is not ours to remove.
    #[error("{} is taken by something else", .path.display())]
    PathOccupied {
        /// The place.
        path: PathBuf,
    },
    /// A submodule of the user's checkout has not got the commit that is wanted.
    #[error("submodule {} has no commit {commit} in your checkout", .path.display())]
    SubmoduleCommitMissing {
        /// The submodule.
        path: PathBuf,
        /// The commit.
        commit: String,
    },
    /// A worktree is not there, or was never finished.
    #[error("{} is no finished worktree", .path.display())]
    WorktreeNotReady {
        /// The place.
        path: PathBuf,
    },
}

impl RepoError {
    /// Returns what a person can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::GitMissing { .. } => "install git 2.38 or newer, and see that it is on the PATH",
            Self::GitTooOld { .. } => "install a newer git",
            Self::NotARepository { .. } => "run `git init` there and make a first commit",
            Self::CommitNotFound { .. } => "make a first commit; worktrees start from one",
            Self::CommandFailed { stderr, .. } => hint_of(stderr),
            Self::TimedOut { .. } => "look for a slow disk, filter or lock, then try again",
            Self::TooMuchOutput { .. } => "ignore generated files in .gitignore, then try again",
            Self::UnexpectedOutput { .. } => "this git answers in a new way: report it with `git version`",
            Self::Io { .. } => "look at the path's owner, its permissions and the free space",
            Self::BranchMoved { .. } => "look who moved it; then merge again from where it is",
            Self::BranchCheckedOut { .. } => {
                "check out another branch there, or use `jangdan land` when it is clean"
            }
            Self::BranchNotFound { .. } => "begin the run's branch first",
            Self::HeadDiverged { .. } => {
                "what is there is kept; merge or cherry-pick it onto the task's branch"
            }
            Self::UnresolvedConflicts { .. } => "resolve the conflicts and add the files, or abort the merge",
            Self::WouldLoseWork { .. } => "push or move away the repository inside it, then remove it again",
            Self::PathOccupied { .. } => "move it away; worktrees are made where nothing is",
            Self::SubmoduleCommitMissing { .. } => {
                "run `git submodule update --init` in your checkout; worktrees take submodules from there"
            }
            Self::WorktreeNotReady { .. } => "make it again; what was kept of it is below refs/jangdan/keep",
        }
    }
}

/// Returns a hint for words of git that people meet often.
fn hint_of(stderr: &str) -> &'static str {
    const HINTS: [(&str, &str); 8] = [
        (
            "dubious ownership",
            "the repository belongs to somebody else: see `safe.directory` in `git help config`",
        ),
        ("cannot create 'refs/heads/jangdan/", "a branch of yours is in the way of jangdan/…: rename it"),
        ("No space left", "free some space; `jangdan clean` shows which worktrees can go"),
        ("index.lock", "another git works there, or died there: look, then remove the lock"),
        (".lock': File exists", "another git works there, or died there: look, then remove the lock"),
        ("already checked out", "that branch is checked out elsewhere: switch there to another one"),
        ("already used by worktree", "that branch is checked out elsewhere: switch there to another one"),
        ("filter", "a filter of .gitattributes failed: is its program (git-lfs?) installed?"),
    ];
    HINTS
        .iter()
        .find(|(pattern, _)| stderr.contains(pattern))
        .map_or("the lines above are git's own; run the command by hand to see more", |(_, hint)| hint)
}
