//! Screen mode: extracts from a terminal's screen the lines that a user saw, each once.
//!
//! A line is emitted when it has left the screen, or is on it when the turn ends. A cleared line has left the screen only
//! if the next frame neither paints it again nor paints a longer version of it in the same row.

use avt::{
    Observation, Observer, Operation, ScreenKind, Terminal,
    parser::{EdScope, Function},
};

use crate::{
    assemble::{BODY_BYTES_MAX, MessageAssembler},
    decoder::forward_line,
    echo_filter::EchoFilter,
    line::{ByteOrigin, Line},
};

const COLUMNS: usize = 400;
const ROWS: usize = 50;

/// A screen and the history of its frames.
pub(crate) struct Screen {
    terminal: Option<Terminal>,
    /// The bytes of an incomplete character.
    partial: Vec<u8>,
    primary: FrameHistory,
    alternate: FrameHistory,
    /// Whether the screen was drawn on since it was last cleared: clearing an empty screen again costs nothing.
    is_drawn: bool,
    /// The start of a line that was wrapped at the right edge and has left the screen.
    wrapped: String,
}

/// The lines seen so far on one screen.
#[derive(Debug, Default)]
struct FrameHistory {
    /// Emitted lines that may still be on the screen or appear again.
    emitted: Vec<String>,
    /// The last cleared frame; the next frame decides whether its lines have left the screen.
    cleared: Vec<String>,
}

/// Passes lines to the assembler.
struct LineOutput<'o> {
    offset: u64,
    assembler: &'o mut MessageAssembler,
    echo: &'o mut EchoFilter,
}

impl std::fmt::Debug for Screen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Screen").field("primary", &self.primary).finish_non_exhaustive()
    }
}

impl Default for Screen {
    fn default() -> Self {
        Self {
            // The size is not zero, so this cannot fail.
            terminal: Terminal::new(COLUMNS, ROWS).ok(),
            partial: Vec::new(),
            primary: FrameHistory::default(),
            alternate: FrameHistory::default(),
            is_drawn: false,
            wrapped: String::new(),
        }
    }
}

impl Screen {
    pub(crate) fn push(
        &mut self,
        bytes: &[u8],
        offset: u64,
        assembler: &mut MessageAssembler,
        echo: &mut EchoFilter,
    ) {
        let mut output = LineOutput { offset: offset - self.partial.len() as u64, assembler, echo };
        let mut input = std::mem::take(&mut self.partial);
        input.extend_from_slice(bytes);
        let mut at = 0;
        for chunk in input.utf8_chunks() {
            for character in chunk.valid().chars() {
                at += character.len_utf8();
                output.offset += character.len_utf8() as u64;
                self.write_character(character, &mut output);
            }
            let invalid = chunk.invalid();
            let is_unfinished = at + invalid.len() == input.len()
                && matches!(std::str::from_utf8(invalid), Err(error) if error.error_len().is_none());
            if is_unfinished {
                self.partial = invalid.to_vec();
            } else if !invalid.is_empty() {
                at += invalid.len();
                output.offset += invalid.len() as u64;
                self.write_character(char::REPLACEMENT_CHARACTER, &mut output);
            }
        }
    }

    pub(crate) fn end_turn(&mut self, offset: u64, assembler: &mut MessageAssembler, echo: &mut EchoFilter) {
        let mut output = LineOutput { offset, assembler, echo };
        if !std::mem::take(&mut self.partial).is_empty() {
            self.write_character(char::REPLACEMENT_CHARACTER, &mut output);
        }
        let Some(terminal) = &self.terminal else { return };
        let lines = visible_lines(terminal, &self.wrapped);
        match terminal.active_screen_kind() {
            ScreenKind::Primary => self.primary.emit_new_lines(lines, &mut output),
            ScreenKind::Alternate => self.alternate.emit_new_lines(lines, &mut output),
        }
    }

    /// Returns the rows of the active screen.
    pub(crate) fn visible_lines(&self) -> Vec<String> {
        self.terminal.as_ref().map(|terminal| visible_lines(terminal, &self.wrapped)).unwrap_or_default()
    }

    fn write_character(&mut self, character: char, output: &mut LineOutput<'_>) {
        let Some(terminal) = &mut self.terminal else { return };
        let observer = SequenceObserver {
            wrapped: &self.wrapped,
            before: None,
            scrolled: Vec::new(),
            is_clear: false,
            is_drawn: self.is_drawn,
        };
        let SequenceObserver { before, scrolled, is_clear, is_drawn, .. } =
            terminal.feed_with(character, observer);
        self.is_drawn = is_drawn;
        let now = terminal.active_screen_kind();
        match before {
            None => {
                for text in join_wrapped(&mut self.wrapped, scrolled) {
                    self.primary.emit_scrolled_line(text, output);
                }
            }
            Some((ScreenKind::Primary, lines)) if is_clear => {
                self.primary.record_cleared_frame(lines, output)
            }
            Some((ScreenKind::Alternate, lines)) if is_clear => {
                self.alternate.record_cleared_frame(lines, output)
            }
            // The alternate screen was left: its lines are gone.
            Some((ScreenKind::Alternate, lines)) if now == ScreenKind::Primary => {
                self.alternate.emit_new_lines(lines, output);
                self.alternate = FrameHistory::default();
            }
            Some(_) => {}
        }
    }
}

impl FrameHistory {
    /// Handles a line that scrolled off the top.
    fn emit_scrolled_line(&mut self, text: String, output: &mut LineOutput<'_>) {
        // Lines above it have left before.
        match self.emitted.iter().position(|emitted| *emitted == text) {
            Some(index) => drop(self.emitted.drain(..=index)),
            None => {
                self.emit_erased_lines(std::slice::from_ref(&text), output);
                output.send(&text);
            }
        }
    }

    /// Handles a cleared screen.
    fn record_cleared_frame(&mut self, lines: Vec<String>, output: &mut LineOutput<'_>) {
        self.emit_erased_lines(&lines, output);
        self.cleared = lines;
    }

    /// Emits the new lines of the whole screen.
    fn emit_new_lines(&mut self, lines: Vec<String>, output: &mut LineOutput<'_>) {
        self.emit_erased_lines(&lines, output);
        for (text, is_old) in lines.iter().zip(mark_common_lines(&self.emitted, &lines)) {
            if !is_old {
                output.send(text);
            }
        }
        self.emitted = lines;
    }

    /// Emits the lines of the cleared frame that the next frame does not show.
    fn emit_erased_lines(&mut self, next: &[String], output: &mut LineOutput<'_>) {
        let cleared = std::mem::take(&mut self.cleared);
        let shown =
            mark_common_lines(next, &cleared).into_iter().zip(mark_common_lines(&self.emitted, &cleared));
        for (row, (text, (is_shown, is_old))) in cleared.iter().zip(shown).enumerate() {
            let grows = next.get(row).is_some_and(|line| line.starts_with(text.as_str()));
            if !is_shown && !is_old && !grows {
                output.send(text);
            }
        }
    }
}

impl LineOutput<'_> {
    fn send(&mut self, text: &str) {
        let cut = text.floor_char_boundary(self.assembler.line_bytes_max());
        let origin = ByteOrigin::Point(self.offset);
        let line = Line::new(&text[..cut], origin, self.offset, self.offset, cut < text.len());
        forward_line(&line, self.assembler, self.echo);
    }
}

/// Returns the lines of the active screen without the empty ones at the end.
fn visible_lines(terminal: &Terminal, wrapped: &str) -> Vec<String> {
    let screen = terminal.screen();
    let rows =
        (0..ROWS).filter_map(|row| screen.line(row)).map(|line| (line.text(), line.is_wrapped())).collect();
    let mut rest = match terminal.active_screen_kind() {
        ScreenKind::Primary => wrapped.to_owned(),
        ScreenKind::Alternate => String::new(),
    };
    let mut lines = join_wrapped(&mut rest, rows);
    lines.push(rest.trim_end().to_owned());
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// Joins rows that were wrapped at the right edge; an unfinished line stays in `wrapped`.
fn join_wrapped(wrapped: &mut String, rows: Vec<(String, bool)>) -> Vec<String> {
    let mut lines = Vec::new();
    for (text, is_wrapped) in rows {
        // A line that wraps without end stops growing once it exceeds every limit.
        if wrapped.len() <= BODY_BYTES_MAX {
            wrapped.push_str(&text);
        }
        if !is_wrapped {
            lines.push(std::mem::take(wrapped).trim_end().to_owned());
        }
    }
    lines
}

/// Returns for each line of `new` whether it is also in `old`, in order: a longest common subsequence.
fn mark_common_lines(old: &[String], new: &[String]) -> Vec<bool> {
    let (rows, columns) = (old.len() + 1, new.len() + 1);
    let mut lengths = vec![0_u32; rows * columns];
    let length = |lengths: &[u32], row: usize, column: usize| {
        lengths.get(row * columns + column).copied().unwrap_or(0)
    };
    for (row, old_line) in old.iter().enumerate().rev() {
        for (column, new_line) in new.iter().enumerate().rev() {
            let value = if old_line == new_line {
                length(&lengths, row + 1, column + 1) + 1
            } else {
                length(&lengths, row + 1, column).max(length(&lengths, row, column + 1))
            };
            if let Some(slot) = lengths.get_mut(row * columns + column) {
                *slot = value;
            }
        }
    }
    let mut row = 0;
    let is_old = |(column, new_line): (usize, &String)| {
        while let Some(old_line) = old.get(row) {
            if old_line == new_line {
                row += 1;
                return true;
            }
            if length(&lengths, row + 1, column) < length(&lengths, row, column + 1) {
                return false;
            }
            row += 1;
        }
        false
    };
    new.iter().enumerate().map(is_old).collect()
}

/// Records the effect of one character on the screen.
struct SequenceObserver<'w> {
    wrapped: &'w str,
    /// The screen before it was cleared or left.
    before: Option<(ScreenKind, Vec<String>)>,
    /// The rows that scrolled off the top.
    scrolled: Vec<(String, bool)>,
    is_clear: bool,
    is_drawn: bool,
}

impl Observer for SequenceObserver<'_> {
    type Output = Self;

    fn before(&mut self, context: &mut Observation<'_>, operation: &Operation) {
        let Operation::Function(function) = operation else { return };
        let terminal = context.terminal();
        let kind = terminal.active_screen_kind();
        self.is_clear = matches!(function, Function::Ed(EdScope::All) | Function::Ris);
        let may_leave = kind == ScreenKind::Alternate && matches!(function, Function::Decrst(_));
        if (self.is_clear && self.is_drawn) || may_leave {
            self.before = Some((kind, visible_lines(terminal, self.wrapped)));
        }
        if self.is_clear {
            self.is_drawn = false;
        }
        // The other screen may have text.
        let may_draw = matches!(
            function,
            Function::Print(_)
                | Function::Rep(_)
                | Function::Decaln
                | Function::Decset(_)
                | Function::Decrst(_)
        );
        self.is_drawn |= may_draw;
    }

    fn evicted(&mut self, _: &mut Observation<'_>, line: &avt::Line) {
        self.scrolled.push((line.text(), line.is_wrapped()));
    }

    fn end(&mut self, _: &mut Observation<'_>) -> Self {
        Self {
            wrapped: self.wrapped,
            before: self.before.take(),
            scrolled: std::mem::take(&mut self.scrolled),
            is_clear: self.is_clear,
            is_drawn: self.is_drawn,
        }
    }
}
