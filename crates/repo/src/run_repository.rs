//! The handle of one run, and the branch on which its tasks are merged.
//!
//! Invariant: a branch moves only from the commit that the caller expects (`update-ref` with the old value), so of
//! two concurrent updates one fails.

use std::{path::PathBuf, sync::Arc};

use domain::{RunId, TaskId};

use crate::{
    CommitId, RepoError, Repository,
    names::{branch_ref, run_branch, task_branch},
    repository::find_commit,
    tip_record::TipRecord,
};

/// A run within a repository.
#[derive(Debug, Clone)]
pub struct RunRepository {
    /// Repository of the user.
    pub repository: Repository,
    /// Id of the run.
    pub run_id: RunId,
    /// Folder that contains its worktrees.
    pub worktrees_folder: PathBuf,
    /// Commit on which its branch must be; `None` if it is unknown, and the branch itself counts.
    pub tip_record: Option<Arc<TipRecord>>,
}

impl RunRepository {
    /// Creates the run's branch at a commit, or leaves an existing one; returns its tip.
    pub fn create_run_branch(&self, base: &CommitId) -> Result<CommitId, RepoError> {
        if let Some(tip) = self.branch_tip(&self.run_branch())? {
            return Ok(tip);
        }
        if find_commit(&self.repository.git, base.as_str())?.is_none() {
            let path = self.repository.opened_from.clone();
            return Err(RepoError::CommitNotFound { path, revision: base.to_string() });
        }
        match self.create_ref(&branch_ref(&self.run_branch()), base, "create the run's branch") {
            Ok(()) => Ok(base.clone()),
            // Another process may have created it meanwhile.
            Err(error) => self.branch_tip(&self.run_branch())?.ok_or(error),
        }
    }

    /// Returns the name of the run's branch.
    pub fn run_branch(&self) -> String {
        run_branch(&self.run_id)
    }

    /// Returns the name of a task's branch.
    pub fn task_branch(&self, task: &TaskId) -> String {
        task_branch(&self.run_id, task)
    }

    /// Returns the tip of the run's branch. Fails if another program moved it.
    pub fn run_tip(&self) -> Result<CommitId, RepoError> {
        let tip = self
            .branch_tip(&self.run_branch())?
            .ok_or_else(|| RepoError::BranchNotFound { branch: self.run_branch() })?;
        match self.tip_record.as_ref().map(|record| record.expected()) {
            Some(expected) if expected != tip => Err(RepoError::RefMoved {
                name: branch_ref(&self.run_branch()),
                found: tip.to_string(),
                recorded: expected.to_string(),
            }),
            Some(_) | None => Ok(tip),
        }
    }

    /// Moves the run's branch forward. Succeeds if an earlier attempt has already moved it.
    pub fn advance_run_branch(&self, from: &CommitId, to: &CommitId) -> Result<(), RepoError> {
        let tip = self.run_tip()?;
        if tip == *to || (tip != *from && self.is_ancestor(to, &tip)?) {
            return Ok(());
        }
        if !self.is_ancestor(from, to)? {
            return Err(RepoError::BranchMoved {
                branch: self.run_branch(),
                expected: to.clone(),
                actual: Some(from.clone()),
            });
        }
        self.move_run_branch(from, to)
    }

    fn move_run_branch(&self, from: &CommitId, to: &CommitId) -> Result<(), RepoError> {
        let branch = self.run_branch();
        if let Some(path) = self.worktree_of_branch(&branch)? {
            return Err(RepoError::BranchCheckedOut { branch, path });
        }
        if let Some(record) = &self.tip_record {
            record.announce(to)?;
        }
        self.move_branch(&branch, from, to, "merge a task")?;
        if let Some(record) = &self.tip_record {
            record.set(to);
        }
        Ok(())
    }

    /// Moves a branch if it is at `from`; otherwise returns the commit it is at as an error.
    pub(crate) fn move_branch(
        &self,
        branch: &str,
        from: &CommitId,
        to: &CommitId,
        why: &str,
    ) -> Result<(), RepoError> {
        let why = format!("jangdan: {why}");
        let reference = branch_ref(branch);
        let call =
            self.repository.git.call(["update-ref", "-m", &why, &reference, to.as_str(), from.as_str()]);
        let Err(error) = call.run() else { return Ok(()) };
        let actual = self.branch_tip(branch)?;
        if actual.as_ref() == Some(to) {
            return Ok(());
        }
        if actual.as_ref() == Some(from) {
            return Err(error);
        }
        Err(RepoError::BranchMoved { branch: branch.to_owned(), expected: from.clone(), actual })
    }

    /// Creates a ref; fails if it exists.
    pub(crate) fn create_ref(&self, reference: &str, commit: &CommitId, why: &str) -> Result<(), RepoError> {
        let why = format!("jangdan: {why}");
        self.repository.git.call(["update-ref", "-m", &why, reference, commit.as_str(), ""]).run()?;
        Ok(())
    }

    pub(crate) fn branch_tip(&self, branch: &str) -> Result<Option<CommitId>, RepoError> {
        find_commit(&self.repository.git, &branch_ref(branch))
    }

    /// Tells whether `early` equals or precedes `late`.
    pub(crate) fn is_ancestor(&self, early: &CommitId, late: &CommitId) -> Result<bool, RepoError> {
        let call = self.repository.git.call(["merge-base", "--is-ancestor", early.as_str(), late.as_str()]);
        Ok(call.run_accepting_codes(&[1])?.code == 0)
    }
}
