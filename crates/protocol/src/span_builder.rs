//! Builds the span of a message while it is open.

use crate::{item::Span, line::Line};

/// Longer raw text is truncated.
const RAW_BYTES_MAX: usize = 4096;

#[derive(Debug)]
pub(crate) struct SpanBuilder {
    text: String,
    is_cut: bool,
    /// Blank lines that belong to the message only if another line follows.
    blank_lines: String,
    line_begin: u64,
    start: u64,
    end: u64,
}

impl SpanBuilder {
    /// Starts at index `at` of a line.
    pub(crate) fn new(line: &Line<'_>, at: usize) -> Self {
        let mut builder = Self {
            text: String::new(),
            is_cut: false,
            blank_lines: String::new(),
            line_begin: line.begin,
            start: line.offset_at(at),
            end: line.end,
        };
        builder.append(line.text.get(at..).unwrap_or_default());
        builder
    }

    pub(crate) fn push_line(&mut self, line: &Line<'_>) {
        self.push_line_text(line.text, line.end);
    }

    pub(crate) fn push_line_text(&mut self, text: &str, end: u64) {
        let blank_lines = std::mem::take(&mut self.blank_lines);
        self.append(&blank_lines);
        self.append("\n");
        self.append(text);
        self.end = end;
    }

    /// Appends a line without content: white space, or a box with only its borders.
    pub(crate) fn push_blank(&mut self, text: &str) {
        if self.blank_lines.len() <= RAW_BYTES_MAX {
            self.blank_lines.push('\n');
            self.blank_lines.push_str(&text[..text.floor_char_boundary(RAW_BYTES_MAX)]);
        }
    }

    /// Returns the offset of the first byte of the message's first line.
    pub(crate) fn first_line_begin(&self) -> u64 {
        self.line_begin
    }

    pub(crate) fn finish(mut self) -> Span {
        if self.is_cut {
            self.text.push('…');
        }
        Span { raw: self.text, start: self.start, end: self.end, ordinal: 0 }
    }

    fn append(&mut self, text: &str) {
        if self.is_cut {
            return;
        }
        let cut = text.floor_char_boundary(RAW_BYTES_MAX - self.text.len());
        self.text.push_str(text.get(..cut).unwrap_or(text));
        self.is_cut = cut < text.len();
    }
}
