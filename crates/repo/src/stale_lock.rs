//! Removes lock files that a killed git process left, so that its work can be repeated.
//!
//! Only locks of refs and worktrees of runs are removed, and only while no git process works in the repository. Others,
//! such as that of the user's index, are named in the error.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tracing::warn;

use crate::worktree_slot::ignore_not_found;

/// Removes the lock that a failed git command names. Tells whether the command can be repeated.
pub(crate) fn remove_stale_lock(stderr: &str, common: &Path, worktree: &Path) -> bool {
    let Some(lock) = lock_path(stderr) else { return false };
    let is_ours = ["refs/jangdan", "refs/heads/jangdan", "worktrees"]
        .iter()
        .any(|folder| lock.starts_with(common.join(folder)));
    if !is_ours || is_git_running(&[common, worktree]) {
        return false;
    }
    warn!(path = %lock.display(), "removing a lock that a killed git process left");
    ignore_not_found(fs::remove_file(&lock)).is_ok()
}

/// Parses `fatal: Unable to create '/path/index.lock': File exists.`
fn lock_path(stderr: &str) -> Option<PathBuf> {
    let (before, _) = stderr.split_once(".lock': File exists")?;
    let path = before.rsplit_once('\'')?.1;
    let path = Path::new(path);
    // Without `..`, and with the links of its folder resolved.
    let folder = path.parent()?.canonicalize().ok()?;
    let mut name = path.file_name()?.to_owned();
    name.push(".lock");
    Some(folder.join(name))
}

/// Tells whether a git process, of whatever user, works in one of the folders. One that cannot be examined counts.
fn is_git_running(folders: &[&Path]) -> bool {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.map(|entry| entry.path()).any(|process| {
        let name = fs::read_to_string(process.join("comm")).unwrap_or_default();
        if !name.starts_with("git") {
            return false;
        }
        match fs::read_link(process.join("cwd")) {
            Ok(cwd) => folders.iter().any(|folder| cwd.starts_with(folder)),
            Err(error) => error.kind() == std::io::ErrorKind::PermissionDenied,
        }
    })
}
