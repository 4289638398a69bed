//! What a program printed: messages with their places, and words for people.

use std::collections::{BTreeMap, VecDeque};

use domain::MessageOffset;
use protocol::{DecodedItem, Decoder};

use super::{PtyMode, PtyOptions};
use crate::driver::DriverEvent;

/// What a turn said is kept for people and callers; of a longer one the end.
const WORDS_BYTES_MAX: usize = 1024 * 1024;
/// A line without an end is shown in pieces.
const LINE_BYTES_MAX: usize = 64 * 1024;
/// More lines than this are not waited for as an echo.
const ECHO_LINES_MAX: usize = 1024;

/// Listens to a program.
#[derive(Debug)]
pub(super) struct TerminalReader {
    decoder: Decoder,
    mode: PtyMode,
    /// How much the decoder was given.
    taken: u64,
    /// From which place of its output on bytes came from which offset; one entry unless bytes of others lie between.
    places: BTreeMap<u64, u64>,
    /// The unfinished line.
    line: Vec<u8>,
    words: String,
    echo: VecDeque<String>,
    /// What stood on the screen when the turn began.
    before: Vec<String>,
    /// Whether a line came that is no echo and not blank.
    has_spoken: bool,
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
            taken: 0,
            places: BTreeMap::from([(0, options.read_from)]),
            line: Vec::new(),
            words: String::new(),
            echo: VecDeque::new(),
            before: Vec::new(),
            has_spoken: options.open_turn == Some(true),
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8], offset: u64) -> Vec<DriverEvent> {
        if self.to_spool_offset(self.taken) != offset {
            self.places.insert(self.taken, offset);
        }
        self.taken += bytes.len() as u64;
        let items = self.decoder.push(bytes);
        let mut events = self.read_text_lines(bytes);
        events.extend(items.into_iter().map(|item| self.message_event(item)));
        self.drop_obsolete_offsets();
        events
    }

    /// Ends the turn, and returns what was still open and all that was said for people.
    pub(super) fn end_turn(&mut self) -> (Vec<DriverEvent>, String) {
        let mut events = Vec::new();
        match self.mode {
            PtyMode::Lines => {
                if !self.line.is_empty() {
                    let line = std::mem::take(&mut self.line);
                    events.extend(self.read_text_line(&line));
                }
            }
            PtyMode::Screen => {
                let mut before = std::mem::take(&mut self.before);
                let mut new = self.decoder.screen_rows();
                // A line that says the same as one before is new all the same.
                new.retain(|row| match before.iter().position(|old| old == row) {
                    Some(index) => {
                        before.remove(index);
                        false
                    }
                    None => true,
                });
                self.words = new.join("\n");
                if !self.words.trim().is_empty() {
                    events.push(DriverEvent::Text { text: self.words.clone() });
                }
            }
        }
        let items = self.decoder.end_turn();
        events.extend(items.into_iter().map(|item| self.message_event(item)));
        self.drop_obsolete_offsets();
        self.has_spoken = false;
        self.before = self.decoder.screen_rows();
        (events, std::mem::take(&mut self.words))
    }

    /// Tells whether the program said something since the last turn ended, or since something was typed.
    pub(super) fn has_written_text(&self) -> bool {
        let unfinished = || protocol::visible_text(&self.line);
        self.has_spoken || (!self.line.is_empty() && self.is_program_text(&unfinished()))
    }

    fn is_program_text(&self, unfinished: &str) -> bool {
        let text = unfinished.trim();
        !text.is_empty() && !self.echo.iter().any(|echo| echo.starts_with(text))
    }

    /// Says what is typed, so that it is not heard as the program's words.
    pub(super) fn expect_echo(&mut self, typed: &str) {
        self.has_spoken = false;
        self.decoder.expect_echo(typed);
        self.before = self.decoder.screen_rows();
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

    fn to_spool_offset(&self, taken: u64) -> u64 {
        self.places.range(..=taken).next_back().map_or(taken, |(from, offset)| offset + (taken - from))
    }

    fn message_event(&self, item: DecodedItem) -> DriverEvent {
        let span = item.span();
        let offset = MessageOffset { start: self.to_spool_offset(span.start), ordinal: span.ordinal };
        DriverEvent::Message { offset, read_from: self.resume_offset(), item }
    }

    fn drop_obsolete_offsets(&mut self) {
        let needed = self.decoder.safe_offset();
        if let Some((first, _)) = self.places.range(..=needed).next_back() {
            let first = *first;
            self.places = self.places.split_off(&first);
        }
    }

    /// Returns the words of the lines that end in these bytes.
    fn read_text_lines(&mut self, bytes: &[u8]) -> Vec<DriverEvent> {
        if self.mode == PtyMode::Screen {
            self.has_spoken = true;
            return Vec::new();
        }
        let mut events = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let mut rest = piece;
            // Cut where the line is full, never where the output events to be cut.
            while self.line.len() + rest.len() > LINE_BYTES_MAX {
                let (head, tail) = rest.split_at(LINE_BYTES_MAX - self.line.len());
                self.line.extend_from_slice(head);
                let line = std::mem::take(&mut self.line);
                events.extend(self.read_text_line(&line));
                rest = tail;
            }
            self.line.extend_from_slice(rest);
            if self.line.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                events.extend(self.read_text_line(&line));
            }
        }
        events
    }

    fn read_text_line(&mut self, line: &[u8]) -> Option<DriverEvent> {
        let text = protocol::visible_text(line);
        if let Some(index) = self.echo.iter().position(|echo| *echo == text.trim()) {
            self.echo.remove(index);
            return None;
        }
        self.has_spoken |= !text.trim().is_empty();
        let text = if line.ends_with(b"\n") { format!("{text}\n") } else { text };
        self.words.push_str(&text);
        if self.words.len() > WORDS_BYTES_MAX {
            let cut = self.words.ceil_char_boundary(self.words.len() - WORDS_BYTES_MAX);
            self.words.drain(..cut);
        }
        Some(DriverEvent::Text { text })
    }
}
