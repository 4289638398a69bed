//! Merges the work of a task into the run's branch, which moves only after the check passes on the merged tree.

use domain::{MergeOutcome, Receipt, TaskId};
use engine::MergeOrder;
use repo::{CommitId, Conflict, MergeAttempt, RepoError};

use super::{
    check_worktree::{self, MergeCheck},
    effect_obstacle::{EffectObstacle, JobError},
    run_context::RunContext,
    stop_token::StopToken,
};
use crate::git::{CommittedWork, RunGit};

/// Merges a task. The run's branch moves only if the check passes on the merged tree.
pub(super) fn merge_task(
    context: &RunContext,
    order: &MergeOrder,
    job: &str,
    stop_token: &StopToken,
) -> Result<MergeOutcome, EffectObstacle> {
    let Some(git) = &context.git else {
        // All tasks share the project's folder: nothing to merge.
        let tree = context.project_tree();
        return Ok(MergeOutcome::Merged { commit: String::new(), receipt: None, tree, onto: None });
    };
    match merge_with_git(context, git, order, job, stop_token) {
        Ok(outcome) => Ok(outcome),
        Err(JobError::Obstacle(obstacle)) => Err(obstacle),
        Err(JobError::Failed(error)) => Ok(MergeOutcome::Failed { error }),
    }
}

fn merge_with_git(
    context: &RunContext,
    git: &RunGit,
    order: &MergeOrder,
    job: &str,
    stop_token: &StopToken,
) -> Result<MergeOutcome, JobError> {
    let job_error = |error: RepoError| JobError::new(context, &error);
    let task = &order.task;
    let MergeOrder { title, author, large_files, .. } = order;
    let work = CommittedWork { task, title, author, large_files };
    match git.try_merge(&work, order.commit.as_deref()) {
        // Checked again: a server may have been killed before it reported the check.
        Ok(MergeAttempt::AlreadyMerged { commit, onto }) => {
            let tree = git.tree_of(&commit).map_err(job_error)?;
            let merged = MergedCommit { onto, is_advanced: true, commit, tree };
            check_and_advance(context, git, order, job, stop_token, merged)
        }
        Ok(MergeAttempt::Conflicted { conflicts, .. }) => {
            merge_run_after_conflicts(git, task, &conflicts).map_err(job_error)
        }
        Ok(MergeAttempt::Merged { onto, commit, tree }) => check_and_advance(
            context,
            git,
            order,
            job,
            stop_token,
            MergedCommit { onto: Some(onto), is_advanced: false, commit, tree },
        ),
        Err(RepoError::UnresolvedConflicts { files, .. }) => {
            let files = files.iter().map(|file| file.to_string_lossy().into_owned()).collect();
            Ok(MergeOutcome::Conflicted { files })
        }
        Err(error) => Err(job_error(error)),
    }
}

/// A merge commit with the work of a task.
struct MergedCommit {
    /// Tip of the run's branch before the merge; `None` if the task brought no changes.
    onto: Option<CommitId>,
    /// Whether the run's branch already has the commit.
    is_advanced: bool,
    commit: CommitId,
    tree: String,
}

/// Checks a merge, and moves the run's branch to it.
fn check_and_advance(
    context: &RunContext,
    git: &RunGit,
    order: &MergeOrder,
    job: &str,
    stop_token: &StopToken,
    merged: MergedCommit,
) -> Result<MergeOutcome, JobError> {
    let job_error = |error: RepoError| JobError::new(context, &error);
    let task = &order.task;
    let MergedCommit { onto, is_advanced, commit, tree } = merged;
    // No check is needed if the same tree passed in the task's worktree.
    let check = order.check.as_ref().filter(|_| order.checked_tree.as_ref() != Some(&tree));
    let receipt = match check {
        None => None,
        Some(command) => {
            let check = MergeCheck {
                name: job,
                command,
                commit: &commit,
                tree: tree.clone(),
                task: Some(task),
                timeout_ms: order.timeout_ms,
                retries: order.retries,
            };
            let receipt = check_worktree::run_merge_check(context, git, check, stop_token)?;
            if receipt.obstacle.is_some() {
                // The agent cannot help: its worktree stays as it is.
                return Ok(MergeOutcome::CheckFailed { receipt });
            }
            if !receipt.passed() {
                return merge_run_after_failed_check(git, task, receipt, stop_token).map_err(job_error);
            }
            Some(Box::new(receipt))
        }
    };
    if let Some(onto) = onto.as_ref().filter(|_| !is_advanced) {
        git.advance_run_branch(onto, &commit).map_err(job_error)?;
    }
    let onto = onto.map(|onto| onto.to_string());
    Ok(MergeOutcome::Merged { commit: commit.to_string(), receipt, tree: Some(tree), onto })
}

/// Merges the run's branch into the task's worktree, so that its agent can reproduce a failure that occurs only with the
/// work of others.
fn merge_run_after_failed_check(
    git: &RunGit,
    task: &TaskId,
    receipt: Receipt,
    stop_token: &StopToken,
) -> Result<MergeOutcome, RepoError> {
    if !stop_token.is_stopped() {
        git.merge_run_into_worktree(task)?;
    }
    Ok(MergeOutcome::CheckFailed { receipt })
}

/// Merges the run's branch into the task's worktree, so that its agent can resolve the conflicts.
fn merge_run_after_conflicts(
    git: &RunGit,
    task: &TaskId,
    conflicts: &[Conflict],
) -> Result<MergeOutcome, RepoError> {
    let files = conflicts.iter().map(|conflict| conflict.path.to_string_lossy().into_owned()).collect();
    git.merge_run_into_worktree(task)?;
    Ok(MergeOutcome::Conflicted { files })
}
