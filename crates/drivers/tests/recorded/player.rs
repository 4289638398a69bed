//! Plays a recorded session to its driver, and writes down what follows.

#![expect(clippy::panic, clippy::expect_used, reason = "a test may fail")]

use std::fmt::Write;

use domain::Usage;
use drivers::{Chunk, Driver, Happening, Reaction, Told};

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
                    let reaction = player.driver.hear(Chunk { stream: *stream, offset, bytes });
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
            "prompt" => Told::Prompt { text },
            "allow" | "deny" => Told::Permission { prompt, allowed: word == "allow" },
            "answer" => Told::Answer { prompt, answer: text },
            "interrupt" => Told::Interrupt,
            other => panic!("nobody is told {other:?}"),
        };
        self.number += 1;
        match self.driver.tell(&told, self.number) {
            Ok(reaction) => {
                assert_eq!(
                    self.driver.tell(&told, self.number).as_ref(),
                    Ok(&reaction),
                    "the same bytes again"
                );
                self.write(reaction);
            }
            Err(untold) => writeln!(self.written, "untold: {untold}").expect("memory"),
        }
    }

    fn open(&mut self) {
        let reaction = self.driver.open();
        self.write(reaction);
    }

    fn end(&mut self) {
        let reaction = self.driver.end();
        self.write(reaction);
    }

    fn write(&mut self, reaction: Reaction) {
        for happening in reaction.happened {
            match &happening {
                Happening::Permission { wish, .. } => self.prompt.clone_from(&wish.prompt),
                Happening::Prompt { prompt, .. } => self.prompt.clone_from(prompt),
                _ => {}
            }
            self.written += &shown(&happening);
        }
        for sent in reaction.send {
            assert_eq!(sent.after_ms, 0);
            write!(self.written, "-> {}", String::from_utf8(sent.bytes).expect("it is JSON"))
                .expect("memory");
        }
    }
}

/// What a turn used follows it, a line each.
fn shown(happening: &Happening) -> String {
    let Happening::TurnEnded { read_from, words, tools, outcome } = happening else {
        return format!("{happening:?}\n");
    };
    let mut shown =
        format!("TurnEnded {{ read_from: {read_from}, words: {words:?}, outcome: {outcome:?} }}\n");
    for used in &tools.uses {
        shown += &format!("    line {}: {} ({:?})\n", used.line, used.title, used.status);
    }
    shown
}
