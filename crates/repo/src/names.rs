//! Names of branches, refs and folders.
//!
//! The run's branch is `jangdan/<run>/run`, next to those of its tasks, because git cannot store `a/b` next to
//! `a/b/c`. Task ids have a digit and do not end like the id of a session, so they never collide with `run`, `check` or
//! `desk-…`. A slash of an id is escaped: `P5` and `P5/T1` are not a ref and a folder of refs.

use domain::{PhaseNumber, RunId, TaskId};

use crate::CommitId;

/// Returns the name of the branch that merged tasks accumulate on.
pub(crate) fn run_branch(run: &RunId) -> String {
    format!("jangdan/{run}/run")
}

/// Returns the prefix of the branches of a run.
pub(crate) fn run_branch_prefix(run: &RunId) -> String {
    format!("jangdan/{run}/")
}

pub(crate) fn task_branch(run: &RunId, task: &TaskId) -> String {
    format!("jangdan/{run}/{}", task.to_file_name())
}

pub(crate) fn branch_ref(branch: &str) -> String {
    format!("refs/heads/{branch}")
}

/// Name of the worktree in which merged trees are checked. Other worktrees are named after their task or session.
pub(crate) const CHECK_WORKTREE: &str = "check";

/// Prefix for the worktrees of sessions without a task.
pub(crate) const SESSION_WORKTREE_PREFIX: &str = "desk-";

/// Returns the ref prefix of a worktree's snapshots; a number follows.
pub(crate) fn snapshot_ref_prefix(run: &RunId, worktree: &str) -> String {
    format!("{}{worktree}/", snapshot_refs_of_run(run))
}

/// Returns the prefix of the refs of all snapshots of a run.
pub(crate) fn snapshot_refs_of_run(run: &RunId) -> String {
    format!("refs/jangdan/keep/{run}/")
}

/// Returns the prefix of the refs of commits that gates checked.
pub(crate) fn gate_ref_prefix(run: &RunId) -> String {
    format!("refs/jangdan/gate/{run}/")
}

/// Returns the ref of the commit that a phase's gate checked.
pub(crate) fn gate_ref(run: &RunId, phase: PhaseNumber) -> String {
    format!("{}{phase}", gate_ref_prefix(run))
}

/// Returns the prefix of the refs of a run's squash commits.
pub(crate) fn squash_ref_prefix(run: &RunId) -> String {
    format!("refs/jangdan/squash/{run}/")
}

/// Returns the ref of the commit whose work a squash commit contains.
pub(crate) fn squash_ref(run: &RunId, squash: &CommitId) -> String {
    format!("{}{squash}", squash_ref_prefix(run))
}

/// Returns the folder name of a worktree. It is unique in the repository, so that git uses the same name internally.
pub(crate) fn worktree_folder_name(run: &RunId, worktree: &str) -> String {
    format!("{run}-{worktree}")
}
