//! A session of a run and the thread that serves it: sends inputs, reads the output, and reports both to the run loop.

mod briefs;
mod driver_events;
mod inbox;
mod inputs;
mod permission_path;
mod variables;

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use domain::{AgentOutput, EffectId, InputNumber, LargeFile, Locale, Report, SessionId, SessionInput, Usage};
use drivers::{DriverEvent, TurnOutcome, preset};
use engine::{InputBrief, SessionAssignment, TaskBrief};
use sessions::{InputQueue, SendPolicy, SessionError, SessionReport};
use tracing::{error, info_span};

use self::driver_events::PublishedText;
use super::{
    effect_obstacle::{EffectObstacle, JobError},
    process::{
        Process, ProcessError, SessionSpec, end_session_processes, kill_unlisted_processes, wait_for_start,
    },
    provision::finished,
    run_context::{RunContext, WorktreeError},
};
use crate::error_chain::error_chain;
pub(super) use inbox::{COMMANDS_MAX, SessionCommand, SessionStop};
use inbox::{SessionInbox, SessionOutbox, outbox_and_inbox};
use variables::DeferredProvision;

/// Time that an agent has to exit after its input is closed.
const CLOSE_MAX: Duration = Duration::from_secs(5);
/// Time that processes have to exit before they are killed.
const GRACE: Duration = Duration::from_secs(1);

/// State of a session when its thread starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecoveryState {
    /// Its process must be started, unless an earlier server did.
    New,
    /// It should have a process.
    Running,
    /// Its process was ended to free resources.
    Cold,
}

/// Handle of a session's thread for the run loop.
pub(super) struct SessionHandle {
    outbox: SessionOutbox,
    thread: JoinHandle<()>,
}

impl SessionHandle {
    /// Starts the thread. It first waits for the end of the thread of an earlier process, if any.
    pub(super) fn new(
        context: Arc<RunContext>,
        assignment: SessionAssignment,
        state: RecoveryState,
        earlier: Option<Self>,
    ) -> Result<Self, String> {
        let session = assignment.session;
        let preset = context.environment.agents.get(&assignment.agent).cloned();
        let preset = preset.unwrap_or_else(|| assignment.agent.to_string());
        let preset = preset::resolve_preset(&preset, &context.environment.presets)
            .map_err(|error| error_chain(&error))?;
        let usage = Usage { cost_micros: assignment.cost_micros, ..Usage::default() };
        let spec = SessionSpec {
            session,
            preset,
            role: assignment.role,
            task: assignment.task,
            directory: context.environment.project.clone(),
            task_ids: assignment.task_ids,
            project: assignment.project,
            phase: assignment.phase,
            team: assignment.team,
            runs_setup: assignment.runs_setup,
            agent_session: assignment.agent_session,
            is_in_turn: assignment.is_in_turn,
            has_text: assignment.has_spoken,
            usage,
            variables: assignment.variables,
        };
        let (outbox, inbox) = outbox_and_inbox();
        let worker = SessionWorker {
            is_in_turn: spec.is_in_turn,
            deferred: Vec::new(),
            context,
            spec,
            locale: assignment.locale,
            read_from: assignment.read_from,
            inbox,
            inputs: InputQueue::new(SendPolicy::AsQueued, 0),
            sent: Vec::new(),
            unreported_texts: BTreeMap::new(),
            published_text: PublishedText::default(),
            replay: None,
            is_ending: false,
        };
        let task = worker.spec.task.as_ref().map(ToString::to_string);
        let span = info_span!("session", run = %worker.context.run, task, session = %session);
        let thread = thread::Builder::new().name(format!("session-{session}"));
        let thread = thread.spawn(move || {
            span.in_scope(|| {
                // The earlier thread may wait until the run loop takes a report, so the run loop cannot wait for it.
                earlier.into_iter().for_each(Self::join);
                worker.run_or_report_panic(state);
            });
        });
        let thread = thread.map_err(|error| error_chain(&error))?;
        Ok(Self { outbox, thread })
    }

    /// Returns the handle of a thread that executes no commands.
    #[cfg(test)]
    pub(super) fn of_other_thread(thread: JoinHandle<()>) -> Self {
        Self { outbox: outbox_and_inbox().0, thread }
    }

    /// Returns the command if the thread has ended.
    pub(super) fn send(&self, command: SessionCommand) -> Result<(), SessionCommand> {
        self.outbox.send(command)
    }

    /// Returns whether the thread has not ended yet.
    pub(super) fn stop(&self, stop: SessionStop) -> bool {
        self.outbox.stop(stop)
    }

    pub(super) fn join(self) {
        // A panic was reported by the thread itself.
        drop(self.thread.join());
    }
}

/// Returns the report of a command that came after the end of the session's thread.
///
/// The process may have ended just before the run parked the session, which is then not told as an end. A session without a
/// process is parked in any mode, but needs another process to be woken.
pub(super) fn report_after_end(session: SessionId, command: SessionCommand) -> Option<Report> {
    match command {
        SessionCommand::Freeze { effect }
        | SessionCommand::Thaw { effect }
        | SessionCommand::Cool { effect } => Some(Report::EffectFinished { effect, error: None }),
        SessionCommand::Warm { .. } => {
            Some(Report::SessionLost { session, reason: "its process ended while it was parked".to_owned() })
        }
        SessionCommand::Provide { effect, order } => {
            Some(finished(effect, &order, Err("its session has ended".to_owned())))
        }
        // The end of the session returns unsent inputs to the task.
        SessionCommand::Send { .. } | SessionCommand::MaskSecrets | SessionCommand::Wake => None,
    }
}

/// An input of the run, with the description of the task that it starts.
struct QueuedInput {
    input: Box<SessionInput>,
    brief: Option<Box<InputBrief>>,
    /// Set if the tree before the input is reported: the files above the size limit that it has.
    tree_report: Option<Vec<LargeFile>>,
}

/// Next state of a session's thread.
enum NextState {
    /// Serve a running process.
    Running(Box<Process>),
    /// Wait without a process.
    Cold,
    /// End the thread.
    Ended,
}

struct SessionWorker {
    context: Arc<RunContext>,
    spec: SessionSpec,
    locale: Locale,
    read_from: u64,
    inbox: SessionInbox,
    inputs: InputQueue<QueuedInput>,
    /// Inputs that were sent to the current process, which are repeated if its agent cannot resume its conversation.
    /// Bounded by its conversation: each input starts or continues a turn of the agent.
    sent: Vec<(InputNumber, QueuedInput)>,
    /// Texts of inputs whose delivery is not reported yet.
    unreported_texts: BTreeMap<InputNumber, String>,
    published_text: PublishedText,
    /// Description of the task to repeat to an agent that did not resume its conversation.
    replay: Option<Box<TaskBrief>>,
    /// Whether the process is being ended because the run ended the session.
    is_ending: bool,
    /// Whether the agent was sent an input and has not ended its turn.
    is_in_turn: bool,
    /// Deliveries that wait for the end of the turn. Bounded by the requests of a session.
    deferred: Vec<DeferredProvision>,
}

impl SessionWorker {
    /// Serves the session. After a panic the run starts another attempt, instead of waiting for this session for ever.
    fn run_or_report_panic(self, state: RecoveryState) {
        let (context, session) = (Arc::clone(&self.context), self.spec.session);
        if catch_unwind(AssertUnwindSafe(|| self.run(state))).is_err() {
            error!("the thread of the session panicked");
            end_session_processes(&context, session, GRACE);
            let reason = "its thread panicked".to_owned();
            context.report_to_run_loop(Report::SessionLost { session, reason });
        }
    }

    fn run(mut self, state: RecoveryState) {
        let context = Arc::clone(&self.context);
        let registry = &context.host.disk_budget.registry;
        let task = self.spec.task.as_ref();
        let _lease = task.map(|task| registry.lease(&context.run, self.spec.session, task));
        let mut next = self.start_or_recover(state);
        loop {
            next = match next {
                Ok(NextState::Running(process)) => self.serve_process(*process),
                Ok(NextState::Cold) => self.wait_while_cold(),
                Ok(NextState::Ended) => return self.report_unexecuted_commands(),
                // The failure may be a result of the shutdown; the next server tries again.
                Err(_) if self.inbox.stop_request() == Some(SessionStop::Detach) => return,
                Err(ProcessError::DiskBudget(reason)) => {
                    let session = self.spec.session;
                    return self.context.report_to_run_loop(Report::DiskBudgetExceeded { session, reason });
                }
                Err(error) => {
                    let (session, reason) = (self.spec.session, error_chain(&error));
                    // The processes must not continue beside those of the session that replaces this one.
                    end_session_processes(&self.context, session, GRACE);
                    kill_unlisted_processes(&self.context, session);
                    self.context.remove_environment_file(session);
                    return self.context.report_to_run_loop(Report::SessionLost { session, reason });
                }
            };
        }
    }

    /// Reports the commands that were queued when the process ended. A detached thread leaves them to the next one.
    fn report_unexecuted_commands(&self) {
        let (queued, session) = (self.inbox.close(), self.spec.session);
        match self.inbox.stop_request() {
            // The session continues: its file and its deliveries too.
            Some(SessionStop::Detach | SessionStop::Shutdown) => return,
            // Requested after the end of the process was reported, which the run ignores for a parked session.
            Some(SessionStop::End) => {
                self.context.report_to_run_loop(Report::SessionEnded { session, exit_status: None });
            }
            Some(SessionStop::Overflow) | None => {}
        }
        self.context.remove_environment_file(session);
        for DeferredProvision { effect, order } in &self.deferred {
            let outcome = Err("its session has ended".to_owned());
            self.context.report_to_run_loop(finished(*effect, order, outcome));
        }
        for report in queued.into_iter().filter_map(|command| report_after_end(session, command)) {
            self.context.report_to_run_loop(report);
        }
    }

    fn start_or_recover(&mut self, state: RecoveryState) -> Result<NextState, ProcessError> {
        self.spec.directory = self.set_up_directory()?;
        wait_for_start(&self.context, self.spec.session)?;
        let process = Process::open_last(&self.context, &self.spec, self.read_from)?;
        match (process, state) {
            (Some((process, _)), RecoveryState::Cold) if process.has_ended() => Ok(NextState::Cold),
            (Some((process, _)), RecoveryState::New) if self.was_ended_by_shutdown(&process) => {
                self.start_process()
            }
            // An earlier server was killed during the start.
            (Some((process, _)), RecoveryState::New) if process.never_started() => {
                self.context.host.sessions.kill_orphans(&process.entry);
                self.start_process()
            }
            (Some((process, reports)), _) => {
                self.restore_environment_file();
                self.attach_process(process, reports)
            }
            (None, RecoveryState::New) => self.start_process(),
            (None, RecoveryState::Cold) => Ok(NextState::Cold),
            (None, RecoveryState::Running) => {
                Err(ProcessError::Unusable("its process was not found".to_owned()))
            }
        }
    }

    /// Tells whether the shutdown of an earlier server ended the process.
    fn was_ended_by_shutdown(&self, process: &Process) -> bool {
        process.has_ended() && process.was_ended_by_shutdown(&self.context, self.spec.session)
    }

    /// Returns the directory of the session. A new worktree is set up first.
    fn set_up_directory(&self) -> Result<std::path::PathBuf, ProcessError> {
        let directory = match &self.spec.task {
            Some(task) => self.context.find_or_create_task_directory(task),
            None => {
                self.context.find_or_create_session_directory(self.spec.session).map_err(WorktreeError::Git)
            }
        };
        let (directory, is_new) = directory.map_err(|error| match error {
            WorktreeError::Git(error) => match JobError::new(&self.context, &error) {
                JobError::Obstacle(EffectObstacle::DiskFull { error }) => ProcessError::DiskBudget(error),
                JobError::Obstacle(EffectObstacle::RefMoved(moved)) => {
                    let reason = moved.to_string();
                    self.context.report_to_run_loop(Report::RefMoved { effect: None, moved });
                    ProcessError::Unusable(reason)
                }
                JobError::Failed(reason) => ProcessError::Unusable(reason),
            },
            WorktreeError::DiskBudget(exceeded) => ProcessError::DiskBudget(exceeded.to_string()),
        })?;
        let SessionSpec { session, runs_setup, .. } = self.spec;
        let stop_token = &self.inbox.stop_token;
        let set_up = match &self.spec.task {
            Some(task) => self.context.prepare_task_worktree(&directory, task, is_new, stop_token),
            None => {
                self.context.prepare_session_worktree(&directory, session, runs_setup, is_new, stop_token)
            }
        };
        set_up.map_err(ProcessError::Unusable)?;
        Ok(directory)
    }

    fn start_process(&mut self) -> Result<NextState, ProcessError> {
        let (process, reports) = Process::start(&self.context, &self.spec)?;
        self.sent.clear();
        self.attach_process(process, reports)
    }

    fn attach_process(
        &mut self,
        mut process: Process,
        reports: Vec<SessionReport>,
    ) -> Result<NextState, ProcessError> {
        self.inbox.set_waker(process.session.waker());
        self.handle_reports(reports, &mut process)?
            .map_or_else(|| Ok(NextState::Running(Box::new(process))), Ok)
    }

    /// Serves a process until it ends or the thread has to stop.
    fn serve_process(&mut self, mut process: Process) -> Result<NextState, ProcessError> {
        loop {
            while let Ok(command) = self.inbox.commands.try_recv() {
                if let Some(next) = self.execute(command, &mut process)? {
                    return Ok(next);
                }
            }
            match self.inbox.stop_request() {
                Some(SessionStop::Detach) => return Ok(NextState::Ended),
                Some(SessionStop::Shutdown) => {
                    process.mark_ended_by_shutdown(&self.context, self.spec.session);
                    process.session.stop(GRACE)?;
                    return Ok(NextState::Ended);
                }
                Some(SessionStop::Overflow) => return Err(ProcessError::QueueFull),
                // The end is reported when the output has been read.
                Some(SessionStop::End) if !self.is_ending => {
                    self.is_ending = true;
                    process.session.stop(GRACE)?;
                }
                Some(SessionStop::End) | None => {}
            }
            if let Some(next) = self.send_inputs(&mut process)? {
                return Ok(next);
            }
            let reports = process.session.next_reports(None)?;
            if let Some(next) = self.handle_reports(reports, &mut process)? {
                return Ok(next);
            }
            if let Some(next) = self.provide_deferred(&mut process)? {
                return Ok(next);
            }
        }
    }

    fn execute(
        &mut self,
        command: SessionCommand,
        process: &mut Process,
    ) -> Result<Option<NextState>, ProcessError> {
        match command {
            SessionCommand::Send { number, input, brief, tree_report } => {
                self.queue_input(number, QueuedInput { input, brief, tree_report })?;
            }
            SessionCommand::Freeze { effect } => self.report_effect(effect, process.session.pause()),
            SessionCommand::Thaw { effect } => self.report_effect(effect, process.session.resume()),
            SessionCommand::Warm { effect, replay } => {
                // An earlier server started the process.
                self.replay = replay.filter(|_| !process.has_input);
                self.report_effect(effect, Ok(()));
            }
            SessionCommand::Cool { effect } => {
                self.close_process(process)?;
                self.report_effect(effect, Ok(()));
                return Ok(Some(NextState::Cold));
            }
            SessionCommand::Provide { effect, order } => {
                return self.provide_to_process(effect, order, process);
            }
            SessionCommand::MaskSecrets => self.mask_values_of_vault(process),
            SessionCommand::Wake => {}
        }
        Ok(None)
    }

    /// Closes the input of a process, ends it if it does not exit, and reads its output to the end.
    fn close_process(&mut self, process: &mut Process) -> Result<(), ProcessError> {
        // Only a frozen process needs it, and the end of one that has exited is read below.
        drop(process.session.resume());
        // The input of a terminal cannot be closed.
        let is_closing = process.session.close_input().is_ok();
        let deadline = Instant::now() + if is_closing { CLOSE_MAX } else { Duration::ZERO };
        let mut is_stopped = false;
        loop {
            if !is_stopped && Instant::now() >= deadline {
                is_stopped = true;
                process.session.stop(GRACE)?;
            }
            let reports = process.session.next_reports(Some(deadline.max(Instant::now() + GRACE)))?;
            for report in reports {
                match report {
                    SessionReport::Ended(_) | SessionReport::Lost => return Ok(()),
                    // The turn was interrupted and continues when the session is woken.
                    SessionReport::Event(DriverEvent::TurnEnded {
                        read_from,
                        text,
                        tools,
                        outcome: TurnOutcome::Failed { .. },
                    }) => {
                        let read_from = process.to_session_offset(read_from);
                        self.send_output(process, AgentOutput::TurnInterrupted { read_from, text, tools });
                    }
                    SessionReport::Event(event) => self.handle_event(event, process),
                    SessionReport::InputWritten { number } => self.report_sent(number),
                }
            }
        }
    }

    /// Waits without a process until the session is woken.
    fn wait_while_cold(&mut self) -> Result<NextState, ProcessError> {
        loop {
            match self.inbox.stop_request() {
                Some(SessionStop::Detach | SessionStop::Shutdown) => return Ok(NextState::Ended),
                Some(SessionStop::Overflow) => return Err(ProcessError::QueueFull),
                Some(SessionStop::End) => {
                    let session = self.spec.session;
                    self.context.report_to_run_loop(Report::SessionEnded { session, exit_status: None });
                    return Ok(NextState::Ended);
                }
                None => {}
            }
            match self.inbox.commands.recv() {
                Ok(SessionCommand::Send { number, input, brief, tree_report }) => {
                    self.queue_input(number, QueuedInput { input, brief, tree_report })?;
                }
                Ok(
                    SessionCommand::Freeze { effect }
                    | SessionCommand::Thaw { effect }
                    | SessionCommand::Cool { effect },
                ) => self.report_effect(effect, Ok(())),
                Ok(SessionCommand::Warm { effect, replay }) => {
                    self.replay = replay;
                    let next = self.start_process()?;
                    self.report_effect(effect, Ok(()));
                    return Ok(next);
                }
                Ok(SessionCommand::Provide { effect, order }) => self.provide_while_cold(effect, &order),
                // The next process starts with all of them.
                Ok(SessionCommand::MaskSecrets | SessionCommand::Wake) => {}
                Err(_) => return Ok(NextState::Ended),
            }
        }
    }

    fn report_effect(&self, effect: EffectId, result: Result<(), SessionError>) {
        let error = result.err().map(|error| error_chain(&error));
        self.context.report_to_run_loop(Report::EffectFinished { effect, error });
    }
}
