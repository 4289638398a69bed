//! Converts byte offsets of a file to lines and columns.

use std::ops::Range;

use crate::origin::{Origin, TextLocation};

/// Byte order mark, which some editors write at the start of a file.
pub(crate) const BOM: &str = "\u{feff}";

/// The line starts of a file.
#[derive(Debug)]
pub(crate) struct LineIndex<'a> {
    name: &'a str,
    text: &'a str,
    /// Length of the byte order mark before the text.
    offset: usize,
    line_starts: Vec<usize>,
}

/// Where a value was set.
#[derive(Debug, Clone)]
pub(crate) enum ValueLocation<'a> {
    /// In a flag or variable.
    Override(Origin),
    /// In a file, at the byte range of its key.
    File(&'a LineIndex<'a>, Range<usize>),
}

impl<'a> LineIndex<'a> {
    /// Indexes the lines of a file.
    pub(crate) fn new(name: &'a str, whole: &'a str) -> Self {
        let text = whole.strip_prefix(BOM).unwrap_or(whole);
        let line_ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let line_starts = std::iter::once(0).chain(line_ends.map(|(end, _)| end + 1)).collect();
        Self { name, text, offset: whole.len() - text.len(), line_starts }
    }

    /// Returns the text without the byte order mark.
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the line of an offset, from 1.
    pub(crate) fn line(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= offset)
    }

    /// Returns the origin of a byte range of the text.
    pub(crate) fn origin(&self, span: Range<usize>) -> Origin {
        let line = self.line(span.start);
        let start = self.line_starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        let column = self.text.get(start..span.start).map_or(0, |before| before.chars().count()) + 1;
        let span = span.start + self.offset..span.end + self.offset;
        Origin::File { name: self.name.to_owned(), at: Some(TextLocation { line, column, span }) }
    }
}

impl ValueLocation<'_> {
    /// Returns the origin of the key.
    pub(crate) fn origin(&self) -> Origin {
        match self {
            Self::Override(origin) => origin.clone(),
            Self::File(lines, key) => lines.origin(key.clone()),
        }
    }

    /// Returns the origin of a part of the value.
    pub(crate) fn origin_of_part(&self, span: Range<usize>) -> Origin {
        match self {
            Self::Override(origin) => origin.clone(),
            Self::File(lines, _) => lines.origin(span),
        }
    }
}
