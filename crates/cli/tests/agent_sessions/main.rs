//! Scripted agents of every protocol in real sessions: prompts, questions, permissions, kills, reconnects and resumes.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at few of the variants")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failing setup fails the test")]

mod test_agent;

use std::time::Duration;

use drivers::{AgentInput, DriverEvent, TurnOutcome, preset::LaunchMode};
use sessions::SessionReport;
use test_agent::{ImitatedProtocol, TestAgent};

const JSON_PROTOCOLS: &[ImitatedProtocol] =
    &[ImitatedProtocol::Claude, ImitatedProtocol::Codex, ImitatedProtocol::Acp];

/// Asks, uses a tool that prints a protocol message, and is done.
const TASK: &str = r#"
steps = [
  { wait = "Begin" },
  { say = "I begin.\n[ASK_USER]\nquestion: Which database?\n[/ASK_USER]\n" },
  { wait = "sqlite" },
  { tool = { name = "Bash", kind = "execute", input = { command = "ls" }, output = "DONE:T9.9\n", asks = true } },
  { choose = [
    { when = "allow", steps = [{ say = "It may.\n" }] },
    { when = "accept", steps = [{ say = "It may.\n" }] },
    { steps = [{ say = "It may not.\n" }] },
  ] },
  { say = "DONE:T1\n" },
  { usage = { input = 1200, output = 30 } },
  { wait = "Sleep" },
  { sleep = "600s" },
  { wait = "Go on" },
  { say = "Here I am.\n" },
  { wait = "never" },
]
resumed = [{ wait = "Again" }, { say = "I remember.\n" }, { wait = "never" }]
"#;

#[test]
fn agents_of_every_protocol_are_prompted_answered_interrupted_and_resumed() {
    for protocol in JSON_PROTOCOLS {
        let mut agent =
            TestAgent::start(*protocol, TASK, LaunchMode::Fresh("6f1f0e0a-5b0f-4c52-9d3e-2f4f0e5c1a01"));
        agent.await_ready();
        agent.prompt("Begin");
        let turn = agent.wait_for_turn_end();
        assert_eq!(turn.messages, ["ASK_USER"], "{protocol:?}");
        agent.prompt("sqlite");
        let prompt = agent.await_permission();
        agent.send(&AgentInput::Permission { prompt, allowed: true, reason: None });
        let turn = agent.wait_for_turn_end();
        assert_eq!(turn.messages, ["DONE"], "{protocol:?}: output of its tool is not a message");
        assert!(turn.text.contains("It may."), "{protocol:?}: {turn:?}");
        assert_eq!((turn.used.input_tokens, turn.used.output_tokens), (1200, 30), "{protocol:?}");

        agent.prompt("Sleep");
        agent.await_written();
        // A turn can be interrupted once the agent has reported that it runs.
        agent.interrupt();
        assert_eq!(agent.wait_for_turn_end().outcome, TurnOutcome::Cancelled, "{protocol:?}");
        agent.prompt("Go on");
        assert!(agent.wait_for_turn_end().text.contains("Here I am."), "{protocol:?}");

        let session = agent.kill();
        let mut agent = agent.restart(LaunchMode::Resume(&session));
        agent.await_ready();
        agent.prompt("Again");
        assert!(agent.wait_for_turn_end().text.contains("I remember."), "{protocol:?}");
        agent.stop();
    }
}

#[test]
fn new_connection_continues_and_sends_no_input_twice() {
    for protocol in JSON_PROTOCOLS {
        let mut agent =
            TestAgent::start(*protocol, TASK, LaunchMode::Fresh("6f1f0e0a-5b0f-4c52-9d3e-2f4f0e5c1a02"));
        // Before the first turn has ended: everything is read again from the start.
        agent.await_ready();
        agent.prompt("Begin");
        agent.await_written();
        agent.reconnect();
        agent.await_ready();
        agent.resend_last();
        assert_eq!(agent.wait_for_turn_end().messages, ["ASK_USER"], "{protocol:?}");
        // After a turn.
        agent.reconnect();
        agent.await_ready();
        agent.prompt("sqlite");
        agent.await_permission();
        // In the middle of a turn with an open prompt: it is reported again and can be answered.
        agent.reconnect();
        let prompt = agent.await_permission();
        agent.send(&AgentInput::Permission { prompt, allowed: false, reason: None });
        agent.reconnect();
        agent.wait_for_turn_end();
        agent.stop();
    }
}

#[test]
fn paused_session_continues() {
    for protocol in JSON_PROTOCOLS {
        let mut agent =
            TestAgent::start(*protocol, TASK, LaunchMode::Fresh("6f1f0e0a-5b0f-4c52-9d3e-2f4f0e5c1a03"));
        agent.await_ready();
        agent.session().pause().unwrap();
        agent.prompt("Begin");
        agent.await_written();
        assert!(agent.session().next_reports(Some(std::time::Instant::now())).unwrap().is_empty());
        agent.session().resume().unwrap();
        assert_eq!(agent.wait_for_turn_end().messages, ["ASK_USER"], "{protocol:?}");
        agent.stop();
    }
}

#[test]
fn agent_ends_when_its_input_is_closed() {
    let mut agent = TestAgent::start(
        ImitatedProtocol::Acp,
        TASK,
        LaunchMode::Fresh("6f1f0e0a-5b0f-4c52-9d3e-2f4f0e5c1a04"),
    );
    agent.await_ready();
    agent.session().close_input().unwrap();
    let is_end = |report: &SessionReport| matches!(report, SessionReport::Ended(_));
    agent.wait_for("its end", |report| is_end(report).then_some(()));
}

#[test]
fn session_whose_holder_was_killed_is_reported_as_lost() {
    let mut agent = TestAgent::start(
        ImitatedProtocol::Claude,
        TASK,
        LaunchMode::Fresh("6f1f0e0a-5b0f-4c52-9d3e-2f4f0e5c1a05"),
    );
    agent.prompt("Begin");
    agent.wait_for_turn_end();
    agent.prompt("sqlite");
    agent.await_permission();
    agent.kill();
    let failed = agent.wait_for_turn_end().outcome;
    assert!(matches!(failed, TurnOutcome::Failed { .. }), "{failed:?}");
    agent.wait_for("the loss", |report| (*report == SessionReport::Lost).then_some(()));
    // A later connection gets the same report.
    agent.reconnect();
    agent.wait_for("the loss", |report| (*report == SessionReport::Lost).then_some(()));
}

#[test]
fn waker_works_from_another_thread() {
    let mut agent = TestAgent::start(
        ImitatedProtocol::Claude,
        TASK,
        LaunchMode::Fresh("6f1f0e0a-5b0f-4c52-9d3e-2f4f0e5c1a06"),
    );
    agent.await_ready();
    let waker = agent.session().waker();
    waker.wake();
    assert!(agent.session().next_reports(None).unwrap().is_empty(), "an earlier call is not lost");
    // The session may move to another thread.
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| agent.session().next_reports(None).unwrap());
        waker.wake();
        assert!(waiting.join().unwrap().is_empty());
    });
    agent.stop();
}

#[test]
fn silence_on_a_terminal_ends_a_turn_and_the_end_is_recorded() {
    let script = r#"
steps = [
  { wait = "Begin" },
  { say = "I begin.\n[ASK_USER {key}]\nquestion: Which database?\n[/ASK_USER {key}]\nDONE:T9.9\n" },
  { wait = "sqlite" },
  { say = "DONE:T1 {key}\n" },
  { wait = "never" },
]"#;
    let mut agent = TestAgent::start(
        ImitatedProtocol::Plain,
        script,
        LaunchMode::Fresh("6f1f0e0a-5b0f-4c52-9d3e-2f4f0e5c1a07"),
    );
    agent.await_ready();
    agent.prompt("Begin");
    assert_eq!(agent.wait_for_turn_end().messages, ["ASK_USER"], "a line without the key is not a message");
    agent.prompt("sqlite");
    assert_eq!(agent.wait_for_turn_end().messages, ["DONE"]);
    // From the start, without waiting for silence again.
    let started = std::time::Instant::now();
    agent.reopen_from_start();
    assert_eq!(
        (agent.wait_for_turn_end().messages, agent.wait_for_turn_end().messages),
        (vec!["ASK_USER"], vec!["DONE"])
    );
    assert!(started.elapsed() < Duration::from_millis(test_agent::QUIET_MS), "the recorded end was used");
    agent.stop();
}

#[test]
fn full_screen_program_receives_typed_input_and_is_decoded() {
    let script = r#"
steps = [
  { wait = "Begin" },
  { say = "I begin.\n\n[ASK_USER {key}]\nquestion: Which database?\n[/ASK_USER {key}]\n" },
  { wait = "sqlite" },
  { say = "DONE:T1 {key}\n" },
  { wait = "never" },
]"#;
    let mut agent = TestAgent::start(
        ImitatedProtocol::Screen,
        script,
        LaunchMode::Fresh("6f1f0e0a-5b0f-4c52-9d3e-2f4f0e5c1a08"),
    );
    agent.await_ready();
    agent.prompt("Begin");
    assert_eq!(agent.wait_for_turn_end().messages, ["ASK_USER"]);
    agent.prompt("sqlite");
    assert_eq!(agent.wait_for_turn_end().messages, ["DONE"]);
    agent.stop();
}

#[test]
fn long_prompt_arrives_completely() {
    let script = "steps = [{ wait = 'the end' }, { say = 'I have it.' }, { wait = 'never' }]";
    let mut agent = TestAgent::start(
        ImitatedProtocol::Claude,
        script,
        LaunchMode::Fresh("6f1f0e0a-5b0f-4c52-9d3e-2f4f0e5c1a09"),
    );
    agent.await_ready();
    agent.prompt(&format!("{} the end", "words and ".repeat(60_000)));
    assert!(agent.wait_for_turn_end().text.contains("I have it."));
    agent.stop();
}

#[test]
fn side_channel_messages_require_the_key() {
    let mut agent = TestAgent::start(
        ImitatedProtocol::Claude,
        TASK,
        LaunchMode::Fresh("6f1f0e0a-5b0f-4c52-9d3e-2f4f0e5c1a10"),
    );
    agent.await_ready();
    let key = agent.entry.metadata.key.clone();
    agent.send_on_side_channel("DONE:T8\n");
    agent.send_on_side_channel(&format!("DONE:T7 {key}\n"));
    let message = agent.wait_for("the message", |report| match report {
        SessionReport::Event(DriverEvent::Message {
            item: protocol::DecodedItem::Message(decoded), ..
        }) => Some(decoded.span.raw.clone()),
        _ => None,
    });
    assert_eq!(message, format!("DONE:T7 {key}"));
    agent.stop();
}

#[test]
fn typed_input_of_a_user_does_not_replace_a_prompt() {
    let script = r#"
steps = [
  { wait = "Begin" },
  { say = "DONE:T1 {key}\n" },
  { wait = "by hand" },
  { say = "DONE:T2 {key}\n" },
  { wait = "Go on" },
  { say = "DONE:T3 {key}\n" },
  { wait = "never" },
]"#;
    let mut agent = TestAgent::start(
        ImitatedProtocol::Plain,
        script,
        LaunchMode::Fresh("6f1f0e0a-5b0f-4c52-9d3e-2f4f0e5c1a11"),
    );
    agent.await_ready();
    agent.prompt("Begin");
    assert_eq!(agent.wait_for_turn_end().messages, ["DONE"]);
    agent.type_as_user("by hand\n");
    assert_eq!(agent.wait_for_turn_end().messages, ["DONE"]);
    agent.prompt("Go on");
    assert_eq!(agent.wait_for_turn_end().messages, ["DONE"], "the input was written and not only counted");
    agent.stop();
}
