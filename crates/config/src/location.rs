//! Byte offsets of a file → lines and columns, as an editor counts them.

use std::ops::Range;

use crate::origin::{At, Origin};

/// A byte order mark, which some editors put before a file's first character.
pub(crate) const BOM: &str = "\u{feff}";

/// Finds places in one file.
#[derive(Debug)]
pub(crate) struct Places<'a> {
    name: &'a str,
    text: &'a str,
    /// How many bytes of the file stand before the text.
    offset: usize,
    line_starts: Vec<usize>,
}

/// Where a value is given.
#[derive(Debug, Clone)]
pub(crate) enum Spot<'a> {
    /// In words that have no lines.
    Words(Origin),
    /// In a file, at this key.
    File(&'a Places<'a>, Range<usize>),
}

impl<'a> Places<'a> {
    /// Looks through a file once, so that every later question is cheap.
    pub(crate) fn new(name: &'a str, whole: &'a str) -> Self {
        let text = whole.strip_prefix(BOM).unwrap_or(whole);
        let line_ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let line_starts = std::iter::once(0).chain(line_ends.map(|(end, _)| end + 1)).collect();
        Self { name, text, offset: whole.len() - text.len(), line_starts }
    }

    /// Returns the text without what stands before it.
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the line of a place, from 1.
    pub(crate) fn line(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= offset)
    }

    /// Returns a part of the text as a place in the file.
    pub(crate) fn origin(&self, span: Range<usize>) -> Origin {
        let line = self.line(span.start);
        let start = self.line_starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        let column = self.text.get(start..span.start).map_or(0, |before| before.chars().count()) + 1;
        let span = span.start + self.offset..span.end + self.offset;
        Origin::File { name: self.name.to_owned(), at: Some(At { line, column, span }) }
    }
}

impl Spot<'_> {
    /// Returns where it is.
    pub(crate) fn origin(&self) -> Origin {
        match self {
            Self::Words(origin) => origin.clone(),
            Self::File(places, key) => places.origin(key.clone()),
        }
    }

    /// Returns where a part of it is.
    pub(crate) fn part(&self, span: Range<usize>) -> Origin {
        match self {
            Self::Words(origin) => origin.clone(),
            Self::File(places, _) => places.origin(span),
        }
    }
}
