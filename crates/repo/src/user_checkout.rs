//! Which folders are checkouts that the user made, where our git may change files.
//!
//! Git lists all worktrees of a repository by files that an agent can write in the git directory of its own worktree. So
//! a worktree of a run, and any folder that only such a file names, is not one of the user.

use std::path::{Path, PathBuf};

use crate::{RepoError, RunRepository, foreign_repository::git_directory, git::GitClient};

impl RunRepository {
    /// Returns a client for a checkout of the user.
    pub(crate) fn user_checkout(&self, path: &Path) -> Result<GitClient, RepoError> {
        let refused = || RepoError::NotACheckout { path: path.to_owned() };
        let git = &self.repository.git;
        let common = &self.repository.common;
        if path.starts_with(&self.worktrees_folder) {
            return Err(refused());
        }
        // A bare repository, or the folder of one.
        if path.canonicalize().is_ok_and(|path| path == *common) {
            return Ok(git.in_folder(path));
        }
        let (top, git_dir) = find_git_directory(path).ok_or_else(refused)?;
        let is_linked = git_dir.parent() == Some(common.join("worktrees").as_path());
        let is_of_run = git_dir.file_name().is_some_and(|name| self.worktrees_folder.join(name).exists());
        if top.starts_with(&self.worktrees_folder) || (git_dir != *common && (!is_linked || is_of_run)) {
            return Err(refused());
        }
        Ok(git.in_trusted_checkout(&top, &git_dir, common))
    }
}

/// Returns the root of a checkout and its git directory.
fn find_git_directory(path: &Path) -> Option<(PathBuf, PathBuf)> {
    let path = path.canonicalize().ok()?;
    path.ancestors().find_map(|top| {
        let git_dir = git_directory(top)?;
        Some((top.to_owned(), git_dir))
    })
}
