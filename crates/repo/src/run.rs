//! The handle of one run, and the branch on which it gathers what is merged.
//!
//! Invariant: a branch moves only from where the caller believes it to be (`update-ref` with the old value), so of two
//! that move it at once one is told.

use std::path::PathBuf;

use domain::{RunId, TaskId};

use crate::{
    Commit, RepoError, Repository,
    names::{branch_ref, run_branch, task_branch},
    repository::commit_of,
};

/// A run in a repository.
#[derive(Debug, Clone)]
pub struct Run {
    /// The repository.
    pub repository: Repository,
    /// The run.
    pub run: RunId,
    /// Where its worktrees lie.
    pub folder: PathBuf,
}

impl Run {
    /// Makes the run's branch at a commit; one that is there stays where it is. Returns its tip.
    pub fn begin(&self, base: &Commit) -> Result<Commit, RepoError> {
        if let Some(tip) = self.tip_of(&self.branch())? {
            return Ok(tip);
        }
        if commit_of(&self.repository.git, base.as_str())?.is_none() {
            let path = self.repository.here.clone();
            return Err(RepoError::NoCommit { path, wanted: base.to_string() });
        }
        match self.make_ref(&branch_ref(&self.branch()), base, "begin the run") {
            Ok(()) => Ok(base.clone()),
            // Somebody else was faster, or there is another reason.
            Err(error) => self.tip_of(&self.branch())?.ok_or(error),
        }
    }

    /// Returns the name of the run's branch.
    pub fn branch(&self) -> String {
        run_branch(&self.run)
    }

    /// Returns the name of a task's branch.
    pub fn task_branch(&self, task: &TaskId) -> String {
        task_branch(&self.run, task)
    }

    /// Returns the tip of the run's branch.
    pub fn tip(&self) -> Result<Commit, RepoError> {
        self.tip_of(&self.branch())?.ok_or_else(|| RepoError::NoBranch { branch: self.branch() })
    }

    /// Moves the run's branch forward. Moved already, by an earlier try, is moved.
    pub fn advance(&self, from: &Commit, to: &Commit) -> Result<(), RepoError> {
        let tip = self.tip()?;
        if tip == *to || (tip != *from && self.is_ancestor(to, &tip)?) {
            return Ok(());
        }
        if !self.is_ancestor(from, to)? {
            return Err(RepoError::Moved {
                branch: self.branch(),
                expected: to.clone(),
                actual: Some(from.clone()),
            });
        }
        self.move_run_branch(from, to)
    }

    fn move_run_branch(&self, from: &Commit, to: &Commit) -> Result<(), RepoError> {
        let branch = self.branch();
        if let Some(path) = self.checked_out_at(&branch)? {
            return Err(RepoError::CheckedOut { branch, path });
        }
        self.move_branch(&branch, from, to, "merge a task")
    }

    /// Moves a branch from one commit to another, or says where it is instead.
    pub(crate) fn move_branch(
        &self,
        branch: &str,
        from: &Commit,
        to: &Commit,
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
        Err(RepoError::Moved { branch: branch.to_owned(), expected: from.clone(), actual })
    }

    /// Makes a ref that must not be there yet.
    pub(crate) fn make_ref(&self, reference: &str, commit: &Commit, why: &str) -> Result<(), RepoError> {
        let why = format!("jangdan: {why}");
        self.repository.git.call(["update-ref", "-m", &why, reference, commit.as_str(), ""]).run()?;
        Ok(())
    }

    /// Returns the tip of a branch, if there is one.
    pub(crate) fn tip_of(&self, branch: &str) -> Result<Option<Commit>, RepoError> {
        commit_of(&self.repository.git, &branch_ref(branch))
    }

    /// Tells whether a commit is another one or comes before it.
    pub(crate) fn is_ancestor(&self, early: &Commit, late: &Commit) -> Result<bool, RepoError> {
        let call = self.repository.git.call(["merge-base", "--is-ancestor", early.as_str(), late.as_str()]);
        Ok(call.run_or(&[1])?.code == 0)
    }
}
