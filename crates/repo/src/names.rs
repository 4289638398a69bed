//! What branches, refs and folders are called.
//!
//! The run's branch is `jangdan/<run>/run`, beside its tasks': git can't have `a/b` beside `a/b/c`. No task is called
//! `run`, `check` or `desk-…`: a task's id has a digit behind the first letter.

use domain::{PhaseNumber, RunId, TaskId};

/// Returns the branch on which a run gathers what is merged.
pub fn run_branch(run: &RunId) -> String {
    format!("jangdan/{run}/run")
}

/// Returns the branch on which a task works.
pub fn task_branch(run: &RunId, task: &TaskId) -> String {
    format!("jangdan/{run}/{task}")
}

/// Returns the ref of a branch.
pub fn branch_ref(branch: &str) -> String {
    format!("refs/heads/{branch}")
}

/// Names the worktree in which merged trees are checked, among those of its run. A task's is named like the task.
pub const SCRATCH: &str = "check";

/// Begins the name of a worktree of somebody who works at no task.
pub const DESK: &str = "desk-";

/// Returns where what is kept of a worktree is numbered.
pub fn keep_folder(run: &RunId, worktree: &str) -> String {
    format!("refs/jangdan/keep/{run}/{worktree}/")
}

/// Returns the ref of what a phase's gate has looked at.
pub fn gate_ref(run: &RunId, phase: PhaseNumber) -> String {
    format!("refs/jangdan/gate/{run}/{phase}")
}

/// Returns the folder of a worktree. Unique in the repository, so that git gives its own folder the same name.
pub fn folder(run: &RunId, worktree: &str) -> String {
    format!("{run}-{worktree}")
}
