//! A turn of an agent that writes lines of JSON: where it began, what is said in it, how it ends.

use std::collections::VecDeque;

use domain::Usage;
use protocol::Options;

use crate::{
    driver::{Chunk, Happening, Stream, ToolCall, Trouble, TurnOutcome},
    ear::Ear,
    lines::{Content, Line, Lines},
};

/// As much of an unknown line as is shown.
const SHOWN_CHARS_MAX: usize = 400;

/// As many lines of the standard error as say why a process ended.
const ERROR_LINES_MAX: usize = 8;

/// Reads both streams, and keeps what the present turn needs.
#[derive(Debug)]
pub(crate) struct Turn {
    lines: Lines,
    ear: Ear,
    /// The first byte of the turn's first line.
    from: Option<u64>,
    /// The last lines of the standard error.
    errors: VecDeque<String>,
}

/// A line that may be a message.
pub(crate) struct Message {
    pub(crate) line: Line,
    pub(crate) bytes: Vec<u8>,
}

impl Turn {
    pub(crate) fn new(options: Options) -> Self {
        Self { lines: Lines::default(), ear: Ear::new(options), from: None, errors: VecDeque::new() }
    }

    pub(crate) fn cut(&mut self, chunk: Chunk<'_>) -> Vec<Line> {
        self.lines.push(chunk)
    }

    pub(crate) fn cut_last(&mut self) -> Vec<Line> {
        self.lines.end()
    }

    /// Returns the offset from which reading starts again after a restart.
    pub(crate) fn read_from(&self) -> u64 {
        self.from.unwrap_or(self.lines.unread())
    }

    /// Returns the bytes of a line that may be a message, or what is to be said about one that can't be.
    pub(crate) fn sort(&mut self, mut line: Line) -> Result<Message, Vec<Happening>> {
        if line.stream == Stream::Output {
            self.from.get_or_insert(line.begin);
        }
        let (bytes, is_whole) = match &mut line.content {
            Content::Whole(bytes) => (std::mem::take(bytes), true),
            Content::TooLong(head) => (std::mem::take(head), false),
        };
        match line.stream {
            Stream::Output if is_whole && bytes.iter().all(u8::is_ascii_whitespace) => Err(Vec::new()),
            Stream::Output if is_whole => {
                // What was complained about before the agent went on has not ended it.
                self.errors.clear();
                Ok(Message { line, bytes })
            }
            Stream::Output | Stream::Errors => {
                let garbage = garbage(&bytes);
                if line.stream == Stream::Errors {
                    self.note(&garbage);
                }
                Err(garbage.into_iter().map(Happening::Trouble).collect())
            }
        }
    }

    fn note(&mut self, garbage: &Option<Trouble>) {
        if let Some(Trouble::Garbage { text }) = garbage {
            self.errors.push_back(text.clone());
            if self.errors.len() > ERROR_LINES_MAX {
                self.errors.pop_front();
            }
        }
    }

    /// Takes the agent's own words.
    pub(crate) fn say(&mut self, text: &str, line: &Line) -> Vec<Happening> {
        let read_from = self.read_from();
        self.ear.hear(text, line, read_from)
    }

    /// Takes a tool call, which stands behind what was said so far.
    pub(crate) fn call(&mut self, call: ToolCall) -> Happening {
        self.ear.call(&call);
        Happening::ToolCall(call)
    }

    /// Ends the turn: nothing before `end` is needed any more.
    pub(crate) fn finish(&mut self, end: u64, usage: Usage, outcome: TurnOutcome) -> Vec<Happening> {
        let mut happened = self.ear.end_turn(self.read_from());
        if usage.tokens() + usage.cached_tokens + usage.cost_micros > 0 {
            happened.push(Happening::Usage(usage));
        }
        self.from = None;
        let (words, tools) = self.ear.take_turn();
        happened.push(Happening::TurnEnded { read_from: end, words, tools, outcome });
        happened
    }

    /// Ends a turn whose process is gone, and says what it last complained about.
    pub(crate) fn break_off(&mut self) -> Vec<Happening> {
        let errors: Vec<_> = self.errors.drain(..).collect();
        let message = if errors.is_empty() {
            "the agent ended in the middle of its turn".to_owned()
        } else {
            format!("the agent ended in the middle of its turn: {}", errors.join("\n"))
        };
        self.finish(self.lines.unread(), Usage::default(), TurnOutcome::Failed { message })
    }
}

/// Returns what an unknown line is shown as, if there is anything in it.
pub(crate) fn garbage(bytes: &[u8]) -> Option<Trouble> {
    let text = String::from_utf8_lossy(bytes);
    let mut chars = text.chars();
    let mut shown = String::new();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            // A colour: everything up to its letter.
            let _ = chars.by_ref().find(char::is_ascii_alphabetic);
        } else if !c.is_control() {
            shown.push(c);
        }
    }
    let text: String = shown.trim().chars().take(SHOWN_CHARS_MAX).collect();
    (!text.is_empty()).then_some(Trouble::Garbage { text })
}
