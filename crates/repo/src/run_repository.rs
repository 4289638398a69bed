//! The handle of one run, and the branch on which it gathers what is merged.
//!
//! Invariant: a branch moves only from where the caller believes it to be (`update-ref` with the old value), so of two
//! that move it at once one is told.

use std::path::PathBuf;

use domain::{RunId, TaskId};

use crate::{
    CommitId, RepoError, Repository,
    names::{branch_ref, run_branch, task_branch},
    repository::commit_of,
};

/// A run in a repository.
#[derive(Debug, Clone)]
pub struct RunRepository {
    /// The repository.
    pub repository: Repository,
    /// The run.
    pub run_id: RunId,
    /// Where its worktrees lie.
    pub worktrees_folder: PathBuf,
}

impl RunRepository {
    /// Makes the run's branch at a commit; one that is there stays where it is. Returns its tip.
    pub fn create_run_branch(&self, base: &CommitId) -> Result<CommitId, RepoError> {
        if let Some(tip) = self.tip_of(&self.run_branch())? {
            return Ok(tip);
        }
        if commit_of(&self.repository.git, base.as_str())?.is_none() {
            let path = self.repository.opened_from.clone();
            return Err(RepoError::CommitNotFound { path, revision: base.to_string() });
        }
        match self.make_ref(&branch_ref(&self.run_branch()), base, "begin the run") {
            Ok(()) => Ok(base.clone()),
            // Somebody else was faster, or there is another reason.
            Err(error) => self.tip_of(&self.run_branch())?.ok_or(error),
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

    /// Returns the tip of the run's branch.
    pub fn run_tip(&self) -> Result<CommitId, RepoError> {
        self.tip_of(&self.run_branch())?
            .ok_or_else(|| RepoError::BranchNotFound { branch: self.run_branch() })
    }

    /// Moves the run's branch forward. Moved already, by an earlier try, is moved.
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
        if let Some(path) = self.checked_out_at(&branch)? {
            return Err(RepoError::BranchCheckedOut { branch, path });
        }
        self.move_branch(&branch, from, to, "merge a task")
    }

    /// Moves a branch from one commit to another, or says where it is instead.
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
        let actual = self.tip_of(branch)?;
        if actual.as_ref() == Some(to) {
            return Ok(());
        }
        if actual.as_ref() == Some(from) {
            return Err(error);
        }
        Err(RepoError::BranchMoved { branch: branch.to_owned(), expected: from.clone(), actual })
    }

    /// Makes a ref that must not be there yet.
    pub(crate) fn make_ref(&self, reference: &str, commit: &CommitId, why: &str) -> Result<(), RepoError> {
        let why = format!("jangdan: {why}");
        self.repository.git.call(["update-ref", "-m", &why, reference, commit.as_str(), ""]).run()?;
        Ok(())
    }

    /// Returns the tip of a branch, if there is one.
    pub(crate) fn tip_of(&self, branch: &str) -> Result<Option<CommitId>, RepoError> {
        commit_of(&self.repository.git, &branch_ref(branch))
    }

    /// Tells whether a commit is another one or comes before it.
    pub(crate) fn is_ancestor(&self, early: &CommitId, late: &CommitId) -> Result<bool, RepoError> {
        let call = self.repository.git.call(["merge-base", "--is-ancestor", early.as_str(), late.as_str()]);
        Ok(call.run_or(&[1])?.code == 0)
    }
}
