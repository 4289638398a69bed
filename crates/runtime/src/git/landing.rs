//! Moving the branch that a run started from to the work of the run.

use std::path::{Path, PathBuf};

use engine::WorkToLand;
use repo::{
    CommitId, LandingOutcome, LandingPlan, LandingRequest, LandingStrategy, PlannedLanding, RepoError,
};

use super::RunGit;

impl RunGit {
    /// Returns the branch that the run started from, if one was checked out.
    pub(crate) fn target_branch(&self) -> Option<String> {
        self.target.clone()
    }

    /// Returns the name of the run's branch.
    pub(crate) fn run_branch(&self) -> String {
        self.run.run_branch()
    }

    /// Tells whether a branch of exactly this name exists.
    pub(crate) fn has_branch(&self, branch: &str) -> Result<bool, RepoError> {
        let _lock = self.lock();
        self.run.has_branch(branch)
    }

    /// Returns the commit with the work to land; `None` if no phase is approved.
    pub(crate) fn commit_to_land(&self, work: &WorkToLand) -> Result<Option<CommitId>, RepoError> {
        let _lock = self.lock();
        let commit = match work {
            WorkToLand::Merged { commit: Some(commit) } => self.run.repository.resolve_commit(commit)?,
            WorkToLand::Merged { commit: None } => self.run.repository.resolve_commit(&self.base)?,
            WorkToLand::Approved(phases) if phases.is_empty() => return Ok(None),
            // Gates of earlier versions did not record a commit, and approved all merged work.
            WorkToLand::Approved(phases) => {
                let recorded = phases
                    .iter()
                    .map(|phase| (phase.number, phase.commit.as_deref().and_then(CommitId::parse)));
                match self.run.latest_gate_commit(&recorded.collect::<Vec<_>>())? {
                    Some(commit) => commit,
                    None => self.run.run_tip()?,
                }
            }
        };
        if self.style.is_squashed {
            let base = self.run.repository.resolve_commit(&self.base)?;
            return self.run.linearize(&base, &commit).map(Some);
        }
        Ok(Some(commit))
    }

    /// Tells whether a branch contains a commit.
    pub(crate) fn branch_contains(&self, branch: &str, commit: &str) -> Result<bool, RepoError> {
        let _lock = self.lock();
        CommitId::parse(commit).map_or(Ok(false), |commit| self.run.branch_contains(branch, &commit))
    }

    /// Plans how a branch gets a commit of the run. Moves nothing.
    pub(crate) fn plan_landing(
        &self,
        branch: &str,
        commit: &CommitId,
        strategy: LandingStrategy,
    ) -> Result<LandingPlan, RepoError> {
        let _lock = self.lock();
        let author = self.style.landing_author();
        self.run.plan_landing(&LandingRequest { branch, commit, strategy, author: author.as_ref() })
    }

    /// Moves a branch as planned, unless it is checked out.
    pub(crate) fn land(&self, landing: &PlannedLanding) -> Result<LandingOutcome, RepoError> {
        let _lock = self.lock();
        self.run.land(landing)
    }

    /// Moves a branch as planned, together with the working tree that has it checked out.
    pub(crate) fn land_checked_out(
        &self,
        landing: &PlannedLanding,
        path: &Path,
    ) -> Result<LandingOutcome, RepoError> {
        let _lock = self.lock();
        self.run.land_checked_out(landing, path)
    }

    /// Returns the files of a working tree that landing would overwrite.
    pub(crate) fn files_blocking_landing(
        &self,
        landing: &PlannedLanding,
        path: &Path,
    ) -> Result<Vec<PathBuf>, RepoError> {
        let _lock = self.lock();
        self.run.files_blocking_landing(landing, path)
    }

    /// Returns the working tree in which a branch is checked out or being rebased.
    pub(crate) fn worktree_of_branch(&self, branch: &str) -> Result<Option<PathBuf>, RepoError> {
        let _lock = self.lock();
        self.run.worktree_of_branch(branch)
    }

    /// Tells whether the HEAD of a working tree is a branch.
    pub(crate) fn has_checked_out(&self, path: &Path, branch: &str) -> Result<bool, RepoError> {
        let _lock = self.lock();
        self.run.has_checked_out(path, branch)
    }

    /// Tells whether tracked files of a working tree of the user are changed or staged.
    pub(crate) fn has_uncommitted_changes(&self, path: &Path) -> Result<bool, RepoError> {
        let _lock = self.lock();
        self.run.has_uncommitted_changes(path)
    }
}
