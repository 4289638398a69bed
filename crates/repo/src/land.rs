//! Fast-forwards the user's branch to the run's result ("landing").
//!
//! A checked-out branch is moved only by [`RunRepository::land_checked_out`], on the user's explicit request.

use std::{
    fs,
    path::{Path, PathBuf},
};

use domain::PhaseNumber;

use crate::{
    CommitId, RepoError, RunRepository,
    git::to_path,
    names::{branch_ref, gate_ref},
    repository::find_commit,
    status::working_tree_status,
    worktree_lock,
};

/// Result of landing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LandingOutcome {
    /// The branch was moved.
    Landed {
        /// From where; `None` where it had no commit before.
        from: Option<CommitId>,
        /// Number of commits that the branch gained.
        n_commits: u32,
    },
    /// The branch already contains the commit.
    AlreadyLanded,
    /// The branch is checked out and was not moved.
    CheckedOut {
        /// Worktree in which it is checked out.
        path: PathBuf,
    },
    /// The branch has commits that the run lacks; merge it into the run first.
    Diverged {
        /// Tip of the user's branch.
        tip: CommitId,
    },
    /// The worktree has uncommitted changes.
    Dirty {
        /// Files with uncommitted changes.
        files: Vec<PathBuf>,
    },
}

impl RunRepository {
    /// Records the commit that a phase's gate checked. Approving the gate approves this commit and nothing later.
    pub fn record_gate_commit(&self, phase: PhaseNumber, commit: &CommitId) -> Result<(), RepoError> {
        let name = gate_ref(&self.run_id, phase);
        self.repository.git.call(["update-ref", name.as_str(), commit.as_str()]).run()?;
        Ok(())
    }

    /// Returns the latest commit checked by the gates of the given phases.
    pub fn latest_gate_commit(&self, phases: &[PhaseNumber]) -> Result<Option<CommitId>, RepoError> {
        let mut latest: Option<CommitId> = None;
        for phase in phases {
            let name = gate_ref(&self.run_id, *phase);
            let Some(commit) = find_commit(&self.repository.git, &name)? else { continue };
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

    /// Fast-forwards a branch that is not checked out anywhere; creates it if it does not exist.
    pub fn land(&self, branch: &str, commit: &CommitId) -> Result<LandingOutcome, RepoError> {
        let tip = self.branch_tip(branch)?;
        if let Some(landing) = self.check_fast_forward(tip.as_ref(), commit)? {
            return Ok(landing);
        }
        if let Some(path) = self.worktree_of_branch(branch)? {
            return Ok(LandingOutcome::CheckedOut { path });
        }
        match &tip {
            Some(tip) => self.move_branch(branch, tip, commit, "land")?,
            None => self.create_ref(&branch_ref(branch), commit, "land")?,
        }
        self.build_landed_outcome(tip, commit)
    }

    /// Fast-forwards a branch together with the clean worktree in which it is checked out.
    ///
    /// Untracked files stay; if one would be overwritten, git refuses and changes nothing.
    pub fn land_checked_out(
        &self,
        branch: &str,
        commit: &CommitId,
        path: &Path,
    ) -> Result<LandingOutcome, RepoError> {
        let tip = self.branch_tip(branch)?;
        if let Some(landing) = self.check_fast_forward(tip.as_ref(), commit)? {
            return Ok(landing);
        }
        let git = self.repository.git.in_folder(path);
        let head = git.call(["symbolic-ref", "--quiet", "HEAD"]).run_accepting_codes(&[1])?.trimmed_text();
        if head != branch_ref(branch) {
            return Err(RepoError::BranchNotFound { branch: format!("{branch} in {}", path.display()) });
        }
        let mut status = working_tree_status(&git, None)?;
        status.changed.retain(|file| !status.untracked.contains(file));
        let files = [status.changed, status.missing, status.staged].concat();
        if !files.is_empty() || !status.unmerged.is_empty() {
            return Ok(LandingOutcome::Dirty { files: [files, status.unmerged].concat() });
        }
        let options =
            ["merge", "--quiet", "--ff-only", "--no-overwrite-ignore", "--no-stat", "--no-autostash"];
        git.call(options).arg(commit.as_str()).run()?;
        self.build_landed_outcome(tip, commit)
    }

    fn build_landed_outcome(
        &self,
        from: Option<CommitId>,
        to: &CommitId,
    ) -> Result<LandingOutcome, RepoError> {
        let range = from.as_ref().map_or_else(|| to.to_string(), |from| format!("{from}..{to}"));
        let counted = self.repository.git.call(["rev-list", "--count"]).arg(range).run()?.trimmed_text();
        Ok(LandingOutcome::Landed { from, n_commits: counted.parse().unwrap_or(0) })
    }

    fn check_fast_forward(
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

    /// Returns the worktree in which a branch is checked out or being rebased.
    pub fn worktree_of_branch(&self, branch: &str) -> Result<Option<PathBuf>, RepoError> {
        let reference = branch_ref(branch);
        let listed = worktree_lock::run_shared(&self.repository.common, || {
            self.repository.git.call(["worktree", "list", "--porcelain", "-z"])
        })?;
        let mut path = PathBuf::new();
        for line in listed.nul_parts() {
            if let Some(bytes) = line.strip_prefix(b"worktree ") {
                path = to_path(bytes);
            } else if line.strip_prefix(b"branch ") == Some(reference.as_bytes()) {
                return Ok(Some(path));
            }
        }
        let common = &self.repository.common;
        let worktree_folders =
            fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten().map(|entry| entry.path());
        let is_rebased = |folder: &PathBuf| {
            ["rebase-merge/head-name", "rebase-apply/head-name"].iter().any(|name| {
                fs::read_to_string(folder.join(name)).is_ok_and(|text| text.trim_end() == reference)
            })
        };
        Ok(worktree_folders.chain([common.clone()]).find(is_rebased))
    }
}
