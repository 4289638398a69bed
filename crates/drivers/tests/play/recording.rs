//! Plays a recorded session through a driver, and writes down what happened and what was sent.
//!
//! A line of a recording is the agent's (`< `, `! ` for its standard error) or what it is told (`> prompt …`,
//! `> allow ID`, `> deny ID`, `> answer ID …`, `> interrupt`, `> silence MS`, `> end`). Other lines are comments.

use domain::ToolUse;
use drivers::{Chunk, Driver, Happening, Reaction, Stream, Told};

pub fn play(driver: &mut dyn Driver, recording: &str) -> String {
    let mut seen = String::new();
    let (mut offset, mut number) = (0, 0);
    write(&mut seen, &driver.open());
    for line in recording.lines() {
        let reaction = match line.split_at_checked(2) {
            Some(("< ", text)) => hear(driver, Stream::Output, &mut offset, text),
            Some(("! ", text)) => hear(driver, Stream::Errors, &mut offset, text),
            Some(("> ", act)) => {
                seen.push_str(&format!("{line}\n"));
                number += 1;
                act_on(driver, act, number)
            }
            _ => continue,
        };
        write(&mut seen, &reaction);
    }
    seen.push_str(&format!("read from {}\n", driver.read_from()));
    seen
}

pub fn hear(driver: &mut dyn Driver, stream: Stream, offset: &mut u64, text: &str) -> Reaction {
    let bytes = unescaped(text);
    let reaction = driver.hear(Chunk { stream, offset: *offset, bytes: &bytes });
    *offset += bytes.len() as u64;
    reaction
}

/// A `\e` is an escape, a `\R` a return, a `\N` a newline; a `\c` at the end leaves the newline out.
fn unescaped(text: &str) -> Vec<u8> {
    let text = match text.strip_suffix("\\c") {
        Some(text) => text.to_owned(),
        None => format!("{text}\n"),
    };
    text.replace("\\e", "\u{1b}").replace("\\R", "\r").replace("\\N", "\n").into_bytes()
}

pub fn act_on(driver: &mut dyn Driver, act: &str, number: u32) -> Reaction {
    let (verb, rest) = act.split_once(' ').unwrap_or((act, ""));
    let (id, words) = rest.split_once(' ').unwrap_or((rest, ""));
    let told = match verb {
        "prompt" => Told::Prompt { text: rest.replace("\\n", "\n") },
        "allow" => Told::Permission { prompt: id.to_owned(), allowed: true },
        "deny" => Told::Permission { prompt: id.to_owned(), allowed: false },
        "answer" => Told::Answer { prompt: id.to_owned(), answer: words.to_owned() },
        "interrupt" => Told::Interrupt,
        "silence" => return driver.silence(rest.parse().unwrap()),
        "end" => return driver.end(),
        other => panic!("no such act: {other}"),
    };
    match driver.tell(&told, number) {
        Ok(reaction) => reaction,
        Err(error) => {
            let text = format!("untold: {error}");
            Reaction { happened: vec![Happening::Words { text }], ..Reaction::default() }
        }
    }
}

fn write(seen: &mut String, reaction: &Reaction) {
    for happening in &reaction.happened {
        seen.push_str(&format!("  {}\n", shown(happening)));
    }
    for send in &reaction.send {
        let text = String::from_utf8_lossy(&send.bytes);
        let text = text.strip_suffix('\n').unwrap_or(&text).escape_debug().to_string().replace("\\\"", "\"");
        seen.push_str(&format!("  send after {} ms: {text}\n", send.after_ms));
    }
}

pub fn shown(happening: &Happening) -> String {
    match happening {
        Happening::Said { heard, read_from, item } => {
            let item = serde_json::to_string(item).unwrap();
            format!("Said at {}.{} (from {read_from}): {item}", heard.start, heard.ordinal)
        }
        Happening::TurnEnded { read_from, words, tools, outcome } => {
            let used =
                |used: &ToolUse| format!("\n    line {}: {} ({:?})", used.line, used.title, used.status);
            let used: String = tools.uses.iter().map(used).collect();
            format!("TurnEnded {{ read_from: {read_from}, words: {words:?}, outcome: {outcome:?} }}{used}")
        }
        other => format!("{other:?}"),
    }
}
