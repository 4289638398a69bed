//! Byte offsets → lines and columns, as an editor counts them.

use memchr::memchr2_iter;

/// A byte order mark, which some editors put before a file's first character.
pub(crate) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// A place in a file, both counted from 1, the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineColumn {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// Finds the place of any offset of one file.
#[derive(Debug)]
pub struct LineIndex<'a> {
    source: &'a [u8],
    line_starts: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    /// Looks through a file once, so that every later question is cheap.
    pub fn new(source: &'a [u8]) -> Self {
        let mut line_starts = vec![0];
        // A carriage return alone ends a line in Markdown, and in an editor.
        let ends_line = |end: &usize| source.get(*end) == Some(&b'\n') || source.get(end + 1) != Some(&b'\n');
        line_starts.extend(memchr2_iter(b'\n', b'\r', source).filter(ends_line).map(|end| end + 1));
        Self { source, line_starts }
    }

    /// Returns the line of an offset, from 1; one past the end belongs to the last line.
    pub fn line_of(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= offset)
    }

    /// Returns the line and the column of an offset.
    pub fn line_column(&self, offset: usize) -> LineColumn {
        let line = self.line_of(offset);
        let start = self.line_starts.get(line - 1).copied().unwrap_or(0);
        let before = self.source.get(start..offset.min(self.source.len())).unwrap_or_default();
        let before = before.strip_prefix(BOM).unwrap_or(before);
        // Every byte that does not continue a character begins one.
        let n_characters = before.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        LineColumn { line, column: n_characters + 1 }
    }
}
