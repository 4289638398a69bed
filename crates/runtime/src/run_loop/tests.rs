//! The loop with an executor that starts no processes: each effect is executed once, reported once, cancelled when it is
//! obsolete, and executed again after a crash.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at few of the variants")]

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex,
        mpsc::{SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use domain::{
    AgentOutput, EffectId, ParkMode, PermissionKind, PermissionMode, PermissionRequest, PermissionScope,
    QuestionId, Report, Role, RunId, RunInput, RunOutcome, SessionId, SessionInput, TeamMember, UserCommand,
};
use engine::Effect;
use tempfile::TempDir;
use testkit::{
    run_loop::{start_input, success_inputs},
    workloads::{GraphShape, generate},
};

use super::{RunLoop, RunRequest};
use crate::{
    DurableRun, Host,
    executor::{Executor, ExpectedState, RunObservers},
    host::ShutdownMode,
};

/// Id of the first task that testkit generates.
const FIRST_TASK: &str = "T1";
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

/// Where the server is killed: the effect is executed, and not reported.
#[derive(Debug, Clone, Copy)]
enum Crash {
    Never,
    AfterEffects(usize),
    AtFirst(EffectKind),
}

/// Reports the success of each effect at once, and starts no processes.
struct FakeExecutor {
    calls: Arc<Mutex<ExecutorCalls>>,
    requests: SyncSender<RunRequest>,
    crash: Crash,
    is_crashed: bool,
    /// Whether an effect is never reported, as if it took long.
    is_slow: fn(&Effect) -> bool,
    /// Whether reports of an effect are returned at once, instead of being queued.
    is_returned: fn(&Effect) -> bool,
    /// Returns the inputs that an effect leads to.
    outcome: fn(&ExecutorCalls, EffectId, Effect) -> Vec<RunInput>,
}

impl Executor for FakeExecutor {
    fn execute(&mut self, id: EffectId, effect: Effect) -> Vec<Report> {
        let mut calls = self.calls.lock().unwrap();
        calls.executed.push((id, effect.clone()));
        self.is_crashed |= match self.crash {
            Crash::Never => false,
            Crash::AfterEffects(n_effects) => calls.executed.len() > n_effects,
            Crash::AtFirst(kind) => EffectKind::of(&effect) == kind,
        };
        if self.is_crashed {
            let _ = self.requests.try_send(RunRequest::Stop(ShutdownMode::KeepSessions));
        } else if !(self.is_slow)(&effect) {
            let is_returned = (self.is_returned)(&effect);
            let mut returned = Vec::new();
            for input in (self.outcome)(&calls, id, effect) {
                match input {
                    RunInput::Report(report) if is_returned => returned.push(report),
                    input => self.requests.try_send(RunRequest::without_reply(input)).unwrap(),
                }
            }
            return returned;
        }
        Vec::new()
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
    fn run_loop(&self, inputs: Vec<RunInput>, crash: Crash, is_slow: fn(&Effect) -> bool) -> ExecutorCalls {
        self.run_loop_with(inputs, crash, is_slow, |_, id, effect| success_inputs(id, effect))
    }

    fn run_loop_with(
        &self,
        inputs: Vec<RunInput>,
        crash: Crash,
        is_slow: fn(&Effect) -> bool,
        outcome: fn(&ExecutorCalls, EffectId, Effect) -> Vec<RunInput>,
    ) -> ExecutorCalls {
        let state = self.host.shared_state();
        let durable_run = DurableRun::open(Arc::clone(&state.log), self.run.clone()).unwrap();
        let calls = Arc::<Mutex<ExecutorCalls>>::default();
        let (requests, inbox) = sync_channel(REQUESTS_MAX);
        let executor = FakeExecutor {
            calls: Arc::clone(&calls),
            requests: requests.clone(),
            crash,
            is_crashed: false,
            is_slow,
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

fn never(_: &Effect) -> bool {
    false
}

/// The kind of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum EffectKind {
    SpawnAgent,
    SendInput,
    ParkSession,
    WakeSession,
    EndSession,
    RunCheck,
    Merge,
    CheckGate,
    LandPhase,
    MakeCheckpoint,
    RestoreCheckpoint,
    SavePermissionRule,
    TickPlan,
    RecordDuration,
    ReleaseWorktree,
    RemoveWorktree,
}

impl EffectKind {
    const ALL: [Self; 16] = [
        Self::SpawnAgent,
        Self::SendInput,
        Self::ParkSession,
        Self::WakeSession,
        Self::EndSession,
        Self::RunCheck,
        Self::Merge,
        Self::CheckGate,
        Self::LandPhase,
        Self::MakeCheckpoint,
        Self::RestoreCheckpoint,
        Self::SavePermissionRule,
        Self::TickPlan,
        Self::RecordDuration,
        Self::ReleaseWorktree,
        Self::RemoveWorktree,
    ];

    fn of(effect: &Effect) -> Self {
        match effect {
            Effect::SpawnAgent(_) => Self::SpawnAgent,
            Effect::SendInput { .. } => Self::SendInput,
            Effect::ParkSession { .. } => Self::ParkSession,
            Effect::WakeSession { .. } => Self::WakeSession,
            Effect::EndSession { .. } => Self::EndSession,
            Effect::RunCheck(_) => Self::RunCheck,
            Effect::Merge(_) => Self::Merge,
            Effect::CheckGate(_) => Self::CheckGate,
            Effect::LandPhase { .. } => Self::LandPhase,
            Effect::MakeCheckpoint { .. } => Self::MakeCheckpoint,
            Effect::RestoreCheckpoint { .. } => Self::RestoreCheckpoint,
            Effect::SavePermissionRule { .. } => Self::SavePermissionRule,
            Effect::TickPlan { .. } => Self::TickPlan,
            Effect::RecordDuration(_) => Self::RecordDuration,
            Effect::ReleaseWorktree { .. } => Self::ReleaseWorktree,
            Effect::RemoveWorktree { .. } => Self::RemoveWorktree,
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

/// Returns the inputs that follow an effect of [`start_with_every_effect`]: the worker of the first task asks for a
/// permission, the user answers when its session is cold, and rewinds another task.
fn outcome_with_every_effect(calls: &ExecutorCalls, id: EffectId, effect: Effect) -> Vec<RunInput> {
    let user = |command| RunInput::User { person: "ana".to_owned(), command };
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
            SessionInput::Permission { .. } => {
                let task = FIRST_TASK.parse().unwrap();
                let done = SessionInput::Task { task, attempt: 1, hint: None, carried: Vec::new() };
                success_inputs(
                    id,
                    Effect::SendInput {
                        session,
                        input,
                        content: Box::new(done),
                        brief: None,
                        reports_tree: false,
                    },
                )
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
        effect => success_inputs(id, effect),
    }
}

#[test]
fn each_effect_is_executed_once_and_none_stays_pending() {
    let test = LoopTest::new();
    let calls = test.run_loop(vec![start()], Crash::Never, never);
    assert_eq!(test.outcome(), Some(RunOutcome::Done));
    let mut times: BTreeMap<EffectId, u32> = BTreeMap::new();
    for (id, _) in &calls.executed {
        *times.entry(*id).or_default() += 1;
    }
    assert!(times.values().all(|times| *times == 1), "{times:?}");
    assert_eq!(test.durable_run().pending_effects(), []);
}

#[test]
fn crash_at_any_kind_of_effect_is_recovered() {
    for kind in EffectKind::ALL {
        let test = LoopTest::new();
        let outcome = outcome_with_every_effect;
        let before =
            test.run_loop_with(vec![start_with_every_effect()], Crash::AtFirst(kind), never, outcome);
        let (id, _) = before.executed.iter().find(|(_, effect)| EffectKind::of(effect) == kind).unwrap();
        let is_pending = test.durable_run().state().is_effect_pending(*id);
        let after = test.run_loop_with(Vec::new(), Crash::Never, never, outcome);
        assert_eq!(test.outcome(), Some(RunOutcome::Done), "{kind:?}");
        assert_eq!(test.durable_run().pending_effects(), [], "{kind:?}");
        let n_again = after.executed.iter().filter(|(again, _)| again == id).count();
        assert_eq!(n_again, usize::from(is_pending), "{kind:?} is executed again if it was not reported");
        assert!(is_pending, "{kind:?} is pending until it is reported");
        let mut ids: Vec<EffectId> = after.executed.iter().map(|(id, _)| *id).collect();
        ids.sort();
        assert!(
            ids.windows(2).all(|pair| pair.first() != pair.last()),
            "{kind:?}: nothing is executed twice"
        );
    }
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
    let calls = test.run_loop_with(vec![start], Crash::Never, never, full_disk);
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
fn obsolete_effect_is_cancelled() {
    let test = LoopTest::new();
    let is_check = |effect: &Effect| matches!(effect, Effect::RunCheck(_));
    let mut start = start();
    if let RunInput::Start { start, .. } = &mut start {
        start.settings.verify = Some("make check".to_owned());
    }
    let calls = test.run_loop(vec![start], Crash::Never, is_check);
    let check = calls.executed.iter().find(|(_, effect)| is_check(effect));
    let Some((id, Effect::RunCheck(order))) = check else { panic!("{:?}", calls.executed) };
    assert!(!calls.cancelled.contains(id), "it is still needed");
    let command = UserCommand::CancelTask(order.task.clone());
    let cancel = RunInput::User { person: "ana".to_owned(), command };
    let calls = test.run_loop(vec![cancel], Crash::Never, is_check);
    assert!(calls.executed.iter().any(|(again, _)| again == id), "a restart executes it again");
    assert!(calls.cancelled.contains(id), "{:?}", calls.cancelled);
}

#[test]
fn settings_of_the_run_reach_its_effects() {
    let mut start = start();
    if let RunInput::Start { start, .. } = &mut start {
        start.settings.verify = Some("make check".to_owned());
        start.settings.check_retries = 2;
    }
    let test = LoopTest::new();
    let calls = test.run_loop(vec![start], Crash::Never, never);
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
    let n_effects = LoopTest::new().run_loop(vec![start()], Crash::Never, never).executed.len();
    for n_before_crash in 0..n_effects {
        let test = LoopTest::new();
        let before = test.run_loop(vec![start()], Crash::AfterEffects(n_before_crash), never);
        let durable_run = test.durable_run();
        let pending: Vec<_> = durable_run.pending_effects();
        let alive: Vec<SessionId> = durable_run
            .state()
            .expected_sessions()
            .into_iter()
            .map(|expected| expected.assignment.session)
            .collect();
        let after = test.run_loop(Vec::new(), Crash::Never, never);
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
