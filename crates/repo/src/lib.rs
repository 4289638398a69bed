//! Git for a run: worktrees of tasks, what is kept of them, the merge queue's step, and landing.
//!
//! [`Repository::find`] finds the user's repository, [`Repository::run`] gives the handle by which everything else is
//! done. Every call blocks, has a bound on time and output, and runs the `git` program in a clean environment, without a
//! shell, with hooks and signing off. What may be done twice is: each step finds what an earlier try left.
//!
//! Never touches the user's working tree, index, HEAD or a branch that is checked out; [`Run::land_checked_out`] alone
//! does, because somebody asked for it. Decides nothing: when to keep, merge, land or remove is the caller's.

mod commit;
mod conflicts;
mod contents;
mod diff;
mod disk;
mod error;
mod git;
mod in_place;
mod keep;
mod land;
mod linking;
mod merge;
mod names;
mod nested;
mod object;
mod overlap;
mod process;
mod prune;
mod reachable;
mod repository;
mod restore;
mod rework;
mod run;
mod scratch;
mod status;
mod submodules;
mod worktree;
mod worktrees;

pub use commit::Work;
pub use conflicts::{Conflict, Side, SideKind};
pub use disk::bytes_below;
pub use error::RepoError;
pub use git::GitOptions;
pub use in_place::tree_in_place;
pub use keep::Kept;
pub use land::Landing;
pub use merge::Merge;
pub use object::{Commit, Identity};
pub use overlap::Overlap;
pub use repository::{Head, Lfs, Repository, Traits};
pub use run::Run;
pub use scratch::Scratch;
pub use submodules::{Submodule, SubmoduleState};
pub use worktree::Worktree;
pub use worktrees::Recovered;
