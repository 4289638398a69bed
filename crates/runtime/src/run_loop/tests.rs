//! The loop with an executor that starts no processes: each effect is executed once, reported once, cancelled when it is
//! obsolete, and executed again after a crash.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex,
        mpsc::{SyncSender, sync_channel},
    },
    thread,
};

use domain::{EffectId, RunId, RunInput, RunOutcome, SessionId, UserCommand};
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

/// Requests that may wait; more than all effects of a test cause.
const REQUESTS_MAX: usize = 4096;

/// What an executor was asked for, in order.
#[derive(Debug, Default)]
struct ExecutorCalls {
    executed: Vec<(EffectId, Effect)>,
    cancelled: BTreeSet<EffectId>,
    recovered_sessions: Vec<SessionId>,
}

/// Reports the success of each effect at once, and starts no processes.
struct FakeExecutor {
    calls: Arc<Mutex<ExecutorCalls>>,
    requests: SyncSender<RunRequest>,
    /// Effects that are executed before it fails to report, as if the server were killed.
    n_reported_max: usize,
    /// Whether an effect is never reported, as if it took long.
    is_slow: fn(&Effect) -> bool,
}

impl Executor for FakeExecutor {
    fn execute(&mut self, id: EffectId, effect: Effect) {
        let mut calls = self.calls.lock().unwrap();
        calls.executed.push((id, effect.clone()));
        if calls.executed.len() <= self.n_reported_max && !(self.is_slow)(&effect) {
            for input in success_inputs(id, effect) {
                self.requests.try_send(RunRequest::without_reply(input)).unwrap();
            }
        } else if calls.executed.len() > self.n_reported_max {
            // The server is killed here.
            let _ = self.requests.try_send(RunRequest::Stop(ShutdownMode::KeepSessions));
        }
    }

    fn cancel(&mut self, id: EffectId) {
        self.calls.lock().unwrap().cancelled.insert(id);
    }

    fn recover(&mut self, expected: ExpectedState) {
        let mut sessions: Vec<_> =
            expected.sessions.iter().map(|expected| expected.assignment.session).collect();
        self.calls.lock().unwrap().recovered_sessions.append(&mut sessions);
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

    /// Runs the loop with these inputs until it has nothing to do, or until the executor has executed `n_effects_max`.
    fn run_loop(
        &self,
        inputs: Vec<RunInput>,
        n_effects_max: usize,
        is_slow: fn(&Effect) -> bool,
    ) -> ExecutorCalls {
        let state = self.host.shared_state();
        let durable_run = DurableRun::open(Arc::clone(&state.log), self.run.clone()).unwrap();
        let calls = Arc::<Mutex<ExecutorCalls>>::default();
        let (requests, inbox) = sync_channel(REQUESTS_MAX);
        let executor = FakeExecutor {
            calls: Arc::clone(&calls),
            requests: requests.clone(),
            n_reported_max: n_effects_max,
            is_slow,
        };
        for input in inputs {
            requests.try_send(RunRequest::without_reply(input)).unwrap();
        }
        let run_loop = RunLoop::new(state, durable_run, executor, RunObservers::default(), inbox);
        let thread = thread::spawn(move || run_loop.run());
        // Taken in order: the reports of all effects come before it.
        while !thread.is_finished() {
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

/// Returns the name of an effect's kind.
fn kind_of(effect: &Effect) -> String {
    let text = format!("{effect:?}");
    text.split(|char: char| !char.is_alphanumeric()).next().unwrap_or_default().to_owned()
}

#[test]
fn each_effect_is_executed_once_and_none_stays_pending() {
    let test = LoopTest::new();
    let calls = test.run_loop(vec![start()], usize::MAX, never);
    assert_eq!(test.outcome(), Some(RunOutcome::Done));
    let mut times: BTreeMap<EffectId, u32> = BTreeMap::new();
    for (id, _) in &calls.executed {
        *times.entry(*id).or_default() += 1;
    }
    assert!(times.values().all(|times| *times == 1), "{times:?}");
    let kinds: BTreeSet<String> = calls.executed.iter().map(|(_, effect)| kind_of(effect)).collect();
    let expected = [
        "CheckGate",
        "EndSession",
        "LandPhase",
        "MakeCheckpoint",
        "Merge",
        "RecordDuration",
        "ReleaseWorktree",
        "SendInput",
        "SpawnAgent",
        "TickPlan",
    ];
    assert_eq!(kinds.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    assert_eq!(test.durable_run().pending_effects(), []);
}

#[test]
fn obsolete_effect_is_cancelled() {
    let test = LoopTest::new();
    let is_check = |effect: &Effect| matches!(effect, Effect::RunCheck { .. });
    let mut start = start();
    if let RunInput::Start { start, .. } = &mut start {
        start.settings.verify = Some("make check".to_owned());
    }
    let calls = test.run_loop(vec![start], usize::MAX, is_check);
    let check = calls.executed.iter().find(|(_, effect)| is_check(effect));
    let Some((id, Effect::RunCheck { task, .. })) = check else { panic!("{:?}", calls.executed) };
    assert!(!calls.cancelled.contains(id), "it is still needed");
    let command = UserCommand::CancelTask(task.clone());
    let cancel = RunInput::User { person: "ana".to_owned(), command };
    let calls = test.run_loop(vec![cancel], usize::MAX, is_check);
    assert!(calls.executed.iter().any(|(again, _)| again == id), "a restart executes it again");
    assert!(calls.cancelled.contains(id), "{:?}", calls.cancelled);
}

#[test]
fn crash_after_any_effect_is_recovered() {
    let n_effects = LoopTest::new().run_loop(vec![start()], usize::MAX, never).executed.len();
    for n_before_crash in 0..n_effects {
        let test = LoopTest::new();
        let before = test.run_loop(vec![start()], n_before_crash, never);
        let durable_run = test.durable_run();
        let pending: Vec<_> = durable_run.pending_effects();
        let alive: Vec<SessionId> = durable_run
            .state()
            .expected_sessions()
            .into_iter()
            .map(|expected| expected.assignment.session)
            .collect();
        let after = test.run_loop(Vec::new(), usize::MAX, never);
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
