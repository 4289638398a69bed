//! The terminal driver against recorded programs, by lines and by screens.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at few of the variants")]
#![expect(clippy::disallowed_methods, reason = "a test may read its own files")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on should stop")]

#[path = "play/recording.rs"]
mod play;

use drivers::{
    AgentInput, Driver, DriverEvent, OutputStream, PtyDriver, PtyMode, PtyOptions, Reaction, SpoolChunk,
    TypingOptions,
};
use proptest::prelude::*;
use protocol::{DecoderOptions, KeyRequirement};

fn line_driver(read_from: u64) -> PtyDriver {
    PtyDriver::new(PtyOptions {
        decoding: DecoderOptions { key: Some("k3f9".parse().unwrap()), ..DecoderOptions::worker() },
        mode: PtyMode::Lines,
        typing: TypingOptions::default(),
        quiet_ms: 1500,
        agent_session: None,
        read_from,
        open_turn: None,
    })
}

fn screen_driver() -> PtyDriver {
    let typing = TypingOptions {
        paste: true,
        submit: "\r".to_owned(),
        submit_after_ms: 500,
        verify: true,
        interrupt: "\u{1b}".to_owned(),
        ..TypingOptions::default()
    };
    let key = Some("k3f9".parse().unwrap());
    let decoding =
        DecoderOptions { key, key_requirement: KeyRequirement::Required, ..DecoderOptions::worker() };
    PtyDriver::new(PtyOptions {
        decoding,
        mode: PtyMode::Screen,
        typing,
        quiet_ms: 1500,
        agent_session: None,
        read_from: 0,
        open_turn: None,
    })
}

#[test]
fn recorded_programs_are_understood() {
    insta::glob!("pty/*.txt", |path| {
        let recording = std::fs::read_to_string(path).unwrap();
        let mut driver = if recording.starts_with("screen") { screen_driver() } else { line_driver(0) };
        insta::assert_snapshot!(play::play_recording(&mut driver, &recording));
    });
}

fn feed_output(driver: &mut PtyDriver, bytes: &[u8], offset: u64) -> Reaction {
    driver.on_output(SpoolChunk { stream: OutputStream::Output, offset, bytes })
}

/// Returns messages and text separately: their order depends on where a read ended.
fn messages_and_text(reaction: &Reaction) -> (Vec<String>, String) {
    let mut written = String::new();
    let mut messages = Vec::new();
    for event in &reaction.events {
        match event {
            DriverEvent::Text { text } => written.push_str(text),
            DriverEvent::Message { offset, item, .. } => {
                // Offsets inside an item are relative to the start of its driver.
                let json = serde_json::to_value(item).unwrap();
                messages
                    .push(format!("{}.{} {} {}", offset.start, offset.ordinal, json["type"], json["raw"]));
            }
            other => messages.push(play::describe_event(other)),
        }
    }
    (messages, written)
}

fn terminal_output() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        &b"[ASK_USER k3f9]\n"[..],
        b"question: which?\r\n",
        b"[/ASK_USER k3f9]\n",
        b"DONE:T1.3 k3f9\n",
        b"\x1b[1mFAIL:T1.5:no k3f9\x1b[0m\r\n",
        b"typed words\r\n",
        b"50%\r100%",
        b"\n",
        b"```\n",
        b"\x1b[2J\x1b[H",
        "가나다 ".as_bytes(),
    ]);
    let piece =
        prop_oneof![6 => known.prop_map(<[u8]>::to_vec), 1 => prop::collection::vec(any::<u8>(), 0..8)];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn cutting_the_stream_anywhere_changes_nothing(output in terminal_output(), cut: prop::sample::Index, on_screen: bool) {
        let (head, tail) = output.split_at(cut.index(output.len() + 1));
        let run = |parts: &[&[u8]]| {
            let mut driver = if on_screen { screen_driver() } else { line_driver(0) };
            driver.on_start();
            driver.on_silence(2000);
            if !on_screen {
                driver.encode_input(&AgentInput::Prompt { text: "typed words".to_owned() }, 1).unwrap();
            }
            let mut all = Reaction::default();
            let mut offset = 0;
            for part in parts {
                all.events.extend(feed_output(&mut driver, part, offset).events);
                offset += part.len() as u64;
            }
            all.events.extend(driver.on_exit().events);
            all
        };
        prop_assert_eq!(messages_and_text(&run(&[head, tail])), messages_and_text(&run(&[&output])));
    }

    #[test]
    fn a_restarted_driver_gives_the_remaining_messages(output in terminal_output(), cut: prop::sample::Index) {
        let cut = cut.index(output.len() + 1);
        let mut whole = feed_output(&mut line_driver(0), &output, 0);
        whole.events.retain(|event| matches!(event, DriverEvent::Message { .. }));
        let mut first = line_driver(0);
        let mut parts = feed_output(&mut first, &output[..cut], 0);
        let from = first.resume_offset();
        let rest = feed_output(&mut line_driver(from), &output[from as usize..], from);
        parts.events.extend(rest.events);
        parts.events.retain(|event| matches!(event, DriverEvent::Message { .. }));
        prop_assert_eq!(messages_and_text(&parts).0, messages_and_text(&whole).0);
    }

    #[test]
    fn reading_from_a_message_on_gives_all_later_messages(output in terminal_output(), on_screen: bool) {
        let mut driver = if on_screen { screen_driver() } else { line_driver(0) };
        let mut events = feed_output(&mut driver, &output, 0).events;
        events.extend(driver.on_exit().events);
        let positions: Vec<(u64, u64)> = events
            .iter()
            .filter_map(|event| match event {
                DriverEvent::Message { offset, read_from, .. } => Some((offset.start, *read_from)),
                _ => None,
            })
            .collect();
        for (index, (_, read_from)) in positions.iter().enumerate() {
            let later = &positions[index + 1..];
            prop_assert!(later.iter().all(|(start, _)| read_from <= start), "{:?}", positions);
        }
    }

    #[test]
    fn typed_text_has_no_control_characters(text in "\\PC{0,20}[\u{0}-\u{20}\u{7f}-\u{9f}]{0,8}\\PC{0,20}") {
        let mut driver = screen_driver();
        feed_output(&mut driver, b"x", 0);
        driver.on_silence(2000);
        let reaction = driver.encode_input(&AgentInput::Prompt { text }, 1).unwrap();
        let typed = String::from_utf8(reaction.outgoing[0].bytes.clone()).unwrap();
        let inside = typed.strip_prefix("\u{1b}[200~").and_then(|typed| typed.strip_suffix("\u{1b}[201~")).unwrap();
        prop_assert!(!inside.contains(|sign: char| sign.is_control() && sign != '\n' && sign != '\t'));
    }
}

#[test]
fn silence_before_the_first_output_does_not_end_the_turn() {
    let mut driver = line_driver(0);
    driver.on_start();
    driver.encode_input(&AgentInput::Prompt { text: "Do it.\nNow.".to_owned() }, 1).unwrap();
    assert_eq!(driver.silence_timeout_ms(), None);
    feed_output(&mut driver, b"Do it.\r\nNow.\r\n", 0);
    assert_eq!(driver.silence_timeout_ms(), None, "an echo is not output");
    feed_output(&mut driver, b"I did.", 14);
    assert_eq!(driver.silence_timeout_ms(), Some(1500));
    assert_eq!(driver.on_silence(1499), Reaction::default());
    assert!(matches!(
        driver.on_silence(1500).events[..],
        [DriverEvent::Text { .. }, DriverEvent::TurnEnded { .. }]
    ));
    assert_eq!(driver.silence_timeout_ms(), None);
}

#[test]
fn a_prompt_is_never_typed_twice() {
    let mut driver = screen_driver();
    feed_output(&mut driver, "❯ ".as_bytes(), 0);
    driver.on_silence(1500);
    driver.encode_input(&AgentInput::Prompt { text: "Make the file".to_owned() }, 1).unwrap();
    feed_output(&mut driver, b"Make the file", 4);
    let mut sent = Vec::new();
    let mut n_failed = 0;
    for _ in 0..9 {
        let reaction = driver.on_silence(2000);
        sent.extend(reaction.outgoing.into_iter().map(|outgoing| outgoing.bytes));
        n_failed +=
            reaction.events.iter().filter(|event| matches!(event, DriverEvent::TurnEnded { .. })).count();
    }
    assert_eq!(sent, [b"\r", b"\r"], "the key again, and no text");
    assert_eq!(n_failed, 1, "then it is reported once that the text was not accepted");
}

/// Reads a recording again: its output and the ends of its turns, without the inputs.
fn replay_messages(recording: &str) -> Vec<String> {
    let (mut first, mut second) = (screen_driver(), screen_driver());
    let mut messages = Vec::new();
    let mut offset = 0;
    first.on_start();
    for line in recording.lines() {
        let reaction = match line.split_at_checked(2) {
            Some(("< ", text)) => {
                play::feed_recorded_line(&mut first, OutputStream::Output, &mut offset.clone(), text);
                play::feed_recorded_line(&mut second, OutputStream::Output, &mut offset, text)
            }
            Some(("> ", act)) => {
                let ended = play::perform_action(&mut first, act, 1).events;
                let has_ended = ended.iter().any(|event| matches!(event, DriverEvent::TurnEnded { .. }));
                if has_ended { second.on_replayed_turn_end() } else { Reaction::default() }
            }
            _ => continue,
        };
        let new = reaction.events.iter().filter(|event| matches!(event, DriverEvent::Message { .. }));
        messages.extend(new.map(play::describe_event));
    }
    messages
}

#[test]
fn replaying_a_screen_gives_the_same_messages() {
    insta::glob!("pty/real-*.txt", |path| {
        let recording = std::fs::read_to_string(path).unwrap();
        let played = play::play_recording(&mut screen_driver(), &recording);
        let messages: Vec<&str> =
            played.lines().map(str::trim).filter(|line| line.starts_with("Message")).collect();
        assert_eq!(replay_messages(&recording), messages);
        assert_eq!(messages.len(), 2, "a question in each turn");
    });
}
