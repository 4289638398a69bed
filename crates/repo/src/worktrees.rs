//! The worktrees of a run's tasks: created, recovered after a crash, and removed only if no work is lost.

use std::{collections::BTreeSet, fs, path::PathBuf};

use domain::TaskId;

use crate::{
    CommitId, RepoError, RunRepository, TaskWorktree,
    confined_folder::is_real_folder,
    names::{SESSION_WORKTREE_PREFIX, branch_ref, worktree_folder_name},
    worktree_slot::{CheckoutTarget, REMOVED_PREFIX, SlotState, WorktreeSlot},
    worktree_tree::{remove_stale_indexes, write_worktree_tree},
};

/// Result of recovery after a crash.
#[derive(Debug, Default)]
pub struct RecoveryReport {
    /// Complete worktrees, sorted by task.
    pub ready: Vec<TaskWorktree>,
    /// Tasks whose incomplete worktrees were removed.
    pub removed: Vec<TaskId>,
    /// Incomplete worktrees that could not be removed, with the reason.
    pub failed: Vec<(TaskId, RepoError)>,
}

impl RunRepository {
    /// Returns the task's worktree, creating it and its branch at the run's tip if needed.
    ///
    /// An existing branch of an earlier attempt is used as it is.
    pub fn create_worktree(&self, task: &TaskId) -> Result<TaskWorktree, RepoError> {
        let worktree = self.task_worktree(task);
        match worktree.slot.state() {
            SlotState::Ready => return Ok(worktree),
            SlotState::Foreign => return Err(worktree.slot.occupied_error()),
            SlotState::Replaced => return Err(worktree.slot.replaced_error()),
            SlotState::Incomplete | SlotState::Deleted => self.discard_incomplete_worktree(&worktree.slot)?,
            SlotState::Empty => {}
        }
        let tip = self.run_tip()?;
        // An existing branch is not moved.
        if let Err(error) = self.create_ref(&branch_ref(&worktree.branch), &tip, "create the task's branch")
            && self.branch_tip(&worktree.branch)?.is_none()
        {
            return Err(error);
        }
        worktree.slot.create(&self.repository, &CheckoutTarget::Branch(&worktree.branch))?;
        Ok(worktree)
    }

    /// Returns the task's worktree if it exists and is complete.
    pub fn open_worktree(&self, task: &TaskId) -> Option<TaskWorktree> {
        Some(self.task_worktree(task)).filter(|worktree| worktree.slot.state() == SlotState::Ready)
    }

    /// Finds all worktrees of the run, and removes incomplete ones.
    pub fn recover_worktrees(&self) -> RecoveryReport {
        let mut report = RecoveryReport::default();
        remove_stale_indexes(&self.repository.common);
        for task in self.tasks_with_worktree_remains() {
            let worktree = self.task_worktree(&task);
            match worktree.slot.state() {
                SlotState::Ready => report.ready.push(worktree),
                SlotState::Incomplete | SlotState::Deleted => {
                    match self.discard_incomplete_worktree(&worktree.slot) {
                        Ok(()) => report.removed.push(task),
                        Err(error) => report.failed.push((task, error)),
                    }
                }
                SlotState::Replaced => report.failed.push((task, worktree.slot.replaced_error())),
                SlotState::Empty | SlotState::Foreign => {}
            }
        }
        report
    }

    /// Removes a worktree after taking a snapshot. Its branch stays.
    ///
    /// Ignored files and excluded paths are deleted. Fails if the worktree contains a nested repository, whose
    /// history would be lost.
    pub fn remove_worktree(&self, worktree: &TaskWorktree, excluded: &[PathBuf]) -> Result<(), RepoError> {
        self.remove_worktree_in(&worktree.slot, excluded)
    }

    /// Removes the worktree of a session without a task, if it exists. Work that is on no branch is preserved.
    pub fn remove_session_worktree(&self, name: &str) -> Result<(), RepoError> {
        self.remove_worktree_in(&self.session_worktree_slot(name), &[])
    }

    fn remove_worktree_in(&self, slot: &WorktreeSlot, excluded: &[PathBuf]) -> Result<(), RepoError> {
        match slot.state() {
            SlotState::Empty => return Ok(()),
            SlotState::Foreign => return Err(slot.occupied_error()),
            SlotState::Replaced => return Err(slot.replaced_error()),
            SlotState::Incomplete | SlotState::Deleted => return self.discard_incomplete_worktree(slot),
            SlotState::Ready => {}
        }
        let is_session_worktree = slot.name.starts_with(SESSION_WORKTREE_PREFIX);
        // Sessions without a task mostly read; an unchanged worktree needs no snapshot.
        if !is_session_worktree || self.head_if_unchanged(slot)?.is_none() {
            let snapshot = self.snapshot_with_large_files(slot, "removed", excluded)?;
            if let Some(lost_path) = snapshot.nested.first() {
                return Err(RepoError::WouldLoseWork {
                    path: slot.path.clone(),
                    lost_path: lost_path.clone(),
                });
            }
        }
        let checked_submodules = self.preserve_submodules(slot)?;
        self.refuse_unsaved_submodules(slot, &checked_submodules)?;
        self.preserve_unreachable_commits(slot)?;
        slot.remove_from_disk()?;
        self.repository.prune_submodule_worktrees();
        Ok(())
    }

    /// Returns the checked-out commit if the worktree contains nothing else.
    pub(crate) fn head_if_unchanged(&self, slot: &WorktreeSlot) -> Result<Option<CommitId>, RepoError> {
        let tree = write_worktree_tree(slot, &[])?;
        let Some(head) = tree.head.filter(|_| tree.nested.is_empty() && tree.large_files.is_empty()) else {
            return Ok(None);
        };
        Ok((self.tree_of(&head)? == tree.tree).then_some(head))
    }

    /// Removes an incomplete worktree, after preserving any work in it.
    pub(crate) fn discard_incomplete_worktree(&self, slot: &WorktreeSlot) -> Result<(), RepoError> {
        if !slot.is_git_dir_intact() && slot.has_files() {
            return Err(RepoError::PathOccupied { path: slot.path.clone() });
        }
        if slot.is_git_dir_intact() {
            if is_real_folder(&slot.path) && self.has_new_or_changed_files(slot)? {
                self.snapshot_with_large_files(slot, "found unfinished", &[])?;
            }
            self.preserve_unreachable_commits(slot)?;
        }
        slot.remove_from_disk()
    }

    pub(crate) fn task_worktree(&self, task: &TaskId) -> TaskWorktree {
        let slot = WorktreeSlot::new(self, task.to_file_name().into_owned());
        TaskWorktree { task: task.clone(), path: slot.path.clone(), branch: self.task_branch(task), slot }
    }

    /// Returns the names of all session worktrees, including incomplete ones.
    pub fn session_worktree_names(&self) -> Vec<String> {
        self.worktree_names()
            .iter()
            .filter_map(|name| name.strip_prefix(SESSION_WORKTREE_PREFIX))
            .map(str::to_owned)
            .collect()
    }

    /// Returns the tasks that have a worktree, including incomplete ones.
    pub(crate) fn tasks_with_worktree_remains(&self) -> Vec<TaskId> {
        let mut tasks: Vec<TaskId> =
            self.worktree_names().iter().filter_map(|name| TaskId::from_file_name(name).ok()).collect();
        tasks.sort();
        tasks
    }

    /// Returns the names of the run's worktrees, including incomplete ones.
    fn worktree_names(&self) -> BTreeSet<String> {
        let prefix = worktree_folder_name(&self.run_id, "");
        let common = &self.repository.common;
        [common, &common.join("worktrees"), &self.worktrees_folder]
            .iter()
            .filter_map(|folder| fs::read_dir(folder).ok())
            .flat_map(|entries| entries.flatten())
            .filter_map(|entry| {
                let name = entry.file_name();
                let name = name.to_str()?;
                Some(name.strip_prefix(REMOVED_PREFIX).unwrap_or(name).strip_prefix(&prefix)?.to_owned())
            })
            .collect()
    }
}
