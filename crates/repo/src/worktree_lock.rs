//! Serializes git commands that fail while another process creates a worktree.
//!
//! A lock file covers our own calls across processes; calls of other programs are handled by retrying.

use std::{fs::File, path::Path};

use rustix::fs::{FlockOperation, flock};

use crate::{
    RepoError,
    git::{GitCall, GitOutput},
};

/// Git's message when it encounters an incomplete worktree.
const INCOMPLETE_WORKTREE: &str = "failed to read worktrees/";
/// The window is much shorter than a call, so one retry is almost always enough.
const ATTEMPTS_MAX: usize = 5;

/// Runs a call that reads all worktrees, while none is being created by us.
pub(crate) fn run_shared<'a>(common: &Path, call: impl Fn() -> GitCall<'a>) -> Result<GitOutput, RepoError> {
    let _lock = lock(common, FlockOperation::LockShared)?;
    retry_while_incomplete(call)
}

/// Runs a call that creates a worktree, exclusively.
pub(crate) fn run_exclusive<'a>(
    common: &Path,
    call: impl Fn() -> GitCall<'a>,
) -> Result<GitOutput, RepoError> {
    let _lock = lock(common, FlockOperation::LockExclusive)?;
    retry_while_incomplete(call)
}

fn retry_while_incomplete<'a>(call: impl Fn() -> GitCall<'a>) -> Result<GitOutput, RepoError> {
    let mut attempts = 1;
    loop {
        match call().run() {
            Err(RepoError::CommandFailed { stderr, .. })
                if stderr.contains(INCOMPLETE_WORKTREE) && attempts < ATTEMPTS_MAX =>
            {
                attempts += 1
            }
            other => return other,
        }
    }
}

/// Locks the repository until the file is dropped. Each holder keeps it for one call, which is limited in time.
fn lock(common: &Path, how: FlockOperation) -> Result<File, RepoError> {
    let path = common.join("jangdan.lock");
    let io = |source| RepoError::Io { operation: "lock", path: path.clone(), source };
    let file = File::options().create(true).append(true).open(&path).map_err(io)?;
    loop {
        match flock(&file, how) {
            Ok(()) => return Ok(file),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(io(error.into())),
        }
    }
}
