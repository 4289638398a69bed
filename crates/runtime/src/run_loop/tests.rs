//! The loop with an executor that starts no processes. For each effect: it is executed once, a repeated report changes
//! nothing, it is cancelled when it is obsolete, and it is recovered after a crash between any two steps.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at few of the variants")]

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::{
        Arc, Mutex,
        mpsc::{SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use domain::{
    AgentMessage, AgentOutput, AttemptNumber, DependencyRequest, DependencyType, EffectId, InputNumber,
    MessageOffset, ParkMode, PermissionKind, PermissionMode, PermissionRequest, PermissionScope,
    ProvidedResource, QuestionId, Report, RequestId, Role, RunId, RunInput, RunOutcome, Sequence, SessionId,
    SessionInput, TaskId, TeamMember, Timestamp, TurnTools, UserCommand,
};
use engine::Effect;
use tempfile::TempDir;
use testkit::{
    failing_log::FailingLog,
    run_loop::{start_input, success_inputs},
    workloads::{GraphShape, generate},
};

use super::{RunLoop, RunRequest};
use crate::{
    DurableRun, DurableRunError, Host,
    executor::{Executor, ExpectedState, RunObservers},
    host::ShutdownMode,
};

/// Id of the first task that testkit generates.
const FIRST_TASK: &str = "T1";
/// Id of the second one.
const STOPPED_TASK: &str = "T2";
/// Time that a run may take.
const RUN_MAX: Duration = Duration::from_secs(60);
/// Requests that may wait; more than all effects of a test cause.
const REQUESTS_MAX: usize = 4096;

/// What an executor was asked for, in order.
#[derive(Debug, Default)]
struct ExecutorCalls {
    executed: Vec<(EffectId, Effect)>,
    cancelled: BTreeSet<EffectId>,
    recovered_sessions: Vec<SessionId>,
}

/// When the server is killed.
#[derive(Debug, Clone, Copy)]
enum Crash {
    Never,
    /// After this number of effects: the next one is executed and not reported.
    AfterEffects(usize),
    AtFirst(EffectKind, CrashStep),
}

/// Between which steps of an effect the server is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CrashStep {
    /// Its event is in the log, and the executor has not received it.
    Recorded,
    /// The executor has executed it, and has not reported its outcome.
    Executed,
    /// Its outcome is reported, and not in the log.
    Reported,
}

/// Reports the success of each effect at once, and starts no processes.
struct FakeExecutor {
    calls: Arc<Mutex<ExecutorCalls>>,
    requests: SyncSender<RunRequest>,
    log: Arc<FailingLog>,
    crash: Crash,
    is_crashed: bool,
    /// The kind of effects that are never reported, as if they took long.
    slow: Option<EffectKind>,
    /// Whether reports of an effect are returned at once, instead of being queued.
    is_returned: fn(&Effect) -> bool,
    outcome: OutcomeFunction,
}

/// Returns the inputs that an effect leads to.
type OutcomeFunction = fn(&ExecutorCalls, EffectId, Effect) -> Vec<RunInput>;

impl FakeExecutor {
    /// Returns the step after which the server is killed, if it is at this effect.
    fn crash_step(&self, n_executed: usize, effect: &Effect) -> Option<CrashStep> {
        match self.crash {
            Crash::Never => None,
            Crash::AfterEffects(n_effects) => (n_executed >= n_effects).then_some(CrashStep::Executed),
            Crash::AtFirst(kind, step) => (self.is_crashed || EffectKind::of(effect) == kind).then_some(step),
        }
    }

    /// Queues the inputs that an effect leads to, and returns the reports that are not queued.
    fn report(&self, calls: &ExecutorCalls, id: EffectId, effect: Effect) -> Vec<Report> {
        let is_returned = (self.is_returned)(&effect);
        let mut returned = Vec::new();
        for input in (self.outcome)(calls, id, effect) {
            match input {
                RunInput::Report(report) if is_returned => returned.push(report),
                input => self.requests.try_send(RunRequest::without_reply(input)).unwrap(),
            }
        }
        returned
    }
}

impl Executor for FakeExecutor {
    fn execute(&mut self, id: EffectId, effect: Effect) -> Vec<Report> {
        let mut calls = self.calls.lock().unwrap();
        let crash_step = self.crash_step(calls.executed.len(), &effect);
        if crash_step != Some(CrashStep::Recorded) {
            calls.executed.push((id, effect.clone()));
        }
        match crash_step {
            None if self.slow == Some(EffectKind::of(&effect)) => Vec::new(),
            None => self.report(&calls, id, effect),
            Some(step) => {
                let mut returned = Vec::new();
                // The rest of its decision is lost with it.
                if step == CrashStep::Reported && !self.is_crashed {
                    self.log.fail_after(0);
                    returned = self.report(&calls, id, effect);
                }
                self.is_crashed = true;
                let _ = self.requests.try_send(RunRequest::Stop(ShutdownMode::KeepSessions));
                returned
            }
        }
    }

    fn cancel(&mut self, id: EffectId) {
        self.calls.lock().unwrap().cancelled.insert(id);
    }

    fn recover(&mut self, expected: ExpectedState) -> Vec<Report> {
        let mut sessions: Vec<_> =
            expected.sessions.iter().map(|expected| expected.assignment.session).collect();
        self.calls.lock().unwrap().recovered_sessions.append(&mut sessions);
        Vec::new()
    }
}

struct LoopTest {
    _folder: TempDir,
    host: Host,
    run: RunId,
}

impl LoopTest {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let host = Host::open(folder.path()).unwrap();
        Self { _folder: folder, host, run: "r1".parse().unwrap() }
    }

    /// Runs the loop with these inputs until it has nothing to do, or until it crashes.
    fn run_loop(&self, inputs: Vec<RunInput>, crash: Crash, slow: Option<EffectKind>) -> ExecutorCalls {
        self.run_loop_with(inputs, crash, slow, |_, id, effect| success_inputs(id, effect))
    }

    fn run_loop_with(
        &self,
        inputs: Vec<RunInput>,
        crash: Crash,
        slow: Option<EffectKind>,
        outcome: OutcomeFunction,
    ) -> ExecutorCalls {
        let state = self.host.shared_state();
        let log = Arc::new(FailingLog::new(Arc::clone(&state.log), u64::MAX, usize::MAX));
        let durable_run = DurableRun::open(Arc::<FailingLog>::clone(&log), self.run.clone()).unwrap();
        let calls = Arc::<Mutex<ExecutorCalls>>::default();
        let (requests, inbox) = sync_channel(REQUESTS_MAX);
        let executor = FakeExecutor {
            calls: Arc::clone(&calls),
            requests: requests.clone(),
            log,
            crash,
            is_crashed: false,
            slow,
            is_returned: |effect| matches!(effect, Effect::ReleaseWorktree { .. } | Effect::TickPlan { .. }),
            outcome,
        };
        for input in inputs {
            requests.try_send(RunRequest::without_reply(input)).unwrap();
        }
        let run_loop = RunLoop::new(state, durable_run, executor, RunObservers::default(), inbox);
        let thread = thread::spawn(move || run_loop.run());
        let deadline = Instant::now() + RUN_MAX;
        // Taken in order: the reports of all effects come before it.
        while !thread.is_finished() {
            assert!(Instant::now() < deadline, "the run does not end: {:#?}", calls.lock().unwrap());
            let (reply, snapshot) = sync_channel(1);
            if requests.send(RunRequest::Snapshot(reply)).is_err() {
                break;
            }
            let Ok(snapshot) = snapshot.recv() else { break };
            let run = snapshot.views.rows().run.iter().next().cloned();
            let has_ended = run.is_some_and(|run| run.ended_at.is_some());
            let is_slow = |effect: &Effect| slow == Some(EffectKind::of(effect));
            let is_waiting = calls.lock().unwrap().executed.iter().any(|(_, effect)| is_slow(effect));
            if has_ended || is_waiting {
                let _ = requests.send(RunRequest::Stop(ShutdownMode::KeepSessions));
            }
        }
        drop(requests);
        thread.join().unwrap();
        Arc::into_inner(calls).unwrap().into_inner().unwrap()
    }

    fn outcome(&self) -> Option<RunOutcome> {
        self.durable_run().state().outcome()
    }

    fn durable_run(&self) -> DurableRun {
        DurableRun::open(Arc::clone(&self.host.shared_state().log), self.run.clone()).unwrap()
    }
}

fn start() -> RunInput {
    start_input(&generate(GraphShape::Chains, 6, 1), 2)
}

/// Defines the kinds of effects. A new effect does not compile until it is listed, and must then pass every test below.
macro_rules! effect_kinds {
    ($($kind:ident),* $(,)?) => {
        /// The kind of an effect.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        enum EffectKind {
            $($kind),*
        }

        impl EffectKind {
            const ALL: &[Self] = &[$(Self::$kind),*];

            fn of(effect: &Effect) -> Self {
                match effect {
                    $(Effect::$kind { .. } => Self::$kind),*
                }
            }
        }
    };
}

effect_kinds! {
    SpawnAgent,
    SendInput,
    ParkSession,
    WakeSession,
    EndSession,
    RunCheck,
    Merge,
    CheckGate,
    LandPhase,
    LandRun,
    CleanRun,
    StopSession,
    MakeCheckpoint,
    RestoreCheckpoint,
    SavePermissionRule,
    TickPlan,
    RecordDuration,
    ReleaseWorktree,
    RemoveWorktree,
    ProvideResource,
}

/// What makes a pending effect obsolete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CancellingCommand {
    /// The user cancels the run, and with it the sessions and attempts of all tasks.
    CancelRun,
    /// The user rewinds the task again, to another checkpoint.
    RewindTask,
    /// No command: it must have its outcome even if the run is cancelled.
    None,
}

impl EffectKind {
    fn cancelling_command(self) -> CancellingCommand {
        match self {
            Self::SpawnAgent
            | Self::SendInput
            | Self::ParkSession
            | Self::WakeSession
            | Self::StopSession
            | Self::RunCheck
            | Self::Merge
            | Self::ProvideResource => CancellingCommand::CancelRun,
            Self::RestoreCheckpoint => CancellingCommand::RewindTask,
            // The process must end.
            Self::EndSession
            // A gate decides on work that is merged already, and approved work must reach the user's branch.
            | Self::CheckGate
            | Self::LandPhase
            // A user requested them.
            | Self::LandRun
            | Self::CleanRun
            // What an agent wrote is saved in any case.
            | Self::MakeCheckpoint
            // They record facts that stay true, and remove leftovers.
            | Self::SavePermissionRule
            | Self::TickPlan
            | Self::RecordDuration
            | Self::ReleaseWorktree
            | Self::RemoveWorktree => CancellingCommand::None,
        }
    }
}

/// Returns the start of a run that needs every kind of effect: it has checks, an orchestrator with a session of its own,
/// and parks waiting sessions at once.
fn start_with_every_effect() -> RunInput {
    let mut input = start_input(&generate(GraphShape::Chains, 3, 1), 2);
    if let RunInput::Start { start, .. } = &mut input {
        start.settings.verify = Some("make check".to_owned());
        (start.settings.park_frozen_after_ms, start.settings.park_cold_after_ms) = (1, 2);
        start.settings.permissions.mode = PermissionMode::Ask;
        start.settings.ticks_plan = true;
        let name = "lead".parse().unwrap();
        let lead = TeamMember {
            name,
            role: Role::Orchestrator,
            slots: None,
            is_turn_end_guessed: false,
            protocol: domain::AgentProtocol::Text,
        };
        start.team.push(lead);
    }
    input
}

fn user(command: UserCommand) -> RunInput {
    RunInput::User { person: "ana".to_owned(), origin: None, command }
}

/// Returns the effect that sends a task, whose agent then reports it as done.
fn prompt_of_task(session: SessionId, input: InputNumber, task: &str, attempt: AttemptNumber) -> Effect {
    let (task, hint, carried, earlier) = (task.parse().unwrap(), None, Vec::new(), Vec::new());
    Effect::SendInput {
        session,
        input,
        content: Box::new(SessionInput::Task { task, attempt, hint, carried, earlier }),
        brief: None,
        reports_tree: false,
        large_files: Vec::new(),
    }
}

/// Returns the inputs that follow an effect of [`start_with_every_effect`]: the worker of the first task asks for a
/// permission, the user answers when its session is cold, stops the session of the second task, rewinds another task, and
/// lands and cleans up the run.
fn outcome_with_every_effect(calls: &ExecutorCalls, id: EffectId, effect: Effect) -> Vec<RunInput> {
    match effect {
        Effect::SendInput { session, input, ref content, .. } => match &**content {
            SessionInput::Task { task, .. } if task.as_str() == FIRST_TASK => {
                let request = PermissionRequest {
                    prompt: "prompt-1".to_owned(),
                    kind: PermissionKind::Run,
                    subject: "make deploy".to_owned(),
                    detail: None,
                    in_worktree: false,
                };
                vec![
                    Report::InputSent { session, input, text: None, tree: None }.into(),
                    RunInput::Agent { session, output: AgentOutput::PermissionRequested(request) },
                ]
            }
            // The user stops its process; the next attempt is done.
            SessionInput::Task { task, attempt: 1, .. } if task.as_str() == STOPPED_TASK => vec![
                Report::InputSent { session, input, text: None, tree: None }.into(),
                user(UserCommand::StopSession(session)),
            ],
            // The next attempt requests a key, and is done when it gets it.
            SessionInput::Task { task, attempt: 2, .. } if task.as_str() == STOPPED_TASK => {
                let request = DependencyRequest {
                    r#type: DependencyType::ApiKey,
                    name: "API_KEY".to_owned(),
                    description: String::new(),
                    required: true,
                    default: None,
                    extra: BTreeMap::new(),
                };
                let message = Box::new(AgentMessage::DependencyRequest(request));
                let offset = MessageOffset { start: 10, ordinal: 0 };
                let output = AgentOutput::Message { offset, read_from: 20, message };
                let turn_end = AgentOutput::TurnEnded {
                    read_from: 20,
                    text: String::new(),
                    tools: TurnTools::default(),
                    failure: None,
                };
                let provided = ProvidedResource::Environment { names: vec!["API_KEY".to_owned()] };
                vec![
                    Report::InputSent { session, input, text: None, tree: None }.into(),
                    RunInput::Agent { session, output },
                    RunInput::Agent { session, output: turn_end },
                    user(UserCommand::Provide { request: RequestId(1), provided }),
                ]
            }
            SessionInput::Provided { .. } => {
                success_inputs(id, prompt_of_task(session, input, STOPPED_TASK, 2))
            }
            SessionInput::Permission { .. } => {
                success_inputs(id, prompt_of_task(session, input, FIRST_TASK, 1))
            }
            _ => success_inputs(id, effect),
        },
        Effect::ParkSession { mode: ParkMode::Cold, .. } => {
            let answer = UserCommand::Answer {
                question: Some(QuestionId(1)),
                task: None,
                answer: "allow".to_owned(),
                scope: PermissionScope::Project,
                pattern: None,
                reason: None,
            };
            let mut inputs = success_inputs(id, effect);
            inputs.push(user(answer));
            inputs
        }
        Effect::RunCheck(ref order) if order.task.as_str() != FIRST_TASK => {
            let is_rewound = calls
                .executed
                .iter()
                .any(|(_, effect)| EffectKind::of(effect) == EffectKind::RestoreCheckpoint);
            let rewind = UserCommand::RewindTask { task: order.task.clone(), checkpoint: None };
            let rewinds = (!is_rewound).then(|| user(rewind));
            rewinds.into_iter().chain(success_inputs(id, effect)).collect()
        }
        Effect::RecordDuration(ref duration) => {
            let command = match duration.task.as_str() {
                FIRST_TASK => UserCommand::LandRun { all: true, into: None, squash: false },
                _ => UserCommand::CleanRun { refs: false },
            };
            let mut inputs = success_inputs(id, effect);
            inputs.push(user(command));
            inputs
        }
        effect => success_inputs(id, effect),
    }
}

#[test]
fn each_effect_is_executed_once_and_none_stays_pending() {
    let test = LoopTest::new();
    let start = vec![start_with_every_effect()];
    let calls = test.run_loop_with(start, Crash::Never, None, outcome_with_every_effect);
    assert_eq!(test.outcome(), Some(RunOutcome::Done));
    assert_executed_once(&calls, "without a crash");
    for kind in EffectKind::ALL {
        assert!(calls.executed.iter().any(|(_, effect)| EffectKind::of(effect) == *kind), "{kind:?}");
    }
    assert_eq!(test.durable_run().pending_effects(), []);
}

fn assert_executed_once(calls: &ExecutorCalls, case: &str) {
    let mut times: BTreeMap<EffectId, u32> = BTreeMap::new();
    for (id, _) in &calls.executed {
        *times.entry(*id).or_default() += 1;
    }
    assert!(times.values().all(|times| *times == 1), "{case}: {times:?}");
}

/// Executes effects without a thread, so that what a single report changes can be seen.
struct StepwiseExecutor {
    durable_run: DurableRun,
    now: Timestamp,
    effects: VecDeque<(EffectId, Effect)>,
    calls: ExecutorCalls,
    /// All reports so far, each with the kind of its effect.
    reports: Vec<(EffectKind, Report)>,
}

impl StepwiseExecutor {
    fn handle(&mut self, input: RunInput) {
        match self.durable_run.execute(self.now, input) {
            Ok(executed) => self.effects.extend(executed.effects),
            // An outcome that the run no longer needs.
            Err(DurableRunError::Rejected(_)) => {}
            Err(error) => panic!("{error:?}"),
        }
    }

    /// Executes all effects, and lets time pass until the run has ended. Every report comes twice.
    fn run_to_end(&mut self) {
        loop {
            while let Some((id, effect)) = self.effects.pop_front() {
                self.calls.executed.push((id, effect.clone()));
                let kind = EffectKind::of(&effect);
                for input in outcome_with_every_effect(&self.calls, id, effect) {
                    self.handle(input.clone());
                    if let RunInput::Report(report) = input {
                        self.assert_changes_nothing(kind, &report, "duplicate");
                        self.reports.push((kind, report));
                    }
                }
            }
            let Some(deadline) = self.durable_run.state().next_deadline() else { return };
            self.now = self.now.max(deadline);
            self.handle(Report::TimerFired.into());
        }
    }

    fn assert_changes_nothing(&mut self, kind: EffectKind, report: &Report, case: &str) {
        let before = self.durable_run.state().clone();
        let result = self.durable_run.execute(self.now, report.clone().into());
        let n_events = result.map_or(0, |executed| executed.events.len());
        assert_eq!(n_events, 0, "{kind:?}: a {case} report leads to events: {report:?}");
        assert!(
            before == *self.durable_run.state(),
            "{kind:?}: a {case} report changes the state: {report:?}"
        );
    }
}

#[test]
fn duplicate_and_late_reports_of_each_effect_change_nothing() {
    let test = LoopTest::new();
    let mut executor = StepwiseExecutor {
        durable_run: test.durable_run(),
        now: Timestamp(1),
        effects: VecDeque::new(),
        calls: ExecutorCalls::default(),
        reports: Vec::new(),
    };
    executor.handle(start_with_every_effect());
    executor.run_to_end();
    assert_eq!(executor.durable_run.state().outcome(), Some(RunOutcome::Done));
    for kind in EffectKind::ALL {
        assert!(executor.reports.iter().any(|(reported, _)| reported == kind), "{kind:?}");
    }
    for (kind, report) in executor.reports.clone() {
        executor.assert_changes_nothing(kind, &report, "late");
    }
}

#[test]
fn each_effect_is_recovered_after_a_crash_before_it_is_handed_out() {
    check_recovery(CrashStep::Recorded);
}

#[test]
fn each_effect_is_recovered_after_a_crash_before_it_is_reported() {
    check_recovery(CrashStep::Executed);
}

#[test]
fn each_effect_is_recovered_after_a_crash_before_its_report_is_recorded() {
    check_recovery(CrashStep::Reported);
}

fn check_recovery(step: CrashStep) {
    for kind in EffectKind::ALL.iter().copied() {
        let case = format!("{kind:?}, {step:?}");
        let test = LoopTest::new();
        let (start, outcome) = (vec![start_with_every_effect()], outcome_with_every_effect);
        let before = test.run_loop_with(start, Crash::AtFirst(kind, step), None, outcome);
        let pending = test.durable_run().pending_effects();
        let of_kind: Vec<EffectId> =
            pending.iter().filter(|(_, effect)| EffectKind::of(effect) == kind).map(|(id, _)| *id).collect();
        assert!(!of_kind.is_empty(), "{case}: is not pending");
        let executed_before = before.executed.iter().any(|(id, _)| of_kind.contains(id));
        assert_eq!(executed_before, step != CrashStep::Recorded, "{case}");

        let after = test.run_loop_with(Vec::new(), Crash::Never, None, outcome);
        assert_eq!(test.outcome(), Some(RunOutcome::Done), "{case}");
        assert_eq!(test.durable_run().pending_effects(), [], "{case}");
        assert_eq!(after.executed.get(..pending.len()), Some(&pending[..]), "{case}");
        assert_executed_once(&after, &case);
    }
}

#[test]
fn each_effect_is_cancelled_by_the_command_that_makes_it_obsolete() {
    for kind in EffectKind::ALL {
        let test = LoopTest::new();
        let (start, outcome) = (vec![start_with_every_effect()], outcome_with_every_effect);
        test.run_loop_with(start, Crash::AtFirst(*kind, CrashStep::Executed), None, outcome);
        let pending = test.durable_run().pending_effects();
        let of_kind = pending.into_iter().find(|(_, effect)| EffectKind::of(effect) == *kind);
        let (id, effect) = of_kind.unwrap_or_else(|| panic!("{kind:?} is not pending"));
        let command = match (kind.cancelling_command(), &effect) {
            (CancellingCommand::CancelRun, _) => UserCommand::CancelRun,
            (CancellingCommand::RewindTask, Effect::RestoreCheckpoint { task, .. }) => {
                UserCommand::RewindTask { task: task.clone(), checkpoint: None }
            }
            (CancellingCommand::RewindTask, _) => panic!("{kind:?} has no task"),
            (CancellingCommand::None, _) => {
                let mut durable_run = test.durable_run();
                // A run that has ended cannot be cancelled, and finishes its effects too.
                drop(durable_run.execute(Timestamp(1), user(UserCommand::CancelRun)));
                assert!(durable_run.state().is_effect_pending(id), "{kind:?} is given up");
                continue;
            }
        };
        let calls = test.run_loop(vec![user(command)], Crash::Never, Some(*kind));
        assert!(
            calls.executed.iter().any(|(again, _)| *again == id),
            "{kind:?}: a restart executes it again"
        );
        assert!(calls.cancelled.contains(&id), "{kind:?}: {:?}", calls.cancelled);
    }
}

#[test]
fn keys_of_a_user_are_recorded_as_one_event() {
    let test = LoopTest::new();
    test.durable_run().execute(Timestamp(1), start()).unwrap();
    let state = test.host.shared_state();
    let log = Arc::clone(&state.log);
    let (requests, inbox) = sync_channel(REQUESTS_MAX);
    for _ in 0..1000 {
        let (person, session) = ("ana".to_owned(), SessionId(1));
        requests.try_send(RunRequest::Typed { person, session, bytes: 2 }).unwrap();
    }
    requests.try_send(RunRequest::Stop(ShutdownMode::KeepSessions)).unwrap();
    let executor = FakeExecutor {
        calls: Arc::default(),
        requests,
        log: Arc::new(FailingLog::new(Arc::clone(&log), u64::MAX, usize::MAX)),
        crash: Crash::Never,
        is_crashed: false,
        slow: None,
        is_returned: |_| false,
        outcome: |_, _, _| Vec::new(),
    };
    drop(RunLoop::new(state, test.durable_run(), executor, RunObservers::default(), inbox).run());
    let entries = log.read(&test.run, Sequence(0), usize::MAX).unwrap();
    let typed: Vec<_> = entries.iter().filter(|entry| entry.kind == "KeysTyped").collect();
    let [entry] = typed.as_slice() else { panic!("{typed:?}") };
    assert_eq!(entry.payload, r#"{"type":"KeysTyped","session":"s_1","bytes":2000}"#);
    assert_eq!(entry.actor.to_string(), "person:ana");
}

#[test]
fn a_suspension_while_no_server_ran_moves_the_time_limits() {
    let test = LoopTest::new();
    let state = test.host.shared_state();
    let folder = state.run_folder(&test.run);
    std::fs::create_dir(&folder).unwrap();
    let first = vec![start_input(&generate(GraphShape::Chains, 1, 1), 1)];
    test.run_loop(first, Crash::Never, Some(EffectKind::Merge));
    // As if the clocks had agreed two hours of the system clock earlier.
    let saved = std::fs::read_to_string(folder.join("clock")).unwrap();
    let [boot, wall, monotonic] = saved.split_whitespace().collect::<Vec<_>>()[..] else { panic!("{saved}") };
    let earlier = wall.parse::<i64>().unwrap() - 7_200_000;
    std::fs::write(folder.join("clock"), format!("{boot} {earlier} {monotonic}")).unwrap();
    for _ in 0..2 {
        test.run_loop(Vec::new(), Crash::Never, Some(EffectKind::Merge));
    }
    let entries = state.log.read(&test.run, Sequence(0), usize::MAX).unwrap();
    let jumps: Vec<_> = entries.iter().filter(|entry| entry.kind == "ClockJumped").collect();
    let [jump] = jumps.as_slice() else { panic!("noticed once: {jumps:?}") };
    let by_ms: i64 = jump.payload.split(&[':', '}'][..]).filter_map(|part| part.parse().ok()).next().unwrap();
    assert!((7_195_000..=7_205_000).contains(&by_ms), "{}", jump.payload);
}

#[test]
fn postponed_effect_is_executed_again_when_its_time_has_come() {
    let test = LoopTest::new();
    let full_disk = |calls: &ExecutorCalls, effect: EffectId, order: Effect| match order {
        Effect::Merge(_) if calls.executed.iter().filter(|(_, effect)| is_merge(effect)).count() == 1 => {
            vec![Report::DiskFull { effect, error: "no space".to_owned() }.into()]
        }
        order => success_inputs(effect, order),
    };
    let start = start_input(&generate(GraphShape::Chains, 1, 1), 1);
    let calls = test.run_loop_with(vec![start], Crash::Never, None, full_disk);
    let merges: Vec<_> = calls.executed.iter().filter(|(_, effect)| is_merge(effect)).collect();
    let [(first, first_order), (second, second_order)] = merges.as_slice() else { panic!("{merges:?}") };
    assert_eq!(first_order, second_order);
    assert_ne!(first, second, "it takes effect once, under its second id");
    assert!(calls.cancelled.contains(first), "its first execution is given up");
    assert_eq!(test.outcome(), Some(RunOutcome::Done));
}

fn is_merge(effect: &Effect) -> bool {
    EffectKind::of(effect) == EffectKind::Merge
}

#[test]
fn effect_is_cancelled_only_when_it_is_obsolete() {
    let test = LoopTest::new();
    let mut start = start();
    if let RunInput::Start { start, .. } = &mut start {
        start.settings.verify = Some("make check".to_owned());
    }
    let calls = test.run_loop(vec![start], Crash::Never, Some(EffectKind::RunCheck));
    let checked_task = |(id, effect): &(EffectId, Effect)| match effect {
        Effect::RunCheck(order) => Some((*id, order.task.clone())),
        _ => None,
    };
    let checks: Vec<(EffectId, TaskId)> = calls.executed.iter().filter_map(checked_task).collect();
    let Some((id, task)) = checks.first().cloned() else { panic!("{:?}", calls.executed) };
    assert!(!calls.cancelled.contains(&id), "it is still needed");
    let cancel = user(UserCommand::CancelTask(task));
    let calls = test.run_loop(vec![cancel], Crash::Never, Some(EffectKind::RunCheck));
    assert!(calls.cancelled.contains(&id), "{:?}", calls.cancelled);
}

#[test]
fn settings_of_the_run_reach_its_effects() {
    let mut start = start();
    if let RunInput::Start { start, .. } = &mut start {
        start.settings.verify = Some("make check".to_owned());
        start.settings.check_retries = 2;
    }
    let test = LoopTest::new();
    let calls = test.run_loop(vec![start], Crash::Never, None);
    assert_eq!(test.outcome(), Some(RunOutcome::Done));
    let effects = calls.executed.iter().map(|(_, effect)| effect);
    let retries = effects.filter_map(|effect| match effect {
        Effect::RunCheck(order) => Some(order.retries),
        Effect::Merge(order) => Some(order.retries),
        Effect::CheckGate(gate) => Some(gate.retries),
        Effect::TickPlan { .. } => panic!("the plan file is not to be changed"),
        _ => None,
    });
    let retries: Vec<u32> = retries.collect();
    assert!(retries.len() > 2 && retries.iter().all(|retries| *retries == 2), "{retries:?}");
}

#[test]
fn crash_after_any_effect_is_recovered() {
    let n_effects = LoopTest::new().run_loop(vec![start()], Crash::Never, None).executed.len();
    for n_before_crash in 0..n_effects {
        let test = LoopTest::new();
        let before = test.run_loop(vec![start()], Crash::AfterEffects(n_before_crash), None);
        let durable_run = test.durable_run();
        let pending: Vec<_> = durable_run.pending_effects();
        let alive: Vec<SessionId> = durable_run
            .state()
            .expected_sessions()
            .into_iter()
            .map(|expected| expected.assignment.session)
            .collect();
        let after = test.run_loop(Vec::new(), Crash::Never, None);
        assert_eq!(after.recovered_sessions, alive, "{n_before_crash}");
        assert_eq!(after.executed.get(..pending.len()), Some(&pending[..]), "{n_before_crash}");
        assert_eq!(test.outcome(), Some(RunOutcome::Done), "{n_before_crash}");
        assert_eq!(test.durable_run().pending_effects(), [], "{n_before_crash}");
        // Nothing that was reported before the crash is executed again.
        let reported: BTreeSet<EffectId> =
            before.executed.iter().take(n_before_crash).map(|(id, _)| *id).collect();
        let recorded = reported.iter().filter(|id| !pending.iter().any(|(other, _)| other == *id));
        for id in recorded {
            assert!(!after.executed.iter().any(|(other, _)| other == id), "{n_before_crash}: {id:?}");
        }
    }
}
