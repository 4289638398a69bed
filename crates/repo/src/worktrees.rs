//! The worktrees of a run's tasks: made, found again after a crash, removed when nothing in them can be lost.

use std::{fs, path::PathBuf};

use domain::TaskId;

use crate::{
    RepoError, Run, Worktree,
    names::{branch_ref, task_folder},
    worktree::{Checkout, Found, GONE, Slot},
};

/// What was found after a crash.
#[derive(Debug, Default)]
pub struct Recovered {
    /// Worktrees that are whole, by task.
    pub ready: Vec<Worktree>,
    /// Worktrees that were half made or half removed, and are gone now.
    pub undone: Vec<TaskId>,
    /// Worktrees that could not be undone, and why. They are still there.
    pub failed: Vec<(TaskId, RepoError)>,
}

impl Run {
    /// Returns the task's worktree, made if it is not there, on its branch, which starts at the run's tip.
    ///
    /// A branch that is there from an earlier attempt is taken as it is.
    pub fn create(&self, task: &TaskId) -> Result<Worktree, RepoError> {
        let worktree = self.place(task);
        match worktree.slot.look() {
            Found::Ready => return Ok(worktree),
            Found::Foreign => return Err(RepoError::Occupied { path: worktree.path }),
            Found::Half | Found::Deleted => self.undo(&worktree)?,
            Found::Nothing => {}
        }
        let tip = self.tip()?;
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
    pub fn open(&self, task: &TaskId) -> Option<Worktree> {
        Some(self.place(task)).filter(|worktree| worktree.slot.look() == Found::Ready)
    }

    /// Finds all worktrees of the run, and undoes those that are not whole.
    pub fn recover(&self) -> Recovered {
        let mut recovered = Recovered::default();
        for task in self.tasks() {
            let worktree = self.place(&task);
            match worktree.slot.look() {
                Found::Ready => recovered.ready.push(worktree),
                Found::Half | Found::Deleted => match self.undo(&worktree) {
                    Ok(()) => recovered.undone.push(task),
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
    pub fn remove(&self, worktree: &Worktree, leave_out: &[PathBuf]) -> Result<(), RepoError> {
        match worktree.slot.look() {
            Found::Nothing => return Ok(()),
            Found::Foreign => return Err(RepoError::Occupied { path: worktree.path.clone() }),
            Found::Half | Found::Deleted => return self.undo(worktree),
            Found::Ready => {}
        }
        let kept = self.keep(worktree, "removed", leave_out)?;
        if let Some(what) = kept.nested.first() {
            return Err(RepoError::NotKept { path: worktree.path.clone(), what: what.clone() });
        }
        let linked = self.keep_submodules(worktree)?;
        self.check_submodules(worktree, &linked)?;
        self.keep_strays(worktree)?;
        worktree.slot.undo()?;
        self.repository.forget_submodules();
        Ok(())
    }

    /// Removes what a crash left, but loses nothing if somebody did work there.
    fn undo(&self, worktree: &Worktree) -> Result<(), RepoError> {
        let slot = &worktree.slot;
        if !slot.is_linked_whole() && slot.holds_files() {
            return Err(RepoError::Occupied { path: worktree.path.clone() });
        }
        if slot.is_linked_whole() {
            if slot.path.is_dir() && self.has_changes(worktree)? {
                self.keep(worktree, "found unfinished", &[])?;
            }
            self.keep_strays(worktree)?;
        }
        slot.undo()
    }

    pub(crate) fn place(&self, task: &TaskId) -> Worktree {
        let slot = Slot::new(&self.repository, &self.folder, &task_folder(&self.run, task));
        Worktree { task: task.clone(), path: slot.path.clone(), branch: self.task_branch(task), slot }
    }

    /// Returns the tasks that have a worktree, or what is left of one.
    pub(crate) fn tasks(&self) -> Vec<TaskId> {
        let prefix = format!("{}-", self.run);
        let common = &self.repository.common;
        let mut tasks: Vec<TaskId> = [common, &common.join("worktrees"), &self.folder]
            .iter()
            .filter_map(|folder| fs::read_dir(folder).ok())
            .flat_map(|entries| entries.flatten())
            .filter_map(|entry| {
                let name = entry.file_name();
                let name = name.to_str()?;
                name.strip_prefix(GONE).unwrap_or(name).strip_prefix(&prefix)?.parse().ok()
            })
            .collect();
        tasks.sort();
        tasks.dedup();
        tasks
    }
}
