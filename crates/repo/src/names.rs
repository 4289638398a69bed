//! What branches, refs and folders are called.
//!
//! The run's branch is `jangdan/<run>/run`, beside its tasks': git can't have `a/b` beside `a/b/c`. No task is called
//! `run` or `check`: a task's id has a digit behind the first letter.

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

/// Returns where what is kept of a task is numbered.
pub fn keep_folder(run: &RunId, task: &TaskId) -> String {
    format!("refs/jangdan/keep/{run}/{task}/")
}

/// Returns the ref of what a phase's gate has looked at.
pub fn gate_ref(run: &RunId, phase: PhaseNumber) -> String {
    format!("refs/jangdan/gate/{run}/{phase}")
}

/// Returns the name of a task's worktree. Unique in the repository, so that git gives its own folder the same name.
pub fn task_folder(run: &RunId, task: &TaskId) -> String {
    format!("{run}-{task}")
}

/// Returns the name of the worktree in which merged trees are checked.
pub fn scratch_folder(run: &RunId) -> String {
    format!("{run}-check")
}

/// Returns the name of the worktree of somebody who works at no task.
pub fn desk_folder(run: &RunId, name: &str) -> String {
    format!("{run}-desk-{name}")
}
