//! Feeds a recorded session to its driver, and writes its events and outgoing bytes as text.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks at few of the variants")]
#![expect(clippy::panic, clippy::expect_used, reason = "a test may fail")]

use std::fmt::Write;

use domain::Usage;
use drivers::{AgentInput, Driver, DriverEvent, Reaction, SpoolChunk};

use crate::transcript::{Transcript, TranscriptStep};

/// Feeds the whole session, each line in pieces of this size, and returns the reactions as text.
pub(crate) fn play_transcript(transcript: &Transcript, piece: usize) -> String {
    let mut player = TranscriptPlayer {
        driver: transcript.new_driver(Usage::default()),
        written: String::new(),
        prompt: String::new(),
        number: 0,
    };
    let mut offset = 0;
    for step in &transcript.steps {
        match step {
            TranscriptStep::Output { stream, bytes } => {
                for bytes in bytes.chunks(piece) {
                    let reaction = player.driver.on_output(SpoolChunk { stream: *stream, offset, bytes });
                    player.write_reaction(reaction);
                    offset += bytes.len() as u64;
                }
            }
            TranscriptStep::Action(action) => player.perform_action(action),
        }
    }
    player.written
}

struct TranscriptPlayer {
    driver: Box<dyn Driver>,
    written: String,
    prompt: String,
    number: u32,
}

impl TranscriptPlayer {
    fn perform_action(&mut self, action: &str) {
        writeln!(self.written, "> {}", action.replace('\n', "\\n")).expect("memory");
        let (word, rest) = action.split_once(' ').unwrap_or((action, ""));
        let (text, prompt) = (rest.to_owned(), self.prompt.clone());
        let input = match word {
            "open" | "resume" => return self.start_session(),
            "end" => return self.end_session(),
            "prompt" => AgentInput::Prompt { text },
            "allow" | "deny" => AgentInput::Permission { prompt, allowed: word == "allow", reason: None },
            "answer" => AgentInput::Answer { prompt, answer: text },
            "interrupt" => AgentInput::Interrupt,
            other => panic!("unknown action {other:?}"),
        };
        self.number += 1;
        match self.driver.encode_input(&input, self.number) {
            Ok(reaction) => {
                assert_eq!(
                    self.driver.encode_input(&input, self.number).as_ref(),
                    Ok(&reaction),
                    "the same bytes again"
                );
                self.write_reaction(reaction);
            }
            Err(error) => writeln!(self.written, "not sent: {error}").expect("memory"),
        }
    }

    fn start_session(&mut self) {
        let reaction = self.driver.on_start();
        self.write_reaction(reaction);
    }

    fn end_session(&mut self) {
        let reaction = self.driver.on_exit();
        self.write_reaction(reaction);
    }

    fn write_reaction(&mut self, reaction: Reaction) {
        for event in reaction.events {
            match &event {
                DriverEvent::Permission { request, .. } => self.prompt.clone_from(&request.prompt),
                DriverEvent::Question { prompt, .. } => self.prompt.clone_from(prompt),
                _ => {}
            }
            self.written += &describe_event(&event);
        }
        for sent in reaction.outgoing {
            assert_eq!(sent.after_ms, 0);
            write!(self.written, "-> {}", String::from_utf8(sent.bytes).expect("it is JSON"))
                .expect("memory");
        }
    }
}

/// Describes an event; the tools of a turn follow it, one per line.
fn describe_event(event: &DriverEvent) -> String {
    let DriverEvent::TurnEnded { read_from, text, tools, outcome } = event else {
        return format!("{event:?}\n");
    };
    let mut shown = format!("TurnEnded {{ read_from: {read_from}, text: {text:?}, outcome: {outcome:?} }}\n");
    for used in &tools.uses {
        shown += &format!("    line {}: {} ({:?})\n", used.line, used.title, used.status);
    }
    shown
}
