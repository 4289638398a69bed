//! A full-screen program with an input box, bulleted answers and dialogs answered by keys.
//!
//! It imitates what makes real ones hard to read and to type to: cursor movements instead of spaces, wrapped lines,
//! an echoed prompt, and an Enter that counts as part of a paste if it comes too fast.

mod key_decoder;
mod painter;

use std::io;

use super::{AgentProtocol, AnswerStatus, ClientAnswer, ClientEvent, PermissionDecision, ToolOutcome};
use crate::{
    script::{
        PlanEntry, QuestionStep, ScreenStyle, ServiceFailure, StopReason, TerminalInputMode, TokenUsage,
        ToolStep,
    },
    terminal,
};
use key_decoder::{KeyDecoder, KeyPress};
use painter::ScreenPainter;

pub(super) struct ScreenProtocol {
    style: ScreenStyle,
    keyboard: KeyDecoder,
    painter: ScreenPainter,
    /// Choices of the open dialog; empty if none is open.
    choices: Vec<String>,
    /// Text after the last newline.
    unfinished_line: String,
    /// Whether the next line is the first of an answer.
    is_first_line: bool,
}

impl ScreenProtocol {
    /// Sets up the terminal.
    pub(super) fn new(style: ScreenStyle) -> io::Result<Self> {
        // Without a terminal there is nothing to set, and everything else works.
        terminal::set_mode(TerminalInputMode::Raw, None);
        let mut painter = ScreenPainter::new(style.alternate);
        painter.set_up_terminal()?;
        let keyboard = KeyDecoder::new(style.enter_guard.0);
        Ok(Self {
            style,
            keyboard,
            painter,
            choices: Vec::new(),
            unfinished_line: String::new(),
            is_first_line: true,
        })
    }

    fn paint_line(&mut self, text: &str) -> io::Result<()> {
        let bullet = if self.is_first_line { format!("{} ", self.style.bullet) } else { "  ".to_owned() };
        self.is_first_line = false;
        self.painter.add_line(&bullet, text)
    }

    fn flush_unfinished_line(&mut self) -> io::Result<()> {
        if self.unfinished_line.is_empty() {
            return Ok(());
        }
        let line = std::mem::take(&mut self.unfinished_line);
        self.paint_line(&line)
    }

    fn open_dialog(&mut self, question: &str, choices: Vec<String>) -> io::Result<AnswerStatus> {
        self.flush_unfinished_line()?;
        self.painter.add_line("", question)?;
        for (index, choice) in choices.iter().enumerate() {
            let mark = if index == 0 { "❯ " } else { "  " };
            self.painter.add_line(mark, &format!("{}. {choice}", index + 1))?;
        }
        self.choices = choices;
        Ok(AnswerStatus::Pending)
    }

    /// Answers the open dialog by a key; `None` if the key has no meaning there.
    fn answer_dialog(&mut self, key: &KeyPress) -> Option<ClientEvent> {
        let index = match key {
            KeyPress::Typed(text) => text.chars().next()?.to_digit(10)?.checked_sub(1)?,
            KeyPress::Enter => 0,
            KeyPress::Escape => u32::try_from(self.choices.len()).ok()?.checked_sub(1)?,
            KeyPress::Pasted(_) | KeyPress::NewLine | KeyPress::Backspace => return None,
        };
        let text = self.choices.get(usize::try_from(index).ok()?)?.clone();
        self.choices.clear();
        let verdict = if text == "No" { PermissionDecision::Deny } else { PermissionDecision::Allow };
        Some(ClientEvent::Answer(ClientAnswer { decision: verdict, text }))
    }
}

impl AgentProtocol for ScreenProtocol {
    fn reads_keys(&self) -> bool {
        true
    }

    fn handle_keys(&mut self, bytes: &[u8]) -> io::Result<Vec<ClientEvent>> {
        let mut events = Vec::new();
        for key in self.keyboard.decode(bytes) {
            if !self.choices.is_empty() {
                events.extend(self.answer_dialog(&key));
                continue;
            }
            match key {
                KeyPress::Escape => events.push(ClientEvent::Cancel),
                KeyPress::Enter => {
                    let prompt = std::mem::take(&mut self.painter.input_text);
                    if !prompt.trim().is_empty() {
                        events.push(ClientEvent::Prompt(prompt));
                    }
                }
                KeyPress::Typed(text) | KeyPress::Pasted(text) => self.painter.input_text.push_str(&text),
                KeyPress::NewLine => self.painter.input_text.push('\n'),
                KeyPress::Backspace => {
                    self.painter.input_text.pop();
                }
            }
        }
        self.painter.paint_input_box()?;
        Ok(events)
    }

    fn handle_line(&mut self, _line: &str) -> io::Result<ClientEvent> {
        Ok(ClientEvent::Ignored)
    }

    fn begin_turn(&mut self, prompt: &str) -> io::Result<()> {
        self.is_first_line = true;
        for (index, line) in prompt.split('\n').enumerate() {
            self.painter.add_line(if index == 0 { "❯ " } else { "  " }, line)?;
        }
        Ok(())
    }

    fn write_message(&mut self, text: &str) -> io::Result<()> {
        for piece in text.split_inclusive('\n') {
            self.unfinished_line.push_str(piece.trim_end_matches('\n'));
            if piece.ends_with('\n') {
                let line = std::mem::take(&mut self.unfinished_line);
                self.paint_line(&line)?;
            }
        }
        Ok(())
    }

    fn write_thought(&mut self, text: &str) -> io::Result<()> {
        self.painter.add_line("✻ ", text)
    }

    fn start_tool(&mut self, tool: &ToolStep) -> io::Result<()> {
        self.flush_unfinished_line()?;
        self.is_first_line = true;
        self.paint_line(&format!("{}({})", tool.name, tool.title()))
    }

    fn ask_permission(&mut self, _tool: &ToolStep) -> io::Result<AnswerStatus> {
        let choices = ["Yes", "Yes, and don't ask again", "No"].map(str::to_owned);
        self.open_dialog("Do you want to proceed?", choices.to_vec())
    }

    fn finish_tool(&mut self, _tool: &ToolStep, outcome: &ToolOutcome) -> io::Result<()> {
        let text = match outcome {
            ToolOutcome::Output(text) => text,
            ToolOutcome::Denied(_) => "Interrupted",
        };
        for (index, line) in text.lines().enumerate() {
            self.painter.add_line(if index == 0 { "  ⎿ " } else { "    " }, line)?;
        }
        self.is_first_line = true;
        Ok(())
    }

    fn ask_question(&mut self, question: &QuestionStep) -> io::Result<AnswerStatus> {
        self.open_dialog(&question.text, question.options.clone())
    }

    fn write_plan(&mut self, entries: &[PlanEntry]) -> io::Result<()> {
        entries.iter().try_for_each(|entry| self.painter.add_line("  ☐ ", &entry.text))
    }

    fn set_usage(&mut self, _usage: TokenUsage) -> io::Result<()> {
        Ok(())
    }

    fn end_turn(&mut self, stop: StopReason) -> io::Result<()> {
        self.flush_unfinished_line()?;
        self.choices.clear();
        match stop {
            StopReason::EndTurn | StopReason::MaxTokens | StopReason::Refusal => {
                self.painter.add_line("✻ ", "Crunched for 0s")
            }
            StopReason::Cancelled | StopReason::Denied => {
                self.painter.add_line("  ⎿ ", "Interrupted · What should I do instead?")
            }
        }
    }

    fn fail_turn(&mut self, failure: &ServiceFailure) -> io::Result<()> {
        self.flush_unfinished_line()?;
        self.paint_line(&format!("API Error: {} {}", failure.status, failure.message))?;
        self.end_turn(StopReason::EndTurn)
    }
}
