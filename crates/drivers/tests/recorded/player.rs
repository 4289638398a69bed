//! Plays a recorded session to its driver, and writes down what follows.

#![expect(clippy::panic, clippy::expect_used, reason = "a test may fail")]

use std::fmt::Write;

use domain::Usage;
use drivers::{AgentInput, Driver, DriverEvent, Reaction, SpoolChunk};

use crate::transcript::{Step, Transcript};

/// Plays the whole, each line in pieces of this size, and writes down what happens.
pub(crate) fn play(transcript: &Transcript, piece: usize) -> String {
    let mut player = Player {
        driver: transcript.driver(Usage::default()),
        written: String::new(),
        prompt: String::new(),
        number: 0,
    };
    let mut offset = 0;
    for step in &transcript.steps {
        match step {
            Step::Prints { stream, bytes } => {
                for bytes in bytes.chunks(piece) {
                    let reaction = player.driver.on_output(SpoolChunk { stream: *stream, offset, bytes });
                    player.write(reaction);
                    offset += bytes.len() as u64;
                }
            }
            Step::IsTold(told) => player.tell(told),
        }
    }
    player.written
}

struct Player {
    driver: Box<dyn Driver>,
    written: String,
    prompt: String,
    number: u32,
}

impl Player {
    fn tell(&mut self, told: &str) {
        writeln!(self.written, "> {}", told.replace('\n', "\\n")).expect("memory");
        let (word, rest) = told.split_once(' ').unwrap_or((told, ""));
        let (text, prompt) = (rest.to_owned(), self.prompt.clone());
        let told = match word {
            "open" | "resume" => return self.open(),
            "end" => return self.end(),
            "prompt" => AgentInput::Prompt { text },
            "allow" | "deny" => AgentInput::Permission { prompt, allowed: word == "allow" },
            "answer" => AgentInput::Answer { prompt, answer: text },
            "interrupt" => AgentInput::Interrupt,
            other => panic!("nobody is told {other:?}"),
        };
        self.number += 1;
        match self.driver.encode_input(&told, self.number) {
            Ok(reaction) => {
                assert_eq!(
                    self.driver.encode_input(&told, self.number).as_ref(),
                    Ok(&reaction),
                    "the same bytes again"
                );
                self.write(reaction);
            }
            Err(error) => writeln!(self.written, "not sent: {error}").expect("memory"),
        }
    }

    fn open(&mut self) {
        let reaction = self.driver.on_start();
        self.write(reaction);
    }

    fn end(&mut self) {
        let reaction = self.driver.on_exit();
        self.write(reaction);
    }

    fn write(&mut self, reaction: Reaction) {
        for event in reaction.events {
            match &event {
                DriverEvent::Permission { request, .. } => self.prompt.clone_from(&request.prompt),
                DriverEvent::Question { prompt, .. } => self.prompt.clone_from(prompt),
                _ => {}
            }
            self.written += &shown(&event);
        }
        for sent in reaction.outgoing {
            assert_eq!(sent.after_ms, 0);
            write!(self.written, "-> {}", String::from_utf8(sent.bytes).expect("it is JSON"))
                .expect("memory");
        }
    }
}

/// What a turn used follows it, a line each.
fn shown(event: &DriverEvent) -> String {
    let DriverEvent::TurnEnded { read_from, text, tools, outcome } = event else {
        return format!("{event:?}\n");
    };
    let mut shown = format!("TurnEnded {{ read_from: {read_from}, text: {text:?}, outcome: {outcome:?} }}\n");
    for used in &tools.uses {
        shown += &format!("    line {}: {} ({:?})\n", used.line, used.title, used.status);
    }
    shown
}
