//! Landing: the user's branch comes to where the run's is, by fast-forward alone.
//!
//! A branch that is checked out is moved by [`Run::land_checked_out`] only, which somebody asked for.

use std::{
    fs,
    path::{Path, PathBuf},
};

use domain::PhaseNumber;

use crate::{
    CommitId, RepoError, RunRepository,
    git::to_path,
    linking,
    names::{branch_ref, gate_ref},
    repository::commit_of,
    status::status,
};

/// What came of landing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LandingOutcome {
    /// The branch moved.
    Landed {
        /// From where; `None` where it had no commit before.
        from: Option<CommitId>,
    },
    /// The branch has the commit.
    AlreadyLanded,
    /// The branch is checked out, so it was not moved.
    CheckedOut {
        /// Where.
        path: PathBuf,
    },
    /// The branch has commits that the run has not; merge it into the run first.
    Diverged {
        /// Where the branch is.
        tip: CommitId,
    },
    /// The tree has changes that were not committed.
    Dirty {
        /// The files.
        files: Vec<PathBuf>,
    },
}

impl RunRepository {
    /// Remembers what a phase's gate has looked at: that, and nothing that came later, is what it lets pass.
    pub fn record_gate(&self, phase: PhaseNumber, commit: &CommitId) -> Result<(), RepoError> {
        let name = gate_ref(&self.run_id, phase);
        self.repository.git.call(["update-ref", name.as_str(), commit.as_str()]).run()?;
        Ok(())
    }

    /// Returns the latest of what the gates of some phases have looked at.
    pub fn latest_gate(&self, phases: &[PhaseNumber]) -> Result<Option<CommitId>, RepoError> {
        let mut latest: Option<CommitId> = None;
        for phase in phases {
            let name = gate_ref(&self.run_id, *phase);
            let Some(commit) = commit_of(&self.repository.git, &name)? else { continue };
            let is_later = match &latest {
                Some(latest) => self.is_ancestor(latest, &commit)?,
                None => true,
            };
            if is_later {
                latest = Some(commit);
            }
        }
        Ok(latest)
    }

    /// Fast-forwards a branch that is checked out nowhere; one that does not exist is made.
    pub fn land(&self, branch: &str, commit: &CommitId) -> Result<LandingOutcome, RepoError> {
        let tip = self.tip_of(branch)?;
        if let Some(landing) = self.nothing_to_land(tip.as_ref(), commit)? {
            return Ok(landing);
        }
        if let Some(path) = self.checked_out_at(branch)? {
            return Ok(LandingOutcome::CheckedOut { path });
        }
        match &tip {
            Some(tip) => self.move_branch(branch, tip, commit, "land")?,
            None => self.make_ref(&branch_ref(branch), commit, "land")?,
        }
        Ok(LandingOutcome::Landed { from: tip })
    }

    /// Fast-forwards a branch and the clean tree in which it is checked out.
    ///
    /// Untracked files stay; where one is in the way, git refuses and changes nothing.
    pub fn land_checked_out(
        &self,
        branch: &str,
        commit: &CommitId,
        path: &Path,
    ) -> Result<LandingOutcome, RepoError> {
        let tip = self.tip_of(branch)?;
        if let Some(landing) = self.nothing_to_land(tip.as_ref(), commit)? {
            return Ok(landing);
        }
        let git = self.repository.git.at(path);
        let head = git.call(["symbolic-ref", "--quiet", "HEAD"]).run_or(&[1])?.line();
        if head != branch_ref(branch) {
            return Err(RepoError::BranchNotFound { branch: format!("{branch} in {}", path.display()) });
        }
        let mut found = status(&git, None)?;
        found.changed.retain(|file| !found.untracked.contains(file));
        let files = [found.changed, found.gone, found.staged].concat();
        if !files.is_empty() || !found.unmerged.is_empty() {
            return Ok(LandingOutcome::Dirty { files: [files, found.unmerged].concat() });
        }
        let options =
            ["merge", "--quiet", "--ff-only", "--no-overwrite-ignore", "--no-stat", "--no-autostash"];
        git.call(options).arg(commit.as_str()).run()?;
        Ok(LandingOutcome::Landed { from: tip })
    }

    fn nothing_to_land(
        &self,
        tip: Option<&CommitId>,
        commit: &CommitId,
    ) -> Result<Option<LandingOutcome>, RepoError> {
        let Some(tip) = tip else { return Ok(None) };
        if self.is_ancestor(commit, tip)? {
            return Ok(Some(LandingOutcome::AlreadyLanded));
        }
        Ok((!self.is_ancestor(tip, commit)?).then(|| LandingOutcome::Diverged { tip: tip.clone() }))
    }

    /// Returns where a branch is checked out, or is being rebased, which is the same to its owner.
    pub fn checked_out_at(&self, branch: &str) -> Result<Option<PathBuf>, RepoError> {
        let reference = branch_ref(branch);
        let listed = linking::list(&self.repository.common, || {
            self.repository.git.call(["worktree", "list", "--porcelain", "-z"])
        })?;
        let mut path = PathBuf::new();
        for line in listed.parts() {
            if let Some(bytes) = line.strip_prefix(b"worktree ") {
                path = to_path(bytes);
            } else if line.strip_prefix(b"branch ") == Some(reference.as_bytes()) {
                return Ok(Some(path));
            }
        }
        let common = &self.repository.common;
        let others =
            fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten().map(|entry| entry.path());
        let is_rebased = |folder: &PathBuf| {
            ["rebase-merge/head-name", "rebase-apply/head-name"].iter().any(|name| {
                fs::read_to_string(folder.join(name)).is_ok_and(|text| text.trim_end() == reference)
            })
        };
        Ok(others.chain([common.clone()]).find(is_rebased))
    }
}
