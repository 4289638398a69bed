//! The check of a task: commits its work, runs the check in its worktree, and records what the check left behind.

use std::{error::Error, fs, io, path::PathBuf};

use domain::{LeftOutFiles, Receipt};
use engine::CheckOrder;
use repo::RepoError;
use tracing::warn;

use super::{
    effect_obstacle::{EffectObstacle, JobError},
    job::{CheckedWork, Job, has_started, run_check, unstarted_receipt},
    run_context::RunContext,
    stop_token::{StopRequest, StopToken},
};
use crate::{
    git::{CommittedWork, WorkToCheck},
    run_loop::now,
};

/// Runs the check of a task in its worktree.
pub(super) fn check_task(
    context: &RunContext,
    name: &str,
    order: &CheckOrder,
    stop_token: &StopToken,
) -> Result<Receipt, EffectObstacle> {
    let CheckOrder { task, command, timeout_ms, .. } = order;
    let started_at = now();
    let (directory, work) = match directory_and_work(context, name, order) {
        Ok(found) => found,
        Err(JobError::Obstacle(obstacle)) => return Err(obstacle),
        Err(JobError::Failed(reason)) => {
            return Ok(unstarted_receipt(command, &CheckedWork::default(), reason, started_at));
        }
    };
    let job = Job {
        name,
        command,
        directory: &directory,
        task: Some(task),
        timeout_ms: *timeout_ms,
        retries: order.retries,
        stop_token,
    };
    let receipt = run_check(context, &job, &work);
    // A detached check continues; the next server records what it leaves behind.
    let Some(git) = context.git.as_ref().filter(|_| stop_token.stop_request() != Some(StopRequest::Detach))
    else {
        return receipt;
    };
    let changed_by_check = match git.record_check_leftovers(task, &work.tree, &work.large_files) {
        Ok(paths) => paths.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
        Err(error) => {
            // The next commit of the task has them.
            warn!(%task, error = &error as &dyn Error, "cannot record what the check left behind");
            Vec::new()
        }
    };
    let left_out = LeftOutFiles::list(work.large_files, changed_by_check);
    receipt.map(|receipt| Receipt { left_out, ..receipt })
}

/// Returns the directory of a task's check, and the work that was there when the check started.
fn directory_and_work(
    context: &RunContext,
    name: &str,
    order: &CheckOrder,
) -> Result<(PathBuf, CheckedWork), JobError> {
    let job_error = |error: RepoError| JobError::new(context, &error);
    let work_file = context.host.run_folder(&context.run).join(format!("{name}-work.json"));
    if has_started(context, name).map_err(|error| JobError::new(context, &error))?
        && let Some(work) = fs::read(&work_file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok())
    {
        let directory = match &context.git {
            Some(git) => git.create_worktree(&order.task).map_err(job_error)?.0.path,
            None => context.environment.project.clone(),
        };
        return Ok((directory, work));
    }
    let (directory, work) = match &context.git {
        Some(git) => {
            let CheckOrder { task, title, author, large_files, .. } = order;
            let work = CommittedWork { task, title, author, large_files };
            let WorkToCheck { directory, tree, commit, large_files } =
                git.commit_for_check(&work).map_err(job_error)?;
            (directory, CheckedWork { tree, commit: commit.map(|commit| commit.to_string()), large_files })
        }
        None => {
            let tree = context.project_tree().unwrap_or_default();
            (context.environment.project.clone(), CheckedWork { tree, ..CheckedWork::default() })
        }
    };
    let saved =
        serde_json::to_vec(&work).map_err(io::Error::from).and_then(|bytes| fs::write(&work_file, bytes));
    if let Err(error) = saved {
        // A restart would check the work of that time.
        warn!(path = %work_file.display(), error = &error as &dyn Error, "cannot save which work is checked");
    }
    Ok((directory, work))
}
