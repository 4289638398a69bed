//! Errors of this crate, with hints for the user.

use std::{io, path::PathBuf, time::Duration};

use domain::LargeFile;

use crate::CommitId;

/// Failure of git or of a file operation.
#[derive(Debug, thiserror::Error)]
pub enum RepoError {
    /// The git program cannot be started.
    #[error("cannot start {}", .program.display())]
    GitMissing {
        /// Path of the git program.
        program: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The installed git is too old.
    #[error("git {found} is too old; {needed} or newer is required")]
    GitTooOld {
        /// Version of the installed git.
        found: String,
        /// Oldest version that works.
        needed: &'static str,
    },
    /// The path is not inside a git repository.
    #[error("{} is not inside a git repository", .path.display())]
    NotARepository {
        /// Path that was searched upward from.
        path: PathBuf,
    },
    /// The repository has no such commit.
    #[error("the repository at {} has no commit '{revision}'", .path.display())]
    CommitNotFound {
        /// Folder of the repository.
        path: PathBuf,
        /// Revision that was requested.
        revision: String,
    },
    /// A git command failed.
    #[error("{command} in {}: {stderr}", .folder.display())]
    CommandFailed {
        /// Arguments of the command, without its input.
        command: String,
        /// Folder in which it ran.
        folder: PathBuf,
        /// Exit status; `None` if it was killed by a signal.
        status: Option<i32>,
        /// Last lines of its standard error.
        stderr: String,
    },
    /// A git command was killed because it took too long.
    #[error("{command} in {} took longer than {limit:?}", .folder.display())]
    TimedOut {
        /// Arguments of the command.
        command: String,
        /// Folder in which it ran.
        folder: PathBuf,
        /// Time limit that was exceeded.
        limit: Duration,
    },
    /// A git command was killed because it waited for a named pipe in place of a file.
    #[error("{} is a named pipe, for which git waits forever", .path.display())]
    PipeInTheWay { path: PathBuf },
    /// A git command was killed because it wrote too much output.
    #[error("{command} in {} wrote more than {limit} bytes", .folder.display())]
    TooMuchOutput {
        /// Arguments of the command.
        command: String,
        /// Folder in which it ran.
        folder: PathBuf,
        /// Output limit in bytes.
        limit: usize,
    },
    /// The output of a git command does not have the documented form.
    #[error("{command} returned unexpected output: {answer}")]
    UnexpectedOutput {
        /// Arguments of the command.
        command: String,
        /// Beginning of the output.
        answer: String,
    },
    /// A file operation failed.
    #[error("cannot {operation} {}", .path.display())]
    Io {
        /// Verb that completes "cannot …".
        operation: &'static str,
        /// Path of the file or folder.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A branch was moved by another process.
    #[error("branch {branch} was moved: expected {expected}, found {}", .actual.as_ref().map_or("no commit", CommitId::as_str))]
    BranchMoved {
        /// Name of the branch.
        branch: String,
        /// Commit at which it was expected.
        expected: CommitId,
        /// Commit at which it is, if it exists.
        actual: Option<CommitId>,
    },
    /// A branch is checked out by the user, so it must not be moved.
    #[error("branch {branch} is checked out at {}", .path.display())]
    BranchCheckedOut {
        /// Name of the branch.
        branch: String,
        /// Worktree in which it is checked out.
        path: PathBuf,
    },
    /// A ref does not point to the commit that the log of the run names.
    #[error("{name} points to {found}, but the log of the run names {recorded}")]
    RefMoved {
        /// Full name of the ref.
        name: String,
        /// The commit that it points to.
        found: String,
        /// The commit that the log names.
        recorded: String,
    },
    /// A required branch does not exist.
    #[error("branch {branch} does not exist")]
    BranchNotFound {
        /// Name of the branch.
        branch: String,
    },
    /// An agent checked out a commit that does not descend from its task's branch.
    #[error("{} is at {head}, which does not descend from branch {branch}", .path.display())]
    HeadDiverged {
        /// Folder of the worktree.
        path: PathBuf,
        /// Name of the task's branch.
        branch: String,
        /// Commit that is checked out.
        head: String,
    },
    /// A merge started by an agent has unresolved conflicts.
    #[error("{} has unresolved conflicts in {} file(s)", .path.display(), .files.len())]
    UnresolvedConflicts {
        /// Folder of the worktree.
        path: PathBuf,
        /// Files with conflicts.
        files: Vec<PathBuf>,
    },
    /// The user's changes have untracked files above the size limit.
    #[error("{} has untracked files above the size limit: {}", .path.display(), LargeFile::list_text(.files))]
    LargeFiles {
        /// Folder of the checkout.
        path: PathBuf,
        /// Files above the limit.
        files: Vec<LargeFile>,
    },
    /// Removing a worktree would lose work that cannot be preserved by a ref.
    #[error("cannot remove {}: {} contains work that would be lost", .path.display(), .lost_path.display())]
    WouldLoseWork {
        /// Folder of the worktree.
        path: PathBuf,
        /// First path that would be lost.
        lost_path: PathBuf,
    },
    /// The path for a worktree is occupied by something else.
    #[error("{} already exists and is not a worktree of this run", .path.display())]
    PathOccupied {
        /// Path that was needed.
        path: PathBuf,
    },
    /// The folder of a worktree was replaced, perhaps by a link to elsewhere.
    #[error("{} is not a folder any more: it was replaced", .path.display())]
    WorktreeReplaced {
        /// Folder of the worktree.
        path: PathBuf,
    },
    /// A folder is not a checkout of the user.
    #[error("{} is not a checkout of the repository that a user made", .path.display())]
    NotACheckout {
        /// Path of the folder.
        path: PathBuf,
    },
    /// A submodule of the user's checkout lacks the required commit.
    #[error("submodule {} has no commit {commit} in your checkout", .path.display())]
    SubmoduleCommitMissing {
        /// Path of the submodule.
        path: PathBuf,
        /// Id of the commit.
        commit: String,
    },
    /// The worktree does not exist or was never completed.
    #[error("{} is not a complete worktree", .path.display())]
    WorktreeNotReady {
        /// Folder of the worktree.
        path: PathBuf,
    },
}

impl RepoError {
    /// Returns what the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::GitMissing { .. } => "install git 2.38 or newer and make sure it is on the PATH",
            Self::GitTooOld { .. } => "install a newer git",
            Self::NotARepository { .. } => "run `git init` there and create a first commit",
            Self::CommitNotFound { .. } => "create a first commit; worktrees start from it",
            Self::CommandFailed { stderr, .. } => git_stderr_hint(stderr),
            Self::TimedOut { .. } => "check for a slow disk, filter or lock, then retry",
            Self::PipeInTheWay { .. } => "remove it, then retry",
            Self::TooMuchOutput { .. } => "add generated files to .gitignore, then retry",
            Self::UnexpectedOutput { .. } => "report this with the output of `git version`",
            Self::Io { .. } => "check the owner and permissions of the path, and the free disk space",
            Self::BranchMoved { .. } => "find out what moved it, then merge again",
            Self::BranchCheckedOut { .. } => {
                "check out another branch there, or use `jangdan land` when it is clean"
            }
            Self::RefMoved { .. } => {
                "only Jangdan moves this ref: find out which program moved it, then reset it with git update-ref"
            }
            Self::BranchNotFound { .. } => "create the run's branch first",
            Self::HeadDiverged { .. } => {
                "its work is preserved; merge or cherry-pick it onto the task's branch"
            }
            Self::UnresolvedConflicts { .. } => "resolve the conflicts and add the files, or abort the merge",
            Self::LargeFiles { .. } => {
                "commit the files, move them, add them to .gitignore, or raise `worktree.max_file_mib`"
            }
            Self::WouldLoseWork { .. } => "push or move the repository inside it, then retry",
            Self::PathOccupied { .. } => "move it to another place, then retry",
            Self::WorktreeReplaced { .. } => {
                "an agent may have done this: look at it, then move it away and restore the worktree"
            }
            Self::NotACheckout { .. } => "name the folder that you work in, not one of a run",
            Self::SubmoduleCommitMissing { .. } => {
                "run `git submodule update --init` in your checkout; worktrees use the submodules of your checkout"
            }
            Self::WorktreeNotReady { .. } => "create it again; snapshots of it are below refs/jangdan/keep",
        }
    }
}

/// Returns a hint for common error messages of git.
fn git_stderr_hint(stderr: &str) -> &'static str {
    const HINTS: [(&str, &str); 9] = [
        (
            "dubious ownership",
            "the repository belongs to another user: see `safe.directory` in `git help config`",
        ),
        ("cannot create 'refs/heads/jangdan/", "one of your branches conflicts with jangdan/…: rename it"),
        ("MERGE_HEAD exists", "a merge is in progress in your checkout: commit or abort it, then retry"),
        ("No space left", "free some space; `jangdan clean` lists worktrees that can be removed"),
        ("index.lock", "another git process is running there, or crashed: check, then remove the lock file"),
        (
            ".lock': File exists",
            "another git process is running there, or crashed: check, then remove the lock file",
        ),
        (
            "already checked out",
            "the branch is checked out elsewhere: switch that worktree to another branch",
        ),
        (
            "already used by worktree",
            "the branch is checked out elsewhere: switch that worktree to another branch",
        ),
        ("filter", "a filter of .gitattributes failed: check that its program (git-lfs?) is installed"),
    ];
    HINTS
        .iter()
        .find(|(pattern, _)| stderr.contains(pattern))
        .map_or("run the git command by hand to see more", |(_, hint)| hint)
}
