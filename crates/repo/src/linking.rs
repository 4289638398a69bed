//! One at a time where git itself is not safe: it fails on any worktree that another process is just making.
//!
//! A lock keeps our own calls apart, also between processes. Somebody else's call is met by trying again.

use std::{fs::File, path::Path};

use rustix::fs::{FlockOperation, flock};

use crate::{
    RepoError,
    git::{Answer, Call},
};

/// What git says when it meets a worktree that is half made.
const HALF_MADE: &str = "failed to read worktrees/";
/// The moment is far shorter than a call, so that a second one most likely does.
const TRIES_MAX: usize = 5;

/// Makes a call that looks at all worktrees, while none of ours is made.
pub(crate) fn list<'a>(common: &Path, call: impl Fn() -> Call<'a>) -> Result<Answer, RepoError> {
    let _lock = lock(common, FlockOperation::LockShared)?;
    patiently(call)
}

/// Makes a call that makes a worktree, alone.
pub(crate) fn make<'a>(common: &Path, call: impl Fn() -> Call<'a>) -> Result<Answer, RepoError> {
    let _lock = lock(common, FlockOperation::LockExclusive)?;
    patiently(call)
}

fn patiently<'a>(call: impl Fn() -> Call<'a>) -> Result<Answer, RepoError> {
    let mut attempts = 1;
    loop {
        match call().run() {
            Err(RepoError::CommandFailed { stderr, .. })
                if stderr.contains(HALF_MADE) && attempts < TRIES_MAX =>
            {
                attempts += 1
            }
            other => return other,
        }
    }
}

/// Takes the lock of a repository; it ends with the file. Each holder has it for one bounded call.
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
