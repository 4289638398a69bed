//! What a run does with git, a step at a time: worktrees, checkpoints, merges, landing.
//!
//! Short steps take turns; checks run in between, so that a long one holds nobody up.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use domain::{PhaseNumber, RunId, SessionId, TaskId};
use repo::{
    CommitId, CommitOptions, DetachedWorktree, GitIdentity, GitOptions, LandingOutcome, MergeAttempt,
    RepoError, Repository, RunRepository, TaskWorktree, WorktreeSnapshot,
};
use serde::{Deserialize, Serialize};
use views::{TaskState, Views};

use crate::outfit::{Isolation, Outfit};

/// What came of bringing a run's work onto its branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Landed {
    /// The branch has it now.
    Landed {
        /// The branch.
        branch: String,
        /// The new commit of the branch.
        commit: String,
        /// Its previous commit, if it had one.
        from: Option<String>,
        /// Number of commits that the branch gained.
        n_commits: u32,
    },
    /// The branch had it before.
    Already {
        /// The branch.
        branch: String,
    },
    /// The branch is checked out; it is moved when somebody asks for it.
    CheckedOut {
        /// The branch.
        branch: String,
        /// Where.
        #[cfg_attr(feature = "openapi", schema(value_type = String))]
        path: PathBuf,
    },
    /// The branch has commits that the run has not.
    Diverged {
        /// The branch.
        branch: String,
        /// Where it is.
        tip: String,
    },
    /// The tree in which it is checked out has changes that were not committed.
    Dirty {
        /// The branch.
        branch: String,
        /// The files.
        #[cfg_attr(feature = "openapi", schema(value_type = Vec<String>))]
        files: Vec<PathBuf>,
    },
    /// No phase has passed its gate, so there is nothing that anybody approved.
    NotApproved {
        /// The branch that has what is merged.
        branch: String,
    },
    /// Nobody was on a branch when the run began; its own branch has the work.
    NoTarget {
        /// The run's branch.
        branch: String,
    },
}

/// How much is landed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Land {
    /// All that is merged.
    All,
    /// What the gates of these phases have let pass.
    Approved(Vec<PhaseNumber>),
}

impl Landed {
    /// Says why the branch has not got it, and what to do; nothing where it has.
    pub fn missing(&self) -> Option<String> {
        match self {
            Self::Landed { .. } | Self::Already { .. } | Self::NoTarget { .. } => None,
            Self::NotApproved { branch } => Some(format!(
                "no phase has passed its gate yet: approve one, or land all of {branch} with `jangdan land --all`"
            )),
            Self::CheckedOut { branch, path } => Some(format!(
                "{branch} is checked out in {}: bring it there with `jangdan land`",
                path.display()
            )),
            Self::Diverged { branch, tip } => Some(format!(
                "{branch} has commits of its own ({tip}): merge it with the run's branch by hand"
            )),
            Self::Dirty { branch, files } => Some(format!(
                "{branch} is checked out with {} uncommitted files: commit them, then `jangdan land`",
                files.len()
            )),
        }
    }
}

/// What was removed, and what was not.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Cleaned {
    /// Tasks whose worktrees are gone.
    pub removed: Vec<TaskId>,
    /// Tasks whose worktrees stay, and why.
    pub left: Vec<(TaskId, String)>,
    /// Sessions without a task whose worktrees are gone.
    #[serde(default)]
    pub desks_removed: Vec<SessionId>,
    /// Sessions without a task whose worktrees stay, and why.
    #[serde(default)]
    pub desks_left: Vec<(SessionId, String)>,
}

/// A run's git, shared by all who work for it.
#[derive(Debug, Clone)]
pub struct Git {
    run: RunRepository,
    target: Option<String>,
    base: String,
    turn: Arc<Mutex<()>>,
    /// Whoever checks a merged tree has the room for it to themselves.
    room: Arc<Mutex<()>>,
}

impl Git {
    /// Opens the git of a run; nothing where it works in place.
    pub fn open(data: &Path, run: &RunId, outfit: &Outfit) -> Result<Option<Self>, RepoError> {
        let Isolation::Worktrees { base, target } = &outfit.isolation else { return Ok(None) };
        let mut repository = Repository::discover(&outfit.project, &GitOptions::from_environment())?;
        repository.with_submodules = outfit.submodules;
        let run = repository.open_run(run, &data.join("worktrees"))?;
        Ok(Some(Self {
            run,
            target: target.clone(),
            base: base.clone(),
            turn: Arc::default(),
            room: Arc::default(),
        }))
    }

    /// Makes the run's branch, and undoes what a crash left half done.
    pub fn begin(&self) -> Result<(), RepoError> {
        let _turn = self.turn();
        let base = self.run.repository.resolve_commit(&self.base)?;
        self.run.create_run_branch(&base)?;
        // What could not be undone is told of by whoever needs that worktree.
        drop(self.run.recover_worktrees());
        Ok(())
    }

    /// Returns a task's worktree, and whether it is new.
    pub fn worktree(&self, task: &TaskId) -> Result<(TaskWorktree, bool), RepoError> {
        let _turn = self.turn();
        if let Some(worktree) = self.run.open_worktree(task) {
            return Ok((worktree, false));
        }
        Ok((self.run.create_worktree(task)?, true))
    }

    /// Returns a task's worktree, if it is there.
    pub fn existing(&self, task: &TaskId) -> Option<TaskWorktree> {
        let _turn = self.turn();
        self.run.open_worktree(task)
    }

    /// Returns the tasks that have a worktree.
    pub fn tasks_with_worktrees(&self) -> Vec<TaskId> {
        let _turn = self.turn();
        self.run.tasks_with_worktrees()
    }

    /// Removes the folders that git ignores in a task's worktree, and returns how many bytes that gives back.
    pub fn drop_ignored(&self, task: &TaskId) -> Result<u64, RepoError> {
        let _turn = self.turn();
        self.run.open_worktree(task).map_or(Ok(0), |worktree| self.run.remove_ignored_folders(&worktree))
    }

    /// Removes a task's worktree if all of it is merged, and returns how many bytes that gives back.
    pub fn remove_merged(&self, task: &TaskId) -> Result<Option<u64>, RepoError> {
        let _turn = self.turn();
        self.run
            .open_worktree(task)
            .map_or(Ok(None), |worktree| self.run.remove_worktree_if_merged(&worktree))
    }

    /// Returns a place for somebody who works at no task of the plan: the run's branch, checked out. And whether it is
    /// new.
    pub fn desk(&self, session: SessionId) -> Result<(PathBuf, bool), RepoError> {
        let _turn = self.turn();
        let tip = self.run.run_tip()?;
        let desk = self.run.create_session_worktree(&session.to_string(), &tip)?;
        Ok((desk.path, desk.is_new))
    }

    /// Returns the sessions that have such a place.
    pub fn desks(&self) -> Vec<SessionId> {
        let _turn = self.turn();
        self.run.session_worktrees().iter().filter_map(|name| name.parse().ok()).collect()
    }

    /// Removes a session's place after keeping what was written there, and returns how many bytes that gives back.
    pub fn remove_desk(&self, session: SessionId) -> Result<u64, RepoError> {
        let _turn = self.turn();
        let name = session.to_string();
        let bytes = repo::disk_usage(&self.run.session_worktree_path(&name));
        self.run.remove_session_worktree(&name)?;
        Ok(bytes)
    }

    /// Returns the files that a task has changed so far; nothing where it has no worktree. Waits for nobody's turn.
    pub fn changed_files(&self, task: &TaskId) -> Option<Result<BTreeSet<PathBuf>, RepoError>> {
        self.run.open_worktree(task).map(|worktree| self.run.changed_files(&worktree))
    }

    /// Keeps everything in a task's worktree.
    pub fn keep(&self, task: &TaskId, label: &str) -> Result<WorktreeSnapshot, RepoError> {
        let _turn = self.turn();
        let worktree = self.run.create_worktree(task)?;
        self.run.snapshot_worktree(&worktree, label, &[])
    }

    /// Brings a task's worktree back to a commit, or to where its run began.
    pub fn restore(&self, task: &TaskId, commit: Option<&str>) -> Result<(), RepoError> {
        let _turn = self.turn();
        let worktree = self.run.create_worktree(task)?;
        let to = match commit.and_then(CommitId::parse) {
            Some(commit) => commit,
            None => self.run.run_tip()?,
        };
        self.run.restore_worktree(&worktree, &to, &[]).map(drop)
    }

    /// Returns the tree that a task's worktree is now, and where it is.
    pub fn tree(&self, task: &TaskId) -> Result<(PathBuf, String), RepoError> {
        let _turn = self.turn();
        let worktree = self.run.create_worktree(task)?;
        let kept = self.run.snapshot_worktree(&worktree, "to be checked", &[])?;
        Ok((worktree.path, kept.tree))
    }

    /// Commits what a task's agent left, and tries the merge. No branch of the run moves.
    pub fn try_merge(&self, task: &TaskId, author: &str, message: String) -> Result<MergeAttempt, RepoError> {
        let _turn = self.turn();
        let worktree = self.run.create_worktree(task)?;
        let author = GitIdentity { name: author.to_owned(), email: GitIdentity::jangdan().email };
        let work = CommitOptions { author: author.clone(), message, excluded: Vec::new() };
        self.run.mark_conflicts_resolved(&worktree)?;
        self.run.commit_work(&worktree, &work)?;
        self.run.merge_task(task, &author)
    }

    /// Checks a commit out where merged trees are checked.
    pub fn scratch(&self, commit: &CommitId) -> Result<DetachedWorktree, RepoError> {
        let _turn = self.turn();
        self.run.create_check_worktree(commit)
    }

    /// Returns where merged trees are checked.
    pub fn scratch_path(&self) -> PathBuf {
        self.run.check_worktree_path()
    }

    /// Removes the room in which merged trees are checked, unless one is checked just now. Returns how many bytes that
    /// gives back.
    pub fn remove_scratch(&self) -> Result<u64, RepoError> {
        let Ok(_room) = self.room.try_lock() else { return Ok(0) };
        let _turn = self.turn();
        let bytes = repo::disk_usage(&self.run.check_worktree_path());
        self.run.remove_check_worktree()?;
        Ok(bytes)
    }

    /// Takes the room in which merged trees are checked, as long as what is returned lives.
    pub fn checking(&self) -> MutexGuard<'_, ()> {
        self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the files of a commit that a pattern names.
    pub fn files_matching(&self, commit: &CommitId, pattern: &str) -> Result<Vec<PathBuf>, RepoError> {
        let _turn = self.turn();
        self.run.files_matching(commit, pattern)
    }

    /// Moves the run's branch onto a merge that was checked.
    pub fn advance(&self, from: &CommitId, to: &CommitId) -> Result<(), RepoError> {
        let _turn = self.turn();
        self.run.advance_run_branch(from, to)
    }

    /// Brings the run's tip into a task's worktree, so that its agent sees what it does not go together with.
    pub fn bring_tip(&self, task: &TaskId) -> Result<(), RepoError> {
        let _turn = self.turn();
        let worktree = self.run.create_worktree(task)?;
        self.run.merge_run_into_worktree(&worktree)
    }

    /// Returns the tree of a commit.
    pub fn tree_of(&self, commit: &CommitId) -> Result<String, RepoError> {
        let _turn = self.turn();
        self.run.tree_of(commit)
    }

    /// Returns the tip of the run's branch, and its tree.
    pub fn tip(&self) -> Result<(CommitId, String), RepoError> {
        let _turn = self.turn();
        let tip = self.run.run_tip()?;
        let tree = self.run.tree_of(&tip)?;
        Ok((tip, tree))
    }

    /// Remembers what a phase's gate has looked at.
    pub fn mark_gate(&self, phase: PhaseNumber, commit: &CommitId) -> Result<(), RepoError> {
        let _turn = self.turn();
        self.run.record_gate(phase, commit)
    }

    /// Moves the branch that the run lands on, where it is checked out nowhere.
    pub fn land(&self, what: &Land) -> Result<Landed, RepoError> {
        let _turn = self.turn();
        let Some(branch) = self.target.clone() else {
            return Ok(Landed::NoTarget { branch: self.run.run_branch() });
        };
        let Some(commit) = self.to_land(what)? else {
            return Ok(Landed::NotApproved { branch: self.run.run_branch() });
        };
        Ok(landed(branch.clone(), &commit, self.run.land(&branch, &commit)?))
    }

    /// Moves it also where it is checked out, if nothing there is uncommitted.
    pub fn land_asked(&self, what: &Land) -> Result<Landed, RepoError> {
        let landed_first = self.land(what)?;
        let Landed::CheckedOut { branch, path } = landed_first else { return Ok(landed_first) };
        let _turn = self.turn();
        let Some(commit) = self.to_land(what)? else {
            return Ok(Landed::NotApproved { branch: self.run.run_branch() });
        };
        Ok(landed(branch.clone(), &commit, self.run.land_checked_out(&branch, &commit, &path)?))
    }

    fn to_land(&self, what: &Land) -> Result<Option<CommitId>, RepoError> {
        match what {
            Land::All => self.run.run_tip().map(Some),
            Land::Approved(phases) if phases.is_empty() => Ok(None),
            // A gate that looked before it was remembered what at let all pass.
            Land::Approved(phases) => match self.run.latest_gate(phases)? {
                Some(commit) => Ok(Some(commit)),
                None => self.run.run_tip().map(Some),
            },
        }
    }

    /// Returns what a task has changed since it left the run's branch.
    pub fn diff(&self, task: &TaskId) -> Result<String, RepoError> {
        let _turn = self.turn();
        self.run.task_diff(task)
    }

    /// Removes the worktrees of tasks and sessions that are over.
    pub fn clean(&self, views: &Views) -> Cleaned {
        let mut cleaned = Cleaned::default();
        for session in self.desks() {
            let is_over = views.rows().sessions.get(&session).is_none_or(|row| row.ended_at.is_some());
            let removed = if is_over {
                self.remove_desk(session).map(drop).map_err(|error| error.to_string())
            } else {
                Err("somebody works there".to_owned())
            };
            match removed {
                Ok(()) => cleaned.desks_removed.push(session),
                Err(why) => cleaned.desks_left.push((session, why)),
            }
        }
        let _turn = self.turn();
        for worktree in self.run.recover_worktrees().ready {
            let task = worktree.task.clone();
            let is_over = views.rows().tasks.get(&task).is_none_or(|row| {
                matches!(
                    row.state,
                    TaskState::Done | TaskState::Failed | TaskState::Skipped | TaskState::Cancelled
                )
            });
            if !is_over {
                cleaned.left.push((task, "it is not over".to_owned()));
                continue;
            }
            match self.run.remove_worktree(&worktree, &[]) {
                Ok(()) => cleaned.removed.push(task),
                Err(error) => cleaned.left.push((task, error.to_string())),
            }
        }
        cleaned
    }

    fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn landed(branch: String, tip: &CommitId, landing: LandingOutcome) -> Landed {
    match landing {
        LandingOutcome::Landed { from, n_commits } => Landed::Landed {
            branch,
            commit: tip.to_string(),
            from: from.map(|from| from.to_string()),
            n_commits,
        },
        LandingOutcome::AlreadyLanded => Landed::Already { branch },
        LandingOutcome::CheckedOut { path } => Landed::CheckedOut { branch, path },
        LandingOutcome::Diverged { tip } => Landed::Diverged { branch, tip: tip.to_string() },
        LandingOutcome::Dirty { files } => Landed::Dirty { branch, files },
    }
}
