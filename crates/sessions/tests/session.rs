//! Real sessions with a driver that reads lines: output is read and input is written once, whatever is killed.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at few of the variants")]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::{
    collections::BTreeMap,
    path::Path,
    time::{Duration, Instant},
};

use drivers::{
    AgentInput, Driver, DriverEvent, DriverSetup, OutgoingBytes, Reaction, SendError, SideChannelReader,
    SpoolChunk, TurnOutcome,
};
use holder::protocol::{Request, StderrMode, StdioAttachment};
use sessions::{
    INPUTS_MAX, InputQueue, Sandbox, SendPolicy, Session, SessionEntry, SessionError, SessionReport,
    SessionState, Sessions, StartRequest,
};
use tempfile::TempDir;

const TIMEOUT: Duration = Duration::from_secs(30);

/// A driver for which every line of output is a turn.
struct LineDriver {
    line: Vec<u8>,
    read_from: u64,
}

impl Driver for LineDriver {
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
                let text = String::from_utf8(std::mem::take(&mut self.line)).unwrap();
                let (read_from, outcome) = (self.read_from, TurnOutcome::Finished);
                reaction.events.push(DriverEvent::TurnEnded {
                    read_from,
                    text,
                    tools: domain::TurnTools::default(),
                    outcome,
                });
            } else {
                self.line.push(*byte);
            }
        }
        reaction
    }

    fn encode_input(&mut self, input: &AgentInput, _number: u32) -> Result<Reaction, SendError> {
        let text = match input {
            AgentInput::Prompt { text } | AgentInput::Answer { answer: text, .. } => text,
            AgentInput::Permission { prompt, .. } => {
                return Err(SendError::UnknownPrompt { prompt: prompt.clone() });
            }
            AgentInput::Interrupt => return Err(SendError::NotReady),
        };
        // Two pieces of one input, the second after a delay.
        let send = [text.as_bytes(), b"\n"].map(|bytes| OutgoingBytes { after_ms: 5, bytes: bytes.to_vec() });
        Ok(Reaction { events: Vec::new(), outgoing: send.to_vec() })
    }

    fn on_exit(&mut self) -> Reaction {
        Reaction::default()
    }

    fn resume_offset(&self) -> u64 {
        self.read_from
    }
}

fn start_session(data: &Path, script: &str) -> (Sessions, SessionEntry) {
    let sessions = Sessions::open(data).unwrap();
    let start = StartRequest {
        name: Some("agent".to_owned()),
        command: ["sh", "-c", script].map(Into::into).to_vec(),
        directory: "/".into(),
        attachment: StdioAttachment::Pipes { stderr: StderrMode::Apart },
        environment: BTreeMap::new(),
        memory_bytes_max: None,
        output_bytes_max: None,
        sandbox: Sandbox::off(),
        secrets: Vec::new(),
        agent: None,
    };
    let entry = sessions.start(&start).unwrap();
    (sessions, entry)
}

fn open_session(entry: &SessionEntry, from: u64) -> (Session, Vec<SessionReport>) {
    let driver = Box::new(LineDriver { line: Vec::new(), read_from: from });
    let side_channel = SideChannelReader::new(protocol::DecoderOptions::worker());
    Session::open(&entry.directory, DriverSetup { driver, side_channel, read_from: from }).unwrap()
}

/// Reads reports until `is_enough`, and returns all of them.
fn read_reports_until(
    session: &mut Session,
    mut reports: Vec<SessionReport>,
    is_enough: impl Fn(&[SessionReport]) -> bool,
) -> Vec<SessionReport> {
    let deadline = Instant::now() + TIMEOUT;
    while !is_enough(&reports) {
        assert!(Instant::now() < deadline, "only {reports:?}");
        reports.extend(session.next_reports(Some(deadline)).unwrap());
    }
    reports
}

fn turn_texts(reports: &[SessionReport]) -> Vec<&str> {
    let texts = reports.iter().filter_map(|report| match report {
        SessionReport::Event(DriverEvent::TurnEnded { text, .. }) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

fn stop_session(sessions: &Sessions) {
    let entry = sessions.find("agent").unwrap();
    if matches!(entry.state, SessionState::Alive(_)) {
        let _ = sessions.request(&entry, &Request::End { grace: Duration::from_millis(200) }, TIMEOUT);
    }
}

fn prompt(text: &str) -> AgentInput {
    AgentInput::Prompt { text: text.to_owned() }
}

#[test]
fn input_sent_three_times_over_two_restarts_is_written_once() {
    let folder = TempDir::new().unwrap();
    let (sessions, entry) = start_session(folder.path(), "while read -r line; do echo \"got $line\"; done");
    let (mut session, reports) = open_session(&entry, 0);
    session.send_input(&prompt("one"), 1).unwrap();
    session.send_input(&prompt("one"), 1).unwrap();
    let reports = read_reports_until(&mut session, reports, |reports| {
        turn_texts(reports).len() == 2 && reports.contains(&SessionReport::InputWritten { number: 1 })
    });
    assert_eq!(turn_texts(&reports), ["got hello", "got one"]);
    let from = session.resume_offset();
    drop(session);

    // As if its writing had not been recorded: it is sent again.
    let (mut session, reports) = open_session(&entry, from);
    assert!(reports.contains(&SessionReport::InputWritten { number: 1 }), "{reports:?}");
    assert_eq!(session.send_input(&prompt("one"), 1).unwrap(), [SessionReport::InputWritten { number: 1 }]);
    session.send_input(&prompt("two"), 2).unwrap();
    let reports = read_reports_until(&mut session, Vec::new(), |reports| !turn_texts(reports).is_empty());
    assert_eq!(
        turn_texts(&reports),
        ["got two"],
        "neither the handshake nor the first input was written again"
    );
    drop(session);

    // Read from the beginning: the same reports, and nothing is written again.
    let (mut session, reports) = open_session(&entry, 0);
    let reports = read_reports_until(&mut session, reports, |reports| turn_texts(reports).len() == 3);
    assert_eq!(turn_texts(&reports), ["got hello", "got one", "got two"]);
    stop_session(&sessions);
    let reports = read_reports_until(&mut session, Vec::new(), |reports| {
        reports.iter().any(|report| matches!(report, SessionReport::Ended(_)))
    });
    assert!(turn_texts(&reports).is_empty());
}

/// Sends inputs and reads reports until `is_enough`, and returns all reports.
fn send_and_read_until(
    session: &mut Session,
    inputs: &mut InputQueue<AgentInput>,
    is_enough: impl Fn(&[SessionReport]) -> bool,
) -> Vec<SessionReport> {
    let deadline = Instant::now() + TIMEOUT;
    let render = |_, input: &AgentInput, refused: Option<_>| Ok(refused.is_none().then(|| input.clone()));
    let mut reports = Vec::new();
    loop {
        while let Some(sent) = inputs.send_next::<SessionError>(session, render).unwrap() {
            reports.extend(sent.reports);
        }
        if is_enough(&reports) {
            return reports;
        }
        assert!(Instant::now() < deadline, "only {reports:?}");
        let next = session.next_reports(Some(deadline)).unwrap();
        if !turn_texts(&next).is_empty() {
            inputs.end_turn();
        }
        reports.extend(next);
    }
}

#[test]
fn prompt_waits_for_the_turn_before_it_and_an_answer_does_not() {
    let answer = AgentInput::Answer { prompt: "p".to_owned(), answer: "three".to_owned() };
    for (order, expected) in [
        (SendPolicy::OnePromptPerTurn, ["got three", "got two"]),
        (SendPolicy::AsQueued, ["got two", "got three"]),
    ] {
        let folder = TempDir::new().unwrap();
        // The turn of "one" ends with the next line.
        let script = "while read -r line; do [ \"$line\" = one ] || echo \"got $line\"; done";
        let (sessions, entry) = start_session(folder.path(), script);
        let (mut session, reports) = open_session(&entry, 0);
        read_reports_until(&mut session, reports, |reports| turn_texts(reports) == ["got hello"]);
        let mut inputs = InputQueue::new(order, 0);
        for (number, input) in (1..).zip([prompt("one"), prompt("two"), answer.clone()]) {
            inputs.push(number, input).unwrap();
        }
        let reports =
            send_and_read_until(&mut session, &mut inputs, |reports| turn_texts(reports).len() == 2);
        assert_eq!(turn_texts(&reports), expected, "{order:?}");
        stop_session(&sessions);
    }
}

#[test]
fn obsolete_input_counts_as_written_and_does_not_block_the_next() {
    let folder = TempDir::new().unwrap();
    let (sessions, entry) = start_session(folder.path(), "while read -r line; do echo \"got $line\"; done");
    for order in [SendPolicy::OnePromptPerTurn, SendPolicy::AsQueued] {
        let (mut session, _) = open_session(&entry, 0);
        let mut inputs = InputQueue::new(order, 0);
        let permission = AgentInput::Permission { prompt: "gone".to_owned(), allowed: true, reason: None };
        for (number, input) in (1..).zip([permission, AgentInput::Interrupt, prompt("more")]) {
            inputs.push(number, input).unwrap();
        }
        let written = |reports: &[SessionReport]| -> Vec<u32> {
            let number = |report: &SessionReport| match report {
                SessionReport::InputWritten { number } => Some(*number),
                _ => None,
            };
            reports.iter().filter_map(number).collect()
        };
        let reports = send_and_read_until(&mut session, &mut inputs, |reports| written(reports).len() == 3);
        assert_eq!(written(&reports), [1, 2, 3], "{order:?}");
        assert!(inputs.is_empty());
    }
    stop_session(&sessions);
}

#[test]
fn queue_of_inputs_has_a_bound() {
    let mut inputs = InputQueue::new(SendPolicy::AsQueued, 0);
    for number in 1..=u32::try_from(INPUTS_MAX).unwrap() {
        inputs.push(number, prompt("more")).unwrap();
    }
    let full = inputs.push(0, prompt("one too many"));
    assert!(matches!(full, Err(SessionError::QueueFull)), "{full:?}");
}

#[test]
fn side_channel_messages_are_reported_in_order_with_output() {
    let folder = TempDir::new().unwrap();
    let (sessions, entry) =
        start_session(folder.path(), "read -r line; echo before; read -r line; echo after; read -r line");
    let (mut session, reports) = open_session(&entry, 0);
    let reports = read_reports_until(&mut session, reports, |reports| !turn_texts(reports).is_empty());
    assert_eq!(turn_texts(&reports), ["before"]);
    let message = Request::WriteSideChannel { bytes: b"DONE:T1\nFAIL:T2:x\n".to_vec() };
    sessions.request(&entry, &message, TIMEOUT).unwrap();
    session.send_input(&prompt("go"), 1).unwrap();
    let reports = read_reports_until(&mut session, Vec::new(), |reports| !turn_texts(reports).is_empty());
    let said: Vec<_> = reports
        .iter()
        .filter_map(|report| match report {
            SessionReport::Event(DriverEvent::Message {
                offset,
                item: protocol::DecodedItem::Message(message),
                ..
            }) => Some((offset.start, offset.ordinal, message.message.name())),
            _ => None,
        })
        .collect();
    assert_eq!(said, [(7, 0, "DONE"), (7, 1, "FAIL")]);
    stop_session(&sessions);
}

#[cfg(target_os = "linux")]
#[test]
fn ended_holders_do_not_stay_zombies() {
    let folder = TempDir::new().unwrap();
    let (sessions, entry) = start_session(folder.path(), "exit 0");
    let deadline = Instant::now() + TIMEOUT;
    let has_ended = || matches!(sessions.find(&entry.name).unwrap().state, SessionState::Ended { .. });
    while !has_ended() || n_zombies() > 0 {
        assert!(Instant::now() < deadline, "{} zombies", n_zombies());
        std::thread::yield_now();
    }
}

/// Returns the number of zombie children of this process.
#[cfg(target_os = "linux")]
fn n_zombies() -> usize {
    let own = std::process::id().to_string();
    let is_zombie_child = |stat: &String| {
        // After the name, which may contain anything: the state, then the parent.
        let (_, fields) = stat.rsplit_once(") ").unwrap();
        let mut fields = fields.split(' ');
        (fields.next(), fields.next()) == (Some("Z"), Some(own.as_str()))
    };
    let stats = std::fs::read_dir("/proc").unwrap().flatten();
    stats
        .filter_map(|process| std::fs::read_to_string(process.path().join("stat")).ok())
        .filter(is_zombie_child)
        .count()
}

fn wait_until_ended(sessions: &Sessions, name: &str) {
    let deadline = Instant::now() + TIMEOUT;
    while !matches!(sessions.find(name).unwrap().state, SessionState::Ended { .. }) {
        assert!(Instant::now() < deadline, "session {name} has not ended");
        std::thread::yield_now();
    }
}

#[test]
fn session_whose_holder_never_replies_counts_as_lost_after_a_while() {
    let folder = TempDir::new().unwrap();
    let (sessions, entry) = start_session(folder.path(), "exit 0");
    let about = entry.directory.join("about.json");
    let written = std::fs::read_to_string(&about).unwrap();
    wait_until_ended(&sessions, &entry.name);
    // As if the holder had been killed before it wrote anything.
    std::fs::remove_file(entry.directory.join("status")).unwrap();
    assert_eq!(sessions.find(&entry.name).unwrap().state, SessionState::Starting);
    let began = entry.metadata.started_at.0;
    std::fs::write(&about, written.replace(&began.to_string(), &(began - 60_000).to_string())).unwrap();
    assert_eq!(sessions.find(&entry.name).unwrap().state, SessionState::Lost);
}

#[test]
fn folder_of_a_killed_creator_is_taken_over() {
    let folder = TempDir::new().unwrap();
    let abandoned = folder.path().join("sessions/abandoned");
    std::fs::create_dir_all(&abandoned).unwrap();
    std::fs::write(abandoned.join("half"), "").unwrap();
    let sessions = Sessions::open(folder.path()).unwrap();
    let request = StartRequest {
        name: Some("abandoned".to_owned()),
        command: vec!["true".into()],
        directory: folder.path().to_owned(),
        attachment: StdioAttachment::Pipes { stderr: StderrMode::Apart },
        environment: BTreeMap::new(),
        memory_bytes_max: None,
        output_bytes_max: None,
        sandbox: Sandbox::off(),
        secrets: Vec::new(),
        agent: None,
    };
    assert_eq!(sessions.start(&request).unwrap().name, "abandoned");
    assert!(!abandoned.join("half").exists());
    assert!(sessions.start(&request).is_err(), "the name is in use now");
    // A holder whose folder is deleted before it has recorded the exit does not end.
    wait_until_ended(&sessions, "abandoned");
}
