//! Agents of every voice in real sessions: hired by a preset, told things, asked back, killed, taken over, resumed.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on has failed")]

mod hired;

use std::time::Duration;

use drivers::{AgentInput, DriverEvent, TurnOutcome, preset::LaunchMode};
use hired::{Hired, Voice};
use sessions::SessionReport;

const VOICES: &[Voice] = &[Voice::Claude, Voice::Codex, Voice::Acp];

/// Asks, uses a tool that prints the protocol's words, and is done.
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
fn every_voice_is_asked_answered_allowed_stopped_and_resumed() {
    for voice in VOICES {
        let mut hired = Hired::start(*voice, TASK, LaunchMode::Fresh("6f1f0e0a-5b0f-4c52-9d3e-2f4f0e5c1a01"));
        hired.await_ready();
        hired.prompt("Begin");
        let turn = hired.turn();
        assert_eq!(turn.said, ["ASK_USER"], "{voice:?}");
        hired.prompt("sqlite");
        let prompt = hired.await_permission();
        hired.tell(&AgentInput::Permission { prompt, allowed: true });
        let turn = hired.turn();
        assert_eq!(turn.said, ["DONE"], "{voice:?}: what its tool printed is nobody's word");
        assert!(turn.words.contains("It may."), "{voice:?}: {turn:?}");
        assert_eq!((turn.used.input_tokens, turn.used.output_tokens), (1200, 30), "{voice:?}");

        hired.prompt("Sleep");
        hired.await_typed();
        // Once the agent says that the turn runs it can be stopped.
        hired.interrupt();
        assert_eq!(hired.turn().outcome, TurnOutcome::Cancelled, "{voice:?}");
        hired.prompt("Go on");
        assert!(hired.turn().words.contains("Here I am."), "{voice:?}");

        let session = hired.kill();
        let mut hired = hired.again(LaunchMode::Resume(&session));
        hired.await_ready();
        hired.prompt("Again");
        assert!(hired.turn().words.contains("I remember."), "{voice:?}");
        hired.stop();
    }
}

#[test]
fn whoever_takes_over_hears_the_rest_and_tells_nothing_twice() {
    for voice in VOICES {
        let mut hired = Hired::start(*voice, TASK, LaunchMode::Fresh("6f1f0e0a-5b0f-4c52-9d3e-2f4f0e5c1a02"));
        // Before the first turn has ended: everything is read again from the beginning.
        hired.await_ready();
        hired.prompt("Begin");
        hired.await_typed();
        hired.take_over();
        hired.await_ready();
        hired.repeat_last();
        assert_eq!(hired.turn().said, ["ASK_USER"], "{voice:?}");
        // Behind a turn.
        hired.take_over();
        hired.await_ready();
        hired.prompt("sqlite");
        hired.await_permission();
        // In the middle of one, with a prompt open: it is heard again, and can be answered.
        hired.take_over();
        let prompt = hired.await_permission();
        hired.tell(&AgentInput::Permission { prompt, allowed: false });
        hired.take_over();
        hired.turn();
        hired.stop();
    }
}

#[test]
fn a_paused_session_goes_on_where_it_was() {
    for voice in VOICES {
        let mut hired = Hired::start(*voice, TASK, LaunchMode::Fresh("6f1f0e0a-5b0f-4c52-9d3e-2f4f0e5c1a03"));
        hired.await_ready();
        hired.living().pause().unwrap();
        hired.prompt("Begin");
        hired.await_typed();
        assert!(hired.living().next(Some(std::time::Instant::now())).unwrap().is_empty());
        hired.living().resume().unwrap();
        assert_eq!(hired.turn().said, ["ASK_USER"], "{voice:?}");
        hired.stop();
    }
}

#[test]
fn an_agent_that_hears_no_more_ends_by_itself() {
    let mut hired = Hired::start(Voice::Acp, TASK, LaunchMode::Fresh("6f1f0e0a-5b0f-4c52-9d3e-2f4f0e5c1a04"));
    hired.await_ready();
    hired.living().close_input().unwrap();
    let is_end = |seen: &SessionReport| matches!(seen, SessionReport::Ended(_));
    hired.until("its end", |seen| is_end(seen).then_some(()));
}

#[test]
fn a_session_whose_holder_was_killed_is_lost_and_said_to_be() {
    let mut hired =
        Hired::start(Voice::Claude, TASK, LaunchMode::Fresh("6f1f0e0a-5b0f-4c52-9d3e-2f4f0e5c1a05"));
    hired.prompt("Begin");
    hired.turn();
    hired.prompt("sqlite");
    hired.await_permission();
    hired.kill();
    let failed = hired.turn().outcome;
    assert!(matches!(failed, TurnOutcome::Failed { .. }), "{failed:?}");
    hired.until("that it is lost", |seen| (*seen == SessionReport::Lost).then_some(()));
    // And whoever comes later reads the same.
    hired.take_over();
    hired.until("that it is lost", |seen| (*seen == SessionReport::Lost).then_some(()));
}

#[test]
fn it_can_be_woken_from_another_thread() {
    let mut hired =
        Hired::start(Voice::Claude, TASK, LaunchMode::Fresh("6f1f0e0a-5b0f-4c52-9d3e-2f4f0e5c1a06"));
    hired.await_ready();
    let waker = hired.living().waker();
    waker.wake();
    assert!(hired.living().next(None).unwrap().is_empty(), "a call that came before is not lost");
    // It may live on another thread than the one that opened it.
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| hired.living().next(None).unwrap());
        waker.wake();
        assert!(waiting.join().unwrap().is_empty());
    });
    hired.stop();
}

#[test]
fn on_a_terminal_silence_ends_a_turn_and_its_end_is_kept() {
    let script = r#"
steps = [
  { wait = "Begin" },
  { say = "I begin.\n[ASK_USER {key}]\nquestion: Which database?\n[/ASK_USER {key}]\nDONE:T9.9\n" },
  { wait = "sqlite" },
  { say = "DONE:T1 {key}\n" },
  { wait = "never" },
]"#;
    let mut hired =
        Hired::start(Voice::Plain, script, LaunchMode::Fresh("6f1f0e0a-5b0f-4c52-9d3e-2f4f0e5c1a07"));
    hired.await_ready();
    hired.prompt("Begin");
    assert_eq!(hired.turn().said, ["ASK_USER"], "what has no key is nobody's word");
    hired.prompt("sqlite");
    assert_eq!(hired.turn().said, ["DONE"]);
    // From the beginning, without waiting for silence again.
    let started = std::time::Instant::now();
    hired.read_again();
    assert_eq!((hired.turn().said, hired.turn().said), (vec!["ASK_USER"], vec!["DONE"]));
    assert!(started.elapsed() < Duration::from_millis(hired::QUIET_MS), "it was read, not waited for");
    hired.stop();
}

#[test]
fn a_program_on_a_screen_is_typed_to_and_read() {
    let script = r#"
steps = [
  { wait = "Begin" },
  { say = "I begin.\n\n[ASK_USER {key}]\nquestion: Which database?\n[/ASK_USER {key}]\n" },
  { wait = "sqlite" },
  { say = "DONE:T1 {key}\n" },
  { wait = "never" },
]"#;
    let mut hired =
        Hired::start(Voice::Screen, script, LaunchMode::Fresh("6f1f0e0a-5b0f-4c52-9d3e-2f4f0e5c1a08"));
    hired.await_ready();
    hired.prompt("Begin");
    assert_eq!(hired.turn().said, ["ASK_USER"]);
    hired.prompt("sqlite");
    assert_eq!(hired.turn().said, ["DONE"]);
    hired.stop();
}

#[test]
fn a_prompt_of_any_length_arrives_whole() {
    let script = "steps = [{ wait = 'the end' }, { say = 'I have it.' }, { wait = 'never' }]";
    let mut hired =
        Hired::start(Voice::Claude, script, LaunchMode::Fresh("6f1f0e0a-5b0f-4c52-9d3e-2f4f0e5c1a09"));
    hired.await_ready();
    hired.prompt(&format!("{} the end", "words and ".repeat(60_000)));
    assert!(hired.turn().words.contains("I have it."));
    hired.stop();
}

#[test]
fn what_is_said_aside_must_carry_the_key() {
    let mut hired =
        Hired::start(Voice::Claude, TASK, LaunchMode::Fresh("6f1f0e0a-5b0f-4c52-9d3e-2f4f0e5c1a10"));
    hired.await_ready();
    let key = hired.found.metadata.key.clone();
    hired.say_aside("DONE:T8\n");
    hired.say_aside(&format!("DONE:T7 {key}\n"));
    let said = hired.until("what is said aside", |seen| match seen {
        SessionReport::Event(DriverEvent::Message {
            item: protocol::DecodedItem::Message(message), ..
        }) => Some(message.span.raw.clone()),
        _ => None,
    });
    assert_eq!(said, format!("DONE:T7 {key}"));
    hired.stop();
}

#[test]
fn what_a_person_types_beside_it_costs_no_input() {
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
    let mut hired =
        Hired::start(Voice::Plain, script, LaunchMode::Fresh("6f1f0e0a-5b0f-4c52-9d3e-2f4f0e5c1a11"));
    hired.await_ready();
    hired.prompt("Begin");
    assert_eq!(hired.turn().said, ["DONE"]);
    hired.type_by_hand("by hand\n");
    assert_eq!(hired.turn().said, ["DONE"]);
    hired.prompt("Go on");
    assert_eq!(hired.turn().said, ["DONE"], "it was typed, and not only counted");
    hired.stop();
}
