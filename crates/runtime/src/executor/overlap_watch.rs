//! Finds files that several unfinished tasks have changed, on its own thread.
//!
//! Only reads worktrees, so it does not take git's lock. Scans when files may have changed, and periodically while agents
//! work, but at most for a tenth of the time.

use std::{
    collections::{BTreeMap, BTreeSet},
    error::Error,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, RecvTimeoutError},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use domain::{Report, TaskId};
use repo::TaskPairOverlap;
use tracing::warn;

use super::{
    run_context::RunContext,
    wake_up::{WakeUpSender, wake_up_channel},
};
use crate::git::RunGit;

/// Time between two scans without a wake-up, since a turn of an agent can be long.
const SCAN_INTERVAL: Duration = Duration::from_secs(15);
/// Minimum pause after a scan.
const PAUSE_MIN: Duration = Duration::from_millis(500);
/// The pause is at least this many times the duration of the scan.
const PAUSE_FACTOR: u32 = 10;
/// Limit of files reported by name; the others are counted.
const FILES_MAX: usize = 50;

/// Handle of the thread that finds overlaps.
pub(super) struct OverlapWatch {
    /// Replaced by the run loop, read by the thread when it is woken: only the newest list counts.
    tasks: Arc<Mutex<Vec<TaskId>>>,
    wake_up: WakeUpSender,
    thread: JoinHandle<()>,
}

impl OverlapWatch {
    /// Requests a scan of the worktrees of unfinished tasks. The thread is started when there are several such tasks.
    pub(super) fn request_scan(
        watch: &mut Option<Self>,
        context: &Arc<RunContext>,
        tasks: Vec<TaskId>,
        has_file_overlaps: bool,
    ) {
        let Some(git) = &context.git else { return };
        if watch.is_none() && (tasks.len() > 1 || has_file_overlaps) {
            let (wake_up, woken) = wake_up_channel();
            let newest = Arc::default();
            let scanner = OverlapScanner {
                context: Arc::clone(context),
                git: git.clone(),
                newest: Arc::clone(&newest),
                woken,
                tasks: Vec::new(),
                changed: BTreeMap::new(),
                unreadable: BTreeSet::new(),
            };
            let thread = thread::Builder::new().name("overlaps".to_owned());
            // If no thread could be started, the next call tries again.
            *watch =
                thread.spawn(|| scanner.run()).ok().map(|thread| Self { tasks: newest, wake_up, thread });
        }
        if let Some(watch) = watch {
            watch.set_tasks(tasks);
        }
    }

    /// Replaces the list of unfinished tasks and wakes the thread. Never blocks the run loop.
    fn set_tasks(&self, tasks: Vec<TaskId>) {
        *self.tasks.lock().unwrap_or_else(PoisonError::into_inner) = tasks;
        self.wake_up.wake();
    }

    pub(super) fn stop(self) {
        drop(self.wake_up);
        drop(self.thread.join());
    }
}

struct OverlapScanner {
    context: Arc<RunContext>,
    git: RunGit,
    /// List of unfinished tasks, set by the run loop.
    newest: Arc<Mutex<Vec<TaskId>>>,
    woken: Receiver<()>,
    /// List of the last wake-up.
    tasks: Vec<TaskId>,
    /// Changed files of each task at the last scan.
    changed: BTreeMap<TaskId, BTreeSet<PathBuf>>,
    /// Tasks whose last scan failed, so that each failure is logged once.
    unreadable: BTreeSet<TaskId>,
}

impl OverlapScanner {
    /// Scans until the handle is dropped.
    fn run(mut self) {
        let (mut next_scan, mut paused_until) = (None::<Instant>, Instant::now());
        loop {
            let woken = match next_scan {
                Some(at) => {
                    self.woken.recv_timeout(at.max(paused_until).saturating_duration_since(Instant::now()))
                }
                None => self.woken.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match woken {
                Ok(()) => {
                    self.tasks.clone_from(&self.newest.lock().unwrap_or_else(PoisonError::into_inner));
                    next_scan = Some(Instant::now());
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            let started_at = Instant::now();
            if started_at < paused_until {
                continue;
            }
            // The engine records only changes.
            let overlaps = self.scan();
            self.context.report_to_run_loop(Report::OverlapsFound { overlaps });
            paused_until = Instant::now() + PAUSE_MIN.max(started_at.elapsed() * PAUSE_FACTOR);
            next_scan = (self.tasks.len() > 1).then(|| Instant::now() + SCAN_INTERVAL);
        }
    }

    fn scan(&mut self) -> Vec<domain::TaskOverlap> {
        let Self { git, tasks, changed, unreadable, .. } = self;
        unreadable.retain(|task| tasks.contains(task));
        changed.retain(|task, _| tasks.contains(task));
        for task in tasks.iter().filter(|_| tasks.len() > 1) {
            match git.changed_files(task) {
                Some(Ok(files)) => drop(changed.insert(task.clone(), files)),
                None => drop(changed.remove(task)),
                // An unreadable worktree keeps its last result.
                Some(Err(error)) => {
                    if unreadable.insert(task.clone()) {
                        warn!(%task, error = &error as &dyn Error, "cannot read which files a task has changed");
                    }
                    continue;
                }
            }
            unreadable.remove(task);
        }
        TaskPairOverlap::between_tasks(changed).into_iter().map(task_overlap).collect()
    }
}

fn task_overlap(overlap: TaskPairOverlap) -> domain::TaskOverlap {
    let listed = overlap.files.iter().take(FILES_MAX);
    domain::TaskOverlap {
        files: listed.map(|file| file.to_string_lossy().into_owned()).collect(),
        n_files: u32::try_from(overlap.files.len()).unwrap_or(u32::MAX),
        tasks: overlap.tasks,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    /// Long enough that only a blocked thread reaches it.
    const TIMEOUT: Duration = Duration::from_secs(60);

    fn tasks(n: usize) -> Vec<TaskId> {
        (1..=n).map(|number| format!("T{number}").parse().unwrap()).collect()
    }

    #[test]
    fn busy_scanner_does_not_block_the_sender_and_reads_the_newest_list() {
        let (wake_up, woken) = wake_up_channel();
        let newest = Arc::<Mutex<Vec<TaskId>>>::default();
        let (is_busy, busy) = channel();
        let (resume, may_resume) = channel();
        let (list_sender, lists) = channel();
        let list = Arc::clone(&newest);
        let thread = thread::spawn(move || {
            for () in woken {
                is_busy.send(()).unwrap();
                may_resume.recv_timeout(TIMEOUT).unwrap();
                list_sender.send(list.lock().unwrap().clone()).unwrap();
            }
        });
        let watch = OverlapWatch { tasks: newest, wake_up, thread };
        watch.set_tasks(tasks(1));
        busy.recv_timeout(TIMEOUT).unwrap();
        let (sent, all_sent) = channel();
        let run_loop = thread::spawn(move || {
            (2..=100).for_each(|n| watch.set_tasks(tasks(n)));
            sent.send(()).unwrap();
            watch
        });
        all_sent.recv_timeout(TIMEOUT).expect("the run loop is blocked by a busy thread");
        resume.send(()).unwrap();
        resume.send(()).unwrap();
        run_loop.join().unwrap().stop();
        assert_eq!(lists.iter().collect::<Vec<_>>(), [tasks(100), tasks(100)]);
    }
}
