//! A real session with a driver that speaks lines: heard once, told once, whatever dies in between.

#![expect(clippy::unwrap_used, reason = "a test that can't run its session has failed")]

use std::{
    collections::BTreeMap,
    path::Path,
    time::{Duration, Instant},
};

use drivers::{
    AgentInput, Driver, DriverEvent, DriverSetup, OutgoingBytes, Reaction, SendError, SideChannelReader,
    SpoolChunk, TurnOutcome,
};
use holder::protocol::{Attachment, Request, Stderr};
use sessions::{
    INPUTS_MAX, InputOrder, InputQueue, Sandbox, SandboxPolicy, Session, SessionEntry, SessionError,
    SessionReport, SessionState, Sessions, StartRequest,
};
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(30);

/// Every line is a turn.
struct Lines {
    line: Vec<u8>,
    read_from: u64,
}

impl Driver for Lines {
    fn on_start(&mut self) -> Reaction {
        Reaction {
            events: Vec::new(),
            outgoing: vec![OutgoingBytes { after_ms: 0, bytes: b"hello\n".to_vec() }],
        }
    }

    fn on_output(&mut self, chunk: SpoolChunk<'_>) -> Reaction {
        let mut reaction = Reaction::default();
        for (byte, place) in chunk.bytes.iter().zip(1..) {
            if *byte == b'\n' {
                self.read_from = chunk.offset + place;
                let words = String::from_utf8(std::mem::take(&mut self.line)).unwrap();
                let (read_from, outcome) = (self.read_from, TurnOutcome::Finished);
                reaction.events.push(DriverEvent::TurnEnded {
                    read_from,
                    text: words,
                    tools: domain::TurnTools::default(),
                    outcome,
                });
            } else {
                self.line.push(*byte);
            }
        }
        reaction
    }

    fn encode_input(&mut self, told: &AgentInput, _number: u32) -> Result<Reaction, SendError> {
        let text = match told {
            AgentInput::Prompt { text } | AgentInput::Answer { answer: text, .. } => text,
            AgentInput::Permission { prompt, .. } => {
                return Err(SendError::UnknownPrompt { prompt: prompt.clone() });
            }
            AgentInput::Interrupt => return Err(SendError::NotReady),
        };
        // In two pieces, the second after a moment: both belong to one input.
        let send = [text.as_bytes(), b"\n"].map(|bytes| OutgoingBytes { after_ms: 5, bytes: bytes.to_vec() });
        Ok(Reaction { events: Vec::new(), outgoing: send.to_vec() })
    }

    fn on_exit(&mut self) -> Reaction {
        Reaction::default()
    }

    fn read_from(&self) -> u64 {
        self.read_from
    }
}

fn start(data: &Path, script: &str) -> (Sessions, SessionEntry) {
    let sessions = Sessions::open(data).unwrap();
    let start = StartRequest {
        name: Some("agent".to_owned()),
        command: ["sh", "-c", script].map(Into::into).to_vec(),
        directory: "/".into(),
        attachment: Attachment::Pipes { stderr: Stderr::Apart },
        environment: BTreeMap::new(),
        memory_bytes_max: None,
        sandbox: Sandbox { policy: SandboxPolicy::Off, write: Vec::new() },
        agent: None,
    };
    let found = sessions.start(&start).unwrap();
    (sessions, found)
}

fn open(found: &SessionEntry, from: u64) -> (Session, Vec<SessionReport>) {
    let driver = Box::new(Lines { line: Vec::new(), read_from: from });
    let side_channel = SideChannelReader::new(protocol::DecoderOptions::worker());
    Session::open(&found.directory, DriverSetup { driver, side_channel, read_from: from }).unwrap()
}

/// Looks until so many turns were heard, and returns all that was seen.
fn watch(
    living: &mut Session,
    mut seen: Vec<SessionReport>,
    is_enough: impl Fn(&[SessionReport]) -> bool,
) -> Vec<SessionReport> {
    let deadline = Instant::now() + PATIENCE;
    while !is_enough(&seen) {
        assert!(Instant::now() < deadline, "only {seen:?}");
        seen.extend(living.next(Some(deadline)).unwrap());
    }
    seen
}

fn words(seen: &[SessionReport]) -> Vec<&str> {
    let words = seen.iter().filter_map(|seen| match seen {
        SessionReport::Event(DriverEvent::TurnEnded { text: words, .. }) => Some(words.as_str()),
        _ => None,
    });
    words.collect()
}

fn stop(sessions: &Sessions) {
    let found = sessions.find("agent").unwrap();
    if matches!(found.state, SessionState::Alive(_)) {
        let _ = sessions.request(&found, &Request::End { grace: Duration::from_millis(200) }, PATIENCE);
    }
}

fn prompt(text: &str) -> AgentInput {
    AgentInput::Prompt { text: text.to_owned() }
}

#[test]
fn what_is_told_three_times_over_two_restarts_is_typed_once() {
    let folder = TempDir::new().unwrap();
    let (sessions, found) = start(folder.path(), "while read -r line; do echo \"got $line\"; done");
    let (mut living, seen) = open(&found, 0);
    living.send_input(&prompt("one"), 1).unwrap();
    living.send_input(&prompt("one"), 1).unwrap();
    let seen = watch(&mut living, seen, |seen| {
        words(seen).len() == 2 && seen.contains(&SessionReport::InputWritten { number: 1 })
    });
    assert_eq!(words(&seen), ["got hello", "got one"]);
    let from = living.read_from();
    drop(living);

    // Nobody has noted that it was typed; it is told again.
    let (mut living, seen) = open(&found, from);
    assert!(seen.contains(&SessionReport::InputWritten { number: 1 }), "{seen:?}");
    assert_eq!(living.send_input(&prompt("one"), 1).unwrap(), [SessionReport::InputWritten { number: 1 }]);
    living.send_input(&prompt("two"), 2).unwrap();
    let seen = watch(&mut living, Vec::new(), |seen| !words(seen).is_empty());
    assert_eq!(words(&seen), ["got two"], "neither the greeting nor the first input came again");
    drop(living);

    // From the beginning, everything is heard again, with the same places, and nothing is typed again.
    let (mut living, seen) = open(&found, 0);
    let seen = watch(&mut living, seen, |seen| words(seen).len() == 3);
    assert_eq!(words(&seen), ["got hello", "got one", "got two"]);
    stop(&sessions);
    let seen = watch(&mut living, Vec::new(), |seen| {
        seen.iter().any(|seen| matches!(seen, SessionReport::Ended(_)))
    });
    assert!(words(&seen).is_empty());
}

/// Sends inputs and reads until `is_enough`, and returns all reports.
fn converse(
    living: &mut Session,
    inputs: &mut InputQueue<AgentInput>,
    is_enough: impl Fn(&[SessionReport]) -> bool,
) -> Vec<SessionReport> {
    let deadline = Instant::now() + PATIENCE;
    let render = |_, input: &AgentInput, refused: Option<_>| Ok(refused.is_none().then(|| input.clone()));
    let mut seen = Vec::new();
    loop {
        while let Some(sent) = inputs.send_next::<SessionError>(living, render).unwrap() {
            seen.extend(sent.reports);
        }
        if is_enough(&seen) {
            return seen;
        }
        assert!(Instant::now() < deadline, "only {seen:?}");
        let next = living.next(Some(deadline)).unwrap();
        if !words(&next).is_empty() {
            inputs.end_turn();
        }
        seen.extend(next);
    }
}

#[test]
fn prompt_waits_for_the_turn_before_it_and_an_answer_does_not() {
    let answer = AgentInput::Answer { prompt: "p".to_owned(), answer: "three".to_owned() };
    for (order, expected) in [
        (InputOrder::OnePromptPerTurn, ["got three", "got two"]),
        (InputOrder::AsQueued, ["got two", "got three"]),
    ] {
        let folder = TempDir::new().unwrap();
        // The turn of "one" ends with the next line.
        let script = "while read -r line; do [ \"$line\" = one ] || echo \"got $line\"; done";
        let (sessions, found) = start(folder.path(), script);
        let (mut living, seen) = open(&found, 0);
        watch(&mut living, seen, |seen| words(seen) == ["got hello"]);
        let mut inputs = InputQueue::new(order, 0);
        for (number, input) in (1..).zip([prompt("one"), prompt("two"), answer.clone()]) {
            inputs.push(number, input).unwrap();
        }
        let seen = converse(&mut living, &mut inputs, |seen| words(seen).len() == 2);
        assert_eq!(words(&seen), expected, "{order:?}");
        stop(&sessions);
    }
}

#[test]
fn obsolete_input_counts_as_written_and_does_not_block_the_next() {
    let folder = TempDir::new().unwrap();
    let (sessions, found) = start(folder.path(), "while read -r line; do echo \"got $line\"; done");
    for order in [InputOrder::OnePromptPerTurn, InputOrder::AsQueued] {
        let (mut living, _) = open(&found, 0);
        let mut inputs = InputQueue::new(order, 0);
        let permission = AgentInput::Permission { prompt: "gone".to_owned(), allowed: true };
        for (number, input) in (1..).zip([permission, AgentInput::Interrupt, prompt("more")]) {
            inputs.push(number, input).unwrap();
        }
        let written = |seen: &[SessionReport]| -> Vec<u32> {
            let number = |seen: &SessionReport| match seen {
                SessionReport::InputWritten { number } => Some(*number),
                _ => None,
            };
            seen.iter().filter_map(number).collect()
        };
        let seen = converse(&mut living, &mut inputs, |seen| written(seen).len() == 3);
        assert_eq!(written(&seen), [1, 2, 3], "{order:?}");
        assert!(inputs.is_empty());
    }
    stop(&sessions);
}

#[test]
fn queue_of_inputs_has_a_bound() {
    let mut inputs = InputQueue::new(InputOrder::AsQueued, 0);
    for number in 1..=u32::try_from(INPUTS_MAX).unwrap() {
        inputs.push(number, prompt("more")).unwrap();
    }
    let full = inputs.push(0, prompt("one too many"));
    assert!(matches!(full, Err(SessionError::QueueFull)), "{full:?}");
}

#[test]
fn what_a_helper_says_is_heard_between_the_lines() {
    let folder = TempDir::new().unwrap();
    let (sessions, found) =
        start(folder.path(), "read -r line; echo before; read -r line; echo after; read -r line");
    let (mut living, seen) = open(&found, 0);
    let seen = watch(&mut living, seen, |seen| !words(seen).is_empty());
    assert_eq!(words(&seen), ["before"]);
    let aside = Request::WriteSideChannel { bytes: b"DONE:T1\nFAIL:T2:x\n".to_vec() };
    sessions.request(&found, &aside, PATIENCE).unwrap();
    living.send_input(&prompt("go"), 1).unwrap();
    let seen = watch(&mut living, Vec::new(), |seen| !words(seen).is_empty());
    let said: Vec<_> = seen
        .iter()
        .filter_map(|seen| match seen {
            SessionReport::Event(DriverEvent::Message {
                offset,
                item: protocol::DecodedItem::Message(message),
                ..
            }) => Some((offset.start, offset.ordinal, message.message.name())),
            _ => None,
        })
        .collect();
    assert_eq!(said, [(7, 0, "DONE"), (7, 1, "FAIL")]);
    stop(&sessions);
}

#[cfg(target_os = "linux")]
#[test]
fn who_started_a_session_is_left_with_no_dead_child_of_it() {
    let folder = TempDir::new().unwrap();
    let (sessions, found) = start(folder.path(), "exit 0");
    let deadline = Instant::now() + PATIENCE;
    let is_over = || matches!(sessions.find(&found.name).unwrap().state, SessionState::Ended { .. });
    while !is_over() || n_dead_children() > 0 {
        assert!(Instant::now() < deadline, "{} dead children", n_dead_children());
        std::thread::yield_now();
    }
}

/// Counts the processes that this one started, that have ended, and that nobody has asked about since.
#[cfg(target_os = "linux")]
fn n_dead_children() -> usize {
    let own = std::process::id().to_string();
    let is_dead_child = |stat: &String| {
        // Behind the name, which may hold anything: the state, then the parent.
        let (_, fields) = stat.rsplit_once(") ").unwrap();
        let mut fields = fields.split(' ');
        (fields.next(), fields.next()) == (Some("Z"), Some(own.as_str()))
    };
    let stats = std::fs::read_dir("/proc").unwrap().flatten();
    stats
        .filter_map(|process| std::fs::read_to_string(process.path().join("stat")).ok())
        .filter(is_dead_child)
        .count()
}

#[test]
fn a_session_whose_holder_never_said_a_word_is_lost_after_a_while() {
    let folder = TempDir::new().unwrap();
    let (sessions, found) = start(folder.path(), "exit 0");
    let about = found.directory.join("about.json");
    let written = std::fs::read_to_string(&about).unwrap();
    let deadline = Instant::now() + PATIENCE;
    while !matches!(sessions.find(&found.name).unwrap().state, SessionState::Ended { .. }) {
        assert!(Instant::now() < deadline);
        std::thread::yield_now();
    }
    // As if it had been killed before it wrote anything.
    std::fs::remove_file(found.directory.join("status")).unwrap();
    assert_eq!(sessions.find(&found.name).unwrap().state, SessionState::Starting);
    let began = found.metadata.started_at.0;
    std::fs::write(&about, written.replace(&began.to_string(), &(began - 60_000).to_string())).unwrap();
    assert_eq!(sessions.find(&found.name).unwrap().state, SessionState::Lost);
}

#[test]
fn a_folder_whose_maker_was_killed_at_once_is_made_anew() {
    let folder = TempDir::new().unwrap();
    let abandoned = folder.path().join("sessions/left");
    std::fs::create_dir_all(&abandoned).unwrap();
    std::fs::write(abandoned.join("half"), "").unwrap();
    let sessions = Sessions::open(folder.path()).unwrap();
    let left = StartRequest {
        name: Some("left".to_owned()),
        command: vec!["true".into()],
        directory: folder.path().to_owned(),
        attachment: Attachment::Pipes { stderr: Stderr::Apart },
        environment: BTreeMap::new(),
        memory_bytes_max: None,
        sandbox: Sandbox { policy: SandboxPolicy::Off, write: Vec::new() },
        agent: None,
    };
    assert_eq!(sessions.start(&left).unwrap().name, "left");
    assert!(!abandoned.join("half").exists());
    assert!(sessions.start(&left).is_err(), "now somebody has it");
}
