//! Reads the output of a program on a terminal: messages with their offsets, and text for users.

use std::collections::{BTreeMap, VecDeque};

use domain::MessageOffset;
use protocol::{DecodedItem, Decoder};

use super::{PtyMode, PtyOptions};
use crate::driver::DriverEvent;

/// Limit of the text of a turn that users and callers get; the end of a longer one is kept.
const TEXT_BYTES_MAX: usize = 1024 * 1024;
/// A longer line is shown in pieces.
const LINE_BYTES_MAX: usize = 64 * 1024;
/// Limit of the typed lines whose echo is expected.
const ECHO_LINES_MAX: usize = 1024;

/// Reads the output of one program.
#[derive(Debug)]
pub(super) struct TerminalReader {
    decoder: Decoder,
    mode: PtyMode,
    /// Number of bytes that the decoder has received.
    n_bytes: u64,
    /// Spool offsets by decoder offsets; one entry unless records of other streams are in between.
    spool_offsets: BTreeMap<u64, u64>,
    /// The unfinished line.
    line: Vec<u8>,
    text: String,
    echo: VecDeque<String>,
    /// The rows of the screen at the start of the turn.
    rows_before: Vec<String>,
    /// Whether the program wrote a line that is neither an echo nor blank.
    has_text: bool,
}

impl TerminalReader {
    pub(super) fn new(options: &PtyOptions) -> Self {
        let decoding = options.decoding.clone();
        let decoder = match options.mode {
            PtyMode::Lines => Decoder::new(decoding),
            PtyMode::Screen => Decoder::for_screen(decoding),
        };
        Self {
            decoder,
            mode: options.mode,
            n_bytes: 0,
            spool_offsets: BTreeMap::from([(0, options.read_from)]),
            line: Vec::new(),
            text: String::new(),
            echo: VecDeque::new(),
            rows_before: Vec::new(),
            has_text: options.open_turn == Some(true),
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8], offset: u64) -> Vec<DriverEvent> {
        if self.to_spool_offset(self.n_bytes) != offset {
            self.spool_offsets.insert(self.n_bytes, offset);
        }
        self.n_bytes += bytes.len() as u64;
        let items = self.decoder.push(bytes);
        let mut events: Vec<_> = self.read_text_lines(bytes).into_iter().collect();
        events.extend(self.message_events(items));
        self.drop_obsolete_offsets();
        events
    }

    /// Ends the turn. Returns the events that end with it and the text of the turn.
    pub(super) fn end_turn(&mut self) -> (Vec<DriverEvent>, String) {
        let mut events = Vec::new();
        match self.mode {
            PtyMode::Lines => {
                if !self.line.is_empty() {
                    let line = std::mem::take(&mut self.line);
                    let mut text = String::new();
                    self.read_text_line(&line, &mut text);
                    events.extend(self.text_event(text));
                }
            }
            PtyMode::Screen => {
                let mut before = std::mem::take(&mut self.rows_before);
                let mut new = self.decoder.screen_rows();
                // A second row with the same text counts as new.
                new.retain(|row| match before.iter().position(|old| old == row) {
                    Some(index) => {
                        before.remove(index);
                        false
                    }
                    None => true,
                });
                self.text = new.join("\n");
                if !self.text.trim().is_empty() {
                    events.push(DriverEvent::Text { text: self.text.clone() });
                }
            }
        }
        let items = self.decoder.end_turn();
        events.extend(self.message_events(items));
        self.drop_obsolete_offsets();
        self.has_text = false;
        self.rows_before = self.decoder.screen_rows();
        self.trim_text_to_limit();
        (events, std::mem::take(&mut self.text))
    }

    /// Tells whether the program wrote text since the last end of a turn or the last typed input.
    pub(super) fn has_written_text(&self) -> bool {
        let unfinished = || protocol::visible_text(&self.line);
        self.has_text || (!self.line.is_empty() && self.is_program_text(&unfinished()))
    }

    fn is_program_text(&self, unfinished: &str) -> bool {
        let text = unfinished.trim();
        !text.is_empty() && !self.echo.iter().any(|echo| echo.starts_with(text))
    }

    /// Notes typed text, so that its echo does not count as text of the program.
    pub(super) fn expect_echo(&mut self, typed: &str) {
        self.has_text = false;
        self.decoder.expect_echo(typed);
        self.rows_before = self.decoder.screen_rows();
        let lines = typed.lines().map(str::trim).filter(|line| !line.is_empty());
        self.echo = lines.take(ECHO_LINES_MAX).map(str::to_owned).collect();
    }

    pub(super) fn screen_rows(&self) -> Vec<String> {
        self.decoder.screen_rows()
    }

    pub(super) fn prevents_turn_end(&self) -> bool {
        self.decoder.prevents_turn_end()
    }

    pub(super) fn resume_offset(&self) -> u64 {
        self.to_spool_offset(self.decoder.safe_offset())
    }

    fn to_spool_offset(&self, decoded: u64) -> u64 {
        self.spool_offsets
            .range(..=decoded)
            .next_back()
            .map_or(decoded, |(from, offset)| offset + (decoded - from))
    }

    /// Returns the events of items that were decoded together.
    ///
    /// The read position of an item is not after the start of the next one: that is recorded later, or not at all.
    fn message_events(&self, items: Vec<DecodedItem>) -> Vec<DriverEvent> {
        let mut read_from = self.resume_offset();
        let mut events = Vec::new();
        for item in items.into_iter().rev() {
            let span = item.span();
            let offset = MessageOffset { start: self.to_spool_offset(span.start), ordinal: span.ordinal };
            events.push(DriverEvent::Message { offset, read_from, item });
            read_from = read_from.min(offset.start);
        }
        events.reverse();
        events
    }

    fn drop_obsolete_offsets(&mut self) {
        let needed = self.decoder.safe_offset();
        if let Some((first, _)) = self.spool_offsets.range(..=needed).next_back() {
            let first = *first;
            self.spool_offsets = self.spool_offsets.split_off(&first);
        }
    }

    /// Returns the text of the lines that end in these bytes, in one event: programs write millions of lines.
    fn read_text_lines(&mut self, bytes: &[u8]) -> Option<DriverEvent> {
        if self.mode == PtyMode::Screen {
            self.has_text = true;
            return None;
        }
        let mut text = String::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let mut rest = piece;
            // Split at the limit, independent of how the output was split.
            while self.line.len() + rest.len() > LINE_BYTES_MAX {
                let (head, tail) = rest.split_at(LINE_BYTES_MAX - self.line.len());
                self.line.extend_from_slice(head);
                let line = std::mem::take(&mut self.line);
                self.read_text_line(&line, &mut text);
                rest = tail;
            }
            if self.line.is_empty() && rest.ends_with(b"\n") {
                self.read_text_line(rest, &mut text);
                continue;
            }
            self.line.extend_from_slice(rest);
            if self.line.ends_with(b"\n") {
                let mut line = std::mem::take(&mut self.line);
                self.read_text_line(&line, &mut text);
                line.clear();
                self.line = line;
            }
        }
        self.text_event(text)
    }

    /// Adds the text of a line, unless it is an echo.
    fn read_text_line(&mut self, line: &[u8], text: &mut String) {
        let visible = protocol::visible_text(line);
        if let Some(index) = self.echo.iter().position(|echo| *echo == visible.trim()) {
            self.echo.remove(index);
            return;
        }
        self.has_text |= !visible.trim().is_empty();
        text.push_str(&visible);
        if line.ends_with(b"\n") {
            text.push('\n');
        }
    }

    fn text_event(&mut self, text: String) -> Option<DriverEvent> {
        if text.is_empty() {
            return None;
        }
        self.text.push_str(&text);
        // Not each time: trimming moves the rest of the text.
        if self.text.len() > 2 * TEXT_BYTES_MAX {
            self.trim_text_to_limit();
        }
        Some(DriverEvent::Text { text })
    }

    fn trim_text_to_limit(&mut self) {
        let cut = self.text.ceil_char_boundary(self.text.len().saturating_sub(TEXT_BYTES_MAX));
        self.text.drain(..cut);
    }
}
