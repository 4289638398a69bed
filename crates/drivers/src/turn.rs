//! A turn of an agent that writes lines of JSON: where it began, what is said in it, how it ends.

use std::collections::VecDeque;

use domain::Usage;
use protocol::DecoderOptions;

use crate::{
    driver::{AgentWarning, DriverEvent, OutputStream, SpoolChunk, ToolCall, TurnOutcome},
    lines::{Line, LineContent, LineSplitter},
    message_reader::MessageReader,
};

/// As much of an unknown line as is shown.
const SHOWN_CHARS_MAX: usize = 400;

/// As many lines of the standard error as say why a process ended.
const ERROR_LINES_MAX: usize = 8;

/// Reads both streams, and keeps what the present turn needs.
#[derive(Debug)]
pub(crate) struct TurnReader {
    lines: LineSplitter,
    ear: MessageReader,
    /// The first byte of the turn's first line.
    from: Option<u64>,
    /// The last lines of the standard error.
    errors: VecDeque<String>,
}

/// A line that may be a message.
pub(crate) struct MessageLine {
    pub(crate) line: Line,
    pub(crate) bytes: Vec<u8>,
}

impl TurnReader {
    pub(crate) fn new(options: DecoderOptions) -> Self {
        Self {
            lines: LineSplitter::default(),
            ear: MessageReader::new(options),
            from: None,
            errors: VecDeque::new(),
        }
    }

    pub(crate) fn split(&mut self, chunk: SpoolChunk<'_>) -> Vec<Line> {
        self.lines.push(chunk)
    }

    pub(crate) fn split_rest(&mut self) -> Vec<Line> {
        self.lines.end()
    }

    /// Returns the offset from which reading starts again after a restart.
    pub(crate) fn read_from(&self) -> u64 {
        self.from.unwrap_or(self.lines.unread())
    }

    /// Returns the bytes of a line that may be a message, or what is to be said about one that can't be.
    pub(crate) fn classify(&mut self, mut line: Line) -> Result<MessageLine, Vec<DriverEvent>> {
        if line.stream == OutputStream::Output {
            self.from.get_or_insert(line.begin);
        }
        let (bytes, is_whole) = match &mut line.content {
            LineContent::Whole(bytes) => (std::mem::take(bytes), true),
            LineContent::TooLong(head) => (std::mem::take(head), false),
        };
        match line.stream {
            OutputStream::Output if is_whole && bytes.iter().all(u8::is_ascii_whitespace) => Err(Vec::new()),
            OutputStream::Output if is_whole => {
                // What was complained about before the agent went on has not ended it.
                self.errors.clear();
                Ok(MessageLine { line, bytes })
            }
            OutputStream::Output | OutputStream::Stderr => {
                let unknown_output = unknown_output(&bytes);
                if line.stream == OutputStream::Stderr {
                    self.note(&unknown_output);
                }
                Err(unknown_output.into_iter().map(DriverEvent::Warning).collect())
            }
        }
    }

    fn note(&mut self, unknown_output: &Option<AgentWarning>) {
        if let Some(AgentWarning::UnknownOutput { text }) = unknown_output {
            self.errors.push_back(text.clone());
            if self.errors.len() > ERROR_LINES_MAX {
                self.errors.pop_front();
            }
        }
    }

    /// Takes the agent's own words.
    pub(crate) fn push_text(&mut self, text: &str, line: &Line) -> Vec<DriverEvent> {
        let read_from = self.read_from();
        self.ear.hear(text, line, read_from)
    }

    /// Takes a tool call, which stands behind what was said so far.
    pub(crate) fn push_call(&mut self, call: ToolCall) -> DriverEvent {
        self.ear.call(&call);
        DriverEvent::ToolCall(call)
    }

    /// Ends the turn: nothing before `end` is needed any more.
    pub(crate) fn finish(&mut self, end: u64, usage: Usage, outcome: TurnOutcome) -> Vec<DriverEvent> {
        let mut events = self.ear.end_turn(self.read_from());
        if usage.tokens() + usage.cached_tokens + usage.cost_micros > 0 {
            events.push(DriverEvent::Usage(usage));
        }
        self.from = None;
        let (text, tools) = self.ear.take_turn();
        events.push(DriverEvent::TurnEnded { read_from: end, text, tools, outcome });
        events
    }

    /// Ends a turn whose process is gone, and says what it last complained about.
    pub(crate) fn break_off(&mut self) -> Vec<DriverEvent> {
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
pub(crate) fn unknown_output(bytes: &[u8]) -> Option<AgentWarning> {
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
    (!text.is_empty()).then_some(AgentWarning::UnknownOutput { text })
}
