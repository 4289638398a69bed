//! Giving room back: what can be built again, and worktrees that hold nothing but what is merged.

use std::{fs, path::Path};

use domain::TaskId;

use crate::{
    RepoError, RunRepository, TaskWorktree,
    disk_usage::disk_usage,
    worktree_slot::{absent, remove_tree},
};

impl RunRepository {
    /// Returns the tasks that have a whole worktree.
    pub fn tasks_with_worktrees(&self) -> Vec<TaskId> {
        self.tasks().into_iter().filter(|task| self.open_worktree(task).is_some()).collect()
    }

    /// Removes the folders that git ignores: build output, packages. Returns how many bytes that gives back.
    ///
    /// Files that git ignores stay, they may be settings; so do folders with a repository inside, which may be work.
    pub fn remove_ignored_folders(&self, worktree: &TaskWorktree) -> Result<u64, RepoError> {
        let list = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
        let ignored = worktree.slot.git.call(list).run()?;
        let mut freed = 0;
        for path in ignored.parts().filter(|path| path.ends_with(b"/")) {
            let folder = worktree.path.join(crate::git::to_path(path));
            if holds_repository(&folder) {
                continue;
            }
            let bytes = disk_usage(&folder);
            absent(remove_tree(&folder)).map_err(|source| RepoError::Io {
                operation: "remove",
                path: folder,
                source,
            })?;
            freed += bytes;
        }
        Ok(freed)
    }

    /// Removes a worktree that holds nothing but what the run's branch has. Returns how many bytes that gives back;
    /// nothing where it stays.
    pub fn remove_worktree_if_merged(&self, worktree: &TaskWorktree) -> Result<Option<u64>, RepoError> {
        if !self.is_merged(worktree)? {
            return Ok(None);
        }
        let bytes = disk_usage(&worktree.path);
        self.remove_worktree(worktree, &[])?;
        Ok(Some(bytes))
    }

    /// Tells whether the run's branch has all that a worktree holds.
    fn is_merged(&self, worktree: &TaskWorktree) -> Result<bool, RepoError> {
        let head = self.unchanged(&worktree.slot)?;
        head.map_or(Ok(false), |head| self.is_ancestor(&head, &self.run_tip()?))
    }
}

/// Tells whether there is a repository in a folder, however deep; one that can't be looked at may be one.
fn holds_repository(folder: &Path) -> bool {
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
