//! A program with a screen of its own: a box for the prompt, answers with a bullet, dialogs that a key answers.
//!
//! It does what makes real ones hard to read and to type to: it moves the cursor instead of writing spaces, wraps lines,
//! shows our own prompt again, and takes an Enter that comes too fast for part of a paste.

mod keyboard;
mod painter;

use std::io;

use super::{Answer, Asked, Heard, Outcome, Verdict, Voice};
use crate::{
    script::{Failure, PlanEntry, Question, ScreenStyle, Stop, Terminal, Tool, Usage},
    terminal,
};
use keyboard::{Key, Keyboard};
use painter::Painter;

/// A screen and the keys before it.
pub struct Screen {
    style: ScreenStyle,
    keyboard: Keyboard,
    painter: Painter,
    /// What a key chooses from, where a dialog is open.
    choices: Vec<String>,
    /// A line that is not finished.
    begun: String,
    /// The next line is the first of an answer.
    is_first: bool,
}

impl Screen {
    /// Takes the terminal.
    pub fn new(style: ScreenStyle) -> io::Result<Self> {
        // On a pipe there is nothing to set, and everything else works all the same.
        terminal::set(Terminal::Raw, None);
        let mut painter = Painter::new(style.alternate);
        painter.begin()?;
        let keyboard = Keyboard::new(style.guard.0);
        Ok(Self { style, keyboard, painter, choices: Vec::new(), begun: String::new(), is_first: true })
    }

    fn line(&mut self, text: &str) -> io::Result<()> {
        let bullet = if self.is_first { format!("{} ", self.style.bullet) } else { "  ".to_owned() };
        self.is_first = false;
        self.painter.line(&bullet, text)
    }

    fn finish_line(&mut self) -> io::Result<()> {
        if self.begun.is_empty() {
            return Ok(());
        }
        let line = std::mem::take(&mut self.begun);
        self.line(&line)
    }

    fn dialog(&mut self, question: &str, choices: Vec<String>) -> io::Result<Asked> {
        self.finish_line()?;
        self.painter.line("", question)?;
        for (index, choice) in choices.iter().enumerate() {
            let mark = if index == 0 { "❯ " } else { "  " };
            self.painter.line(mark, &format!("{}. {choice}", index + 1))?;
        }
        self.choices = choices;
        Ok(Asked::Waiting)
    }

    /// Answers an open dialog by a key.
    fn choose(&mut self, key: &Key) -> Option<Heard> {
        let index = match key {
            Key::Typed(text) => text.chars().next()?.to_digit(10)?.checked_sub(1)?,
            Key::Enter => 0,
            Key::Escape => u32::try_from(self.choices.len()).ok()?.checked_sub(1)?,
            Key::Pasted(_) | Key::NewLine | Key::Back => return None,
        };
        let text = self.choices.get(usize::try_from(index).ok()?)?.clone();
        self.choices.clear();
        let verdict = if text == "No" { Verdict::Deny } else { Verdict::Allow };
        Some(Heard::Answer(Answer { verdict, text }))
    }
}

impl Voice for Screen {
    fn wants_keys(&self) -> bool {
        true
    }

    fn hear_keys(&mut self, bytes: &[u8]) -> io::Result<Vec<Heard>> {
        let mut heard = Vec::new();
        for key in self.keyboard.press(bytes) {
            if !self.choices.is_empty() {
                heard.extend(self.choose(&key));
                continue;
            }
            match key {
                Key::Escape => heard.push(Heard::Cancel),
                Key::Enter => {
                    let prompt = std::mem::take(&mut self.painter.written);
                    if !prompt.trim().is_empty() {
                        heard.push(Heard::Prompt(prompt));
                    }
                }
                Key::Typed(text) | Key::Pasted(text) => self.painter.written.push_str(&text),
                Key::NewLine => self.painter.written.push('\n'),
                Key::Back => {
                    self.painter.written.pop();
                }
            }
        }
        self.painter.paint_box()?;
        Ok(heard)
    }

    fn hear(&mut self, _line: &str) -> io::Result<Heard> {
        Ok(Heard::Nothing)
    }

    fn begin_turn(&mut self, prompt: &str) -> io::Result<()> {
        self.is_first = true;
        for (index, line) in prompt.split('\n').enumerate() {
            self.painter.line(if index == 0 { "❯ " } else { "  " }, line)?;
        }
        Ok(())
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        for piece in text.split_inclusive('\n') {
            self.begun.push_str(piece.trim_end_matches('\n'));
            if piece.ends_with('\n') {
                let line = std::mem::take(&mut self.begun);
                self.line(&line)?;
            }
        }
        Ok(())
    }

    fn think(&mut self, text: &str) -> io::Result<()> {
        self.painter.line("✻ ", text)
    }

    fn tool_begins(&mut self, tool: &Tool) -> io::Result<()> {
        self.finish_line()?;
        self.is_first = true;
        self.line(&format!("{}({})", tool.name, tool.title()))
    }

    fn ask_permission(&mut self, _tool: &Tool) -> io::Result<Asked> {
        let choices = ["Yes", "Yes, and don't ask again", "No"].map(str::to_owned);
        self.dialog("Do you want to proceed?", choices.to_vec())
    }

    fn tool_ends(&mut self, _tool: &Tool, outcome: &Outcome) -> io::Result<()> {
        let text = match outcome {
            Outcome::Output(text) => text,
            Outcome::Denied(_) => "Interrupted",
        };
        for (index, line) in text.lines().enumerate() {
            self.painter.line(if index == 0 { "  ⎿ " } else { "    " }, line)?;
        }
        self.is_first = true;
        Ok(())
    }

    fn ask_question(&mut self, question: &Question) -> io::Result<Asked> {
        self.dialog(&question.text, question.options.clone())
    }

    fn plan(&mut self, entries: &[PlanEntry]) -> io::Result<()> {
        entries.iter().try_for_each(|entry| self.painter.line("  ☐ ", &entry.text))
    }

    fn usage(&mut self, _usage: Usage) -> io::Result<()> {
        Ok(())
    }

    fn end_turn(&mut self, stop: Stop) -> io::Result<()> {
        self.finish_line()?;
        self.choices.clear();
        match stop {
            Stop::EndTurn | Stop::MaxTokens | Stop::Refusal => self.painter.line("✻ ", "Crunched for 0s"),
            Stop::Cancelled | Stop::Denied => {
                self.painter.line("  ⎿ ", "Interrupted · What should I do instead?")
            }
        }
    }

    fn fail(&mut self, failure: &Failure) -> io::Result<()> {
        self.finish_line()?;
        self.line(&format!("API Error: {} {}", failure.status, failure.message))?;
        self.end_turn(Stop::EndTurn)
    }
}
