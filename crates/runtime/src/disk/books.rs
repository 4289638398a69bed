//! Who works in which worktree, and which tasks are over: what decides which worktrees may be given up.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use domain::{RunId, SessionId, TaskId};
use views::TaskState;

use crate::{git::Git, host::OVER, outfit::Outfit};

/// What is known of all runs that go on.
#[derive(Default)]
pub(crate) struct Books {
    pages: Mutex<Pages>,
}

#[derive(Default)]
struct Pages {
    /// Where sessions work, or are about to.
    seats: BTreeMap<(RunId, SessionId), TaskId>,
    runs: BTreeMap<RunId, Finished>,
}

/// What is over of a run that goes on.
#[derive(Clone)]
struct Finished {
    git: Git,
    /// Each task, and whether it is done.
    tasks: BTreeMap<TaskId, bool>,
    /// Sessions that worked at no task.
    sessions: BTreeSet<SessionId>,
}

impl Finished {
    /// Returns the ended sessions without a task that still have a worktree.
    fn desks(&self) -> Vec<SessionId> {
        self.git.desks().into_iter().filter(|session| self.sessions.contains(session)).collect()
    }
}

/// What a run has that may be given up.
pub(super) struct Candidates {
    pub(super) run: RunId,
    pub(super) git: Git,
    /// Whether nobody has it open, because it is over.
    pub(super) is_shut: bool,
    /// Its tasks that are over, and whether each is merged, as far as the run knows; git has the last word.
    pub(super) tasks: Vec<(TaskId, bool)>,
    /// The sessions without a task that are over.
    pub(super) desks: Vec<SessionId>,
}

impl Candidates {
    /// Tells whether a worktree of a run that goes on is one of these.
    pub(super) fn is_over(&self, place: &str) -> bool {
        let is_task = |task: TaskId| self.tasks.iter().any(|(other, _)| *other == task);
        place.parse().is_ok_and(is_task)
            || place
                .strip_prefix("desk-")
                .and_then(|name| name.parse().ok())
                .is_some_and(|session| self.desks.contains(&session))
    }
}

impl Books {
    /// Says that a session works at a task until what is returned goes away.
    pub(crate) fn sit(&self, run: &RunId, session: SessionId, task: &TaskId) -> Seat<'_> {
        let key = (run.clone(), session);
        self.pages().seats.insert(key.clone(), task.clone());
        Seat { books: self, key }
    }

    /// Notes how tasks of a run stand.
    pub(crate) fn note<'a>(
        &self,
        run: &RunId,
        git: &Git,
        tasks: impl Iterator<Item = (&'a TaskId, TaskState)>,
    ) {
        let mut pages = self.pages();
        let finished = pages.runs.entry(run.clone()).or_insert_with(|| Finished {
            git: git.clone(),
            tasks: BTreeMap::new(),
            sessions: BTreeSet::new(),
        });
        for (task, state) in tasks {
            if state.is_over() {
                finished.tasks.insert(task.clone(), state == TaskState::Done);
            } else {
                finished.tasks.remove(task);
            }
        }
    }

    /// Notes that a session is over that worked at no task.
    pub(crate) fn note_over(&self, run: &RunId, session: SessionId) {
        if let Some(finished) = self.pages().runs.get_mut(run) {
            finished.sessions.insert(session);
        }
    }

    /// Returns the ended sessions without a task of an active run that still have a worktree.
    pub(crate) fn ended_desks(&self, run: &RunId) -> Vec<SessionId> {
        // Listing waits for git's lock, so the registry is not locked meanwhile.
        let finished = self.pages().runs.get(run).cloned();
        finished.map(|finished| finished.desks()).unwrap_or_default()
    }

    /// Returns the git of a run that goes on.
    pub(crate) fn git(&self, run: &RunId) -> Option<Git> {
        self.pages().runs.get(run).map(|finished| finished.git.clone())
    }

    /// Tells whether nobody works at a task.
    pub(super) fn is_free(&self, run: &RunId, task: &TaskId) -> bool {
        !self.pages().seats.iter().any(|((of, _), at)| of == run && at == task)
    }

    /// Returns what may be given up: first what runs have that are over themselves.
    pub(super) fn candidates(&self, data: &Path) -> Vec<Candidates> {
        // Git may take its time; nobody waits for these pages meanwhile.
        let going = self.pages().runs.clone();
        let shut = runs_over(data, &going).into_iter().map(|(run, git)| {
            let tasks = git.tasks_with_worktrees().into_iter().map(|task| (task, true)).collect();
            Candidates { run, tasks, desks: git.desks(), git, is_shut: true }
        });
        let mut candidates: Vec<Candidates> = shut.collect();
        candidates.extend(going.into_iter().map(|(run, finished)| {
            let desks = finished.desks();
            let Finished { git, tasks, .. } = finished;
            Candidates { run, tasks: tasks.into_iter().collect(), desks, git, is_shut: false }
        }));
        candidates
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        // What is inside is whole after each step.
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where somebody works.
pub(crate) struct Seat<'a> {
    books: &'a Books,
    key: (RunId, SessionId),
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.books.pages().seats.remove(&self.key);
    }
}

/// Returns the git of runs that are over and that nobody has open. One whose repository is gone stays as it is.
fn runs_over(data: &Path, going: &BTreeMap<RunId, Finished>) -> Vec<(RunId, Git)> {
    let folders = fs::read_dir(data.join("runs")).into_iter().flatten().flatten();
    let is_over = |folder: &PathBuf| folder.join(OVER).exists();
    let over = folders.map(|entry| entry.path()).filter(is_over).filter_map(|folder| {
        let run: RunId = folder.file_name()?.to_str()?.parse().ok()?;
        if going.contains_key(&run) {
            return None;
        }
        let git = Git::open(data, &run, &Outfit::read(&folder).ok()?).ok()??;
        Some((run, git))
    });
    over.collect()
}
