//! Who works in which worktree, and which tasks are over: what decides which worktrees may be given up.

use std::{
    collections::BTreeMap,
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

/// The tasks of a run that are over.
struct Finished {
    git: Git,
    /// Each, and whether it is done.
    tasks: BTreeMap<TaskId, bool>,
}

/// A worktree of a task that is over.
pub(super) struct Candidate {
    pub(super) run: RunId,
    pub(super) task: TaskId,
    pub(super) git: Git,
    /// Whether its work is merged, as far as the run knows; git has the last word.
    pub(super) is_done: bool,
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
        let finished = pages
            .runs
            .entry(run.clone())
            .or_insert_with(|| Finished { git: git.clone(), tasks: BTreeMap::new() });
        for (task, state) in tasks {
            if state.is_over() {
                finished.tasks.insert(task.clone(), state == TaskState::Done);
            } else {
                finished.tasks.remove(task);
            }
        }
    }

    /// Tells whether nobody works at a task.
    pub(super) fn is_free(&self, run: &RunId, task: &TaskId) -> bool {
        !self.pages().seats.iter().any(|((of, _), at)| of == run && at == task)
    }

    /// Returns the worktrees of tasks that are over: first those of runs that are over themselves.
    pub(super) fn candidates(&self, data: &Path) -> Vec<Candidate> {
        let pages = self.pages();
        let over = runs_over(data, &pages.runs).into_iter().flat_map(|(run, git)| {
            let tasks = git.tasks_with_worktrees().into_iter();
            tasks.map(move |task| Candidate { run: run.clone(), task, git: git.clone(), is_done: true })
        });
        let going = pages.runs.iter().flat_map(|(run, Finished { git, tasks })| {
            let candidate = |(task, is_done): (&TaskId, &bool)| Candidate {
                run: run.clone(),
                task: task.clone(),
                git: git.clone(),
                is_done: *is_done,
            };
            tasks.iter().map(candidate)
        });
        over.chain(going).collect()
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
