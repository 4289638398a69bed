//! Which worktrees are in use and which belong to ended tasks and sessions. Decides which ones may be removed.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use domain::{RunId, SessionId, TaskId};

use crate::{environment::RunEnvironment, git::RunGit, host::ENDED_MARKER};

/// Worktrees of all active runs.
#[derive(Default)]
pub(crate) struct WorktreeRegistry {
    state: Mutex<RegistryState>,
}

#[derive(Default)]
struct RegistryState {
    /// Tasks whose worktrees are in use, by session.
    leases: BTreeMap<(RunId, SessionId), TaskId>,
    runs: BTreeMap<RunId, ActiveRunWorktrees>,
}

impl RegistryState {
    fn worktrees_of(&mut self, run: &RunId, git: &RunGit) -> &mut ActiveRunWorktrees {
        self.runs.entry(run.clone()).or_insert_with(|| ActiveRunWorktrees {
            git: git.clone(),
            tasks: BTreeMap::new(),
            sessions: BTreeSet::new(),
        })
    }
}

/// Ended tasks and sessions of an active run.
#[derive(Clone)]
struct ActiveRunWorktrees {
    git: RunGit,
    /// Ended tasks, and whether each is done.
    tasks: BTreeMap<TaskId, bool>,
    /// Ended sessions without a task.
    sessions: BTreeSet<SessionId>,
}

impl ActiveRunWorktrees {
    /// Returns the ended sessions without a task that still have a worktree.
    fn ended_sessions(&self) -> Vec<SessionId> {
        let sessions = self.git.sessions_with_worktrees().into_iter();
        sessions.filter(|session| self.sessions.contains(session)).collect()
    }
}

/// Worktrees of a run that may be removed.
pub(super) struct RemovalCandidates {
    pub(super) run: RunId,
    pub(super) git: RunGit,
    /// Whether the run has ended and is not active.
    pub(super) has_ended: bool,
    /// Ended tasks, and whether each is merged according to the run; git decides.
    pub(super) tasks: Vec<(TaskId, bool)>,
    /// Ended sessions without a task.
    pub(super) sessions: Vec<SessionId>,
}

impl RemovalCandidates {
    /// Tells whether a worktree is a candidate, by the part of its folder's name after the run.
    pub(super) fn contains(&self, worktree: &str) -> bool {
        let is_task = |task: TaskId| self.tasks.iter().any(|(other, _)| *other == task);
        TaskId::from_file_name(worktree).is_ok_and(is_task)
            || worktree
                .strip_prefix("desk-")
                .and_then(|name| name.parse().ok())
                .is_some_and(|session| self.sessions.contains(&session))
    }
}

impl WorktreeRegistry {
    /// Marks the worktree of a task as used by a session until the lease is dropped.
    pub(crate) fn lease(&self, run: &RunId, session: SessionId, task: &TaskId) -> WorktreeLease<'_> {
        let key = (run.clone(), session);
        self.state().leases.insert(key.clone(), task.clone());
        WorktreeLease { registry: self, key }
    }

    /// Marks the worktree of a task as in use, because the task is worked on again.
    pub(crate) fn reclaim(&self, run: &RunId, task: &TaskId) {
        if let Some(worktrees) = self.state().runs.get_mut(run) {
            worktrees.tasks.remove(task);
        }
    }

    /// Adds an active run, so that its worktrees count as in use.
    pub(crate) fn add_run(&self, run: &RunId, git: &RunGit) {
        self.state().worktrees_of(run, git);
    }

    /// Marks the worktree of an ended task as removable while no session uses it, until it is reclaimed.
    pub(crate) fn release(&self, run: &RunId, git: &RunGit, task: &TaskId, is_done: bool) {
        self.state().worktrees_of(run, git).tasks.insert(task.clone(), is_done);
    }

    /// Tells whether the worktree of an ended task was released, and the task was not started again.
    pub(crate) fn is_released(&self, run: &RunId, task: &TaskId) -> bool {
        self.state().runs.get(run).is_some_and(|worktrees| worktrees.tasks.contains_key(task))
    }

    /// Marks the worktree of an ended session without a task as removable.
    pub(crate) fn add_ended_session(&self, run: &RunId, git: &RunGit, session: SessionId) {
        self.state().worktrees_of(run, git).sessions.insert(session);
    }

    /// Returns the git operations of an active run.
    pub(crate) fn run_git(&self, run: &RunId) -> Option<RunGit> {
        self.state().runs.get(run).map(|worktrees| worktrees.git.clone())
    }

    pub(super) fn is_leased(&self, run: &RunId, task: &TaskId) -> bool {
        self.state().leases.iter().any(|((other_run, _), other)| other_run == run && other == task)
    }

    /// Returns the worktrees that may be removed; those of ended runs first.
    pub(super) fn removal_candidates(&self, data: &Path) -> Vec<RemovalCandidates> {
        // Git may be slow, so the registry is not locked meanwhile.
        let active = self.state().runs.clone();
        let ended = ended_runs(data, &active).into_iter().map(|(run, git)| {
            let tasks = git.tasks_with_worktrees().into_iter().map(|task| (task, true)).collect();
            RemovalCandidates { run, tasks, sessions: git.sessions_with_worktrees(), git, has_ended: true }
        });
        let mut candidates: Vec<RemovalCandidates> = ended.collect();
        candidates.extend(active.into_iter().map(|(run, worktrees)| {
            let sessions = worktrees.ended_sessions();
            let ActiveRunWorktrees { git, tasks, .. } = worktrees;
            RemovalCandidates { run, tasks: tasks.into_iter().collect(), sessions, git, has_ended: false }
        }));
        candidates
    }

    fn state(&self) -> MutexGuard<'_, RegistryState> {
        // No change spans several statements that can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Marks the worktree of a task as used while it exists.
pub(crate) struct WorktreeLease<'a> {
    registry: &'a WorktreeRegistry,
    key: (RunId, SessionId),
}

impl Drop for WorktreeLease<'_> {
    fn drop(&mut self) {
        self.registry.state().leases.remove(&self.key);
    }
}

/// Returns the ended runs that are not active. Runs whose repository is missing are left out.
fn ended_runs(data: &Path, active: &BTreeMap<RunId, ActiveRunWorktrees>) -> Vec<(RunId, RunGit)> {
    let folders = fs::read_dir(data.join("runs")).into_iter().flatten().flatten();
    let has_ended = |folder: &PathBuf| folder.join(ENDED_MARKER).exists();
    let ended = folders.map(|entry| entry.path()).filter(has_ended).filter_map(|folder| {
        let run: RunId = folder.file_name()?.to_str()?.parse().ok()?;
        if active.contains_key(&run) {
            return None;
        }
        let git = RunGit::open(data, &run, &RunEnvironment::read(&folder).ok()?).ok()??;
        Some((run, git))
    });
    ended.collect()
}
