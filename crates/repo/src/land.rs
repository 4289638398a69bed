//! Brings the work of a run into a branch of the user ("landing"): plans the move of the branch, then carries it out.
//!
//! Planning only writes objects, so a crash before the branch moves leaves nothing behind. A checked-out branch is moved
//! only by [`RunRepository::land_checked_out`], on the user's explicit request. Which files of a checkout prevent that is
//! in `checkout_obstacles`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use domain::{LandKind, PhaseNumber};

use crate::{
    CommitId, GitIdentity, RepoError, RunRepository,
    checkout_obstacles::{CheckoutObstacles, find_obstacles},
    conflicts::{self, MergeTreeResult},
    git::{GitClient, to_path},
    included_changes::{find_included_changes, write_files_of_commit},
    names::{branch_ref, gate_ref, squash_ref, squash_ref_prefix},
    repository::find_commit,
    status::working_tree_status,
    worktree_lock,
};

/// Which work is landed, and where.
#[derive(Debug, Clone)]
pub struct LandingRequest<'a> {
    /// Target branch, created if it does not exist.
    pub branch: &'a str,
    /// Commit of the run whose work is landed.
    pub commit: &'a CommitId,
    pub strategy: LandingStrategy,
    /// Author of the merge or squash commit, with the agents as co-authors of the latter; Jangdan if absent.
    pub author: Option<&'a GitIdentity>,
}

/// How a branch gets the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LandingStrategy {
    /// With the run's commits, and a merge commit if the branch has moved on.
    Merge,
    /// With copies of the run's commits on top of the branch if it has moved on; without its merge commits.
    Rebase,
    /// As one commit.
    Squash,
}

/// What landing would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LandingPlan {
    /// The branch already has the work.
    AlreadyLanded,
    /// The branch has commits that conflict with the run's.
    Conflicted {
        /// Conflicting files, sorted by path.
        files: Vec<PathBuf>,
    },
    /// The branch can be moved.
    Move(PlannedLanding),
}

/// A move of a branch, not carried out yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedLanding {
    /// Name without `refs/heads/`.
    pub branch: String,
    /// Current commit of the branch; `None` if it does not exist.
    pub from: Option<CommitId>,
    /// Commit that the branch is moved to.
    pub to: CommitId,
    /// Commit of the run whose work is landed.
    pub source: CommitId,
    /// How `to` is related to the commits of the run.
    pub kind: LandKind,
    /// Number of commits of the run that the branch does not have yet.
    pub n_commits: u32,
    /// Files that differ between `from` and `to`.
    pub files: Vec<PathBuf>,
    /// Tree of `to`.
    pub tree: String,
    /// False if the run itself has the same tree, so that its own checks have examined it.
    pub has_new_tree: bool,
}

/// Result of moving a branch as planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LandingOutcome {
    /// The branch was moved.
    Landed,
    /// The branch is checked out or being rebased, and was not moved.
    CheckedOut {
        /// Worktree in which it is checked out.
        path: PathBuf,
    },
    /// Files in the checkout would be overwritten. Nothing was changed.
    Dirty {
        /// Files with uncommitted changes, and untracked files in the way.
        files: Vec<PathBuf>,
    },
    /// The branch was moved after it was planned. Plan again.
    BranchMoved,
}

impl RunRepository {
    /// Records the commit that a phase's gate checked. Approving the gate approves this commit and nothing later.
    pub fn record_gate_commit(&self, phase: PhaseNumber, commit: &CommitId) -> Result<(), RepoError> {
        let name = gate_ref(&self.run_id, phase);
        self.repository.git.call(["update-ref", name.as_str(), commit.as_str()]).run()?;
        Ok(())
    }

    /// Returns the latest commit that the gates of the given phases examined.
    ///
    /// A commit comes from the log. Fails if the ref of a gate, which other programs can move, points elsewhere. For logs
    /// without the commit, the ref names it.
    pub fn latest_gate_commit(
        &self,
        phases: &[(PhaseNumber, Option<CommitId>)],
    ) -> Result<Option<CommitId>, RepoError> {
        let mut latest: Option<CommitId> = None;
        for (phase, recorded) in phases {
            let name = gate_ref(&self.run_id, *phase);
            let found = find_commit(&self.repository.git, &name)?;
            if let (Some(found), Some(recorded)) = (&found, recorded)
                && found != recorded
            {
                let (found, recorded) = (found.to_string(), recorded.to_string());
                return Err(RepoError::RefMoved { name, found, recorded });
            }
            let Some(commit) = recorded.clone().or(found) else { continue };
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

    /// Tells whether a branch of exactly this name exists.
    pub fn has_branch(&self, branch: &str) -> Result<bool, RepoError> {
        let call = self.repository.git.call(["show-ref", "--verify", "--quiet", &branch_ref(branch)]);
        Ok(call.run_accepting_codes(&[1, 128])?.code == 0)
    }

    /// Tells whether a branch contains a commit. A branch that does not exist contains none.
    pub fn branch_contains(&self, branch: &str, commit: &CommitId) -> Result<bool, RepoError> {
        match self.branch_tip(branch)? {
            Some(tip) => self.is_ancestor(commit, &tip),
            None => Ok(false),
        }
    }

    /// Plans landing: finds the commit that the branch would be moved to, and creates it if it is a new one.
    pub fn plan_landing(&self, request: &LandingRequest<'_>) -> Result<LandingPlan, RepoError> {
        let commit = request.commit;
        let Some(tip) = self.branch_tip(request.branch)? else {
            return self.plan_move(request, None, None, commit, LandKind::FastForward);
        };
        let squashed = self.last_squashed_commit(&tip, commit)?;
        if self.is_ancestor(commit, &tip)? || squashed.as_ref() == Some(commit) {
            return Ok(LandingPlan::AlreadyLanded);
        }
        let can_fast_forward = self.is_ancestor(&tip, commit)?;
        if can_fast_forward && request.strategy != LandingStrategy::Squash {
            return self.plan_move(request, Some(tip), squashed.as_ref(), commit, LandKind::FastForward);
        }
        let merged = if can_fast_forward {
            MergeTreeResult::Merged { tree: self.tree_of(commit)? }
        } else {
            self.merge_for_landing(&tip, commit, squashed.as_ref())?
        };
        let tree = match merged {
            MergeTreeResult::Conflicted(conflicts) => {
                let files = conflicts.into_iter().map(|conflict| conflict.path).collect();
                return Ok(LandingPlan::Conflicted { files });
            }
            MergeTreeResult::Merged { tree } => tree,
        };
        if tree == self.tree_of(&tip)? {
            return Ok(LandingPlan::AlreadyLanded);
        }
        let (kind, to) = match request.strategy {
            LandingStrategy::Squash => {
                let range = self.landed_range(Some(&tip), commit, squashed.as_ref());
                (LandKind::Squash, self.create_landing_squash(request, &tip, &tree, range)?)
            }
            LandingStrategy::Rebase => {
                let commits = self.commits_to_replay(&tip, commit, squashed.as_ref())?;
                match self.replay_commits(&commits, &tip, &tree)? {
                    Some(to) => (LandKind::Rebase, to),
                    // Its commits conflict one by one, although the whole work does not.
                    None => {
                        (LandKind::MergeInsteadOfRebase, self.create_landing_merge(request, &tip, &tree)?)
                    }
                }
            }
            LandingStrategy::Merge => (LandKind::Merge, self.create_landing_merge(request, &tip, &tree)?),
        };
        self.plan_move(request, Some(tip), squashed.as_ref(), &to, kind)
    }

    /// Moves a branch that is not checked out anywhere as planned; creates it if it does not exist.
    pub fn land(&self, landing: &PlannedLanding) -> Result<LandingOutcome, RepoError> {
        if let Some(path) = self.worktree_of_branch(&landing.branch)? {
            return Ok(LandingOutcome::CheckedOut { path });
        }
        self.record_squash(landing)?;
        let moved = match &landing.from {
            Some(from) => self.move_branch(&landing.branch, from, &landing.to, "land"),
            None => self.create_ref(&branch_ref(&landing.branch), &landing.to, "land"),
        };
        match moved {
            Err(_) if self.branch_tip(&landing.branch)? != landing.from => Ok(LandingOutcome::BranchMoved),
            moved => moved.map(|()| LandingOutcome::Landed),
        }
    }

    /// Moves a branch as planned, together with the worktree in which it is checked out.
    ///
    /// Only the files of the landing are changed; other uncommitted, staged and untracked files stay as they are. If a
    /// crash interrupts it, the next attempt completes it: files that already have the new content do not block it.
    pub fn land_checked_out(
        &self,
        landing: &PlannedLanding,
        path: &Path,
    ) -> Result<LandingOutcome, RepoError> {
        if !self.has_checked_out(path, &landing.branch)? {
            return Ok(LandingOutcome::CheckedOut { path: path.to_owned() });
        }
        if self.branch_tip(&landing.branch)? != landing.from {
            return Ok(LandingOutcome::BranchMoved);
        }
        let CheckoutObstacles { blocking, already_written, included } =
            self.find_landing_obstacles(landing, path)?;
        if !blocking.is_empty() {
            return Ok(LandingOutcome::Dirty { files: blocking });
        }
        self.record_squash(landing)?;
        let git = self.user_checkout(path)?;
        if !already_written.is_empty() {
            let call = git.call(["update-index", "--add", "--remove", "-z", "--stdin"]);
            call.input(crate::git::nul_list(&already_written)).run()?;
        }
        write_files_of_commit(&git, &landing.to, &included)?;
        match fast_forward_checkout(&git, &landing.to) {
            Err(_) if self.branch_tip(&landing.branch)? != landing.from => Ok(LandingOutcome::BranchMoved),
            moved => moved.map(|()| LandingOutcome::Landed),
        }
    }

    /// Returns the files in a checkout of the branch that landing would overwrite.
    pub fn files_blocking_landing(
        &self,
        landing: &PlannedLanding,
        path: &Path,
    ) -> Result<Vec<PathBuf>, RepoError> {
        Ok(self.find_landing_obstacles(landing, path)?.blocking)
    }

    /// Tells whether the HEAD of a user's checkout is a branch. While a branch is being rebased, it is not.
    pub fn has_checked_out(&self, path: &Path, branch: &str) -> Result<bool, RepoError> {
        // Perhaps an agent has checked out the branch, or claims to have.
        let Ok(git) = self.user_checkout(path) else { return Ok(false) };
        let head = git.call(["symbolic-ref", "--quiet", "HEAD"]).run_accepting_codes(&[1, 128])?;
        Ok(head.trimmed_text() == branch_ref(branch) && is_working_tree(&git)?)
    }

    /// Tells whether tracked files of a user's checkout are changed, missing or staged.
    pub fn has_uncommitted_changes(&self, path: &Path) -> Result<bool, RepoError> {
        let git = self.user_checkout(path)?;
        if !is_working_tree(&git)? {
            return Ok(false);
        }
        let status = working_tree_status(&git, None)?;
        let has_changed = status.changed.iter().any(|file| !status.untracked.contains(file));
        Ok(has_changed || !status.missing.is_empty() || !status.staged.is_empty())
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

    fn plan_move(
        &self,
        request: &LandingRequest<'_>,
        from: Option<CommitId>,
        squashed: Option<&CommitId>,
        to: &CommitId,
        kind: LandKind,
    ) -> Result<LandingPlan, RepoError> {
        let source = request.commit.clone();
        let range = self.landed_range(from.as_ref(), &source, squashed);
        let counted = self.repository.git.call(["rev-list", "--count"]).args(range).run()?.trimmed_text();
        let tree = self.tree_of(to)?;
        Ok(LandingPlan::Move(PlannedLanding {
            branch: request.branch.to_owned(),
            files: self.changed_paths(from.as_ref(), to)?,
            has_new_tree: tree != self.tree_of(&source)?,
            from,
            to: to.clone(),
            source,
            kind,
            n_commits: counted.parse().unwrap_or(0),
            tree,
        }))
    }

    /// Returns the arguments that name the commits of the run that a branch lacks.
    fn landed_range(
        &self,
        tip: Option<&CommitId>,
        commit: &CommitId,
        squashed: Option<&CommitId>,
    ) -> Vec<String> {
        let excluded = tip.into_iter().chain(squashed).map(|commit| format!("^{commit}"));
        [commit.to_string()].into_iter().chain(excluded).collect()
    }

    /// Returns the commits of the run that a branch lacks, oldest first, without merge commits.
    fn commits_to_replay(
        &self,
        tip: &CommitId,
        commit: &CommitId,
        squashed: Option<&CommitId>,
    ) -> Result<Vec<CommitId>, RepoError> {
        let call = self.repository.git.call(["rev-list", "--reverse", "--topo-order", "--no-merges"]);
        let listed = call.args(self.landed_range(Some(tip), commit, squashed)).run()?.trimmed_text();
        Ok(listed.lines().filter_map(CommitId::parse).collect())
    }

    /// Merges the run's commit with the tip of a branch.
    ///
    /// If earlier work of the run was squashed into the branch, git does not know the common base: the merge starts from
    /// the squashed commit instead, by merging temporary commits that have it as their parent.
    fn merge_for_landing(
        &self,
        tip: &CommitId,
        commit: &CommitId,
        squashed: Option<&CommitId>,
    ) -> Result<MergeTreeResult, RepoError> {
        let git = &self.repository.git;
        let Some(base) = squashed else { return conflicts::merge_tree(git, tip, commit) };
        let child_of_base = |commit: &CommitId| {
            let tree = self.tree_of(commit)?;
            self.commit_tree(&tree, std::slice::from_ref(base), &GitIdentity::jangdan(), "side of a merge\n")
        };
        conflicts::merge_tree(git, &child_of_base(tip)?, &child_of_base(commit)?)
    }

    /// Returns the latest commit of the run whose work a squash commit brought into the history of `tip`.
    fn last_squashed_commit(&self, tip: &CommitId, commit: &CommitId) -> Result<Option<CommitId>, RepoError> {
        let prefix = squash_ref_prefix(&self.run_id);
        let listed = self
            .repository
            .git
            .call(["for-each-ref", "--format=%(refname:lstrip=4) %(objectname)", &prefix])
            .run()?
            .trimmed_text();
        let mut latest: Option<CommitId> = None;
        for line in listed.lines() {
            let Some((squash, source)) = line.split_once(' ') else { continue };
            let (Some(squash), Some(source)) = (CommitId::parse(squash), CommitId::parse(source)) else {
                continue;
            };
            // A squash commit that was never reached by a branch may have been removed.
            if find_commit(&self.repository.git, squash.as_str())?.is_none()
                || !self.is_ancestor(&squash, tip)?
                || !self.is_ancestor(&source, commit)?
            {
                continue;
            }
            let is_later = match &latest {
                Some(latest) => self.is_ancestor(latest, &source)?,
                None => true,
            };
            if is_later {
                latest = Some(source);
            }
        }
        Ok(latest)
    }

    /// Records for which commit of the run a squash commit or the last copied commit stands. Without effect until that
    /// is on a branch.
    fn record_squash(&self, landing: &PlannedLanding) -> Result<(), RepoError> {
        match landing.kind {
            LandKind::FastForward | LandKind::Merge | LandKind::MergeInsteadOfRebase => {
                return Ok(());
            }
            LandKind::Squash | LandKind::Rebase => {}
        }
        let name = squash_ref(&self.run_id, &landing.to);
        self.repository.git.call(["update-ref", name.as_str(), landing.source.as_str()]).run().map(drop)
    }

    fn find_landing_obstacles(
        &self,
        landing: &PlannedLanding,
        path: &Path,
    ) -> Result<CheckoutObstacles, RepoError> {
        let git = &self.repository.git;
        let included = match &landing.from {
            Some(from) => find_included_changes(git, from, &landing.source)?,
            None => None,
        };
        find_obstacles(&self.user_checkout(path)?, &landing.to, included.as_ref(), &landing.files)
    }

    fn changed_paths(&self, from: Option<&CommitId>, to: &CommitId) -> Result<Vec<PathBuf>, RepoError> {
        let git = &self.repository.git;
        let call = match from {
            Some(from) => git
                .call(["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-ext-diff"])
                .arg(from.as_str()),
            None => git.call(["ls-tree", "-r", "-z", "--name-only", "--full-tree"]),
        };
        Ok(call.arg(to.as_str()).run()?.paths().collect())
    }
}

fn is_working_tree(git: &GitClient) -> Result<bool, RepoError> {
    let answer = git.call(["rev-parse", "--is-inside-work-tree"]).run_accepting_codes(&[128])?;
    Ok(answer.trimmed_text() == "true")
}

/// Fast-forwards the branch of a checkout. Settings of the repository that change how `git merge` works are overridden.
fn fast_forward_checkout(git: &GitClient, to: &CommitId) -> Result<(), RepoError> {
    let options = [
        "merge",
        "--quiet",
        "--ff-only",
        "--no-squash",
        "--no-overwrite-ignore",
        "--no-stat",
        "--no-autostash",
        "--no-verify-signatures",
    ];
    git.call(options).arg(to.as_str()).env("GIT_REFLOG_ACTION", "jangdan: land").run().map(drop)
}
