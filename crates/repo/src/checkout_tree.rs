//! Computes the tree of the user's own checkout, for receipts of agents that work in it. The repository is not
//! changed.

use std::{
    fs,
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering},
};

use crate::{
    GitOptions, RepoError, git::GitClient, leftover::log_leftover, repository::find_commit,
    worktree_slot::remove_folder, worktree_tree::TemporaryIndex,
};

/// Returns the tree of the checkout that contains `folder`: tracked files, and untracked files that are not ignored.
/// Returns `None` outside a git working tree. The index and objects are written to a temporary folder below
/// `temporary_parent`.
pub fn compute_checkout_tree(
    folder: &Path,
    options: &GitOptions,
    temporary_parent: &Path,
) -> Result<Option<String>, RepoError> {
    // Called for every task: avoid starting git where there is no repository.
    if !folder.ancestors().any(|folder| folder.join(".git").exists()) {
        return Ok(None);
    }
    let git = GitClient::new(options, folder);
    let arguments =
        ["rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir"];
    let answer = git.call(arguments).run_accepting_codes(&[128])?;
    let paths = answer.trimmed_text();
    let lines: Vec<&Path> = paths.lines().map(Path::new).collect();
    let (0, [top, git_dir, common]) = (answer.code, lines.as_slice()) else { return Ok(None) };
    let temporary = TemporaryFolder::make(temporary_parent)?;
    let git = git.in_trusted_checkout(top, git_dir, common);
    let git = git.with_object_folders(&temporary.0.join("objects"), &common.join("objects"));
    let head = find_commit(&git, "HEAD")?;
    let index =
        TemporaryIndex::copy_from(&git, &git_dir.join("index"), temporary.0.join("index"), head.as_ref())?;
    // Nested repositories are not part of this checkout.
    index.add_working_tree(&[], |_| false)?;
    index.write_tree().map(Some)
}

/// A folder that is removed on drop.
struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    fn make(temporary_parent: &Path) -> Result<Self, RepoError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!("tree-{}-{}", process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let temporary = Self(temporary_parent.join(name));
        let created = fs::create_dir_all(temporary.0.join("objects"));
        created.map_err(|source| RepoError::Io { operation: "make", path: temporary.0.clone(), source })?;
        Ok(temporary)
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        log_leftover(&self.0, remove_folder(&self.0));
    }
}
