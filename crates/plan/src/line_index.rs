//! Converts byte offsets to lines and columns as editors count them.

use memchr::memchr2_iter;

/// Byte order mark that some editors write at the beginning of a file.
pub(crate) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// A position in a file, 1-based, with the column counted in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineColumn {
    /// Counted from 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
}

/// Offsets of all line starts of one file.
#[derive(Debug)]
pub struct LineIndex<'a> {
    source: &'a [u8],
    line_starts: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    /// Scans the file once.
    pub fn new(source: &'a [u8]) -> Self {
        let mut line_starts = vec![0];
        // A lone carriage return also ends a line, both in Markdown and in editors.
        let ends_line = |end: &usize| source.get(*end) == Some(&b'\n') || source.get(end + 1) != Some(&b'\n');
        line_starts.extend(memchr2_iter(b'\n', b'\r', source).filter(ends_line).map(|end| end + 1));
        Self { source, line_starts }
    }

    /// Returns the 1-based line of an offset; offsets past the end belong to the last line.
    pub fn line_of(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= offset)
    }

    /// Returns the 1-based line and column of an offset.
    pub fn line_column(&self, offset: usize) -> LineColumn {
        let line = self.line_of(offset);
        let start = self.line_starts.get(line - 1).copied().unwrap_or(0);
        let before = self.source.get(start..offset.min(self.source.len())).unwrap_or_default();
        let before = before.strip_prefix(BOM).unwrap_or(before);
        // Count only bytes that start a character.
        let n_characters = before.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        LineColumn { line, column: n_characters + 1 }
    }
}
