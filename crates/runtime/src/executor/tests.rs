//! The executor never waits for the queue of the run loop, and answers each command of a session.

use std::{
    sync::mpsc::{Receiver, SyncSender, channel, sync_channel},
    thread,
};

use domain::{Locale, PlanTaskIds, Role, RunInput, Sequence};
use tempfile::TempDir;

use super::*;
use crate::{Host, environment::RunEnvironment, run_loop::RunRequest};

/// Long enough that only a blocked thread reaches it.
const TIMEOUT: Duration = Duration::from_secs(30);
const SESSION: SessionId = SessionId(1);

/// An executor whose run loop takes no requests, with a queue that is full.
struct ExecutorTest {
    _folder: TempDir,
    executor: LocalExecutor,
    inbox: Receiver<RunRequest>,
    requests: SyncSender<RunRequest>,
}

impl ExecutorTest {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let host = Host::open(folder.path()).unwrap().shared_state();
        // No agent can be started in a project that does not exist.
        let environment: RunEnvironment = serde_json::from_value(serde_json::json!({
            "project": folder.path().join("missing"),
            "isolation": {"type": "inPlace"},
            "agents": {"ann": "claude"},
        }))
        .unwrap();
        let (requests, inbox) = sync_channel(1);
        let context =
            RunContext::open(host, "r1".parse().unwrap(), environment, &[], requests.clone()).unwrap();
        requests.try_send(RunRequest::without_reply(Report::TimerFired.into())).unwrap();
        let executor = LocalExecutor::new(Arc::new(context), None);
        Self { _folder: folder, executor, inbox, requests }
    }

    /// Executes an effect on another thread, so that the test fails if that blocks.
    fn execute(self, effect: Effect) -> (Self, Vec<Report>) {
        let (sender, executed) = channel();
        thread::spawn(move || {
            let mut test = self;
            let reports = test.executor.execute(effect_id(), effect);
            sender.send((test, reports)).unwrap();
        });
        executed.recv_timeout(TIMEOUT).expect("the executor waits for its run loop")
    }

    fn next_report(&self) -> Report {
        let request = self.inbox.recv_timeout(TIMEOUT).expect("a report");
        let RunRequest::Input(queued) = request else { panic!("not an input") };
        let RunInput::Report(report) = queued.into_input() else { panic!("not a report") };
        report
    }
}

fn effect_id() -> EffectId {
    EffectId { sequence: Sequence(7), index: 0 }
}

fn spawn(agent: &str) -> Effect {
    Effect::SpawnAgent(Box::new(SessionAssignment {
        session: SESSION,
        agent: agent.parse().unwrap(),
        role: Role::Worker,
        task: None,
        agent_session: None,
        read_from: 0,
        is_in_turn: false,
        has_spoken: false,
        cost_micros: 0,
        task_ids: PlanTaskIds::default(),
        locale: Locale::En,
        project: "shop".to_owned(),
        phase: None,
        team: Vec::new(),
        runs_setup: true,
        variables: Vec::new(),
    }))
}

#[test]
fn session_that_cannot_start_is_reported_without_the_queue() {
    let (_, reports) = ExecutorTest::new().execute(spawn("unknown-agent"));
    assert!(matches!(reports[..], [Report::SessionLost { session: SESSION, .. }]), "{reports:?}");
}

#[test]
fn replaced_thread_that_waits_for_the_run_loop_is_not_waited_for() {
    let mut test = ExecutorTest::new();
    let requests = test.requests.clone();
    let earlier = thread::spawn(move || {
        let report = Report::SessionStarted { session: SESSION, agent_session: None };
        drop(requests.send(RunRequest::without_reply(report.into())));
    });
    test.executor.sessions.insert(SESSION, SessionHandle::of_other_thread(earlier));
    let (test, reports) = test.execute(spawn("ann"));
    assert_eq!(reports, []);
    // The new thread starts when the earlier one has ended.
    assert_eq!(test.next_report(), Report::TimerFired);
    assert!(matches!(test.next_report(), Report::SessionStarted { .. }));
    assert!(matches!(test.next_report(), Report::SessionLost { .. }));
}

#[test]
fn each_command_to_an_ended_thread_has_a_report() {
    let mut test = ExecutorTest::new();
    let id = effect_id();
    let finished = Report::EffectFinished { effect: id, error: None };
    for is_ended in [true, false] {
        if is_ended {
            test.executor.sessions.insert(SESSION, SessionHandle::of_other_thread(thread::spawn(|| {})));
        } else {
            test.executor.sessions.clear();
        }
        for mode in [ParkMode::Cold, ParkMode::Frozen] {
            let reports = test.executor.execute(id, Effect::ParkSession { session: SESSION, mode });
            assert_eq!(reports, std::slice::from_ref(&finished));
        }
        let wake = |from| Effect::WakeSession { session: SESSION, from, replay: None };
        let reports = test.executor.execute(id, wake(ParkMode::Frozen));
        assert_eq!(reports, std::slice::from_ref(&finished));
        let reports = test.executor.execute(id, wake(ParkMode::Cold));
        assert!(matches!(reports[..], [Report::SessionLost { session: SESSION, .. }]), "{reports:?}");
    }
    assert_eq!(test.executor.execute(id, Effect::EndSession { session: SESSION }), []);
    assert_eq!(test.next_report(), Report::TimerFired);
    assert!(matches!(test.next_report(), Report::SessionLost { session: SESSION, .. }));
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk_postpones_a_saved_permission_and_a_recorded_duration() {
    let mut test = ExecutorTest::new();
    let data = test.executor.context.host.data.clone();
    let project = test.executor.context.environment.project.clone();
    let permissions = crate::saved_permissions_file(&data, &project).with_extension("new");
    std::fs::create_dir_all(permissions.parent().unwrap()).unwrap();
    for file in [permissions, data.join("durations.jsonl")] {
        std::os::unix::fs::symlink("/dev/full", file).unwrap();
    }
    assert_eq!(test.next_report(), Report::TimerFired);
    let duration = TaskDuration {
        task: "T1".parse().unwrap(),
        attempt: 1,
        title: "Cart".to_owned(),
        agent: None,
        complexity: None,
        worked_ms: 7,
    };
    for effect in [
        Effect::SavePermissionRule { pattern: "run:make".to_owned(), allowed: true },
        Effect::RecordDuration(Box::new(duration)),
    ] {
        assert_eq!(test.executor.execute(effect_id(), effect), []);
        let report = test.next_report();
        assert!(matches!(report, Report::DiskFull { .. }), "{report:?}");
    }
}
