//! The worktrees of a run's tasks: made, found again after a crash, removed when nothing in them can be lost.

use std::{collections::BTreeSet, fs, path::PathBuf};

use domain::TaskId;

use crate::{
    CommitId, RepoError, RunRepository, TaskWorktree,
    contents::contents,
    names::{DESK, branch_ref, folder},
    worktree_slot::{Checkout, Found, GONE, Slot},
};

/// What was found after a crash.
#[derive(Debug, Default)]
pub struct RecoveryReport {
    /// Worktrees that are whole, by task.
    pub ready: Vec<TaskWorktree>,
    /// Worktrees that were half made or half removed, and are gone now.
    pub removed: Vec<TaskId>,
    /// Worktrees that could not be undone, and why. They are still there.
    pub failed: Vec<(TaskId, RepoError)>,
}

impl RunRepository {
    /// Returns the task's worktree, made if it is not there, on its branch, which starts at the run's tip.
    ///
    /// A branch that is there from an earlier attempt is taken as it is.
    pub fn create_worktree(&self, task: &TaskId) -> Result<TaskWorktree, RepoError> {
        let worktree = self.place(task);
        match worktree.slot.look() {
            Found::Ready => return Ok(worktree),
            Found::Foreign => return Err(RepoError::PathOccupied { path: worktree.path }),
            Found::Half | Found::Deleted => self.undo(&worktree.slot)?,
            Found::Nothing => {}
        }
        let tip = self.run_tip()?;
        // A branch that is there is left where it is.
        if let Err(error) = self.make_ref(&branch_ref(&worktree.branch), &tip, "begin the task")
            && self.tip_of(&worktree.branch)?.is_none()
        {
            return Err(error);
        }
        worktree.slot.make(&self.repository, &Checkout::Branch(&worktree.branch))?;
        Ok(worktree)
    }

    /// Returns the task's worktree, if it is there and whole.
    pub fn open_worktree(&self, task: &TaskId) -> Option<TaskWorktree> {
        Some(self.place(task)).filter(|worktree| worktree.slot.look() == Found::Ready)
    }

    /// Finds all worktrees of the run, and undoes those that are not whole.
    pub fn recover_worktrees(&self) -> RecoveryReport {
        let mut recovered = RecoveryReport::default();
        for task in self.tasks() {
            let worktree = self.place(&task);
            match worktree.slot.look() {
                Found::Ready => recovered.ready.push(worktree),
                Found::Half | Found::Deleted => match self.undo(&worktree.slot) {
                    Ok(()) => recovered.removed.push(task),
                    Err(error) => recovered.failed.push((task, error)),
                },
                Found::Nothing | Found::Foreign => {}
            }
        }
        recovered
    }

    /// Removes a worktree, after keeping what is in it. Its branch stays.
    ///
    /// What git ignores goes, and so do the files that are left out by name. A repository inside, whose history no ref of
    /// ours reaches, is refused.
    pub fn remove_worktree(&self, worktree: &TaskWorktree, leave_out: &[PathBuf]) -> Result<(), RepoError> {
        self.remove_slot(&worktree.slot, leave_out)
    }

    /// Removes the worktree of somebody who works at no task, if there is one. What it has and no branch has is kept.
    pub fn remove_session_worktree(&self, name: &str) -> Result<(), RepoError> {
        self.remove_slot(&self.desk_slot(name), &[])
    }

    fn remove_slot(&self, slot: &Slot, leave_out: &[PathBuf]) -> Result<(), RepoError> {
        match slot.look() {
            Found::Nothing => return Ok(()),
            Found::Foreign => return Err(RepoError::PathOccupied { path: slot.path.clone() }),
            Found::Half | Found::Deleted => return self.undo(slot),
            Found::Ready => {}
        }
        let is_desk = slot.name.starts_with(DESK);
        // Whoever has no task mostly reads, and what was never changed need not be kept for each of them.
        if !is_desk || self.unchanged(slot)?.is_none() {
            let kept = self.keep_slot(slot, "removed", leave_out)?;
            if let Some(what) = kept.nested.first() {
                return Err(RepoError::WouldLoseWork { path: slot.path.clone(), what: what.clone() });
            }
        }
        let linked = self.keep_submodules(slot)?;
        self.check_submodules(slot, &linked)?;
        self.keep_strays(slot)?;
        slot.undo()?;
        self.repository.forget_submodules();
        Ok(())
    }

    /// Returns the commit that is checked out in a worktree, where it has nothing else.
    pub(crate) fn unchanged(&self, slot: &Slot) -> Result<Option<CommitId>, RepoError> {
        let taken = contents(slot, &[])?;
        let Some(head) = taken.head.filter(|_| taken.nested.is_empty()) else { return Ok(None) };
        Ok((self.tree_of(&head)? == taken.tree).then_some(head))
    }

    /// Removes what a crash left, but loses nothing if somebody did work there.
    pub(crate) fn undo(&self, slot: &Slot) -> Result<(), RepoError> {
        if !slot.is_linked_whole() && slot.holds_files() {
            return Err(RepoError::PathOccupied { path: slot.path.clone() });
        }
        if slot.is_linked_whole() {
            if slot.path.is_dir() && self.has_changes(slot)? {
                self.keep_slot(slot, "found unfinished", &[])?;
            }
            self.keep_strays(slot)?;
        }
        slot.undo()
    }

    pub(crate) fn place(&self, task: &TaskId) -> TaskWorktree {
        let slot = Slot::new(self, task.to_string());
        TaskWorktree { task: task.clone(), path: slot.path.clone(), branch: self.task_branch(task), slot }
    }

    /// Returns the names of all who work at no task and have a worktree, or what is left of one.
    pub fn session_worktrees(&self) -> Vec<String> {
        self.names().iter().filter_map(|name| name.strip_prefix(DESK)).map(str::to_owned).collect()
    }

    /// Returns the tasks that have a worktree, or what is left of one.
    pub(crate) fn tasks(&self) -> Vec<TaskId> {
        let mut tasks: Vec<TaskId> = self.names().iter().filter_map(|name| name.parse().ok()).collect();
        tasks.sort();
        tasks
    }

    /// Returns the names of the run's worktrees, or what is left of them.
    fn names(&self) -> BTreeSet<String> {
        let prefix = folder(&self.run_id, "");
        let common = &self.repository.common;
        [common, &common.join("worktrees"), &self.worktrees_folder]
            .iter()
            .filter_map(|folder| fs::read_dir(folder).ok())
            .flat_map(|entries| entries.flatten())
            .filter_map(|entry| {
                let name = entry.file_name();
                let name = name.to_str()?;
                Some(name.strip_prefix(GONE).unwrap_or(name).strip_prefix(&prefix)?.to_owned())
            })
            .collect()
    }
}
