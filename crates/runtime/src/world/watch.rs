//! Looks which files unfinished tasks have changed in common, beside everything else.
//!
//! Reads worktrees and writes nothing, so it takes no turn at git and nobody waits for it. Looks when something may have
//! changed, and now and then while agents work, but for a tenth of the time at most.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, RecvTimeoutError},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use domain::{Command, TaskId};
use repo::FileOverlap;
use views::Rows;

use super::{
    site::Site,
    wake_up::{WakeUpSender, wake_ups},
};
use crate::{Kept, git::Git};

/// How often it looks while nobody says that something changed: one turn of an agent may last for long.
const LOOK_EVERY: Duration = Duration::from_secs(15);
/// How long it rests after a look at least.
const REST_MIN: Duration = Duration::from_millis(500);
/// It rests so many times as long as a look took.
const REST_TIMES: u32 = 10;
/// So many files of a pair go by their names; the rest are counted.
const FILES_MAX: usize = 50;

/// The thread that looks for overlaps, as the run loop holds it.
pub(super) struct Watch {
    /// Replaced by the run loop, read by the thread when it is woken: only the newest list counts.
    tasks: Arc<Mutex<Vec<TaskId>>>,
    wake_up: WakeUpSender,
    thread: JoinHandle<()>,
}

impl Watch {
    /// Lets somebody look at the worktrees of unfinished tasks, who is there from the first time that this can matter.
    pub(super) fn look(watch: &mut Option<Self>, site: &Arc<Site>, kept: &Kept) {
        let Some(git) = &site.git else { return };
        let rows = kept.views().rows();
        let tasks = unfinished(rows);
        if watch.is_none() && (tasks.len() > 1 || !rows.overlaps.is_empty()) {
            let (wake_up, woken) = wake_ups();
            let newest = Arc::default();
            let watcher = Watcher {
                site: Arc::clone(site),
                git: git.clone(),
                newest: Arc::clone(&newest),
                woken,
                tasks: Vec::new(),
                changed: BTreeMap::new(),
            };
            let thread = thread::Builder::new().name("overlaps".to_owned());
            // Without a thread nothing is seen until the next time.
            *watch =
                thread.spawn(|| watcher.work()).ok().map(|thread| Self { tasks: newest, wake_up, thread });
        }
        if let Some(watch) = watch {
            watch.tell(tasks);
        }
    }

    /// Gives the thread a new list of unfinished tasks and wakes it. Called by the run loop, which never waits for it.
    fn tell(&self, tasks: Vec<TaskId>) {
        *self.tasks.lock().unwrap_or_else(PoisonError::into_inner) = tasks;
        self.wake_up.wake();
    }

    pub(super) fn stop(self) {
        drop(self.wake_up);
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
    /// The list of unfinished tasks as the run loop told it last.
    newest: Arc<Mutex<Vec<TaskId>>>,
    woken: Receiver<()>,
    /// The list that the last look was at.
    tasks: Vec<TaskId>,
    /// What each task had changed when it was last looked at.
    changed: BTreeMap<TaskId, BTreeSet<PathBuf>>,
}

impl Watcher {
    /// Looks until nobody wants to know any more.
    fn work(mut self) {
        let (mut looks_at, mut rests_until) = (None::<Instant>, Instant::now());
        loop {
            let woken = match looks_at {
                Some(at) => {
                    self.woken.recv_timeout(at.max(rests_until).saturating_duration_since(Instant::now()))
                }
                None => self.woken.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match woken {
                Ok(()) => {
                    self.tasks.clone_from(&self.newest.lock().unwrap_or_else(PoisonError::into_inner));
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    /// Long enough that only a blocked thread reaches it.
    const PATIENCE: Duration = Duration::from_secs(60);

    fn tasks(n: usize) -> Vec<TaskId> {
        (1..=n).map(|number| format!("T{number}").parse().unwrap()).collect()
    }

    #[test]
    fn a_busy_watcher_blocks_no_sender_and_finds_the_newest_list() {
        let (wake_up, woken) = wake_ups();
        let newest = Arc::<Mutex<Vec<TaskId>>>::default();
        let (is_busy, busy) = channel();
        let (go_on, may_go_on) = channel();
        let (found, read) = channel();
        let list = Arc::clone(&newest);
        let thread = thread::spawn(move || {
            for () in woken {
                is_busy.send(()).unwrap();
                may_go_on.recv_timeout(PATIENCE).unwrap();
                found.send(list.lock().unwrap().clone()).unwrap();
            }
        });
        let watch = Watch { tasks: newest, wake_up, thread };
        watch.tell(tasks(1));
        busy.recv_timeout(PATIENCE).unwrap();
        let (told, all_told) = channel();
        let run_loop = thread::spawn(move || {
            (2..=100).for_each(|n| watch.tell(tasks(n)));
            told.send(()).unwrap();
            watch
        });
        all_told.recv_timeout(PATIENCE).expect("the run loop waits for a thread that is busy");
        go_on.send(()).unwrap();
        go_on.send(()).unwrap();
        run_loop.join().unwrap().stop();
        assert_eq!(read.iter().collect::<Vec<_>>(), [tasks(100), tasks(100)]);
    }
}
