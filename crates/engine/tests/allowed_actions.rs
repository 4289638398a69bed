//! Which actions each state allows, as tables. The simulator checks that `decide` agrees.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;

use domain::{
    Actor, AttemptFailure, BlockReason, BlockedWork, ClaimSource, CleanupId, CompletionProof,
    DependencyRequest, DependencyType, EscalationAction, EscalationId, EscalationSubject, EscalationType,
    Event, InboxItem, LandingId, MergeOutcome, ParkMode, PlannedPhase, PlannedTask, PlannedWork,
    ProvidedResource, QuestionId, QuestionKind, QuestionRoute, RecordedEvent, RequestId, Role, RunOutcome,
    RunSettings, SessionId, Severity, TaskId, TeamMember, Timestamp, events,
};
use engine::Run;

const SESSION: SessionId = SessionId(1);

fn task() -> TaskId {
    "T1".parse().unwrap()
}

fn apply(run: &mut Run, events: impl IntoIterator<Item = Event>) {
    for event in events {
        let (sequence, at) = (run.sequence().next(), Timestamp(1_000));
        run.apply(&RecordedEvent { sequence, at, actor: Actor::System, event });
    }
}

/// Returns a run of one task after these events.
fn run_after(events: impl IntoIterator<Item = Event>) -> Run {
    let phase = PlannedPhase {
        number: 1,
        name: String::new(),
        after: Vec::new(),
        verify: None,
        artefacts: Vec::new(),
        budgets: Vec::new(),
    };
    let tasks = vec![PlannedTask::new(task(), 1, "one".to_owned())];
    let started = events::RunStarted {
        project: "p".to_owned(),
        work: Box::new(PlannedWork { title: "one".to_owned(), phases: vec![phase], tasks }),
        settings: Box::new(RunSettings::default()),
        team: vec![TeamMember {
            name: "dev".parse().unwrap(),
            role: Role::Worker,
            slots: None,
            is_turn_end_guessed: false,
            protocol: domain::AgentProtocol::Text,
        }],
        is_evidence_required: true,
    };
    let mut run = Run::new();
    apply(&mut run, [started.into()]);
    apply(&mut run, events);
    run
}

fn names(actions: &[impl std::fmt::Debug]) -> String {
    actions.iter().map(|action| format!("{action:?}")).collect::<Vec<_>>().join(" ")
}

fn session_opened(agent: Option<&str>) -> Event {
    let opened = events::SessionOpened {
        session: SESSION,
        parent: None,
        depth: 2,
        role: Role::Worker,
        agent: agent.map(|name| name.parse().unwrap()),
        task: Some(task()),
        phase: None,
        resumes: None,
    };
    opened.into()
}

fn task_started() -> Vec<Event> {
    let started =
        events::TaskStarted { task: task(), attempt: 1, agent: "dev".parse().unwrap(), session: SESSION };
    vec![session_opened(Some("dev")), started.into()]
}

fn claimed() -> Event {
    let fields = BTreeMap::new();
    events::TaskClaimed { task: task(), source: ClaimSource::DoneMessage, reason: None, fields }.into()
}

fn merge_finished(outcome: MergeOutcome) -> Event {
    events::MergeFinished { task: task(), attempt: 1, outcome }.into()
}

#[test]
fn task_actions_of_each_state() {
    let merged = || {
        merge_finished(MergeOutcome::Merged { commit: "c".to_owned(), receipt: None, tree: None, onto: None })
    };
    let check_started =
        || events::CheckStarted { task: task(), attempt: 1, command: "make".to_owned() }.into();
    let merge_started = || events::MergeStarted { task: task(), attempt: 1 }.into();
    let paused = || {
        let reason = BlockReason::Paused { by: Actor::System };
        events::TaskBlocked { task: task(), reason }.into()
    };
    let failure = AttemptFailure::MarkedFailed;
    let attempt_failed = || -> Event {
        let failure = AttemptFailure::MarkedFailed;
        events::AttemptFailed { task: task(), attempt: 1, failure, counted: true }.into()
    };
    let retried = || events::TaskRetried { task: task(), hint: None, resets_attempts: true }.into();
    let messages = || -> Vec<Event> {
        (0..16).map(|n| events::TaskMessageSent { task: task(), text: n.to_string() }.into()).collect()
    };
    let checking = "Pause Retry Prioritize Reassign CreateCheckpoint Rewind Skip Cancel";
    let cases: Vec<(&str, Vec<Event>, &str)> = vec![
        ("waiting", vec![], "Pause SendMessage Prioritize Reassign Skip Cancel"),
        ("waiting and paused", vec![paused()], "Continue SendMessage Prioritize Reassign Skip Cancel"),
        (
            "running",
            vec![],
            "Pause Retry SendMessage Prioritize Reassign CreateCheckpoint Rewind Skip Cancel",
        ),
        (
            "running and paused",
            vec![paused()],
            "Continue Retry SendMessage Prioritize Reassign CreateCheckpoint Rewind Skip Cancel",
        ),
        ("running with 16 messages", messages(), checking),
        ("claimed", vec![claimed()], checking),
        ("checking", vec![claimed(), check_started()], checking),
        ("merging", vec![claimed(), merge_started()], "Prioritize CreateCheckpoint"),
        (
            "merging and paused before",
            vec![claimed(), paused(), merge_started()],
            "Continue Prioritize CreateCheckpoint",
        ),
        (
            "conflicted",
            vec![claimed(), merge_started(), merge_finished(MergeOutcome::Conflicted { files: vec![] })],
            checking,
        ),
        ("merged", vec![claimed(), merge_started(), merged()], checking),
        ("done", vec![events::TaskDone { task: task(), proof: CompletionProof::Checked }.into()], ""),
        (
            "attempt failed",
            vec![attempt_failed()],
            "Pause Retry SendMessage Prioritize Reassign CreateCheckpoint Rewind Skip Cancel",
        ),
        (
            "waiting for the second attempt",
            vec![attempt_failed(), retried()],
            "Pause SendMessage Prioritize Reassign Rewind Skip Cancel",
        ),
        (
            "failed",
            vec![attempt_failed(), events::TaskFailed { task: task(), failure }.into()],
            "Retry Reassign Rewind Skip",
        ),
        ("skipped", vec![events::TaskSkipped { task: task() }.into()], "Retry Reassign Rewind"),
        ("cancelled", vec![events::TaskCancelled { task: task() }.into()], "Retry Reassign Rewind Skip"),
    ];
    for (state, events, expected) in cases {
        let before = if state.starts_with("waiting") && !state.contains("second") {
            Vec::new()
        } else {
            task_started()
        };
        let run = run_after(before.into_iter().chain(events));
        assert_eq!(names(&run.task_actions(&task())), expected, "{state}");
    }
}

#[test]
fn run_actions_of_each_state() {
    let ended = |outcome| events::RunEnded { outcome, failed: Vec::new(), waiting: Vec::new() }.into();
    let landing =
        events::LandingRequested { landing: LandingId(1), all: false, into: None, squash: false }.into();
    let cleanup = events::CleanupRequested { cleanup: CleanupId(1), refs: false }.into();
    let cases: Vec<(&str, Vec<Event>, &str, bool)> = vec![
        ("active", vec![], "Pause Cancel Land Clean", true),
        ("paused", vec![events::RunPaused {}.into()], "Continue Cancel Land Clean", true),
        ("done", vec![ended(RunOutcome::Done)], "Land Clean", true),
        ("failed", vec![ended(RunOutcome::Failed)], "Land Clean", true),
        ("cancelled", vec![ended(RunOutcome::Cancelled)], "Land Clean", false),
        ("being landed", vec![landing], "Pause Cancel Clean", true),
        ("being cleaned up", vec![cleanup], "Pause Cancel Land", true),
    ];
    for (state, events, expected, has_task_actions) in cases {
        let run = run_after(events);
        assert_eq!(names(&run.run_actions()), expected, "{state}");
        assert_eq!(!run.task_actions(&task()).is_empty(), has_task_actions, "tasks of a run that is {state}");
    }
    assert!(Run::new().run_actions().is_empty(), "a run that has not started");
}

#[test]
fn session_actions_of_each_state() {
    let parked = |mode| events::SessionParked { session: SESSION, mode }.into();
    let cases: Vec<(&str, Option<&str>, Vec<Event>, &str)> = vec![
        ("starting", Some("dev"), vec![], "Stop"),
        ("suspended", Some("dev"), vec![parked(ParkMode::Frozen)], "Stop"),
        ("stopped until needed", Some("dev"), vec![parked(ParkMode::Cold)], ""),
        (
            "ended",
            Some("dev"),
            vec![events::SessionEnded { session: SESSION, exit_status: Some(0) }.into()],
            "",
        ),
        ("without a process", None, vec![], ""),
    ];
    for (state, agent, events, expected) in cases {
        let run = run_after([session_opened(agent)].into_iter().chain(events));
        assert_eq!(names(&run.session_actions(SESSION)), expected, "{state}");
    }
}

#[test]
fn inbox_actions_of_each_state() {
    let question = QuestionId(1);
    let asked = || {
        events::QuestionAsked {
            question,
            session: SESSION,
            task: Some(task()),
            kind: QuestionKind::Text,
            category: None,
            text: "which?".to_owned(),
            options: Vec::new(),
            default: None,
            context: None,
            required: true,
            permission: None,
            similar: None,
            prompt: None,
            evidence_gap: None,
            large_files: Vec::new(),
            blocks: BlockedWork::default(),
        }
        .into()
    };
    let routed = || events::QuestionRouted { question, to: QuestionRoute::Person }.into();
    let answered = || events::QuestionAnswered { question, answer: "left".to_owned(), reason: None }.into();
    let request = RequestId(1);
    let requested = |required| {
        let dependency = DependencyRequest {
            r#type: DependencyType::File,
            name: "a.txt".to_owned(),
            description: String::new(),
            required,
            default: None,
            extra: BTreeMap::new(),
        };
        let blocks = BlockedWork::default();
        events::RequestMade { request, session: SESSION, task: Some(task()), dependency, blocks }.into()
    };
    let escalation = EscalationId(1);
    let raised = || {
        events::EscalationRaised {
            escalation,
            kind: EscalationType::Dependency,
            severity: Severity::High,
            subject: EscalationSubject::Task { task: task() },
            session: None,
            title: "a problem".to_owned(),
            cause: None,
            description: String::new(),
            context: String::new(),
            suggested: vec![EscalationAction::Dismiss, EscalationAction::Skip],
            blocks: BlockedWork::default(),
        }
        .into()
    };
    let escalated =
        || events::TaskBlocked { task: task(), reason: BlockReason::Escalated { escalation } }.into();
    let resolved = || events::EscalationResolved { escalation, action: None, note: String::new() }.into();
    let merge_started = || events::MergeStarted { task: task(), attempt: 1 }.into();
    let gate_opened = || events::GateOpened { phase: 1, round: 1, documents: Vec::new() }.into();
    let gate_passed = || events::GatePassed { phase: 1, round: 1, blocks: BlockedWork::default() }.into();
    let provision_started = || {
        let provided = ProvidedResource::file("a.txt");
        events::ProvisionStarted { request, provided, default: false, skipped: false }.into()
    };
    let provision_failed = || events::ProvisionFailed { request, error: "it is missing".to_owned() }.into();
    let cases: Vec<(&str, InboxItem, Vec<Event>, &str)> = vec![
        ("unknown question", InboxItem::Question(question), vec![], ""),
        ("queued", InboxItem::Question(question), vec![asked()], "RequestClarification"),
        ("pending", InboxItem::Question(question), vec![asked(), routed()], "Answer RequestClarification"),
        ("answered", InboxItem::Question(question), vec![asked(), routed(), answered()], ""),
        ("required", InboxItem::Request(request), vec![requested(true)], "Provide Refuse"),
        ("optional", InboxItem::Request(request), vec![requested(false)], "Provide Refuse Skip"),
        (
            "skipped",
            InboxItem::Request(request),
            vec![requested(false), events::RequestSkipped { request, provided: None }.into()],
            "",
        ),
        ("being provided", InboxItem::Request(request), vec![requested(false), provision_started()], ""),
        (
            "could not be provided",
            InboxItem::Request(request),
            vec![requested(false), provision_started(), provision_failed()],
            "Provide Refuse Skip",
        ),
        ("problem", InboxItem::Escalation(escalation), vec![raised()], "Resolve(Dismiss) Resolve(Skip)"),
        ("blocking", InboxItem::Escalation(escalation), vec![raised(), escalated()], "Resolve(Skip)"),
        (
            "problem of a merge",
            InboxItem::Escalation(escalation),
            vec![raised(), claimed(), merge_started()],
            "",
        ),
        ("resolved", InboxItem::Escalation(escalation), vec![raised(), resolved()], ""),
        ("gate being checked", InboxItem::Gate(1), vec![gate_opened()], ""),
        ("gate in review", InboxItem::Gate(1), vec![gate_opened(), gate_passed()], "Approve Reject"),
    ];
    for (state, item, events, expected) in cases {
        let run = run_after(task_started().into_iter().chain(events));
        assert_eq!(names(&run.inbox_actions(item)), expected, "{state}");
    }
}
