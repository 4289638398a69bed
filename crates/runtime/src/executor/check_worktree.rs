//! Checks of merged trees: a run has one worktree for them, and one check at a time.
//!
//! A check that a killed server left there continues. The next check in the worktree waits for it if it is the same, and
//! ends it otherwise: its own effect runs it again.

use std::{error::Error, fs, io, path::Path};

use domain::{Receipt, TaskId};
use repo::CommitId;
use tracing::warn;

use super::{
    effect_obstacle::JobError,
    job::{self, CheckedWork, Job, run_check, unstarted_receipt},
    run_context::RunContext,
    stop_token::{StopRequest, StopToken},
};
use crate::{git::RunGit, run_loop::now};

/// Name of the file with the name of the job that uses the worktree.
const USER_FILE: &str = "room";

/// Tells whether a check uses the worktree, perhaps one that a killed server started.
pub(crate) fn is_in_use(folder: &Path) -> bool {
    folder.join(USER_FILE).exists()
}

/// A check of a merged tree.
pub(super) struct MergeCheck<'a> {
    pub(super) name: &'a str,
    pub(super) command: &'a str,
    pub(super) commit: &'a CommitId,
    pub(super) tree: String,
    pub(super) task: Option<&'a TaskId>,
    pub(super) timeout_ms: u64,
    pub(super) retries: u32,
}

/// Runs a check when the worktree is free.
pub(super) fn run_merge_check(
    context: &RunContext,
    git: &RunGit,
    check: MergeCheck<'_>,
    stop_token: &StopToken,
) -> Result<Receipt, JobError> {
    let MergeCheck { name, command, commit, tree, task, timeout_ms, retries } = check;
    // A merge that fails its check is discarded, so the receipt must not name its commit.
    let work = CheckedWork { tree, ..CheckedWork::default() };
    let lock = git.lock_check_worktree();
    let user_file = context.host.run_folder(&context.run).join(USER_FILE);
    let user = match fs::read_to_string(&user_file) {
        Ok(user) => user,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(JobError::from_io(context, "read", &user_file, error)),
    };
    let is_own =
        user == name && job::has_started(context, name).map_err(|error| JobError::new(context, &error))?;
    let directory = if is_own {
        git.check_worktree_path()
    } else {
        if !user.is_empty() {
            job::end_job(context, &user);
        }
        // Without the file the worktree could be removed to free space.
        fs::write(&user_file, name)
            .map_err(|error| JobError::from_io(context, "write", &user_file, error))?;
        let worktree = git.create_check_worktree(commit).map_err(|error| JobError::new(context, &error))?;
        let started_at = now();
        if let Err(reason) = context.prepare_check_worktree(&worktree.path, worktree.is_new, task, stop_token)
        {
            remove_user_file(&user_file);
            return Ok(unstarted_receipt(command, &work, reason, started_at));
        }
        worktree.path
    };
    let job = Job { name, command, directory: &directory, task, timeout_ms, retries, stop_token };
    let receipt = run_check(context, &job, &work);
    // A detached check continues in the worktree.
    if stop_token.stop_request() != Some(StopRequest::Detach) {
        remove_user_file(&user_file);
    }
    drop(lock);
    receipt.map_err(JobError::Obstacle)
}

/// Frees the worktree. If that fails, it is not removed to free space until the next check.
fn remove_user_file(path: &Path) {
    if let Err(error) = fs::remove_file(path) {
        warn!(path = %path.display(), error = &error as &dyn Error, "the worktree of checks stays in use");
    }
}
