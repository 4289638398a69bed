//! Screen mode: a terminal's screen → the lines that a person saw on it, each once.
//!
//! A line is taken when it has left the screen, or stands on it when the turn ends.

use avt::{Observation, Observer, Operation, Terminal};

use crate::{
    assemble::Assembler,
    decoder::give,
    echo::Echo,
    line::{Line, Origin},
};

const COLUMNS: usize = 400;
const ROWS: usize = 50;

/// A screen, and what has been taken from it.
pub(crate) struct Screen {
    terminal: Option<Terminal>,
    /// The bytes of an unfinished character.
    partial: Vec<u8>,
    /// Lines that were taken and may still, or again, stand on the screen.
    taken: Vec<String>,
    /// The beginning of a line that was wrapped at the right edge and has left the screen.
    wrapped: String,
}

impl std::fmt::Debug for Screen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Screen").field("taken", &self.taken).finish_non_exhaustive()
    }
}

impl Default for Screen {
    fn default() -> Self {
        // The size is not zero, so there is a terminal.
        Self {
            terminal: Terminal::new(COLUMNS, ROWS).ok(),
            partial: Vec::new(),
            taken: Vec::new(),
            wrapped: String::new(),
        }
    }
}

impl Screen {
    pub(crate) fn push(&mut self, bytes: &[u8], offset: u64, assembler: &mut Assembler, echo: &mut Echo) {
        let start = offset - self.partial.len() as u64;
        let mut input = std::mem::take(&mut self.partial);
        input.extend_from_slice(bytes);
        let mut at = 0;
        for chunk in input.utf8_chunks() {
            for sign in chunk.valid().chars() {
                at += sign.len_utf8();
                self.feed(sign, start + at as u64, assembler, echo);
            }
            let invalid = chunk.invalid();
            let is_unfinished = at + invalid.len() == input.len()
                && matches!(std::str::from_utf8(invalid), Err(error) if error.error_len().is_none());
            if is_unfinished {
                self.partial = invalid.to_vec();
            } else if !invalid.is_empty() {
                at += invalid.len();
                self.feed(char::REPLACEMENT_CHARACTER, start + at as u64, assembler, echo);
            }
        }
    }

    pub(crate) fn end(&mut self, offset: u64, assembler: &mut Assembler, echo: &mut Echo) {
        if !std::mem::take(&mut self.partial).is_empty() {
            self.feed(char::REPLACEMENT_CHARACTER, offset, assembler, echo);
        }
        let visible = self.visible();
        self.take_screen(visible, offset, assembler, echo);
    }

    fn feed(&mut self, sign: char, offset: u64, assembler: &mut Assembler, echo: &mut Echo) {
        let Some(terminal) = &mut self.terminal else { return };
        let Departures { lines, is_clear } = terminal.feed_with(sign, Departures::default());
        if lines.is_empty() {
            return;
        }
        let lines = join_wrapped(&mut self.wrapped, lines);
        if is_clear {
            self.take_screen(lines, offset, assembler, echo);
        } else {
            for text in lines {
                // What scrolls off from the top was drawn before what is below it.
                match self.taken.iter().position(|taken| *taken == text) {
                    Some(index) => drop(self.taken.drain(..=index)),
                    None => give_text(&text, offset, assembler, echo),
                }
            }
        }
    }

    /// Takes the lines of a whole screen that were not taken before.
    fn take_screen(&mut self, lines: Vec<String>, offset: u64, assembler: &mut Assembler, echo: &mut Echo) {
        for (text, is_old) in lines.iter().zip(common(&self.taken, &lines)) {
            if !is_old {
                give_text(text, offset, assembler, echo);
            }
        }
        self.taken = lines;
    }

    fn visible(&self) -> Vec<String> {
        let Some(terminal) = &self.terminal else { return Vec::new() };
        let screen = terminal.screen();
        let rows = (0..ROWS)
            .filter_map(|row| screen.line(row))
            .map(|line| (line.text(), line.is_wrapped()))
            .collect();
        let mut wrapped = self.wrapped.clone();
        let mut lines = join_wrapped(&mut wrapped, rows);
        if !wrapped.is_empty() {
            lines.push(wrapped.trim_end().to_owned());
        }
        while lines.last().is_some_and(|line| line.is_empty()) {
            lines.pop();
        }
        lines
    }
}

fn give_text(text: &str, offset: u64, assembler: &mut Assembler, echo: &mut Echo) {
    let limit = assembler.line_bytes_max();
    let cut = text.floor_char_boundary(limit);
    let line = Line::new(&text[..cut], Origin::Point(offset), offset, offset, cut < text.len());
    give(&line, assembler, echo);
}

/// Joins rows that were wrapped at the right edge; what is still open stays in `wrapped`.
fn join_wrapped(wrapped: &mut String, rows: Vec<(String, bool)>) -> Vec<String> {
    // A line that wraps without end is cut, so that it can't grow.
    const LINE_BYTES_MAX: usize = 1 << 20;
    let mut lines = Vec::new();
    for (text, is_wrapped) in rows {
        wrapped.push_str(&text);
        if !is_wrapped || wrapped.len() > LINE_BYTES_MAX {
            lines.push(std::mem::take(wrapped).trim_end().to_owned());
        }
    }
    lines
}

/// Tells for each line of `new` whether it is one of `old`, in order: a longest common subsequence.
fn common(old: &[String], new: &[String]) -> Vec<bool> {
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

/// Gathers the rows that leave the screen while one sign is fed.
#[derive(Debug, Default)]
struct Departures {
    lines: Vec<(String, bool)>,
    is_clear: bool,
}

impl Observer for Departures {
    type Output = Self;

    fn before(&mut self, _: &mut Observation<'_>, operation: &Operation) {
        self.is_clear = matches!(operation, Operation::Function(avt::parser::Function::Ed(_)));
    }

    fn evicted(&mut self, _: &mut Observation<'_>, line: &avt::Line) {
        self.lines.push((line.text(), line.is_wrapped()));
    }

    fn end(&mut self, _: &mut Observation<'_>) -> Self {
        std::mem::take(self)
    }
}
