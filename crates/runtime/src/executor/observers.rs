//! What a run watches beside its sessions: the plan file, overlapping changes, and the disk budget.
//!
//! Observers read and report. The observer of the disk also removes unused worktrees: the budget is that of all runs of the
//! data directory, so no single run can order it.

use std::{
    sync::{Arc, Mutex, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use domain::Report;
use engine::Run;

use super::{overlap_watch::OverlapWatch, run_context::RunContext};
use crate::plan_file::PlanFileWatcher;

/// Time between two checks of the disk budget while tasks wait for it.
const DISK_BUDGET_POLL_INTERVAL: Duration = Duration::from_secs(2);

/// The observers of one run.
#[derive(Default)]
pub(crate) struct RunObservers {
    /// `None` for a run without a machine, in tests.
    context: Option<Arc<RunContext>>,
    plan_file: Option<Arc<Mutex<PlanFileWatcher>>>,
    overlap_watch: Option<OverlapWatch>,
    disk_budget_poll: Option<DiskBudgetPoll>,
}

/// Thread that checks the disk budget once.
struct DiskBudgetPoll {
    thread: JoinHandle<()>,
    started_at: Instant,
}

impl RunObservers {
    pub(crate) fn new(context: Arc<RunContext>, plan_file: Option<Arc<Mutex<PlanFileWatcher>>>) -> Self {
        Self { context: Some(context), plan_file, overlap_watch: None, disk_budget_poll: None }
    }

    /// Requests a scan for files that several unfinished tasks have changed. Overlaps are reported to the run loop.
    pub(crate) fn request_overlap_scan(&mut self, run: &Run) {
        if let Some(context) = &self.context {
            OverlapWatch::request_scan(
                &mut self.overlap_watch,
                context,
                run.unfinished_tasks(),
                run.has_file_overlaps(),
            );
        }
    }

    /// Frees space for worktrees periodically, if tasks wait for it, and reports when there is some.
    pub(crate) fn poll_disk_budget(&mut self, run: &Run) {
        let is_recent = |poll: &DiskBudgetPoll| {
            !poll.thread.is_finished() || poll.started_at.elapsed() < DISK_BUDGET_POLL_INTERVAL
        };
        let Some(context) = self.context.as_ref().filter(|_| run.is_disk_budget_exhausted()) else { return };
        if self.disk_budget_poll.as_ref().is_some_and(is_recent) {
            return;
        }
        let context = Arc::clone(context);
        let thread = thread::Builder::new().name("disk-budget".to_owned());
        let thread = thread.spawn(move || context.report_available_space());
        // If no thread could be started, the next call tries again.
        self.disk_budget_poll =
            thread.ok().map(|thread| DiskBudgetPoll { thread, started_at: Instant::now() });
    }

    /// Reads the plan file if that is due. Returns the reports.
    pub(crate) fn poll_plan_file(&mut self) -> Vec<Report> {
        let Some(file) = &self.plan_file else { return Vec::new() };
        file.lock().unwrap_or_else(PoisonError::into_inner).poll()
    }

    /// Returns the time until the next check of the plan file or the disk; `None` if there is none.
    pub(crate) fn due_in(&self, run: &Run) -> Option<Duration> {
        let plan_file = self
            .plan_file
            .as_ref()
            .filter(|_| run.outcome().is_none())
            .map(|file| file.lock().unwrap_or_else(PoisonError::into_inner).due_in());
        let disk_budget = run.is_disk_budget_exhausted().then_some(DISK_BUDGET_POLL_INTERVAL);
        plan_file.into_iter().chain(disk_budget).min()
    }

    /// Ends the threads.
    pub(crate) fn stop(self) {
        self.overlap_watch.into_iter().for_each(OverlapWatch::stop);
        if let Some(poll) = self.disk_budget_poll {
            drop(poll.thread.join());
        }
    }
}
