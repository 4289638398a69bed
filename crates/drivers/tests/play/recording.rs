//! Plays a recorded session through a driver, and records its events and the bytes it sends.
//!
//! A line of a recording is output of the agent (`< `, `! ` for its standard error) or an action (`> prompt …`,
//! `> allow ID`, `> deny ID`, `> answer ID …`, `> interrupt`, `> silence MS`, `> end`). Other lines are comments.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at few of the variants")]

use domain::ToolUse;
use drivers::{AgentInput, Driver, DriverEvent, OutputStream, Reaction, SpoolChunk};

pub(crate) fn play_recording(driver: &mut dyn Driver, recording: &str) -> String {
    let mut written = String::new();
    let (mut offset, mut number) = (0, 0);
    write_reaction(&mut written, &driver.on_start());
    for line in recording.lines() {
        let reaction = match line.split_at_checked(2) {
            Some(("< ", text)) => feed_recorded_line(driver, OutputStream::Output, &mut offset, text),
            Some(("! ", text)) => feed_recorded_line(driver, OutputStream::Stderr, &mut offset, text),
            Some(("> ", act)) => {
                written.push_str(&format!("{line}\n"));
                number += 1;
                perform_action(driver, act, number)
            }
            _ => continue,
        };
        write_reaction(&mut written, &reaction);
    }
    written.push_str(&format!("read from {}\n", driver.resume_offset()));
    written
}

pub(crate) fn feed_recorded_line(
    driver: &mut dyn Driver,
    stream: OutputStream,
    offset: &mut u64,
    text: &str,
) -> Reaction {
    let bytes = unescape(text);
    let reaction = driver.on_output(SpoolChunk { stream, offset: *offset, bytes: &bytes });
    *offset += bytes.len() as u64;
    reaction
}

/// A `\e` is an escape, a `\R` a return, a `\N` a newline; a `\c` at the end leaves the newline out.
fn unescape(text: &str) -> Vec<u8> {
    let text = match text.strip_suffix("\\c") {
        Some(text) => text.to_owned(),
        None => format!("{text}\n"),
    };
    text.replace("\\e", "\u{1b}").replace("\\R", "\r").replace("\\N", "\n").into_bytes()
}

pub(crate) fn perform_action(driver: &mut dyn Driver, act: &str, number: u32) -> Reaction {
    let (verb, rest) = act.split_once(' ').unwrap_or((act, ""));
    let (id, text) = rest.split_once(' ').unwrap_or((rest, ""));
    let input = match verb {
        "prompt" => AgentInput::Prompt { text: rest.replace("\\n", "\n") },
        "allow" => AgentInput::Permission { prompt: id.to_owned(), allowed: true, reason: None },
        "deny" => AgentInput::Permission { prompt: id.to_owned(), allowed: false, reason: None },
        "answer" => AgentInput::Answer { prompt: id.to_owned(), answer: text.to_owned() },
        "interrupt" => AgentInput::Interrupt,
        "silence" => return driver.on_silence(rest.parse().unwrap()),
        "end" => return driver.on_exit(),
        other => panic!("no such act: {other}"),
    };
    match driver.encode_input(&input, number) {
        Ok(reaction) => reaction,
        Err(error) => {
            let text = format!("not sent: {error}");
            Reaction { events: vec![DriverEvent::Text { text }], ..Reaction::default() }
        }
    }
}

fn write_reaction(written: &mut String, reaction: &Reaction) {
    for event in &reaction.events {
        written.push_str(&format!("  {}\n", describe_event(event)));
    }
    for outgoing in &reaction.outgoing {
        let text = String::from_utf8_lossy(&outgoing.bytes);
        let text = text.strip_suffix('\n').unwrap_or(&text).escape_debug().to_string().replace("\\\"", "\"");
        written.push_str(&format!("  send after {} ms: {text}\n", outgoing.after_ms));
    }
}

pub(crate) fn describe_event(event: &DriverEvent) -> String {
    match event {
        DriverEvent::Message { offset, read_from, item } => {
            let item = serde_json::to_string(item).unwrap();
            format!("Message at {}.{} (from {read_from}): {item}", offset.start, offset.ordinal)
        }
        DriverEvent::TurnEnded { read_from, text, tools, outcome } => {
            let used =
                |used: &ToolUse| format!("\n    line {}: {} ({:?})", used.line, used.title, used.status);
            let used: String = tools.uses.iter().map(used).collect();
            format!("TurnEnded {{ read_from: {read_from}, text: {text:?}, outcome: {outcome:?} }}{used}")
        }
        other => format!("{other:?}"),
    }
}
