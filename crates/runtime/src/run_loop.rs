//! The loop of one run: takes requests in order, records the resulting events and passes the effects to the executor.

use std::{
    collections::VecDeque,
    path::PathBuf,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, SyncSender},
    },
    time::{self, SystemTime, UNIX_EPOCH},
};

use domain::{AgentOutput, Report, RunInput, TaskId, Timestamp};
use engine::{QueueEntry, sort_by_urgency};
use views::{Row, RunRow, TaskState, ViewChange, WORKER_COMPLETE};

use crate::{
    DurableRun, DurableRunError, HostEvent,
    environment::RunEnvironment,
    executor::{DISK_BUDGET_POLL_INTERVAL, Executor},
    host::{HostError, HostState, RunSnapshot, ShutdownMode},
    plan_file::PlanFileWatcher,
    task_durations::TaskDuration,
};

/// Limit of requests handled before the rows are saved.
const BATCH_MAX: usize = 256;
/// Sleep of an idle loop. Bounded so that a change of the system clock is noticed.
const SLEEP_MAX: time::Duration = time::Duration::from_secs(60);
/// Delay before commands that could not be recorded are tried again.
const RETRY_DELAY: time::Duration = time::Duration::from_millis(200);
/// Limit of commands that wait for a log that cannot be written. Then no further requests are taken, so senders block.
const POSTPONED_MAX: usize = 4096;
/// Time that the saved rows may lag behind the log while the loop is busy.
const SAVE_INTERVAL: time::Duration = time::Duration::from_secs(1);

/// Request to the loop of a run.
pub(crate) enum RunRequest {
    Input(QueuedInput),
    Snapshot(SyncSender<RunSnapshot>),
    RunRow(SyncSender<Option<RunRow>>),
    Stop(ShutdownMode),
}

/// An input that waits for its turn.
pub(crate) struct QueuedInput {
    input: RunInput,
    reply: Option<SyncSender<Result<domain::Sequence, HostError>>>,
}

impl RunRequest {
    /// Makes an input whose sender gets no reply.
    pub(crate) fn without_reply(input: RunInput) -> Self {
        Self::Input(QueuedInput { input, reply: None })
    }

    pub(crate) fn with_reply(
        input: RunInput,
        reply: SyncSender<Result<domain::Sequence, HostError>>,
    ) -> Self {
        Self::Input(QueuedInput { input, reply: Some(reply) })
    }
}

impl QueueEntry for RunRequest {
    fn input(&self) -> Option<&RunInput> {
        match self {
            Self::Input(queued) => Some(&queued.input),
            Self::Snapshot(_) | Self::RunRow(_) | Self::Stop(_) => None,
        }
    }

    fn input_mut(&mut self) -> Option<&mut RunInput> {
        match self {
            Self::Input(queued) => Some(&mut queued.input),
            Self::Snapshot(_) | Self::RunRow(_) | Self::Stop(_) => None,
        }
    }
}

/// The loop of one run.
pub(crate) struct RunLoop {
    host: Arc<HostState>,
    durable_run: DurableRun,
    executor: Executor,
    inbox: Receiver<RunRequest>,
    /// Commands without a reply that could not be recorded, in order. Their senders do not repeat them.
    postponed: VecDeque<QueuedInput>,
    has_ended: bool,
    saved_at: std::time::Instant,
    plan_file: Option<PlanFileWatcher>,
    /// Folder of the project.
    project: PathBuf,
}

impl RunLoop {
    pub(crate) fn new(
        host: Arc<HostState>,
        durable_run: DurableRun,
        environment: RunEnvironment,
        requests: SyncSender<RunRequest>,
        inbox: Receiver<RunRequest>,
    ) -> Result<Self, HostError> {
        let run = durable_run.id().clone();
        let has_ended = durable_run.state().outcome().is_some();
        let mut plan_file = PlanFileWatcher::for_run(&environment, &host.data);
        if let Some(file) = &mut plan_file {
            file.add_unticked(completed_tasks(&durable_run));
        }
        let project = environment.project.clone();
        let executor = Executor::open(Arc::clone(&host), run, environment, requests)?;
        Ok(Self {
            host,
            durable_run,
            executor,
            inbox,
            postponed: VecDeque::new(),
            has_ended,
            saved_at: std::time::Instant::now(),
            plan_file,
            project,
        })
    }

    /// Handles requests until [`RunRequest::Stop`].
    pub(crate) fn run(mut self) {
        self.executor.recover_sessions(&self.durable_run);
        for (id, effect) in self.durable_run.pending_effects() {
            self.executor.execute(id, effect, &self.durable_run);
        }
        self.executor.request_overlap_scan(&self.durable_run);
        loop {
            self.retry_postponed();
            if self.postponed.len() >= POSTPONED_MAX {
                std::thread::sleep(RETRY_DELAY);
                continue;
            }
            let mut batch = match self.inbox.recv_timeout(self.receive_timeout()) {
                Ok(request) => vec![request],
                Err(RecvTimeoutError::Timeout) if !self.postponed.is_empty() => continue,
                Err(RecvTimeoutError::Timeout) if self.is_deadline_reached() => {
                    vec![RunRequest::without_reply(Report::TimerFired.into())]
                }
                Err(RecvTimeoutError::Timeout) => Vec::new(),
                Err(RecvTimeoutError::Disconnected) => return,
            };
            batch.extend(self.inbox.try_iter().take(BATCH_MAX));
            sort_by_urgency(&mut batch);
            for request in batch {
                match request {
                    RunRequest::Input(queued) => self.handle(queued),
                    RunRequest::Snapshot(reply) => {
                        drop(reply.try_send(RunSnapshot::from_durable_run(&self.durable_run)));
                    }
                    RunRequest::RunRow(reply) => {
                        drop(reply.try_send(self.durable_run.views().rows().run.iter().next().cloned()));
                    }
                    RunRequest::Stop(mode) => return self.stop(mode),
                }
            }
            self.poll_plan_file();
            self.executor.poll_disk_budget(&self.durable_run);
            self.save_rows_if_due();
        }
    }

    /// Reports the plan file if it has changed.
    fn poll_plan_file(&mut self) {
        if self.has_ended {
            return;
        }
        let report = self.plan_file.as_mut().and_then(PlanFileWatcher::poll).map(RunInput::Report);
        if let Some(input) = report {
            self.handle(QueuedInput { input, reply: None });
        }
    }

    /// Saves the durations of tasks that were completed, and ticks their checkboxes.
    fn record_completed_tasks(&mut self, changes: &[ViewChange]) {
        let completed = |change: &ViewChange| match &change.row {
            Some(Row::Task(row)) if change.names().contains(&WORKER_COMPLETE) => Some((**row).clone()),
            Some(_) | None => None,
        };
        for row in changes.iter().filter_map(completed) {
            let detail = self.durable_run.views().rows().task_details.get(&row.id);
            let worked_ms = self.durable_run.state().worked_ms(&row.id).unwrap_or(0);
            let duration = TaskDuration {
                project: self.project.clone(),
                title: row.title.clone(),
                agent: row.agent,
                complexity: detail.and_then(|detail| detail.complexity),
                worked_ms,
            };
            // Only used for estimates: a failure is ignored.
            drop(duration.save(&self.host.data));
            if let Some(file) = &mut self.plan_file {
                file.tick_checkbox(row.id, row.title);
            }
        }
    }

    /// Handles a command. If it cannot be recorded now, it is postponed, unless its sender waits for a reply.
    fn handle(&mut self, queued: QueuedInput) {
        if queued.reply.is_none() && !self.postponed.is_empty() {
            return self.postponed.push_back(queued);
        }
        if let Some(queued) = self.try_handle(queued) {
            self.postponed.push_back(queued);
        }
    }

    fn retry_postponed(&mut self) {
        while let Some(queued) = self.postponed.pop_front() {
            if let Some(queued) = self.try_handle(queued) {
                return self.postponed.push_front(queued);
            }
        }
    }

    /// Decides on a command and records the events. Returns a command without a reply that could not be recorded.
    fn try_handle(&mut self, queued: QueuedInput) -> Option<QueuedInput> {
        let QueuedInput { input, reply } = queued;
        let may_change_files = may_change_files(&input);
        // Only a sender that gets a reply can repeat the input.
        let retry = reply.is_none().then(|| input.clone());
        let result = self.durable_run.execute(now(), input);
        let result = match (result, retry) {
            (Err(DurableRunError::Store { .. }), Some(input)) => {
                return Some(QueuedInput { input, reply: None });
            }
            (Ok(executed), _) => {
                for event in executed.events {
                    self.record_completed_tasks(&event.changes);
                    self.executor.update_worktree_registry(event.changes.iter().filter_map(|change| {
                        match &change.row {
                            Some(Row::Task(row)) => Some(&**row),
                            _ => None,
                        }
                    }));
                    for change in &event.changes {
                        if let Some(Row::Session(row)) = &change.row {
                            self.executor.schedule_worktree_removal(row);
                        }
                    }
                    self.host.publish(HostEvent::Recorded {
                        run: self.durable_run.id().clone(),
                        position: event.position,
                        sequence: event.sequence,
                        changes: event.changes,
                    });
                }
                for (id, effect) in executed.effects {
                    self.executor.execute(id, effect, &self.durable_run);
                }
                if may_change_files {
                    self.executor.request_overlap_scan(&self.durable_run);
                }
                Ok(executed.sequence)
            }
            (Err(error), _) => Err(HostError::from(error)),
        };
        if let Some(reply) = reply {
            // The sender may no longer wait for it.
            drop(reply.try_send(result));
        }
        self.executor.cancel_obsolete_jobs(&self.durable_run);
        self.update_ended_marker();
        None
    }

    fn update_ended_marker(&mut self) {
        let has_ended = self.durable_run.state().outcome().is_some();
        if has_ended != self.has_ended {
            self.has_ended = has_ended;
            self.host.set_ended_marker(self.durable_run.id(), has_ended);
        }
    }

    /// Returns how long to wait for a request.
    fn receive_timeout(&self) -> time::Duration {
        if !self.postponed.is_empty() {
            return RETRY_DELAY;
        }
        let run = self.durable_run.state();
        let next_poll = self.plan_file.as_ref().filter(|_| !self.has_ended).map(PlanFileWatcher::due_in);
        let sleep_max = if run.is_disk_budget_exhausted() { DISK_BUDGET_POLL_INTERVAL } else { SLEEP_MAX };
        let sleep_max = sleep_max.min(next_poll.unwrap_or(SLEEP_MAX));
        let Some(deadline) = run.next_deadline() else { return sleep_max };
        let remaining_ms = u64::try_from(deadline.0.saturating_sub(now().0)).unwrap_or(0);
        time::Duration::from_millis(remaining_ms).min(sleep_max)
    }

    fn is_deadline_reached(&self) -> bool {
        self.durable_run.state().next_deadline().is_some_and(|deadline| deadline <= now())
    }

    fn save_rows_if_due(&mut self) {
        if self.saved_at.elapsed() >= SAVE_INTERVAL || self.durable_run.state().outcome().is_some() {
            // On failure the next call tries again; the log has the events.
            drop(self.durable_run.save_rows());
            self.saved_at = std::time::Instant::now();
        }
    }

    fn stop(self, mode: ShutdownMode) {
        let Self { mut executor, mut durable_run, inbox, .. } = self;
        // Threads that report now must not block: the next start recovers their work.
        drop(inbox);
        executor.stop(mode, durable_run.state().outcome().is_some());
        drop(durable_run.save_rows());
    }
}

/// Returns the ids and titles of the tasks that this run has completed.
fn completed_tasks(durable_run: &DurableRun) -> impl Iterator<Item = (TaskId, String)> {
    let tasks = durable_run.views().rows().tasks.iter();
    let completed = tasks.filter(|row| row.state == TaskState::Done && row.attempt > 0);
    completed.map(|row| (row.id.clone(), row.title.clone()))
}

/// Tells whether worktrees may differ after an input: an agent has ended its turn, or an effect changed them.
fn may_change_files(input: &RunInput) -> bool {
    match input {
        RunInput::Agent { output, .. } => matches!(output, AgentOutput::TurnEnded { .. }),
        RunInput::Report(report) => matches!(
            report,
            Report::SessionStarted { .. }
                | Report::CheckpointFinished { .. }
                | Report::MergeFinished { .. }
                | Report::EffectFinished { .. }
        ),
        RunInput::Start { .. } | RunInput::User { .. } => false,
    }
}

/// Returns the time of the system clock.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
