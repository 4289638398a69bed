//! What rows promise, one rule a test.

use domain::{
    BlockReason, BlockedWork, CheckpointId, CheckpointOutcome, CheckpointReason, CompletionProof, Event,
    GateReport, MergeOutcome, PhaseNumber, QuestionId, QuestionKind, QuestionRoute, Receipt, SessionId,
    Timestamp, ToolOutput, ToolStatus, ToolUse, TurnTools, Usage,
};
use views::{Author, Change, Party, QuestionState, SessionState, TaskMark, TaskState, WaitsFor};

use crate::story::{Story, task};

const Q1: QuestionId = QuestionId(1);

fn ask(story: &mut Story, question: u32, id: &str, session: u32, holds_up: BlockedWork) {
    story.tell(Event::QuestionAsked {
        question: QuestionId(question),
        session: SessionId(session),
        task: Some(task(id)),
        kind: QuestionKind::Text,
        text: "Which?".to_owned(),
        options: Vec::new(),
        default: None,
        context: None,
        required: true,
        permission: None,
        prompt: None,
        blocks: holds_up,
    });
}

fn state(story: &Story, id: &str) -> TaskState {
    story.views.rows().tasks.get(&task(id)).unwrap().state
}

fn marks(story: &Story, id: &str) -> Vec<TaskMark> {
    story.views.rows().tasks.get(&task(id)).unwrap().marks.clone()
}

#[test]
fn a_blocked_task_says_on_whom_it_waits_and_is_ready_when_it_is_free() {
    let mut story = Story::of(&[("T1", 1, &[])]);
    story.start("T1", 1);
    ask(&mut story, 1, "T1", 1, BlockedWork::default());
    story.tell(Event::TaskBlocked { task: task("T1"), reason: BlockReason::Question { question: Q1 } });
    let on = |story: &Story| story.views.rows().tasks.get(&task("T1")).unwrap().blocked[0].on.clone();
    let session = |story: &Story| story.views.rows().sessions.get(&SessionId(1)).unwrap().state;
    assert_eq!((state(&story, "T1"), on(&story)), (TaskState::Blocked, Party::Jangdan));
    assert_eq!(session(&story), SessionState::WaitingInput);
    story.tell(Event::QuestionRouted { question: Q1, to: QuestionRoute::Orchestrator });
    assert_eq!(on(&story), Party::Orchestrator);
    story.tell(Event::QuestionRouted { question: Q1, to: QuestionRoute::Person });
    assert_eq!(on(&story), Party::Person);
    assert_eq!(story.views.inbox().len(), 1);
    story.tell(Event::QuestionAnswered { question: Q1, answer: "This.".to_owned() });
    assert_eq!(story.views.inbox().len(), 0);
    story.tell(Event::TaskUnblocked { task: task("T1"), reason: BlockReason::Question { question: Q1 } });
    assert_eq!(state(&story, "T1"), TaskState::Ready);
    story.tell(Event::TaskResumed { task: task("T1"), session: SessionId(1) });
    story.tell(Event::QuestionDelivered { question: Q1, session: SessionId(1) });
    assert_eq!((state(&story, "T1"), session(&story)), (TaskState::Running, SessionState::Active));
}

#[test]
fn a_task_is_blocked_until_its_last_reason_is_gone() {
    let mut story = Story::of(&[("T1", 1, &[])]);
    story.start("T1", 1);
    let reasons = [BlockReason::Question { question: Q1 }, BlockReason::Approval { phase: 1 }];
    for reason in &reasons {
        story.tell(Event::TaskBlocked { task: task("T1"), reason: reason.clone() });
    }
    for (reason, expected) in reasons.into_iter().zip([TaskState::Blocked, TaskState::Ready]) {
        story.tell(Event::TaskUnblocked { task: task("T1"), reason });
        assert_eq!(state(&story, "T1"), expected);
    }
}

#[test]
fn a_waiting_task_says_for_what_and_which_of_it_failed() {
    let mut story = Story::of(&[("T1", 1, &[]), ("T2", 1, &[]), ("T3", 2, &["T1", "T2"])]);
    let waits = |story: &Story| story.views.rows().tasks.get(&task("T3")).unwrap().waits_for.clone();
    let on = |id: &str, failed| WaitsFor::Task { task: task(id), failed };
    let gate = |phase: PhaseNumber| WaitsFor::Phase { phase };
    assert_eq!(waits(&story), [gate(1), on("T1", false), on("T2", false)]);
    story.tell(Event::TaskFailed { task: task("T2"), failure: domain::AttemptFailure::MarkedFailed });
    assert_eq!(waits(&story), [gate(1), on("T2", true), on("T1", false)]);
    story.tell(Event::TaskSkipped { task: task("T1") });
    story.tell(Event::GateApproved { phase: 1, waived: false, note: None });
    assert_eq!(waits(&story), [on("T2", true)]);
    story.tell(Event::TaskRetried { task: task("T2"), hint: None, resets_attempts: true });
    assert_eq!(waits(&story), [on("T2", false)]);
    story.tell(Event::TasksBecameReady { tasks: vec![task("T3")] });
    assert_eq!(waits(&story), []);
}

#[test]
fn the_inbox_is_sorted_by_time_then_tasks_then_age() {
    let mut story = Story::of(&[("T1", 1, &[])]);
    story.start("T1", 1);
    let held = [(10, 1), (50, 2), (50, 9), (10, 1)];
    for (question, (time_ms, tasks)) in (1..).zip(held) {
        ask(&mut story, question, "T1", 1, BlockedWork { time_ms, tasks });
        story.tell(Event::QuestionRouted { question: QuestionId(question), to: QuestionRoute::Person });
    }
    let order: Vec<_> = story.views.inbox().iter().map(|row| row.item.to_string()).collect();
    assert_eq!(order, ["q_3", "q_2", "q_1", "q_4"]);
}

#[test]
fn a_second_question_is_shown_when_the_first_is_answered() {
    let mut story = Story::of(&[("T1", 1, &[])]);
    story.start("T1", 1);
    ask(&mut story, 1, "T1", 1, BlockedWork::default());
    ask(&mut story, 2, "T1", 1, BlockedWork::default());
    let shown = |story: &Story| {
        story.views.rows().tasks.get(&task("T1")).unwrap().question.as_ref().map(|shown| shown.id)
    };
    assert_eq!(shown(&story), Some(Q1));
    story.tell(Event::QuestionAnswered { question: Q1, answer: "This.".to_owned() });
    assert_eq!(shown(&story), Some(QuestionId(2)));
}

#[test]
fn what_is_used_counts_for_task_phase_agent_and_run() {
    let mut story = Story::of(&[("T1", 1, &[])]);
    story.start("T1", 1);
    let usage = Usage { input_tokens: 100, output_tokens: 20, cost_micros: 7, ..Usage::default() };
    for _ in 0..2 {
        let usage = usage.clone();
        story.tell(Event::UsageReported { session: SessionId(1), task: Some(task("T1")), usage });
    }
    let rows = story.views.rows();
    let tokens: Vec<_> = rows.usage.iter().map(|row| row.input_tokens + row.output_tokens).collect();
    assert_eq!(tokens, [240; 4]);
    assert_eq!(rows.tasks.get(&task("T1")).unwrap().used.cost_micros, 14);
}

#[test]
fn a_conversation_has_a_new_row_for_each_turn() {
    let mut story = Story::of(&[("T1", 1, &[])]);
    story.start("T1", 1);
    for n in 0..3 {
        let words = format!("Step {n}.");
        let (session, tools) = (SessionId(1), TurnTools::default());
        let changes = story.tell(Event::TurnEnded { session, read_from: 0, text: words, tools });
        let turns: Vec<_> = changes.iter().filter(|change| change.kind == views::Kind::Turn).collect();
        assert_eq!(turns.len(), 1);
        assert_eq!(turns[0].key, format!("T1/{n:010}"));
    }
}

#[test]
fn a_turn_has_its_tools_also_one_that_was_cut_off_or_had_no_words() {
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
        let mut story = Story::of(&[("T1", 1, &[])]);
        story.start("T1", 1);
        story.tell(event);
        let turns = story.views.rows().turns.iter();
        turns.map(|row| (row.content.clone(), row.tools.clone(), row.is_cut)).collect::<Vec<_>>()
    };
    let (session, read_from) = (SessionId(1), 0);
    let (said, silent, none) = (|| "I test.".to_owned(), String::new, TurnTools::default);
    let ended = |words, tools| Event::TurnEnded { session, read_from, text: words, tools };
    let cut = |words, tools| Event::TurnInterrupted { session, read_from, text: words, tools };
    assert_eq!(of(ended(said(), tools.clone())), [(said(), tools.clone(), false)]);
    assert_eq!(of(ended(silent(), tools.clone())), [(silent(), tools.clone(), false)]);
    assert_eq!(of(ended(silent(), none())), []);
    assert_eq!(of(cut(said(), tools.clone())), [(said(), tools, true)]);
    assert_eq!(of(cut(silent(), none())), []);
}

#[test]
fn a_task_that_was_blocked_goes_on_where_it_was() {
    let mut story = Story::of(&[("T1", 1, &[])]);
    story.start("T1", 1);
    story.tell(Event::MergeStarted { task: task("T1"), attempt: 1 });
    let reason = BlockReason::Paused { by: domain::Actor::Person("ana".to_owned()) };
    story.tell(Event::TaskBlocked { task: task("T1"), reason: reason.clone() });
    assert_eq!(state(&story, "T1"), TaskState::Blocked);
    story.tell(Event::TaskUnblocked { task: task("T1"), reason });
    assert_eq!(state(&story, "T1"), TaskState::Ready);
    // A session that nobody knows is none.
    story.tell(Event::TaskResumed { task: task("T1"), session: SessionId(0) });
    assert_eq!(state(&story, "T1"), TaskState::Merging);
    assert_eq!(story.views.rows().tasks.get(&task("T1")).unwrap().session, Some(SessionId(1)));
}

#[test]
fn a_task_goes_back_to_its_agent_only_while_that_lives() {
    for (is_alive, expected) in [(true, TaskState::Running), (false, TaskState::Waiting)] {
        let mut story = Story::of(&[("T1", 1, &[])]);
        story.start("T1", 1);
        story.tell(Event::MergeStarted { task: task("T1"), attempt: 1 });
        if !is_alive {
            story.tell(Event::SessionEnded { session: SessionId(1), exit_status: Some(0) });
        }
        story.tell(Event::TaskReturned { task: task("T1"), reason: domain::ReturnReason::Conflict });
        assert_eq!(state(&story, "T1"), expected);
    }
}

#[test]
fn a_question_is_shown_in_the_chat_once_and_so_is_its_answer() {
    let mut story = Story::of(&[("T1", 1, &[])]);
    story.start("T1", 1);
    ask(&mut story, 1, "T1", 1, BlockedWork::default());
    for to in [QuestionRoute::Person, QuestionRoute::Orchestrator, QuestionRoute::Person] {
        story.tell(Event::QuestionRouted { question: Q1, to });
    }
    // The second option was said by its number.
    story.tell(Event::ChatMessageSent { text: "2".to_owned(), answers: Some(Q1) });
    story.tell(Event::QuestionAnswered { question: Q1, answer: "This.".to_owned() });
    let said: Vec<_> = story.views.rows().chat.iter().skip(1).map(|row| row.text.as_str()).collect();
    assert_eq!(said, ["Which?", "2"]);
}

#[test]
fn jangdan_says_in_the_chat_that_nobody_hears_it_and_how_the_run_stands() {
    for (n_running, n_waiting, works, waits) in [
        (0, 0, "nobody is at work", "nothing waits for you"),
        (1, 2, "at work: T1", "2 in the inbox for you"),
    ] {
        let mut story = Story::of(&[("T1", 1, &[])]);
        story.tell(Event::ChatMessageSent { text: "how is it going?".to_owned(), answers: None });
        let running = std::iter::repeat_n(task("T1"), n_running).collect();
        let n_running = u32::try_from(n_running).unwrap();
        let questions = Vec::new();
        story.tell(Event::ChatAnsweredWithStatus {
            n_done: 0,
            n_tasks: 1,
            running,
            n_running,
            questions,
            n_waiting,
        });
        let last = story.views.rows().chat.iter().last().unwrap();
        assert_eq!((last.author, last.index), (Author::System, 2));
        let expected =
            format!("no orchestrator agent is there to answer; 0 of 1 tasks are done; {works}; {waits}.");
        assert!(last.text.starts_with(&expected), "{}", last.text);
    }
}

#[test]
fn a_level_that_jangdan_plays_is_there_at_once_and_gone_at_once() {
    let mut story = Story::of(&[("T1", 1, &[])]);
    let session = SessionId(1);
    let opened = story.tell(Event::SessionOpened {
        session,
        parent: None,
        depth: 1,
        role: domain::Role::Operator,
        agent: None,
        task: None,
        phase: Some(1),
        resumes: None,
    });
    let state = |story: &Story| story.views.rows().sessions.get(&session).unwrap().state;
    let names = |changes: Vec<Change>| changes.iter().flat_map(Change::names).collect::<Vec<_>>();
    assert_eq!(state(&story), SessionState::Active);
    assert!(names(opened).contains(&"session.start"));
    let dismissed = story.tell(Event::SessionDismissed { session });
    assert_eq!(state(&story), SessionState::Ended);
    assert!(names(dismissed).contains(&"session.end"));
    // One with an agent has an end of its own.
    story.start("T1", 2);
    assert!(!names(story.tell(Event::SessionDismissed { session: SessionId(2) })).contains(&"session.end"));
    let ended = story.tell(Event::SessionEnded { session: SessionId(2), exit_status: Some(0) });
    assert!(names(ended).contains(&"session.end"));
}

#[test]
fn a_gate_that_waits_for_the_person_is_in_the_inbox_until_it_is_settled() {
    let mut story = Story::of(&[("T1", 1, &[])]);
    let held = BlockedWork { time_ms: 5, tasks: 1 };
    for round in 1..=2 {
        story.tell(Event::GateOpened { phase: 1, round, documents: Vec::new() });
        story.tell(Event::GatePassed { phase: 1, round, blocks: held });
        assert_eq!(story.views.inbox()[0].item.to_string(), "gate/1");
        let (reason, tasks) = ("no".to_owned(), Vec::new());
        match round {
            1 => story.tell(Event::GateFailed { phase: 1, round, reason, tasks }),
            _ => story.tell(Event::GateApproved { phase: 1, waived: false, note: None }),
        };
        assert_eq!(story.views.inbox().len(), 0);
    }
    let gate = story.views.rows().gates.get(&1).unwrap();
    assert_eq!((gate.state, gate.rounds.len()), (views::GateState::Approved, 2));
    assert_eq!(gate.rounds[0].passed, Some(false));
    assert_eq!(story.views.rows().phases.get(&2).unwrap().waits_for, [0; 0]);
}

#[test]
fn a_question_that_the_orchestrator_hands_on_is_with_the_person() {
    let mut story = Story::of(&[("T1", 1, &[])]);
    story.start("T1", 1);
    ask(&mut story, 1, "T1", 1, BlockedWork::default());
    story.tell(Event::QuestionRouted { question: Q1, to: QuestionRoute::Orchestrator });
    assert_eq!(story.views.inbox().len(), 0);
    story.tell(Event::QuestionForwarded { question: Q1, text: "This or that?".to_owned() });
    assert_eq!(story.views.rows().questions.get(&Q1).unwrap().status, QuestionState::Pending);
    assert_eq!(story.views.inbox()[0].text, "This or that?");
    let chat: Vec<&str> =
        story.views.rows().chat.iter().filter(|row| row.is_card).map(|row| row.text.as_str()).collect();
    assert_eq!(chat, ["This or that?"]);
}

#[test]
fn a_question_in_other_words_is_in_the_inbox_in_those() {
    let mut story = Story::of(&[("T1", 1, &[])]);
    story.start("T1", 1);
    ask(&mut story, 1, "T1", 1, BlockedWork::default());
    story.tell(Event::QuestionRouted { question: Q1, to: QuestionRoute::Person });
    story.tell(Event::QuestionForwarded { question: Q1, text: "This or that?".to_owned() });
    assert_eq!(story.views.inbox()[0].text, "This or that?");
    let row = story.views.rows().questions.get(&Q1).unwrap();
    assert_eq!((row.text.as_str(), row.asked_text.as_deref()), ("This or that?", Some("Which?")));
    story.tell(Event::QuestionRouted { question: Q1, to: QuestionRoute::Orchestrator });
    assert_eq!(story.views.inbox().len(), 0);
}

fn receipt(tree: &str) -> Receipt {
    Receipt {
        command: "make test".to_owned(),
        exit_status: Some(0),
        output_hash: "0".to_owned(),
        output_tail: String::new(),
        tree: tree.to_owned(),
        started_at: Timestamp(1),
        finished_at: Timestamp(2),
    }
}

fn check(story: &mut Story, tree: &str) {
    story.tell(Event::CheckFinished { task: task("T1"), attempt: 1, receipt: receipt(tree) });
}

fn merge(story: &mut Story, tree: &str, receipt: Option<Receipt>) {
    let outcome = MergeOutcome::Merged {
        commit: "c".to_owned(),
        receipt: receipt.map(Box::new),
        tree: Some(tree.to_owned()),
    };
    story.tell(Event::MergeFinished { task: task("T1"), attempt: 1, outcome });
}

fn keep(story: &mut Story, number: u32, tree: &str) {
    let (checkpoint, reason) = (CheckpointId(number), CheckpointReason::TurnEnd);
    story.tell(Event::CheckpointRequested { checkpoint, task: task("T1"), reason });
    let (commit, tree) = ("c".to_owned(), Some(tree.to_owned()));
    let outcome = CheckpointOutcome::Made { commit, agent_session: None, tree };
    story.tell(Event::CheckpointFinished { checkpoint, outcome });
}

/// Returns whether each receipt is stale, the oldest first, and what the task's own row says of the last.
fn stale(story: &Story) -> (Vec<bool>, Option<bool>) {
    let rows = story.views.rows();
    let of_task = rows.tasks.get(&task("T1")).unwrap().receipt.as_ref().map(|receipt| receipt.is_stale);
    (rows.receipts.iter().map(|row| row.is_stale).collect(), of_task)
}

#[test]
fn a_receipt_is_stale_when_the_work_has_become_another_tree() {
    let mut story = Story::of(&[("T1", 1, &[])]);
    story.start("T1", 1);
    assert_eq!(stale(&story), (vec![], None));
    check(&mut story, "a");
    keep(&mut story, 1, "a");
    assert_eq!(stale(&story), (vec![false], Some(false)));
    keep(&mut story, 2, "b");
    assert_eq!(stale(&story), (vec![true], Some(true)));
    check(&mut story, "b");
    assert_eq!(stale(&story), (vec![true, false], Some(false)));
    story.tell(Event::TaskRewound { task: task("T1"), checkpoint: Some(CheckpointId(1)) });
    assert_eq!(stale(&story), (vec![false, true], Some(true)), "it is again what the first one saw");
    story.tell(Event::TaskRewound { task: task("T1"), checkpoint: None });
    assert_eq!(stale(&story), (vec![true, true], Some(true)));
}

#[test]
fn marks_say_how_far_a_state_is_proved() {
    let mut story = Story::of(&[("T1", 1, &[]), ("T2", 1, &[])]);
    let done = |story: &mut Story, id: &str, proof| {
        story.tell(Event::TaskDone { task: task(id), proof });
    };
    story.start("T1", 1);
    let failed = Receipt { exit_status: Some(1), ..receipt("a") };
    story.tell(Event::CheckFinished { task: task("T1"), attempt: 1, receipt: failed });
    assert_eq!(marks(&story, "T1"), [TaskMark::CheckFailed]);
    keep(&mut story, 1, "b");
    assert_eq!(marks(&story, "T1"), [TaskMark::CheckFailed, TaskMark::ChangedSinceCheck]);
    check(&mut story, "b");
    assert_eq!(marks(&story, "T1"), []);
    done(&mut story, "T1", CompletionProof::Checked);
    assert_eq!(marks(&story, "T1"), []);
    story.start("T2", 2);
    done(&mut story, "T2", CompletionProof::Unchecked);
    assert_eq!(marks(&story, "T2"), [TaskMark::Unchecked]);
    story.tell(Event::TaskReopened { task: task("T2"), reason: "again".to_owned() });
    assert_eq!(marks(&story, "T2"), []);
    done(&mut story, "T2", CompletionProof::Waived);
    assert_eq!(marks(&story, "T2"), [TaskMark::Waived]);
    let json = serde_json::to_value(story.views.rows().tasks.get(&task("T2")).unwrap()).unwrap();
    assert_eq!((&json["state"], &json["marks"]), (&"done".into(), &serde_json::json!(["waived"])));
}

#[test]
fn the_merged_tree_is_the_one_that_counts() {
    let mut story = Story::of(&[("T1", 1, &[])]);
    story.start("T1", 1);
    check(&mut story, "a");
    merge(&mut story, "ab", Some(receipt("ab")));
    assert_eq!(stale(&story), (vec![true, false], Some(false)));
    keep(&mut story, 1, "a");
    assert_eq!(
        stale(&story),
        (vec![true, false], Some(false)),
        "what is left in its worktree does not count"
    );
    story.tell(Event::TaskReturned { task: task("T1"), reason: domain::ReturnReason::Rework });
    keep(&mut story, 2, "c");
    assert_eq!(stale(&story), (vec![true, true], Some(true)));
}

#[test]
fn a_conflict_leaves_no_receipt_that_holds() {
    let mut story = Story::of(&[("T1", 1, &[])]);
    story.start("T1", 1);
    check(&mut story, "a");
    let outcome = MergeOutcome::Conflicted { files: vec!["x".to_owned()] };
    story.tell(Event::MergeFinished { task: task("T1"), attempt: 1, outcome });
    assert_eq!(stale(&story), (vec![true], Some(true)));
}

#[test]
fn the_receipt_of_a_gate_is_stale_when_its_phase_is_merged_into_again() {
    let mut story = Story::of(&[("T1", 1, &[]), ("T2", 2, &[])]);
    let gate = |story: &mut Story, round, tree| {
        let report = GateReport { receipts: vec![receipt(tree)], ..GateReport::default() };
        story.tell(Event::GateOpened { phase: 1, round, documents: Vec::new() });
        story.tell(Event::GateChecked { phase: 1, round, report });
    };
    story.start("T1", 1);
    merge(&mut story, "a", None);
    gate(&mut story, 1, "a");
    assert_eq!(stale(&story).0, [false]);
    merge(&mut story, "b", None);
    assert_eq!(stale(&story).0, [true]);
    gate(&mut story, 2, "b");
    assert_eq!(stale(&story).0, [true, false]);
}
