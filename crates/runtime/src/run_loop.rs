//! The loop of one run: takes requests in order, records the resulting events and passes the effects to the executor.

mod typed_input;

use std::{
    collections::{BTreeSet, VecDeque},
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, SyncSender},
    },
    time::{self, SystemTime, UNIX_EPOCH},
};

use domain::{AgentOutput, EffectId, Report, RunInput, SessionId, Timestamp};
use engine::{Effect, QueueEntry, sort_by_urgency};
use tracing::{debug, warn};
use views::{Rows, RunRow};

use self::{
    clock::{ClockTimes, ClockWatch},
    output_bound::OutputPermit,
};
use crate::{
    DurableRun, DurableRunError, HostEvent,
    executor::{Executor, ExpectedState, RunObservers},
    host::{HostError, HostState, RunSnapshot, ShutdownMode},
    inventory::note_last_event,
};
pub(crate) use output_bound::OutputBound;
use typed_input::TypedInput;

/// Limit of requests handled before the rows are saved.
const BATCH_MAX: usize = 256;
/// Sleep of an idle loop. Bounded so that a change of the system clock is noticed.
const SLEEP_MAX: time::Duration = time::Duration::from_secs(60);
/// Delay before inputs that could not be recorded are tried again.
const RETRY_DELAY: time::Duration = time::Duration::from_millis(200);
/// Limit of inputs that wait for a log that cannot be written. Then no further requests are taken, so senders block.
const POSTPONED_MAX: usize = 4096;
/// Time that the saved rows may lag behind the log while the loop is busy.
const SAVE_INTERVAL: time::Duration = time::Duration::from_secs(1);

/// Request to the loop of a run.
pub(crate) enum RunRequest {
    Input(Box<QueuedInput>),
    Snapshot(SyncSender<RunSnapshot>),
    /// Called with the rows after each input, until it returns true.
    Watch(RowWatch),
    RunRow(SyncSender<Option<RunRow>>),
    /// A user typed into the terminal of a session.
    Typed {
        person: String,
        session: SessionId,
        bytes: u64,
    },
    Stop(ShutdownMode),
}

/// Looks for something in the rows, and returns whether it was found.
pub(crate) type RowWatch = Box<dyn Fn(&Rows) -> bool + Send>;

/// An input that waits for its turn.
pub(crate) struct QueuedInput {
    input: RunInput,
    /// Held until the input was handled.
    permit: Option<OutputPermit>,
    reply: Option<SyncSender<Result<domain::Sequence, HostError>>>,
}

impl RunRequest {
    /// Makes an input whose sender gets no reply.
    pub(crate) fn without_reply(input: RunInput) -> Self {
        Self::Input(Box::new(QueuedInput { input, permit: None, reply: None }))
    }

    /// Makes an input of an agent, which holds its place until it is handled.
    pub(crate) fn with_permit(input: RunInput, permit: OutputPermit) -> Self {
        Self::Input(Box::new(QueuedInput { input, permit: Some(permit), reply: None }))
    }

    pub(crate) fn with_reply(
        input: RunInput,
        reply: SyncSender<Result<domain::Sequence, HostError>>,
    ) -> Self {
        Self::Input(Box::new(QueuedInput { input, permit: None, reply: Some(reply) }))
    }
}

impl QueuedInput {
    fn report(report: Report) -> Self {
        Self { input: report.into(), permit: None, reply: None }
    }
}

#[cfg(test)]
impl QueuedInput {
    pub(crate) fn into_input(self) -> RunInput {
        self.input
    }
}

impl QueueEntry for RunRequest {
    fn input(&self) -> Option<&RunInput> {
        match self {
            Self::Input(queued) => Some(&queued.input),
            Self::Snapshot(_) | Self::Watch(_) | Self::RunRow(_) | Self::Typed { .. } | Self::Stop(_) => None,
        }
    }

    fn input_mut(&mut self) -> Option<&mut RunInput> {
        match self {
            Self::Input(queued) => Some(&mut queued.input),
            Self::Snapshot(_) | Self::Watch(_) | Self::RunRow(_) | Self::Typed { .. } | Self::Stop(_) => None,
        }
    }
}

/// Time that an ended run has to finish its pending effects before it stops.
const FINISH_MAX: time::Duration = time::Duration::from_secs(5);

/// The loop of one run.
pub(crate) struct RunLoop<E> {
    host: Arc<HostState>,
    durable_run: DurableRun,
    executor: E,
    observers: RunObservers,
    inbox: Receiver<RunRequest>,
    /// Inputs without a reply that could not be recorded, in order. Their senders do not repeat them.
    postponed: VecDeque<QueuedInput>,
    /// Reports that the executor returned to this thread. At most one for each effect.
    returned_reports: VecDeque<Report>,
    /// Callers that wait for a change of the rows.
    watches: Vec<RowWatch>,
    typed_input: TypedInput,
    /// Effects that the executor was given and that are not reported yet.
    outstanding: BTreeSet<EffectId>,
    has_ended: bool,
    clock_watch: ClockWatch,
    /// The last event that was noted beside the log.
    noted: Option<domain::Sequence>,
    saved_at: std::time::Instant,
    /// Whether the last attempt to save the rows failed; only the first failure is logged.
    is_saving_failed: bool,
}

impl<E: Executor> RunLoop<E> {
    pub(crate) fn new(
        host: Arc<HostState>,
        durable_run: DurableRun,
        executor: E,
        observers: RunObservers,
        inbox: Receiver<RunRequest>,
    ) -> Self {
        let has_ended = has_ended(&durable_run);
        let clock_watch = ClockWatch::resume(&host.run_folder(durable_run.id()), ClockTimes::at(now()));
        Self {
            host,
            durable_run,
            executor,
            observers,
            inbox,
            postponed: VecDeque::new(),
            returned_reports: VecDeque::new(),
            watches: Vec::new(),
            typed_input: TypedInput::default(),
            outstanding: BTreeSet::new(),
            has_ended,
            clock_watch,
            noted: None,
            saved_at: std::time::Instant::now(),
            is_saving_failed: false,
        }
    }

    /// Handles requests until [`RunRequest::Stop`]. Returns the executor, which still has its sessions, and how to stop it;
    /// `None` if all senders are gone.
    pub(crate) fn run(mut self) -> (E, Option<ShutdownMode>) {
        // Before anything looks at a deadline: the machine may have been suspended while no server ran.
        self.handle_clock_jump();
        self.save_clock();
        let run = self.durable_run.state();
        let recovered = self.executor.recover(ExpectedState {
            sessions: run.expected_sessions(),
            ended_tasks: run.ended_tasks(),
            ended_sessions: run.ended_sessions(),
        });
        self.returned_reports.extend(recovered);
        for (id, effect) in self.durable_run.pending_effects() {
            self.execute(id, effect);
        }
        self.observers.request_overlap_scan(self.durable_run.state());
        let mut stop: Option<(ShutdownMode, time::Instant)> = None;
        loop {
            self.handle_returned_reports();
            if let Some((mode, deadline)) = stop
                && (self.outstanding.is_empty() || time::Instant::now() >= deadline)
            {
                return self.stop(mode);
            }
            self.retry_postponed();
            if self.postponed.len() >= POSTPONED_MAX {
                std::thread::sleep(RETRY_DELAY);
                continue;
            }
            let timeout = match stop {
                Some((_, deadline)) => deadline.saturating_duration_since(time::Instant::now()),
                None => self.receive_timeout(),
            };
            let mut batch = match self.inbox.recv_timeout(timeout) {
                Ok(request) => vec![request],
                Err(RecvTimeoutError::Timeout) if !self.postponed.is_empty() => continue,
                // Before deadlines that only the jump makes due.
                Err(RecvTimeoutError::Timeout) if self.handle_clock_jump() => continue,
                Err(RecvTimeoutError::Timeout) if self.is_deadline_reached() => {
                    vec![RunRequest::without_reply(Report::TimerFired.into())]
                }
                Err(RecvTimeoutError::Timeout) => Vec::new(),
                Err(RecvTimeoutError::Disconnected) => return (self.executor, None),
            };
            self.handle_clock_jump();
            batch.extend(self.inbox.try_iter().take(BATCH_MAX));
            sort_by_urgency(&mut batch);
            for request in batch {
                match request {
                    RunRequest::Input(queued) => self.handle(*queued),
                    RunRequest::Snapshot(reply) => {
                        drop(reply.try_send(RunSnapshot::from_durable_run(&self.durable_run)));
                    }
                    RunRequest::Watch(watch) if watch(self.durable_run.views().rows()) => {}
                    RunRequest::Watch(watch) => self.watches.push(watch),
                    RunRequest::RunRow(reply) => {
                        drop(reply.try_send(self.durable_run.views().rows().run.iter().next().cloned()));
                    }
                    RunRequest::Typed { person, session, bytes } => {
                        self.typed_input.add(person, session, bytes)
                    }
                    // An ended run finishes what it ordered; the others continue with the next start.
                    RunRequest::Stop(mode) if self.durable_run.state().outcome().is_some() => {
                        stop.get_or_insert((mode, time::Instant::now() + FINISH_MAX));
                    }
                    RunRequest::Stop(mode) => return self.stop(mode),
                }
            }
            if self.typed_input.is_due() {
                self.report_typed_input();
            }
            self.note_last_event();
            self.poll_plan_file();
            self.observers.poll_disk_budget(self.durable_run.state());
            self.save_rows_if_due();
        }
    }

    /// Reports a jump of the system clock; returns whether there was one.
    fn handle_clock_jump(&mut self) -> bool {
        let jump = self.clock_watch.take_jump(ClockTimes::at(now()));
        let is_active = self.durable_run.state().outcome().is_none();
        if let Some(by_ms) = jump.filter(|_| is_active) {
            self.handle(QueuedInput::report(Report::ClockJumped { by_ms }));
        }
        if jump.is_some() {
            self.save_clock();
        }
        jump.is_some()
    }

    fn save_clock(&self) {
        if let Err(error) = self.clock_watch.save(&self.host.run_folder(self.durable_run.id())) {
            // A later start only notices less.
            debug!(error = &error as &dyn std::error::Error, "cannot save the time of the clocks");
        }
    }

    /// Reports the plan file if it has changed.
    fn poll_plan_file(&mut self) {
        if self.durable_run.state().outcome().is_some() {
            return;
        }
        for report in self.observers.poll_plan_file() {
            self.handle(QueuedInput::report(report));
        }
    }

    fn report_typed_input(&mut self) {
        for report in self.typed_input.take() {
            self.handle(QueuedInput { input: report.into(), permit: None, reply: None });
        }
    }

    fn execute(&mut self, id: EffectId, effect: Effect) {
        self.outstanding.insert(id);
        let reports = self.executor.execute(id, effect);
        self.returned_reports.extend(reports);
    }

    /// Handles the reports that the executor returned, and those of the effects that they cause.
    fn handle_returned_reports(&mut self) {
        while let Some(report) = self.returned_reports.pop_front() {
            self.handle(QueuedInput::report(report));
        }
    }

    /// Cancels the effects whose outcome the run no longer needs, such as the check of a cancelled task.
    fn cancel_obsolete_effects(&mut self) {
        let run = self.durable_run.state();
        let obsolete = self.outstanding.extract_if(.., |id| !run.is_effect_pending(*id));
        for id in obsolete {
            self.executor.cancel(id);
        }
    }

    /// Handles an input. If it cannot be recorded now, it is postponed, unless its sender waits for a reply.
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

    /// Decides on an input and records the events. Returns an input without a reply that could not be recorded.
    fn try_handle(&mut self, queued: QueuedInput) -> Option<QueuedInput> {
        let QueuedInput { input, permit, reply } = queued;
        let may_change_files = may_change_files(&input);
        // A server that is killed after it recorded an effect of an ended run must load the run at its next start.
        if self.has_ended && matches!(input, RunInput::User { .. }) {
            self.has_ended = false;
            self.host.set_ended_marker(self.durable_run.id(), false);
        }
        // Only a sender that gets a reply can repeat the input.
        let retry = reply.is_none().then(|| input.clone());
        let result = self.durable_run.execute(now(), input);
        let result = match (result, retry) {
            (Err(DurableRunError::Store { .. }), Some(input)) => {
                return Some(QueuedInput { input, permit, reply: None });
            }
            (Ok(executed), _) => {
                let run = self.durable_run.id().clone();
                self.host.publish(HostEvent::Recorded { run, events: executed.events });
                for (id, effect) in executed.effects {
                    self.execute(id, effect);
                }
                if may_change_files {
                    self.observers.request_overlap_scan(self.durable_run.state());
                }
                Ok(executed.sequence)
            }
            (Err(error), _) => Err(HostError::from(error)),
        };
        if let Some(reply) = reply {
            // The sender may no longer wait for it.
            drop(reply.try_send(result));
        }
        self.cancel_obsolete_effects();
        self.update_ended_marker();
        let rows = self.durable_run.views().rows();
        self.watches.retain(|watch| !watch(rows));
        None
    }

    fn update_ended_marker(&mut self) {
        let has_ended = has_ended(&self.durable_run);
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
        let due = self.observers.due_in(run).into_iter().chain(self.typed_input.due_in());
        let sleep_max = due.fold(SLEEP_MAX, time::Duration::min);
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
            let saved = self.durable_run.save_rows();
            if let Some(error) = saved.as_ref().err().filter(|_| !self.is_saving_failed) {
                warn!(error = error as &dyn std::error::Error, "cannot save the rows");
            }
            self.is_saving_failed = saved.is_err();
            self.saved_at = std::time::Instant::now();
        }
    }

    /// Notes the last event beside the log, which shows a later start that the log was shortened.
    fn note_last_event(&mut self) {
        let Some(last) = self.durable_run.recorded_sequence().filter(|last| self.noted != Some(*last)) else {
            return;
        };
        match note_last_event(&self.host.run_folder(self.durable_run.id()), last) {
            Ok(()) => self.noted = Some(last),
            // An older number only notices less.
            Err(error) => debug!(error = &error as &dyn std::error::Error, "cannot note the last event"),
        }
    }

    fn stop(mut self, mode: ShutdownMode) -> (E, Option<ShutdownMode>) {
        self.note_last_event();
        self.report_typed_input();
        let Self { executor, observers, mut durable_run, inbox, .. } = self;
        // Threads that report now must not block: the next start recovers their work.
        drop(inbox);
        observers.stop();
        if let Err(error) = durable_run.save_rows() {
            warn!(error = &error as &dyn std::error::Error, "cannot save the rows");
        }
        (executor, Some(mode))
    }
}

/// Tells whether a run has ended and has finished all effects, so that it needs no loop.
fn has_ended(durable_run: &DurableRun) -> bool {
    durable_run.state().outcome().is_some() && durable_run.pending_effects().is_empty()
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

mod clock;
mod output_bound;
#[cfg(test)]
mod tests;
