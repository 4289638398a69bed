//! Reads a repository that an agent created in its worktree without its configuration, which could name programs.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering},
};

use crate::{
    RepoError, confined_folder::read_regular_file, git::GitClient, leftover::log_leftover,
    status::working_tree_status, worktree_slot::remove_folder,
};

/// Entries of the agent's git directory that the view links to.
const LINKED_ENTRIES: [&str; 3] = ["refs", "packed-refs", "objects"];
/// Configuration of the view, in place of the agent's.
const CONFIGURATION: &str = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";

/// Tells whether a repository in a worktree has changes, or commits that are on no remote. One that cannot be read
/// without its configuration counts as having them.
pub(crate) fn has_unsaved_work(git: &GitClient, folder: &Path, temporary: &Path) -> Result<bool, RepoError> {
    let Some(view) = RepositoryView::new(folder, temporary)? else { return Ok(true) };
    let git = git.in_trusted_checkout(folder, &view.0, &view.0);
    let Ok(status) = working_tree_status(&git, None) else { return Ok(true) };
    let has_changes = [&status.changed, &status.missing, &status.staged, &status.nested]
        .iter()
        .any(|files| !files.is_empty());
    let commits = git.call(["rev-list", "-n", "1", "--all", "HEAD", "--not", "--remotes"]).run();
    Ok(has_changes || commits.map_or(true, |commits| !commits.output.is_empty()))
}

/// A temporary git directory with the content of another one, but with a configuration of its own. It is removed on drop.
struct RepositoryView(PathBuf);

impl RepositoryView {
    /// Returns `None` if the folder has no readable git directory.
    fn new(folder: &Path, temporary: &Path) -> Result<Option<Self>, RepoError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let Some(git_dir) = git_directory(folder) else { return Ok(None) };
        let Ok(Some(head)) = read_regular_file(&git_dir.join("HEAD")) else { return Ok(None) };
        let name = format!("jangdan-view-{}-{}", process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let view = Self(temporary.join(name));
        let index = read_regular_file(&git_dir.join("index"));
        let written = fs::create_dir(&view.0).and_then(|()| {
            fs::write(view.0.join("config"), CONFIGURATION)?;
            fs::write(view.0.join("HEAD"), head)?;
            if let Some(index) = index? {
                fs::write(view.0.join("index"), index)?;
            }
            LINKED_ENTRIES.iter().try_for_each(|name| symlink(git_dir.join(name), view.0.join(name)))
        });
        let io = |source| RepoError::Io { operation: "write", path: view.0.clone(), source };
        written.map_err(io)?;
        Ok(Some(view))
    }
}

impl Drop for RepositoryView {
    fn drop(&mut self) {
        log_leftover(&self.0, remove_folder(&self.0));
    }
}

/// Returns the git directory of a checkout.
pub(crate) fn git_directory(folder: &Path) -> Option<PathBuf> {
    let path = folder.join(".git");
    if path.is_dir() {
        return path.canonicalize().ok();
    }
    let text = read_regular_file(&path).ok()??;
    let text = String::from_utf8(text).ok()?;
    folder.join(text.trim_end_matches('\n').strip_prefix("gitdir: ")?).canonicalize().ok()
}
