//! Git operations of a run: worktrees, snapshots, merges and landing.
//!
//! [`Repository::discover`] finds the user's repository and [`Repository::open_run`] returns the handle for
//! everything else. Every call blocks, is limited in time and output, and runs the `git` program in a clean
//! environment without a shell, hooks or signing. Operations can be repeated after a crash: each step detects what an
//! earlier attempt completed.
//!
//! The user's working tree, index, HEAD and checked-out branches are never changed, except by
//! [`RunRepository::land_checked_out`]. When to take a snapshot, merge, land or remove is up to the caller.

mod blocking_pipe;
mod check_leftovers;
mod checkout_obstacles;
mod checkout_tree;
mod commit;
mod commit_id;
mod confined_folder;
mod conflicts;
mod detached_worktree;
mod diff;
mod disk_usage;
mod error;
mod foreign_repository;
mod git;
mod included_changes;
mod land;
mod landing_commits;
mod leftover;
mod linear_history;
mod merge;
mod merge_history;
mod merge_into_worktree;
mod names;
mod nested_repositories;
mod overlap;
mod phase_changes;
mod process;
mod prune;
mod prune_refs;
mod rebase;
mod repository;
mod restore;
mod run_repository;
mod snapshots;
mod stale_lock;
mod status;
mod submodules;
mod tip_record;
mod unreachable_commits;
mod untracked_files;
mod user_checkout;
mod worktree_lock;
mod worktree_slot;
mod worktree_tree;
mod worktrees;

pub use checkout_tree::compute_checkout_tree;
pub use commit::CommitOptions;
pub use commit_id::{CommitId, GitIdentity};
pub use confined_folder::ConfinedFolder;
pub use conflicts::{Conflict, ConflictSide, TreeEntryKind};
pub use detached_worktree::DetachedWorktree;
pub use diff::EntryKind;
pub use disk_usage::{disk_usage, free_disk_bytes, is_disk_full};
pub use error::RepoError;
pub use git::GitOptions;
pub use land::{LandingOutcome, LandingPlan, LandingRequest, LandingStrategy, PlannedLanding};
pub use merge::MergeAttempt;
pub use overlap::TaskPairOverlap;
pub use phase_changes::TaskMerge;
pub use prune_refs::RefPruneOptions;
pub use repository::{Head, LfsState, Repository, RepositoryTraits, installed_git_version};
pub use run_repository::RunRepository;
pub use snapshots::WorktreeSnapshot;
pub use submodules::{Submodule, SubmoduleAvailability};
pub use tip_record::TipRecord;
pub use untracked_files::UntrackedFileRules;
pub use worktree_slot::TaskWorktree;
pub use worktrees::RecoveryReport;
