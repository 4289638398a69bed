//! Frees disk space: removes rebuildable folders and fully merged worktrees.

use std::{fs, path::Path};

use domain::TaskId;

use crate::{
    RepoError, RunRepository, TaskWorktree,
    confined_folder::{ConfinedFolder, is_real_folder},
    disk_usage::disk_usage,
    worktree_slot::{ignore_not_found, remove_folder},
};

impl RunRepository {
    /// Returns the tasks that have a complete worktree.
    pub fn tasks_with_worktrees(&self) -> Vec<TaskId> {
        self.tasks_with_worktree_remains()
            .into_iter()
            .filter(|task| self.open_worktree(task).is_some())
            .collect()
    }

    /// Removes ignored folders such as build output and packages; returns the bytes freed.
    ///
    /// Ignored files stay because they may be settings, and folders with a nested repository because they may contain
    /// work.
    pub fn remove_ignored_folders(&self, worktree: &TaskWorktree) -> Result<u64, RepoError> {
        let list = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
        let ignored = worktree.slot.git.call(list).run()?;
        let root = ConfinedFolder::open(&worktree.path).map_err(|_| worktree.slot.replaced_error())?;
        let mut freed = 0;
        for path in ignored.nul_parts().filter(|path| path.ends_with(b"/")) {
            let path = crate::git::to_path(path);
            let (Some(name), Some(parent)) = (path.file_name(), path.parent()) else { continue };
            // A folder that the agent has replaced by a link meanwhile is skipped.
            let Ok(parent) = root.open_folder(parent) else { continue };
            let folder = parent.current_path().join(name);
            if !is_real_folder(&folder) || contains_repository(&folder) {
                continue;
            }
            let bytes = disk_usage(&folder);
            ignore_not_found(remove_folder(&folder)).map_err(|source| RepoError::Io {
                operation: "remove",
                path: worktree.path.join(&path),
                source,
            })?;
            freed += bytes;
        }
        Ok(freed)
    }

    /// Removes a worktree whose content is completely in the run's branch; returns the bytes freed, or `None` if it
    /// was kept.
    pub fn remove_worktree_if_merged(&self, worktree: &TaskWorktree) -> Result<Option<u64>, RepoError> {
        if !self.is_worktree_merged(worktree)? {
            return Ok(None);
        }
        let bytes = disk_usage(&worktree.path);
        self.remove_worktree(worktree, &[])?;
        Ok(Some(bytes))
    }

    /// Tells whether the run's branch contains everything in a worktree.
    fn is_worktree_merged(&self, worktree: &TaskWorktree) -> Result<bool, RepoError> {
        let head = self.head_if_unchanged(&worktree.slot)?;
        head.map_or(Ok(false), |head| self.is_ancestor(&head, &self.run_tip()?))
    }
}

/// Tells whether a folder contains a repository at any depth; an unreadable folder counts as one.
fn contains_repository(folder: &Path) -> bool {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { return true };
        for entry in entries.flatten() {
            if entry.file_name() == ".git" {
                return true;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
        }
    }
    false
}
