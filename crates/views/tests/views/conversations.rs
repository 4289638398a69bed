//! Conversations: every turn of every session, with prompts as they were sent.

use domain::{Event, InvocationId, Locale, Role, SessionId, SessionInput, TaskId, TurnTools, events};
use views::{TurnKind, TurnRow};

use crate::sample_log::{SampleLog, parse_task_id, sample_agent_name};

fn open_session(log: &mut SampleLog, session: u32, role: Role, task: Option<TaskId>) {
    log.record(Event::SessionOpened(events::SessionOpened {
        session: SessionId(session),
        parent: None,
        depth: 2,
        role,
        agent: Some(sample_agent_name()),
        task,
        phase: None,
        resumes: None,
    }));
}

/// Sends an input, and records its text if there is one.
fn send(log: &mut SampleLog, session: u32, input: u32, content: SessionInput, text: Option<&str>) {
    let session = SessionId(session);
    log.record(Event::InputQueued(events::InputQueued { session, input, content: Box::new(content) }));
    let text = text.map(str::to_owned);
    log.record(Event::InputSent(events::InputSent { session, input, text, tree: None }));
}

fn end_turn(log: &mut SampleLog, session: u32, text: &str) {
    let (session, tools) = (SessionId(session), TurnTools::default());
    log.record(Event::TurnEnded(events::TurnEnded { session, read_from: 0, text: text.to_owned(), tools }));
}

/// Returns the key and the shown text of each turn.
fn turns(log: &SampleLog) -> Vec<(String, String)> {
    let key = |row: &TurnRow| format!("{}/{}", row.conversation(), row.index);
    log.views.rows().turns.iter().map(|row| (key(row), row.shown_text(Locale::En))).collect()
}

fn expected(turns: &[(&str, &str)]) -> Vec<(String, String)> {
    turns.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn a_session_without_a_task_has_a_conversation_of_its_own() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
    log.start_task("T1", 1);
    open_session(&mut log, 2, Role::Specialist, None);
    let call = SessionInput::Invocation {
        invocation: InvocationId(1),
        from: sample_agent_name(),
        task: "Explain the schema.".to_owned(),
        context: None,
    };
    send(&mut log, 2, 1, call, None);
    end_turn(&mut log, 2, "It has three tables.");
    open_session(&mut log, 3, Role::Verifier, None);
    let verify = SessionInput::Verify { phase: 1, round: 1 };
    send(&mut log, 3, 1, verify, None);
    end_turn(&mut log, 3, "Nothing is missing.");
    assert_eq!(
        turns(&log),
        expected(&[
            ("s_2/0", "Call from backend: Explain the schema."),
            ("s_2/1", "It has three tables."),
            ("s_3/0", "Verify phase 1."),
            ("s_3/1", "Nothing is missing."),
        ])
    );
}

#[test]
fn a_tester_speaks_in_the_conversation_of_its_task() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
    log.start_task("T1", 1);
    end_turn(&mut log, 1, "Done.");
    open_session(&mut log, 2, Role::Tester, Some(parse_task_id("T1")));
    let test = SessionInput::Test { task: parse_task_id("T1"), attempt: 1 };
    send(&mut log, 2, 1, test, Some("[TEST T1]\nRun `make test`."));
    end_turn(&mut log, 2, "1 failed.");
    assert_eq!(
        turns(&log),
        expected(&[("T1/0", "Done."), ("T1/1", "[TEST T1]\nRun `make test`."), ("T1/2", "1 failed.")])
    );
}

#[test]
fn a_prompt_is_shown_as_it_was_sent() {
    let mut log = SampleLog::with_tasks(&[("T1", 1, &[])]);
    log.start_task("T1", 1);
    let task = SessionInput::Task {
        task: parse_task_id("T1"),
        attempt: 1,
        hint: None,
        earlier: Vec::new(),
        carried: Vec::new(),
    };
    send(&mut log, 1, 1, task, Some("[TASK T1]\nMake a greeting.\nCheck: make test"));
    // What is not a text, such as the decision about a permission, has no text that was sent.
    let allowed =
        SessionInput::Permission { prompt: "p1".to_owned(), allowed: true, reason: None, question: None };
    send(&mut log, 1, 2, allowed, None);
    let rows: Vec<TurnRow> = log.views.rows().turns.iter().cloned().collect();
    assert_eq!((rows[0].kind, rows[1].kind), (TurnKind::Prompt, TurnKind::Answer));
    for locale in [Locale::En, Locale::Ko] {
        assert_eq!(rows[0].shown_text(locale), "[TASK T1]\nMake a greeting.\nCheck: make test");
    }
    assert_eq!(rows[1].shown_text(Locale::En), "Allowed.");
    assert_eq!(rows[1].shown_text(Locale::Ko), rows[1].korean.as_deref().unwrap());
}
