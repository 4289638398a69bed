//! Landing: the user's branch comes to where the run's is, by fast-forward alone.
//!
//! A branch that is checked out is moved by [`Run::land_checked_out`] only, which somebody asked for.

use std::{
    fs,
    path::{Path, PathBuf},
};

use domain::PhaseNumber;

use crate::{
    Commit, RepoError, Run,
    git::to_path,
    linking,
    names::{branch_ref, gate_ref},
    repository::commit_of,
    status::status,
};

/// What came of landing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Landing {
    /// The branch moved.
    Landed {
        /// From where; `None` where it had no commit before.
        from: Option<Commit>,
        /// Number of commits that the branch gained.
        n_commits: u32,
    },
    /// The branch has the commit.
    Already,
    /// The branch is checked out, so it was not moved.
    CheckedOut {
        /// Where.
        path: PathBuf,
    },
    /// The branch has commits that the run has not; merge it into the run first.
    Diverged {
        /// Where the branch is.
        tip: Commit,
    },
    /// The tree has changes that were not committed.
    Dirty {
        /// The files.
        files: Vec<PathBuf>,
    },
}

impl Run {
    /// Remembers what a phase's gate has looked at: that, and nothing that came later, is what it lets pass.
    pub fn mark_gate(&self, phase: PhaseNumber, commit: &Commit) -> Result<(), RepoError> {
        let name = gate_ref(&self.run, phase);
        self.repository.git.call(["update-ref", name.as_str(), commit.as_str()]).run()?;
        Ok(())
    }

    /// Returns the latest of what the gates of some phases have looked at.
    pub fn latest_gate(&self, phases: &[PhaseNumber]) -> Result<Option<Commit>, RepoError> {
        let mut latest: Option<Commit> = None;
        for phase in phases {
            let name = gate_ref(&self.run, *phase);
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
    pub fn land(&self, branch: &str, commit: &Commit) -> Result<Landing, RepoError> {
        let tip = self.tip_of(branch)?;
        if let Some(landing) = self.nothing_to_land(tip.as_ref(), commit)? {
            return Ok(landing);
        }
        if let Some(path) = self.checked_out_at(branch)? {
            return Ok(Landing::CheckedOut { path });
        }
        match &tip {
            Some(tip) => self.move_branch(branch, tip, commit, "land")?,
            None => self.make_ref(&branch_ref(branch), commit, "land")?,
        }
        self.landed(tip, commit)
    }

    /// Fast-forwards a branch and the clean tree in which it is checked out.
    ///
    /// Untracked files stay; where one is in the way, git refuses and changes nothing.
    pub fn land_checked_out(&self, branch: &str, commit: &Commit, path: &Path) -> Result<Landing, RepoError> {
        let tip = self.tip_of(branch)?;
        if let Some(landing) = self.nothing_to_land(tip.as_ref(), commit)? {
            return Ok(landing);
        }
        let git = self.repository.git.at(path);
        let head = git.call(["symbolic-ref", "--quiet", "HEAD"]).run_or(&[1])?.line();
        if head != branch_ref(branch) {
            return Err(RepoError::NoBranch { branch: format!("{branch} in {}", path.display()) });
        }
        let mut found = status(&git, None)?;
        found.changed.retain(|file| !found.untracked.contains(file));
        let files = [found.changed, found.gone, found.staged].concat();
        if !files.is_empty() || !found.unmerged.is_empty() {
            return Ok(Landing::Dirty { files: [files, found.unmerged].concat() });
        }
        let options =
            ["merge", "--quiet", "--ff-only", "--no-overwrite-ignore", "--no-stat", "--no-autostash"];
        git.call(options).arg(commit.as_str()).run()?;
        self.landed(tip, commit)
    }

    fn landed(&self, from: Option<Commit>, to: &Commit) -> Result<Landing, RepoError> {
        let range = from.as_ref().map_or_else(|| to.to_string(), |from| format!("{from}..{to}"));
        let counted = self.repository.git.call(["rev-list", "--count"]).arg(range).run()?.line();
        Ok(Landing::Landed { from, n_commits: counted.parse().unwrap_or(0) })
    }

    fn nothing_to_land(&self, tip: Option<&Commit>, commit: &Commit) -> Result<Option<Landing>, RepoError> {
        let Some(tip) = tip else { return Ok(None) };
        if self.is_ancestor(commit, tip)? {
            return Ok(Some(Landing::Already));
        }
        Ok((!self.is_ancestor(tip, commit)?).then(|| Landing::Diverged { tip: tip.clone() }))
    }

    /// Returns where a branch is checked out, or is being rebased, which is the same to its owner.
    pub fn checked_out_at(&self, branch: &str) -> Result<Option<PathBuf>, RepoError> {
        let wanted = branch_ref(branch);
        let listed = linking::list(&self.repository.common, || {
            self.repository.git.call(["worktree", "list", "--porcelain", "-z"])
        })?;
        let mut path = PathBuf::new();
        for line in listed.parts() {
            if let Some(place) = line.strip_prefix(b"worktree ") {
                path = to_path(place);
            } else if line.strip_prefix(b"branch ") == Some(wanted.as_bytes()) {
                return Ok(Some(path));
            }
        }
        let common = &self.repository.common;
        let others =
            fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten().map(|entry| entry.path());
        let is_rebased = |folder: &PathBuf| {
            ["rebase-merge/head-name", "rebase-apply/head-name"]
                .iter()
                .any(|name| fs::read_to_string(folder.join(name)).is_ok_and(|text| text.trim_end() == wanted))
        };
        Ok(others.chain([common.clone()]).find(is_rebased))
    }
}
