//! Removes the worktrees of a run that are not needed, and its refs, because a user requested it. Their content is
//! committed to git first. Repeated after a crash, it removes the rest.

use domain::{CleanupReport, SessionId, TaskId};
use engine::CleanupOrder;
use repo::RepoError;

use super::{check_worktree, run_context::RunContext};
use crate::{error_chain::error_chain, git::RunGit};

/// Returns what was removed, and the error that prevented the rest.
pub(super) fn clean_up(context: &RunContext, order: &CleanupOrder) -> (CleanupReport, Option<String>) {
    let Some(git) = &context.git else {
        return (CleanupReport::default(), Some("the run has no worktrees".to_owned()));
    };
    let mut report = CleanupReport::default();
    let cleaned = remove_from_git(context, git, order, &mut report);
    (report, cleaned.err().map(|error| error_chain(&error)))
}

fn remove_from_git(
    context: &RunContext,
    git: &RunGit,
    order: &CleanupOrder,
    report: &mut CleanupReport,
) -> Result<(), RepoError> {
    // A check that a killed server left there is recovered, unless the run has ended.
    if order.has_run_ended || !check_worktree::is_in_use(&context.host.run_folder(&context.run)) {
        git.remove_check_worktree()?;
    }
    let registry = &context.host.disk_budget.registry;
    let reason_to_keep_task = |task: &TaskId| {
        let is_started_again = order.ended_tasks.contains(task) && !registry.is_released(&context.run, task);
        let is_needed = order.unfinished_tasks.contains(task) || is_started_again;
        is_needed.then(|| "the task has not ended".to_owned())
    };
    let reason_to_keep_session = |session: SessionId| {
        order.active_sessions.contains(&session).then(|| "its session is running".to_owned())
    };
    *report = git.remove_finished_worktrees(reason_to_keep_task, reason_to_keep_session);
    if order.is_with_refs {
        let environment = &context.environment;
        report.refs = Some(git.delete_refs(environment.refs_after_ms, environment.refs_budget_bytes)?);
    }
    Ok(())
}
