//! Git for a run: worktrees of tasks, what is kept of them, the merge queue's step, and landing.
//!
//! [`Repository::find`] finds the user's repository, [`Repository::run`] gives the handle by which everything else is
//! done. Every call blocks, has a bound on time and output, and runs the `git` program in a clean environment, without a
//! shell, with hooks and signing off. What may be done twice is: each step finds what an earlier try left.
//!
//! Never touches the user's working tree, index, HEAD or a branch that is checked out; [`Run::land_checked_out`] alone
//! does, because somebody asked for it. Decides nothing: when to keep, merge, land or remove is the caller's.

mod checkout_tree;
mod commit;
mod commit_id;
mod conflicts;
mod contents;
mod detached_worktree;
mod diff;
mod disk_usage;
mod error;
mod git;
mod land;
mod linking;
mod merge;
mod merge_into_worktree;
mod names;
mod nested;
mod overlap;
mod process;
mod prune;
mod reachable;
mod repository;
mod restore;
mod run_repository;
mod snapshots;
mod status;
mod submodules;
mod worktree_slot;
mod worktrees;

pub use checkout_tree::checkout_tree;
pub use commit::CommitOptions;
pub use commit_id::{CommitId, GitIdentity};
pub use conflicts::{Conflict, ConflictSide, TreeEntryKind};
pub use detached_worktree::DetachedWorktree;
pub use disk_usage::disk_usage;
pub use error::RepoError;
pub use git::GitOptions;
pub use land::LandingOutcome;
pub use merge::MergeAttempt;
pub use overlap::FileOverlap;
pub use repository::{Head, LfsState, Repository, RepositoryTraits};
pub use run_repository::RunRepository;
pub use snapshots::WorktreeSnapshot;
pub use submodules::{Submodule, SubmoduleState};
pub use worktree_slot::TaskWorktree;
pub use worktrees::RecoveryReport;
