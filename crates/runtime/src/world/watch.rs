//! Looks which files unfinished tasks have changed in common, beside everything else.
//!
//! Reads worktrees and writes nothing, so it takes no turn at git and nobody waits for it. Looks when something may have
//! changed, and now and then while agents work, but for a tenth of the time at most.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use domain::{Command, TaskId};
use repo::FileOverlap;
use views::Rows;

use super::site::Site;
use crate::{Kept, git::Git};

/// How often it looks while nobody says that something changed: one turn of an agent may last for long.
const LOOK_EVERY: Duration = Duration::from_secs(15);
/// How long it rests after a look at least.
const REST_MIN: Duration = Duration::from_millis(500);
/// It rests so many times as long as a look took.
const REST_TIMES: u32 = 10;
/// So many files of a pair go by their names; the rest are counted.
const FILES_MAX: usize = 50;

/// Somebody who looks.
pub(super) struct Watch {
    /// Says which tasks are unfinished, and that it is time to look.
    tasks: Sender<Vec<TaskId>>,
    thread: JoinHandle<()>,
}

impl Watch {
    /// Lets somebody look at the worktrees of unfinished tasks, who is there from the first time that this can matter.
    pub(super) fn look(watch: &mut Option<Self>, site: &Arc<Site>, kept: &Kept) {
        let Some(git) = &site.git else { return };
        let rows = kept.views().rows();
        let tasks = unfinished(rows);
        if watch.is_none() && (tasks.len() > 1 || !rows.overlaps.is_empty()) {
            let (sender, told) = channel();
            let watcher = Watcher {
                site: Arc::clone(site),
                git: git.clone(),
                told,
                tasks: Vec::new(),
                changed: BTreeMap::new(),
            };
            let thread = thread::Builder::new().name("overlaps".to_owned());
            // Without a thread nothing is seen until the next time.
            *watch = thread.spawn(|| watcher.work()).ok().map(|thread| Self { tasks: sender, thread });
        }
        if let Some(watch) = watch {
            // One that panicked has said so itself.
            drop(watch.tasks.send(tasks));
        }
    }

    pub(super) fn stop(self) {
        drop(self.tasks);
        drop(self.thread.join());
    }
}

/// Returns the tasks that somebody began and that are not over.
fn unfinished(rows: &Rows) -> Vec<TaskId> {
    let begun = rows.tasks.iter().filter(|task| task.attempt > 0 && !task.state.is_over());
    begun.map(|task| task.id.clone()).collect()
}

struct Watcher {
    site: Arc<Site>,
    git: Git,
    told: Receiver<Vec<TaskId>>,
    tasks: Vec<TaskId>,
    /// What each task had changed when it was last looked at.
    changed: BTreeMap<TaskId, BTreeSet<PathBuf>>,
}

impl Watcher {
    /// Looks until nobody wants to know any more.
    fn work(mut self) {
        let (mut looks_at, mut rests_until) = (None::<Instant>, Instant::now());
        loop {
            let told = match looks_at {
                Some(at) => {
                    self.told.recv_timeout(at.max(rests_until).saturating_duration_since(Instant::now()))
                }
                None => self.told.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match told {
                Ok(tasks) => {
                    self.tasks = tasks;
                    looks_at = Some(Instant::now());
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            let began = Instant::now();
            if began < rests_until {
                continue;
            }
            // The loop compares with what it knows, and records what is new.
            let overlaps = self.look();
            self.site.report(Command::ReportOverlaps { overlaps });
            rests_until = Instant::now() + REST_MIN.max(began.elapsed() * REST_TIMES);
            looks_at = (self.tasks.len() > 1).then(|| Instant::now() + LOOK_EVERY);
        }
    }

    fn look(&mut self) -> Vec<domain::TaskOverlap> {
        let Self { git, tasks, changed, .. } = self;
        changed.retain(|task, _| tasks.contains(task));
        for task in tasks.iter().filter(|_| tasks.len() > 1) {
            match git.changed_files(task) {
                Some(Ok(files)) => drop(changed.insert(task.clone(), files)),
                None => drop(changed.remove(task)),
                // What can't be read now is as it was.
                Some(Err(_)) => {}
            }
        }
        FileOverlap::between_tasks(changed).into_iter().map(shown).collect()
    }
}

/// Returns an overlap as people see it.
fn shown(overlap: FileOverlap) -> domain::TaskOverlap {
    let named = overlap.files.iter().take(FILES_MAX);
    domain::TaskOverlap {
        files: named.map(|file| file.to_string_lossy().into_owned()).collect(),
        n_files: u32::try_from(overlap.files.len()).unwrap_or(u32::MAX),
        tasks: overlap.tasks,
    }
}
