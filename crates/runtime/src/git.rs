//! Git operations of a run: worktrees, checkpoints and merges; landing and changes in their own files.
//!
//! One operation runs at a time. Checks run between operations, so that a long check does not block the others.

mod changes;
mod landing;

use std::{
    collections::BTreeSet,
    error::Error,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use domain::{CleanupReport, LargeFile, PhaseNumber, RefCleanupReport, RunId, SessionId, TaskId};
use engine::MergedCommits;
use repo::{
    CommitId, CommitOptions, DetachedWorktree, EntryKind, GitIdentity, GitOptions, MergeAttempt,
    RefPruneOptions, RepoError, Repository, RunRepository, TaskWorktree, TipRecord, UntrackedFileRules,
    WorktreeSnapshot,
};
use tracing::warn;

use crate::{
    commit_style::{CommitStyle, CommittedTask},
    environment::{Isolation, RunEnvironment},
};

/// Returns the version of the installed git.
pub fn installed_git_version() -> Result<String, RepoError> {
    repo::installed_git_version(&GitOptions::from_environment())
}

/// Which changes of a phase a diff has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhaseDiffScope {
    /// Changes of all its merged tasks.
    All,
    /// Those since the last round of its gate that failed or was rejected.
    SinceRejection,
}

/// The work of a task that is committed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommittedWork<'a> {
    pub(crate) task: &'a TaskId,
    pub(crate) title: &'a str,
    /// Name of the agent.
    pub(crate) author: &'a str,
    /// Files above the size limit that it has.
    pub(crate) large_files: &'a [LargeFile],
}

/// The work of a task whose check starts.
#[derive(Debug)]
pub(crate) struct WorkToCheck {
    pub(crate) directory: PathBuf,
    pub(crate) tree: String,
    /// `None` if it cannot be committed.
    pub(crate) commit: Option<CommitId>,
    /// Files above the size limit that it does not have.
    pub(crate) large_files: Vec<LargeFile>,
}

/// The last failure of creating a worktree, which is logged once.
#[derive(Debug, Default)]
struct LoggedFailure(Option<String>);

/// Git operations of a run. Clones share the same locks.
#[derive(Debug, Clone)]
pub(crate) struct RunGit {
    run: RunRepository,
    target: Option<String>,
    base: String,
    style: CommitStyle,
    /// Held during each operation.
    lock: Arc<Mutex<LoggedFailure>>,
    /// Held while a merged tree is checked, since a run has one worktree for that.
    check_worktree_lock: Arc<Mutex<()>>,
}

impl RunGit {
    /// Opens the repository of a run; `None` if the run works in the project's folder.
    pub(crate) fn open(
        data: &Path,
        run: &RunId,
        environment: &RunEnvironment,
    ) -> Result<Option<Self>, RepoError> {
        let Isolation::Worktrees { base, target } = &environment.isolation else { return Ok(None) };
        let mut repository = Repository::discover(&environment.project, &GitOptions::from_environment())?;
        repository.with_submodules = environment.submodules;
        repository.untracked_files = UntrackedFileRules {
            caches: environment.caches.clone(),
            bytes_max: environment.max_file_bytes,
            large_files: Vec::new(),
        };
        let run = repository.open_run(run, &data.join("worktrees"))?;
        Ok(Some(Self {
            run,
            target: target.clone(),
            base: base.clone(),
            style: environment.commit.clone(),
            lock: Arc::default(),
            check_worktree_lock: Arc::default(),
        }))
    }

    /// Creates the run's branch if necessary, and repairs worktrees after a crash.
    ///
    /// From then on the branch must be where the merges of the log left it, and where this handle moves it.
    pub(crate) fn recover(&mut self, merges: &[MergedCommits], folder: &Path) -> Result<(), RepoError> {
        let lock = Arc::clone(&self.lock);
        let _lock = lock.lock().unwrap_or_else(PoisonError::into_inner);
        let base = self.run.repository.resolve_commit(&self.base)?;
        let found = self.run.create_run_branch(&base)?;
        if let Some(recorded) = last_merge(merges, base) {
            let record = TipRecord::new(recorded, &found, folder.join("next-tip"));
            self.run.tip_record = Some(Arc::new(record));
        }
        // The next operation on a worktree that could not be repaired reports the error.
        for (task, error) in self.run.recover_worktrees().failed {
            warn!(%task, error = &error as &dyn Error, "cannot repair a worktree");
        }
        Ok(())
    }

    /// Returns the worktree of a task, which is created if necessary, and whether it is new.
    pub(crate) fn create_worktree(&self, task: &TaskId) -> Result<(TaskWorktree, bool), RepoError> {
        let mut logged = self.lock();
        if let Some(worktree) = self.run.open_worktree(task) {
            return Ok((worktree, false));
        }
        let created = self.run.create_worktree(task);
        // Repeated while the disk is full.
        let failure = created.as_ref().err().map(|error| format!("{task}: {error}"));
        if let (Err(error), true) = (&created, failure != logged.0) {
            let free_bytes = repo::free_disk_bytes(&self.run.worktrees_folder);
            warn!(run = %self.run.run_id, %task, free_bytes, error = error as &dyn Error, "cannot create the worktree");
        }
        logged.0 = failure;
        Ok((created?, true))
    }

    /// Returns the worktree of a task, if it exists.
    pub(crate) fn find_worktree(&self, task: &TaskId) -> Option<TaskWorktree> {
        let _lock = self.lock();
        self.run.open_worktree(task)
    }

    /// Returns the tasks that have a worktree.
    pub(crate) fn tasks_with_worktrees(&self) -> Vec<TaskId> {
        let _lock = self.lock();
        self.run.tasks_with_worktrees()
    }

    /// Removes the folders ignored by git in a task's worktree, and returns the bytes freed.
    pub(crate) fn remove_ignored_folders(&self, task: &TaskId) -> Result<u64, RepoError> {
        let _lock = self.lock();
        self.run.open_worktree(task).map_or(Ok(0), |worktree| self.run.remove_ignored_folders(&worktree))
    }

    /// Removes the worktree of a task if all of it is merged, and returns the bytes freed.
    pub(crate) fn remove_worktree_if_merged(&self, task: &TaskId) -> Result<Option<u64>, RepoError> {
        let _lock = self.lock();
        self.run
            .open_worktree(task)
            .map_or(Ok(None), |worktree| self.run.remove_worktree_if_merged(&worktree))
    }

    /// Returns the worktree of a session without a task, which is created at the tip of the run's branch if necessary,
    /// and whether it is new.
    pub(crate) fn create_session_worktree(&self, session: SessionId) -> Result<(PathBuf, bool), RepoError> {
        let _lock = self.lock();
        let tip = self.run.run_tip()?;
        let worktree = self.run.create_session_worktree(&session.to_string(), &tip)?;
        Ok((worktree.path, worktree.is_new))
    }

    /// Returns the sessions that have their own worktree.
    pub(crate) fn sessions_with_worktrees(&self) -> Vec<SessionId> {
        let _lock = self.lock();
        self.run.session_worktree_names().iter().filter_map(|name| name.parse().ok()).collect()
    }

    /// Removes the worktree of a session after saving its content in git, and returns the bytes freed.
    pub(crate) fn remove_session_worktree(&self, session: SessionId) -> Result<u64, RepoError> {
        let _lock = self.lock();
        let name = session.to_string();
        let bytes = repo::disk_usage(&self.run.session_worktree_path(&name));
        self.run.remove_session_worktree(&name)?;
        Ok(bytes)
    }

    /// Returns the files that a task has changed so far; `None` if it has no worktree. Does not take the lock.
    pub(crate) fn changed_files(&self, task: &TaskId) -> Option<Result<BTreeSet<PathBuf>, RepoError>> {
        self.run.open_worktree(task).map(|worktree| self.run.changed_files(&worktree))
    }

    /// Saves the content of a task's worktree as a commit, of the files above the size limit only these.
    pub(crate) fn snapshot_worktree(
        &self,
        task: &TaskId,
        label: &str,
        large_files: &[LargeFile],
    ) -> Result<WorktreeSnapshot, RepoError> {
        let _lock = self.lock();
        let worktree = self.run.create_worktree(task)?.with_large_files(large_files);
        self.run.snapshot_worktree(&worktree, label, &[])
    }

    /// Resets the worktree of a task to a commit, or to the tip of the run's branch.
    pub(crate) fn restore_worktree(&self, task: &TaskId, commit: Option<&str>) -> Result<(), RepoError> {
        let _lock = self.lock();
        let worktree = self.run.create_worktree(task)?;
        let target = match commit.and_then(CommitId::parse) {
            Some(commit) => commit,
            None => self.run.run_tip()?,
        };
        self.run.restore_worktree(&worktree, &target, &[]).map(drop)
    }

    /// Commits the work of a task before its check.
    ///
    /// Work that cannot be committed, such as unresolved conflicts, is checked too, without a commit: its merge reports
    /// the reason.
    pub(crate) fn commit_for_check(&self, work: &CommittedWork<'_>) -> Result<WorkToCheck, RepoError> {
        let _lock = self.lock();
        let worktree = self.open_work(work)?;
        let commit = match self.commit_work(&worktree, work) {
            Ok(commit) => Some(commit),
            Err(RepoError::UnresolvedConflicts { .. } | RepoError::HeadDiverged { .. }) => None,
            Err(error) => return Err(error),
        };
        if let Some(commit) = &commit {
            self.run.preserve_task_commit(work.task, commit)?;
        }
        let snapshot = self.run.snapshot_worktree(&worktree, "to be checked", &[])?;
        let tree = commit.as_ref().map_or(Ok(snapshot.tree), |commit| self.run.tree_of(commit))?;
        Ok(WorkToCheck { directory: worktree.path, tree, commit, large_files: snapshot.large_files })
    }

    /// Records what the check of a task left behind in its worktree, and returns the paths. `tree` is the tree that was
    /// checked, and `large_files` the files above the size limit that were there.
    pub(crate) fn record_check_leftovers(
        &self,
        task: &TaskId,
        tree: &str,
        large_files: &[LargeFile],
    ) -> Result<Vec<PathBuf>, RepoError> {
        let _lock = self.lock();
        let Some(worktree) = self.run.open_worktree(task) else { return Ok(Vec::new()) };
        self.run.record_check_leftovers(&worktree, tree, large_files)
    }

    /// Records what the set-up of a task's worktree left behind, like [`Self::record_check_leftovers`].
    pub(crate) fn record_setup_leftovers(
        &self,
        task: &TaskId,
        tree: &str,
        large_files: &[LargeFile],
    ) -> Result<(), RepoError> {
        let _lock = self.lock();
        let Some(worktree) = self.run.open_worktree(task) else { return Ok(()) };
        self.run.record_setup_leftovers(&worktree, tree, large_files)
    }

    /// Merges the checked commit of a task with the run's branch without moving it. Without a checked commit, commits
    /// the work of the task first.
    pub(crate) fn try_merge(
        &self,
        work: &CommittedWork<'_>,
        checked: Option<&str>,
    ) -> Result<MergeAttempt, RepoError> {
        let _lock = self.lock();
        let commit = match checked {
            Some(commit) => self.run.repository.resolve_commit(commit)?,
            None => self.commit_work(&self.open_work(work)?, work)?,
        };
        let task = work.task;
        let (author, message) = self.describe_commit(work);
        // The message of the task's commit when the merge becomes one.
        let message = if self.style.is_squashed { message } else { format!("Merge task {task}\n") };
        self.run.merge_commit(&commit, &author, &message)
    }

    fn open_work(&self, work: &CommittedWork<'_>) -> Result<TaskWorktree, RepoError> {
        Ok(self.run.create_worktree(work.task)?.with_large_files(work.large_files))
    }

    fn commit_work(&self, worktree: &TaskWorktree, work: &CommittedWork<'_>) -> Result<CommitId, RepoError> {
        let (author, message) = self.describe_commit(work);
        let options = CommitOptions { author, message, excluded: Vec::new() };
        self.run.mark_resolved_if_no_markers(worktree)?;
        self.run.commit_work(worktree, &options)
    }

    /// Returns the author and the message of a commit with the work of a task.
    fn describe_commit(&self, work: &CommittedWork<'_>) -> (GitIdentity, String) {
        let CommittedWork { task, title, author: agent, .. } = *work;
        self.style.describe(&CommittedTask { run: &self.run.run_id, task, title, agent })
    }

    /// Checks out a commit in the worktree for checks of merged trees.
    pub(crate) fn create_check_worktree(&self, commit: &CommitId) -> Result<DetachedWorktree, RepoError> {
        let _lock = self.lock();
        self.run.create_check_worktree(commit)
    }

    /// Returns the path of the worktree for checks of merged trees.
    pub(crate) fn check_worktree_path(&self) -> PathBuf {
        self.run.check_worktree_path()
    }

    /// Removes the worktree for checks of merged trees unless it is in use, and returns the bytes freed.
    pub(crate) fn remove_check_worktree(&self) -> Result<u64, RepoError> {
        let Ok(_check) = self.check_worktree_lock.try_lock() else { return Ok(0) };
        let _lock = self.lock();
        let bytes = repo::disk_usage(&self.run.check_worktree_path());
        self.run.remove_check_worktree()?;
        Ok(bytes)
    }

    /// Reserves the worktree for checks of merged trees until the guard is dropped.
    pub(crate) fn lock_check_worktree(&self) -> MutexGuard<'_, ()> {
        self.check_worktree_lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what a path of a commit is, `None` if the commit does not have it.
    pub(crate) fn entry_kind(&self, commit: &CommitId, path: &Path) -> Result<Option<EntryKind>, RepoError> {
        let _lock = self.lock();
        self.run.entry_kind(commit, path)
    }

    /// Returns the files of a commit that match a pattern.
    pub(crate) fn files_matching(&self, commit: &CommitId, pattern: &str) -> Result<Vec<PathBuf>, RepoError> {
        let _lock = self.lock();
        self.run.files_matching(commit, pattern)
    }

    /// Moves the run's branch to a checked merge.
    pub(crate) fn advance_run_branch(&self, from: &CommitId, to: &CommitId) -> Result<(), RepoError> {
        let _lock = self.lock();
        self.run.advance_run_branch(from, to)
    }

    /// Merges the tip of the run's branch into a task's worktree, so that its agent can resolve conflicts.
    pub(crate) fn merge_run_into_worktree(&self, task: &TaskId) -> Result<(), RepoError> {
        let _lock = self.lock();
        let worktree = self.run.create_worktree(task)?;
        self.run.merge_run_into_worktree(&worktree)
    }

    /// Returns the tree of a commit.
    pub(crate) fn tree_of(&self, commit: &CommitId) -> Result<String, RepoError> {
        let _lock = self.lock();
        self.run.tree_of(commit)
    }

    /// Returns the tip of the run's branch, and its tree.
    pub(crate) fn run_branch_tip(&self) -> Result<(CommitId, String), RepoError> {
        let _lock = self.lock();
        let tip = self.run.run_tip()?;
        let tree = self.run.tree_of(&tip)?;
        Ok((tip, tree))
    }

    /// Records the commit that the gate of a phase examined.
    pub(crate) fn record_gate(&self, phase: PhaseNumber, commit: &CommitId) -> Result<(), RepoError> {
        let _lock = self.lock();
        self.run.record_gate_commit(phase, commit)
    }

    /// Removes the worktrees of tasks and sessions, except those for which there is a reason to keep them.
    pub(crate) fn remove_finished_worktrees(
        &self,
        reason_to_keep_task: impl Fn(&TaskId) -> Option<String>,
        reason_to_keep_session: impl Fn(SessionId) -> Option<String>,
    ) -> CleanupReport {
        let mut report = CleanupReport::default();
        for session in self.sessions_with_worktrees() {
            let removed = match reason_to_keep_session(session) {
                Some(reason) => Err(reason),
                None => self.remove_session_worktree(session).map(drop).map_err(|error| error.to_string()),
            };
            match removed {
                Ok(()) => report.removed_sessions.push(session),
                Err(reason) => report.kept_sessions.push((session, reason)),
            }
        }
        let _lock = self.lock();
        for worktree in self.run.recover_worktrees().ready {
            let task = worktree.task.clone();
            let removed = match reason_to_keep_task(&task) {
                Some(reason) => Err(reason),
                None => self.run.remove_worktree(&worktree, &[]).map_err(|error| error.to_string()),
            };
            match removed {
                Ok(()) => report.removed_tasks.push(task),
                Err(reason) => report.kept_tasks.push((task, reason)),
            }
        }
        report
    }

    /// Deletes branches and refs of the ended run whose work is elsewhere, saved states of at least this age, and the
    /// oldest saved states above this size.
    pub(crate) fn delete_refs(
        &self,
        max_age_ms: Option<u64>,
        max_bytes: Option<u64>,
    ) -> Result<RefCleanupReport, RepoError> {
        let _lock = self.lock();
        let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let now_s = since_epoch.map_or(0, |since| since.as_secs());
        let linear_base = match self.style.is_squashed {
            true => Some(self.run.repository.resolve_commit(&self.base)?),
            false => None,
        };
        let options = RefPruneOptions {
            now_s,
            max_age_s: max_age_ms.map(|age| age / 1000),
            max_bytes,
            target: self.target.as_deref(),
            linear_base: linear_base.as_ref(),
        };
        self.run.prune_refs(options)
    }

    fn lock(&self) -> MutexGuard<'_, LoggedFailure> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the commit at which merges left the branch that began at `base`: the one that no other merge has as its
/// parent. `None` if the log, of an earlier version, does not tell.
fn last_merge(merges: &[MergedCommits], base: CommitId) -> Option<CommitId> {
    let is_last =
        |commit: &MergedCommits| merges.iter().all(|other| other.onto != commit.commit || other == commit);
    let mut last: Vec<_> = merges.iter().filter(|merge| is_last(merge)).map(|merge| &merge.commit).collect();
    last.dedup();
    match last.as_slice() {
        [] if merges.is_empty() => Some(base),
        [commit] => CommitId::parse(commit),
        _ => None,
    }
}
