//! Rules of the rows, one test each.

use domain::{
    Actor, BlockReason, BlockedWork, CheckpointId, CheckpointOutcome, CheckpointReason, ClaimEvidence,
    CompletionProof, Event, GateReport, MergeOutcome, PermissionKind, PermissionRequest, PhaseNumber,
    QuestionId, QuestionKind, QuestionRoute, Receipt, SessionId, Timestamp, ToolOutput, ToolStatus, ToolUse,
    TurnTools, Usage, WorkChange, events,
};
use views::{
    ChatAuthor, CostCertainty, QuestionState, ResponsibleParty, SessionState, TaskMark, TaskState,
    UnmetDependency, UsageScope, ViewChange, describe_event, describe_event_in_korean,
};

use crate::sample_log::{SampleLog, parse_task_id};

const Q1: QuestionId = QuestionId(1);

fn record_question(log: &mut SampleLog, question: u32, id: &str, session: u32, blocks: BlockedWork) {
    log.record(Event::QuestionAsked(events::QuestionAsked {
        question: QuestionId(question),
        session: SessionId(session),
        task: Some(parse_task_id(id)),
        kind: QuestionKind::Text,
        category: None,
        text: "Which?".to_owned(),
        options: Vec::new(),
        default: None,
        context: None,
        required: true,
        permission: None,
        similar: None,
        prompt: None,
        evidence_gap: None,
        large_files: Vec::new(),
        blocks,
    }));
}

fn task_state(log: &SampleLog, id: &str) -> TaskState {
    log.views.rows().tasks.get(&parse_task_id(id)).unwrap().state
}

fn task_marks(log: &SampleLog, id: &str) -> Vec<TaskMark> {
    log.views.rows().tasks.get(&parse_task_id(id)).unwrap().marks.clone()
}

#[test]
fn a_blocked_task_names_the_party_and_is_ready_when_unblocked() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
    log.start_task("T1", 1);
    record_question(&mut log, 1, "T1", 1, BlockedWork::default());
    log.record(Event::TaskBlocked(events::TaskBlocked {
        task: parse_task_id("T1"),
        reason: BlockReason::Question { question: Q1 },
    }));
    let on =
        |log: &SampleLog| log.views.rows().tasks.get(&parse_task_id("T1")).unwrap().blocked[0].on.clone();
    let session = |log: &SampleLog| log.views.rows().sessions.get(&SessionId(1)).unwrap().state;
    assert_eq!((task_state(&log, "T1"), on(&log)), (TaskState::Blocked, ResponsibleParty::Jangdan));
    assert_eq!(session(&log), SessionState::WaitingInput);
    log.record(Event::QuestionRouted(events::QuestionRouted {
        question: Q1,
        to: QuestionRoute::Orchestrator,
    }));
    assert_eq!(on(&log), ResponsibleParty::Orchestrator);
    log.record(Event::QuestionRouted(events::QuestionRouted { question: Q1, to: QuestionRoute::Person }));
    assert_eq!(on(&log), ResponsibleParty::Person);
    assert_eq!(log.views.inbox().len(), 1);
    log.record(Event::QuestionAnswered(events::QuestionAnswered {
        question: Q1,
        answer: "This.".to_owned(),
        reason: None,
    }));
    assert_eq!(log.views.inbox().len(), 0);
    log.record(Event::TaskUnblocked(events::TaskUnblocked {
        task: parse_task_id("T1"),
        reason: BlockReason::Question { question: Q1 },
    }));
    assert_eq!(task_state(&log, "T1"), TaskState::Ready);
    log.record(Event::TaskResumed(events::TaskResumed { task: parse_task_id("T1"), session: SessionId(1) }));
    log.record(Event::QuestionDelivered(events::QuestionDelivered { question: Q1, session: SessionId(1) }));
    assert_eq!((task_state(&log, "T1"), session(&log)), (TaskState::Running, SessionState::Active));
}

#[test]
fn a_task_is_blocked_until_its_last_reason_is_removed() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
    log.start_task("T1", 1);
    let reasons = [BlockReason::Question { question: Q1 }, BlockReason::Approval { phase: 1 }];
    for reason in &reasons {
        log.record(Event::TaskBlocked(events::TaskBlocked {
            task: parse_task_id("T1"),
            reason: reason.clone(),
        }));
    }
    for (reason, expected) in reasons.into_iter().zip([TaskState::Blocked, TaskState::Ready]) {
        log.record(Event::TaskUnblocked(events::TaskUnblocked { task: parse_task_id("T1"), reason }));
        assert_eq!(task_state(&log, "T1"), expected);
    }
}

#[test]
fn a_waiting_task_lists_its_dependencies_and_which_failed() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[]), ("T2", 1, &[]), ("T3", 2, &["T1", "T2"])]);
    let waits = |log: &SampleLog| log.views.rows().tasks.get(&parse_task_id("T3")).unwrap().waits_for.clone();
    let on = |id: &str, failed| UnmetDependency::Task { task: parse_task_id(id), failed };
    let gate = |phase: PhaseNumber| UnmetDependency::Phase { phase };
    assert_eq!(waits(&log), [gate(1), on("T1", false), on("T2", false)]);
    log.record(Event::TaskFailed(events::TaskFailed {
        task: parse_task_id("T2"),
        failure: domain::AttemptFailure::MarkedFailed,
    }));
    assert_eq!(waits(&log), [gate(1), on("T2", true), on("T1", false)]);
    log.record(Event::TaskSkipped(events::TaskSkipped { task: parse_task_id("T1") }));
    log.record(Event::GateApproved(events::GateApproved { phase: 1, waived: false, note: None }));
    assert_eq!(waits(&log), [on("T2", true)]);
    log.record(Event::TaskRetried(events::TaskRetried {
        task: parse_task_id("T2"),
        hint: None,
        resets_attempts: true,
    }));
    assert_eq!(waits(&log), [on("T2", false)]);
    log.record(Event::TasksBecameReady(events::TasksBecameReady { tasks: vec![parse_task_id("T3")] }));
    assert_eq!(waits(&log), []);
}

#[test]
fn the_inbox_is_sorted_by_time_then_tasks_then_age() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
    log.start_task("T1", 1);
    let held = [(10, 1), (50, 2), (50, 9), (10, 1)];
    for (question, (time_ms, tasks)) in (1..).zip(held) {
        record_question(&mut log, question, "T1", 1, BlockedWork { time_ms, tasks });
        log.record(Event::QuestionRouted(events::QuestionRouted {
            question: QuestionId(question),
            to: QuestionRoute::Person,
        }));
    }
    let order: Vec<_> = log.views.inbox().iter().map(|row| row.item.to_string()).collect();
    assert_eq!(order, ["q_3", "q_2", "q_1", "q_4"]);
}

/// Records a request for a permission that waits for the user.
fn record_permission_request(log: &mut SampleLog, question: u32, id: &str, session: u32, command: &str) {
    let (question, prompt) = (QuestionId(question), format!("prompt-{question}"));
    let permission = PermissionRequest {
        prompt: prompt.clone(),
        kind: PermissionKind::Run,
        subject: command.to_owned(),
        in_worktree: false,
        detail: None,
    };
    log.record(Event::QuestionAsked(events::QuestionAsked {
        question,
        session: SessionId(session),
        task: Some(parse_task_id(id)),
        kind: QuestionKind::Confirmation,
        category: None,
        text: format!("run {command}"),
        options: vec!["allow".to_owned(), "deny".to_owned()],
        default: None,
        context: None,
        required: true,
        permission: Some(permission),
        similar: Some("run:npm test *".to_owned()),
        prompt: Some(prompt),
        evidence_gap: None,
        large_files: Vec::new(),
        blocks: BlockedWork::default(),
    }));
    log.record(Event::QuestionRouted(events::QuestionRouted { question, to: QuestionRoute::Person }));
}

fn record_allowed(log: &mut SampleLog, question: u32) {
    let (question, answer) = (QuestionId(question), "allow".to_owned());
    log.record(Event::QuestionAnswered(events::QuestionAnswered { question, answer, reason: None }));
}

#[test]
fn equal_permission_requests_are_one_card() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[]), ("T2", 1, &[])]);
    log.start_task("T1", 1);
    log.start_task("T2", 2);
    record_permission_request(&mut log, 1, "T1", 1, "npm test a");
    record_permission_request(&mut log, 2, "T2", 2, "npm test a");
    record_permission_request(&mut log, 3, "T2", 2, "npm test b");
    let cards = |log: &SampleLog| -> Vec<(String, usize)> {
        let cards = log.views.inbox();
        cards.iter().map(|card| (card.item.to_string(), card.equal.len())).collect()
    };
    let expected = [("q_1".to_owned(), 1), ("q_3".to_owned(), 0)];
    assert_eq!(cards(&log), expected);
    assert_eq!(log.views.inbox()[0].equal_tasks, [parse_task_id("T2")]);
    assert_eq!(log.views.rows().run.get(&()).unwrap().waits_for.person, 2);
    record_allowed(&mut log, 1);
    let expected = [("q_2".to_owned(), 0), ("q_3".to_owned(), 0)];
    assert_eq!(cards(&log), expected, "the next equal request has the card");
    assert_eq!(log.views.rows().run.get(&()).unwrap().waits_for.person, 2);
}

#[test]
fn a_card_lists_each_task_once() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[]), ("T2", 1, &[]), ("T3", 1, &[])]);
    let requests = [(1, "T1"), (2, "T2"), (3, "T3"), (4, "T2")];
    for (session, task) in (1..).zip(["T1", "T2", "T3"]) {
        log.start_task(task, session);
    }
    for (question, task) in requests {
        record_permission_request(&mut log, question, task, 2, "npm test a");
    }
    assert_eq!(log.views.inbox()[0].equal.len(), 3);
    assert_eq!(log.views.inbox()[0].equal_tasks, [parse_task_id("T2"), parse_task_id("T3")]);
}

#[test]
fn a_pattern_is_suggested_after_three_allowed_requests() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
    log.start_task("T1", 1);
    record_permission_request(&mut log, 9, "T1", 1, "npm test waiting");
    let suggested = |log: &SampleLog| {
        let question = log.views.rows().questions.get(&QuestionId(9)).unwrap();
        question.similar.as_ref().map(|similar| (similar.n_allowed, similar.is_suggested)).unwrap()
    };
    for number in 1..=3 {
        assert_eq!(suggested(&log), (number - 1, false));
        record_permission_request(&mut log, number, "T1", 1, &format!("npm test {number}"));
        record_allowed(&mut log, number);
    }
    assert_eq!(suggested(&log), (3, true));
}

#[test]
fn a_second_question_is_shown_when_the_first_is_answered() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
    log.start_task("T1", 1);
    record_question(&mut log, 1, "T1", 1, BlockedWork::default());
    record_question(&mut log, 2, "T1", 1, BlockedWork::default());
    let shown = |log: &SampleLog| {
        log.views.rows().tasks.get(&parse_task_id("T1")).unwrap().question.as_ref().map(|shown| shown.id)
    };
    assert_eq!(shown(&log), Some(Q1));
    log.record(Event::QuestionAnswered(events::QuestionAnswered {
        question: Q1,
        answer: "This.".to_owned(),
        reason: None,
    }));
    assert_eq!(shown(&log), Some(QuestionId(2)));
}

#[test]
fn usage_counts_for_task_phase_agent_and_run() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
    log.start_task("T1", 1);
    let usage = Usage { input_tokens: 100, output_tokens: 20, cost_micros: 7, ..Usage::default() };
    for _ in 0..2 {
        let usage = usage.clone();
        log.record(Event::UsageReported(events::UsageReported {
            session: SessionId(1),
            task: Some(parse_task_id("T1")),
            usage,
        }));
    }
    let rows = log.views.rows();
    let tokens: Vec<_> = rows.usage.iter().map(|row| row.input_tokens + row.output_tokens).collect();
    assert_eq!(tokens, [240; 4]);
    assert_eq!(rows.tasks.get(&parse_task_id("T1")).unwrap().used.cost_micros, 14);
}

#[test]
fn a_cost_says_how_certain_it_is() {
    let reported = Usage { input_tokens: 10, cost_micros: 5, ..Usage::default() };
    let estimated = Usage { is_cost_estimated: true, ..reported.clone() };
    let unpriced = Usage { input_tokens: 10, ..Usage::default() };
    let nothing = Usage::default();
    for (usages, expected) in [
        (vec![&nothing], CostCertainty::Known),
        (vec![&reported, &nothing], CostCertainty::Known),
        (vec![&reported, &estimated, &reported], CostCertainty::Estimated),
        (vec![&unpriced, &nothing], CostCertainty::Unknown),
        (vec![&unpriced, &reported], CostCertainty::AtLeast),
        (vec![&reported, &unpriced, &reported], CostCertainty::AtLeast),
        (vec![&estimated, &unpriced], CostCertainty::AtLeast),
    ] {
        let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
        log.start_task("T1", 1);
        for usage in usages {
            log.record(Event::UsageReported(events::UsageReported {
                session: SessionId(1),
                task: Some(parse_task_id("T1")),
                usage: usage.clone(),
            }));
        }
        let rows = log.views.rows();
        assert_eq!(rows.run.get(&()).unwrap().used.cost_certainty, expected);
        assert_eq!(rows.usage.get(&UsageScope::Run).unwrap().cost_certainty, expected);
    }
}

#[test]
fn a_conversation_has_a_new_row_for_each_turn() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
    log.start_task("T1", 1);
    for n in 0..3 {
        let words = format!("Step {n}.");
        let (session, tools) = (SessionId(1), TurnTools::default());
        let changes =
            log.record(Event::TurnEnded(events::TurnEnded { session, read_from: 0, text: words, tools }));
        let turns: Vec<_> = changes.iter().filter(|change| change.kind == views::RowKind::Turn).collect();
        assert_eq!(turns.len(), 1);
        assert_eq!(turns[0].key, format!("T1/{n:010}"));
    }
}

#[test]
fn interrupted_and_empty_turns_keep_their_tools() {
    let tools = TurnTools {
        uses: vec![ToolUse {
            line: 1,
            title: "make test".to_owned(),
            status: ToolStatus::Failed,
            output: Some(ToolOutput { head: "1 failed".to_owned(), ..ToolOutput::default() }),
        }],
        n_omitted: 2,
    };
    let of = |event: Event| {
        let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
        log.start_task("T1", 1);
        log.record(event);
        let turns = log.views.rows().turns.iter();
        turns.map(|row| (row.content.clone(), row.tools.clone(), row.is_interrupted)).collect::<Vec<_>>()
    };
    let (session, read_from) = (SessionId(1), 0);
    let (said, silent, none) = (|| "I test.".to_owned(), String::new, TurnTools::default);
    let ended = |words, tools| Event::TurnEnded(events::TurnEnded { session, read_from, text: words, tools });
    let cut = |words, tools| {
        Event::TurnInterrupted(events::TurnInterrupted { session, read_from, text: words, tools })
    };
    assert_eq!(of(ended(said(), tools.clone())), [(said(), tools.clone(), false)]);
    assert_eq!(of(ended(silent(), tools.clone())), [(silent(), tools.clone(), false)]);
    assert_eq!(of(ended(silent(), none())), []);
    assert_eq!(of(cut(said(), tools.clone())), [(said(), tools, true)]);
    assert_eq!(of(cut(silent(), none())), []);
}

#[test]
fn an_unblocked_task_continues_in_its_stage() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
    log.start_task("T1", 1);
    log.record(Event::MergeStarted(events::MergeStarted { task: parse_task_id("T1"), attempt: 1 }));
    let reason = BlockReason::Paused { by: domain::Actor::Person("ana".to_owned()) };
    log.record(Event::TaskBlocked(events::TaskBlocked { task: parse_task_id("T1"), reason: reason.clone() }));
    assert_eq!(task_state(&log, "T1"), TaskState::Blocked);
    log.record(Event::TaskUnblocked(events::TaskUnblocked { task: parse_task_id("T1"), reason }));
    assert_eq!(task_state(&log, "T1"), TaskState::Ready);
    // An unknown session is ignored.
    log.record(Event::TaskResumed(events::TaskResumed { task: parse_task_id("T1"), session: SessionId(0) }));
    assert_eq!(task_state(&log, "T1"), TaskState::Merging);
    assert_eq!(log.views.rows().tasks.get(&parse_task_id("T1")).unwrap().session, Some(SessionId(1)));
}

#[test]
fn a_task_returns_to_its_agent_only_while_its_session_runs() {
    for (is_alive, expected) in [(true, TaskState::Running), (false, TaskState::Waiting)] {
        let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
        log.start_task("T1", 1);
        log.record(Event::MergeStarted(events::MergeStarted { task: parse_task_id("T1"), attempt: 1 }));
        if !is_alive {
            log.record(Event::SessionEnded(events::SessionEnded {
                session: SessionId(1),
                exit_status: Some(0),
            }));
        }
        log.record(Event::TaskReturned(events::TaskReturned {
            task: parse_task_id("T1"),
            reason: domain::TaskReturnReason::Conflict,
        }));
        assert_eq!(task_state(&log, "T1"), expected);
    }
}

#[test]
fn a_question_is_shown_in_the_chat_once_and_so_is_its_answer() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
    log.start_task("T1", 1);
    record_question(&mut log, 1, "T1", 1, BlockedWork::default());
    for to in [QuestionRoute::Person, QuestionRoute::Orchestrator, QuestionRoute::Person] {
        log.record(Event::QuestionRouted(events::QuestionRouted { question: Q1, to }));
    }
    // The second option, by its number.
    log.record(Event::ChatMessageSent(events::ChatMessageSent { text: "2".to_owned(), answers: Some(Q1) }));
    log.record(Event::QuestionAnswered(events::QuestionAnswered {
        question: Q1,
        answer: "This.".to_owned(),
        reason: None,
    }));
    let said: Vec<_> = log.views.rows().chat.iter().skip(1).map(|row| row.text.as_str()).collect();
    assert_eq!(said, ["Which?", "2"]);
}

#[test]
fn chat_is_answered_with_the_status_without_an_orchestrator() {
    for (n_running, n_waiting, running_text, waiting_text) in [
        (0, 0, "No agent is working", "Nothing is waiting for you"),
        (1, 2, "Running: T1", "2 in your inbox"),
    ] {
        let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
        log.record(Event::ChatMessageSent(events::ChatMessageSent {
            text: "how is it going?".to_owned(),
            answers: None,
        }));
        let running = std::iter::repeat_n(parse_task_id("T1"), n_running).collect();
        let n_running = u32::try_from(n_running).unwrap();
        let questions = Vec::new();
        log.record(Event::ChatAnsweredWithStatus(events::ChatAnsweredWithStatus {
            n_done: 0,
            n_tasks: 1,
            running,
            n_running,
            questions,
            n_waiting,
        }));
        let last = log.views.rows().chat.iter().last().unwrap();
        assert_eq!((last.author, last.index), (ChatAuthor::System, 2));
        let expected = format!(
            "No orchestrator agent is running to answer. 0 of 1 tasks are done. {running_text}. {waiting_text}."
        );
        assert!(last.text.starts_with(&expected), "{}", last.text);
    }
}

#[test]
fn a_session_without_an_agent_starts_and_ends_at_once() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
    let session = SessionId(1);
    let opened = log.record(Event::SessionOpened(events::SessionOpened {
        session,
        parent: None,
        depth: 1,
        role: domain::Role::Operator,
        agent: None,
        task: None,
        phase: Some(1),
        resumes: None,
    }));
    let state = |log: &SampleLog| log.views.rows().sessions.get(&session).unwrap().state;
    let names = |changes: Vec<ViewChange>| changes.iter().flat_map(ViewChange::names).collect::<Vec<_>>();
    assert_eq!(state(&log), SessionState::Active);
    assert!(names(opened).contains(&"session.start"));
    let dismissed = log.record(Event::SessionDismissed(events::SessionDismissed { session }));
    assert_eq!(state(&log), SessionState::Ended);
    assert!(names(dismissed).contains(&"session.end"));
    // A session with an agent ends with its own event.
    log.start_task("T1", 2);
    assert!(
        !names(log.record(Event::SessionDismissed(events::SessionDismissed { session: SessionId(2) })))
            .contains(&"session.end")
    );
    let ended =
        log.record(Event::SessionEnded(events::SessionEnded { session: SessionId(2), exit_status: Some(0) }));
    assert!(names(ended).contains(&"session.end"));
}

#[test]
fn a_gate_is_in_the_inbox_until_it_is_approved() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
    let held = BlockedWork { time_ms: 5, tasks: 1 };
    for round in 1..=2 {
        log.record(Event::GateOpened(events::GateOpened { phase: 1, round, documents: Vec::new() }));
        log.record(Event::GatePassed(events::GatePassed { phase: 1, round, blocks: held }));
        assert_eq!(log.views.inbox()[0].item.to_string(), "gate/1");
        let (reason, tasks) = ("no".to_owned(), Vec::new());
        match round {
            1 => log.record(Event::GateFailed(events::GateFailed { phase: 1, round, reason, tasks })),
            _ => {
                log.record(Event::GateApproved(events::GateApproved { phase: 1, waived: false, note: None }))
            }
        };
        assert_eq!(log.views.inbox().len(), 0);
    }
    let gate = log.views.rows().gates.get(&1).unwrap();
    assert_eq!((gate.state, gate.rounds.len()), (views::GateState::Approved, 2));
    assert_eq!(gate.rounds[0].passed, Some(false));
    assert_eq!(log.views.rows().phases.get(&2).unwrap().waits_for, [0; 0]);
}

#[test]
fn a_gate_of_a_cancelled_run_does_not_wait_for_the_user() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
    log.record(Event::GateOpened(events::GateOpened { phase: 1, round: 1, documents: Vec::new() }));
    let blocks = BlockedWork { time_ms: 5, tasks: 1 };
    log.record(Event::GatePassed(events::GatePassed { phase: 1, round: 1, blocks }));
    let open_items = |log: &SampleLog| {
        let run = log.views.rows().run.get(&()).unwrap();
        (log.views.inbox().len(), run.waits_for.person)
    };
    assert_eq!(open_items(&log), (1, 1));
    let (outcome, failed, waiting) = (domain::RunOutcome::Cancelled, Vec::new(), Vec::new());
    log.record(Event::RunEnded(events::RunEnded { outcome, failed, waiting }));
    assert_eq!(open_items(&log), (0, 0));
    log.record(Event::RunReopened(events::RunReopened {}));
    assert_eq!(open_items(&log), (1, 1));
}

#[test]
fn a_forwarded_question_waits_for_the_user() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
    log.start_task("T1", 1);
    record_question(&mut log, 1, "T1", 1, BlockedWork::default());
    log.record(Event::QuestionRouted(events::QuestionRouted {
        question: Q1,
        to: QuestionRoute::Orchestrator,
    }));
    assert_eq!(log.views.inbox().len(), 0);
    log.record(Event::QuestionForwarded(events::QuestionForwarded {
        question: Q1,
        text: "This or that?".to_owned(),
    }));
    assert_eq!(log.views.rows().questions.get(&Q1).unwrap().status, QuestionState::Pending);
    assert_eq!(log.views.inbox()[0].text, "This or that?");
    let chat: Vec<&str> =
        log.views.rows().chat.iter().filter(|row| row.is_card).map(|row| row.text.as_str()).collect();
    assert_eq!(chat, ["This or that?"]);
}

#[test]
fn a_rephrased_question_is_rephrased_in_the_inbox() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
    log.start_task("T1", 1);
    record_question(&mut log, 1, "T1", 1, BlockedWork::default());
    log.record(Event::QuestionRouted(events::QuestionRouted { question: Q1, to: QuestionRoute::Person }));
    log.record(Event::QuestionForwarded(events::QuestionForwarded {
        question: Q1,
        text: "This or that?".to_owned(),
    }));
    assert_eq!(log.views.inbox()[0].text, "This or that?");
    let row = log.views.rows().questions.get(&Q1).unwrap();
    assert_eq!((row.text.as_str(), row.original_text.as_deref()), ("This or that?", Some("Which?")));
    log.record(Event::QuestionRouted(events::QuestionRouted {
        question: Q1,
        to: QuestionRoute::Orchestrator,
    }));
    assert_eq!(log.views.inbox().len(), 0);
}

fn receipt(tree: &str) -> Receipt {
    Receipt {
        command: "make test".to_owned(),
        exit_status: Some(0),
        obstacle: None,
        attempts: 1,
        output_hash: "0".to_owned(),
        output_tail: String::new(),
        tests: None,
        tree: tree.to_owned(),
        commit: None,
        left_out: None,
        started_at: Timestamp(1),
        finished_at: Timestamp(2),
    }
}

fn record_check(log: &mut SampleLog, tree: &str) {
    log.record(Event::CheckFinished(events::CheckFinished {
        task: parse_task_id("T1"),
        attempt: 1,
        receipt: receipt(tree),
    }));
}

fn record_merge(log: &mut SampleLog, tree: &str, receipt: Option<Receipt>) {
    let outcome = MergeOutcome::Merged {
        commit: "c".to_owned(),
        receipt: receipt.map(Box::new),
        tree: Some(tree.to_owned()),
        onto: None,
    };
    log.record(Event::MergeFinished(events::MergeFinished {
        task: parse_task_id("T1"),
        attempt: 1,
        outcome,
    }));
}

fn record_checkpoint(log: &mut SampleLog, number: u32, tree: &str) {
    let (checkpoint, reason) = (CheckpointId(number), CheckpointReason::TurnEnd);
    log.record(Event::CheckpointRequested(events::CheckpointRequested {
        checkpoint,
        task: parse_task_id("T1"),
        reason,
    }));
    let (commit, tree) = ("c".to_owned(), Some(tree.to_owned()));
    let outcome = CheckpointOutcome::Made { commit, agent_session: None, tree, large_files: Vec::new() };
    log.record(Event::CheckpointFinished(events::CheckpointFinished { checkpoint, outcome }));
}

/// Returns whether each receipt is stale, the oldest first, and whether the receipt in the task's row is.
fn stale_flags(log: &SampleLog) -> (Vec<bool>, Option<bool>) {
    let rows = log.views.rows();
    let of_task =
        rows.tasks.get(&parse_task_id("T1")).unwrap().receipt.as_ref().map(|receipt| receipt.is_stale);
    (rows.receipts.iter().map(|row| row.is_stale).collect(), of_task)
}

#[test]
fn a_receipt_is_stale_when_the_work_has_changed() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
    log.start_task("T1", 1);
    assert_eq!(stale_flags(&log), (vec![], None));
    record_check(&mut log, "a");
    record_checkpoint(&mut log, 1, "a");
    assert_eq!(stale_flags(&log), (vec![false], Some(false)));
    record_checkpoint(&mut log, 2, "b");
    assert_eq!(stale_flags(&log), (vec![true], Some(true)));
    record_check(&mut log, "b");
    assert_eq!(stale_flags(&log), (vec![true, false], Some(false)));
    log.record(Event::TaskRewound(events::TaskRewound {
        task: parse_task_id("T1"),
        checkpoint: Some(CheckpointId(1)),
    }));
    assert_eq!(stale_flags(&log), (vec![false, true], Some(true)), "the tree of the first receipt again");
    log.record(Event::TaskRewound(events::TaskRewound { task: parse_task_id("T1"), checkpoint: None }));
    assert_eq!(stale_flags(&log), (vec![true, true], Some(true)));
}

#[test]
fn marks_say_how_far_a_state_is_proved() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[]), ("T2", 1, &[])]);
    let done = |log: &mut SampleLog, id: &str, proof| {
        log.record(Event::TaskDone(events::TaskDone { task: parse_task_id(id), proof }));
    };
    log.start_task("T1", 1);
    let failed = Receipt { exit_status: Some(1), ..receipt("a") };
    log.record(Event::CheckFinished(events::CheckFinished {
        task: parse_task_id("T1"),
        attempt: 1,
        receipt: failed,
    }));
    assert_eq!(task_marks(&log, "T1"), [TaskMark::CheckFailed]);
    record_checkpoint(&mut log, 1, "b");
    assert_eq!(task_marks(&log, "T1"), [TaskMark::CheckFailed, TaskMark::ChangedSinceCheck]);
    record_check(&mut log, "b");
    assert_eq!(task_marks(&log, "T1"), []);
    done(&mut log, "T1", CompletionProof::Checked);
    assert_eq!(task_marks(&log, "T1"), []);
    log.start_task("T2", 2);
    done(&mut log, "T2", CompletionProof::Unchecked);
    assert_eq!(task_marks(&log, "T2"), [TaskMark::Unchecked]);
    log.record(Event::TaskReopened(events::TaskReopened {
        task: parse_task_id("T2"),
        reason: "again".to_owned(),
    }));
    assert_eq!(task_marks(&log, "T2"), []);
    done(&mut log, "T2", CompletionProof::Waived);
    assert_eq!(task_marks(&log, "T2"), [TaskMark::Waived]);
    let json = serde_json::to_value(log.views.rows().tasks.get(&parse_task_id("T2")).unwrap()).unwrap();
    assert_eq!((&json["state"], &json["marks"]), (&"done".into(), &serde_json::json!(["waived"])));
}

#[test]
fn the_sentence_about_a_done_task_says_how_far_it_is_proved() {
    let check = |change, is_claimed, proof, english: &str, korean: &str| {
        let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
        log.start_task("T1", 1);
        let task = parse_task_id("T1");
        let evidence = if is_claimed { ClaimEvidence::Reason } else { ClaimEvidence::Change };
        log.record(Event::ClaimAccepted(events::ClaimAccepted {
            task: task.clone(),
            evidence,
            change,
            is_claimed,
        }));
        let done = Event::TaskDone(events::TaskDone { task, proof });
        log.record(done.clone());
        let rows = log.views.rows();
        assert_eq!(describe_event(&done, rows, &Actor::System).text, english);
        assert_eq!(describe_event_in_korean(&done, rows, &Actor::System), korean);
    };
    check(WorkChange::Changed, true, CompletionProof::Checked, "T1 done, checked", "T1 작업 완료 (검증됨)");
    check(
        WorkChange::Unchanged,
        true,
        CompletionProof::Checked,
        "T1 done, checked, no changes",
        "T1 작업 완료 (검증됨, 변경 없음)",
    );
    check(
        WorkChange::SameAsLastRound,
        true,
        CompletionProof::Unchecked,
        "T1 done, unchecked, same as last round",
        "T1 작업 완료 (검증 없음, 지난 회차와 동일)",
    );
    check(
        WorkChange::Changed,
        false,
        CompletionProof::Waived,
        "T1 done, check waived, not claimed",
        "T1 작업 완료 (검증 면제, 완료 보고 없음)",
    );
}

#[test]
fn the_merged_tree_decides_which_receipts_are_stale() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
    log.start_task("T1", 1);
    record_check(&mut log, "a");
    record_merge(&mut log, "ab", Some(receipt("ab")));
    assert_eq!(stale_flags(&log), (vec![true, false], Some(false)));
    record_checkpoint(&mut log, 1, "a");
    assert_eq!(
        stale_flags(&log),
        (vec![true, false], Some(false)),
        "the worktree of a merged task does not count"
    );
    log.record(Event::TaskReturned(events::TaskReturned {
        task: parse_task_id("T1"),
        reason: domain::TaskReturnReason::Rework,
    }));
    record_checkpoint(&mut log, 2, "c");
    assert_eq!(stale_flags(&log), (vec![true, true], Some(true)));
}

#[test]
fn a_conflict_makes_receipts_stale() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
    log.start_task("T1", 1);
    record_check(&mut log, "a");
    let outcome = MergeOutcome::Conflicted { files: vec!["x".to_owned()] };
    log.record(Event::MergeFinished(events::MergeFinished {
        task: parse_task_id("T1"),
        attempt: 1,
        outcome,
    }));
    assert_eq!(stale_flags(&log), (vec![true], Some(true)));
}

#[test]
fn the_receipt_of_a_gate_is_stale_when_its_phase_is_merged_into_again() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[]), ("T2", 2, &[])]);
    let gate = |log: &mut SampleLog, round, tree| {
        let report = GateReport { receipts: vec![receipt(tree)], ..GateReport::default() };
        log.record(Event::GateOpened(events::GateOpened { phase: 1, round, documents: Vec::new() }));
        log.record(Event::GateChecked(events::GateChecked { phase: 1, round, report }));
    };
    log.start_task("T1", 1);
    record_merge(&mut log, "a", None);
    gate(&mut log, 1, "a");
    assert_eq!(stale_flags(&log).0, [false]);
    record_merge(&mut log, "b", None);
    assert_eq!(stale_flags(&log).0, [true]);
    gate(&mut log, 2, "b");
    assert_eq!(stale_flags(&log).0, [true, false]);
}
