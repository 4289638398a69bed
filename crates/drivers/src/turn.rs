//! Reads the turns of an agent that writes lines of JSON.

use std::collections::VecDeque;

use domain::Usage;
use protocol::DecoderOptions;

use crate::{
    driver::{AgentWarning, DriverEvent, OutputStream, SpoolChunk, ToolCall, TurnOutcome},
    lines::{Line, LineContent, LineSplitter},
    message_reader::MessageReader,
};

/// The shown part of an unknown line.
const SHOWN_CHARS_MAX: usize = 400;

/// The number of standard error lines that explain why a process ended.
const ERROR_LINES_MAX: usize = 8;

/// Reads both streams, with the state of the current turn.
#[derive(Debug)]
pub(crate) struct TurnReader {
    lines: LineSplitter,
    reader: MessageReader,
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
            reader: MessageReader::new(options),
            from: None,
            errors: VecDeque::new(),
        }
    }

    pub(crate) fn split_lines(&mut self, chunk: SpoolChunk<'_>) -> Vec<Line> {
        self.lines.push(chunk)
    }

    pub(crate) fn take_rest(&mut self) -> Vec<Line> {
        self.lines.take_rest()
    }

    /// Returns the offset from which reading starts again after a restart.
    pub(crate) fn resume_offset(&self) -> u64 {
        self.from.unwrap_or(self.lines.unread_offset())
    }

    /// Returns a line that may be a message, or the warnings about another line.
    pub(crate) fn classify_line(&mut self, mut line: Line) -> Result<MessageLine, Vec<DriverEvent>> {
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
                // Errors before further output did not end the agent.
                self.errors.clear();
                Ok(MessageLine { line, bytes })
            }
            OutputStream::Output | OutputStream::Stderr => {
                let unknown_output = unknown_output_warning(&bytes);
                if line.stream == OutputStream::Stderr {
                    self.note_error_line(&unknown_output);
                }
                Err(unknown_output.into_iter().map(DriverEvent::Warning).collect())
            }
        }
    }

    fn note_error_line(&mut self, unknown_output: &Option<AgentWarning>) {
        if let Some(AgentWarning::UnknownOutput { text }) = unknown_output {
            self.errors.push_back(text.clone());
            if self.errors.len() > ERROR_LINES_MAX {
                self.errors.pop_front();
            }
        }
    }

    /// Decodes the agent's own text.
    pub(crate) fn push_text(&mut self, text: &str, line: &Line) -> Vec<DriverEvent> {
        let read_from = self.resume_offset();
        self.reader.push_text(text, line, read_from)
    }

    /// Adds a tool call after the text so far.
    pub(crate) fn push_tool_call(&mut self, call: ToolCall) -> DriverEvent {
        self.reader.push_tool_call(&call);
        DriverEvent::ToolCall(call)
    }

    /// Ends the turn. Output before `end` is not read again.
    pub(crate) fn end_turn(&mut self, end: u64, usage: Usage, outcome: TurnOutcome) -> Vec<DriverEvent> {
        let mut events = self.reader.end_turn(self.resume_offset());
        if usage.tokens() + usage.cached_tokens + usage.cost_micros > 0 {
            events.push(DriverEvent::Usage(usage));
        }
        self.from = None;
        let (text, tools) = self.reader.take_turn();
        events.push(DriverEvent::TurnEnded { read_from: end, text, tools, outcome });
        events
    }

    /// Ends a turn whose process has exited, with its last errors as the reason.
    pub(crate) fn abort_turn(&mut self) -> Vec<DriverEvent> {
        let errors: Vec<_> = self.errors.drain(..).collect();
        let message = if errors.is_empty() {
            "the agent ended in the middle of its turn".to_owned()
        } else {
            format!("the agent ended in the middle of its turn: {}", errors.join("\n"))
        };
        self.end_turn(self.lines.unread_offset(), Usage::default(), TurnOutcome::Failed { message })
    }
}

/// Returns the warning about an unknown line; `None` if it is blank.
pub(crate) fn unknown_output_warning(bytes: &[u8]) -> Option<AgentWarning> {
    let text = String::from_utf8_lossy(bytes);
    let mut chars = text.chars();
    let mut shown = String::new();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            // Skips an escape sequence up to its final letter.
            let _ = chars.by_ref().find(char::is_ascii_alphabetic);
        } else if !c.is_control() {
            shown.push(c);
        }
    }
    let text: String = shown.trim().chars().take(SHOWN_CHARS_MAX).collect();
    (!text.is_empty()).then_some(AgentWarning::UnknownOutput { text })
}
