//! The line of one place after the other, counted on from the last.

use memchr::memchr_iter;

/// Counts the lines of a text, which has no line ends but line feeds.
///
/// Tasks come mostly in the file's order, so that counting on is cheaper than a list of all lines.
pub(super) struct LineCounter<'a> {
    bytes: &'a [u8],
    offset: usize,
    line: usize,
    /// How many bytes were looked at a second time.
    n_bytes_recounted: usize,
    line_starts: Option<Vec<usize>>,
}

impl<'a> LineCounter<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { bytes: text.as_bytes(), offset: 0, line: 1, n_bytes_recounted: 0, line_starts: None }
    }

    /// Returns the line of an offset, from 1.
    pub(super) fn line_at(&mut self, offset: usize) -> usize {
        if let Some(starts) = &self.line_starts {
            return starts.partition_point(|&start| start <= offset);
        }
        let (from, to) = (self.offset.min(offset), self.offset.max(offset));
        let n_between = memchr_iter(b'\n', self.bytes.get(from..to).unwrap_or_default()).count();
        if offset < self.offset {
            self.line -= n_between;
            self.n_bytes_recounted += to - from;
            // A file whose tasks are in no order would be counted over and over.
            if self.n_bytes_recounted > self.bytes.len() {
                let after = memchr_iter(b'\n', self.bytes).map(|end| end + 1);
                self.line_starts = Some(std::iter::once(0).chain(after).collect());
            }
        } else {
            self.line += n_between;
        }
        self.offset = offset;
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::LineCounter;

    #[test]
    fn lines_are_counted_on_and_back() {
        let text = "a\nb\n\nc\nd";
        let expected = |offset: usize| 1 + text[..offset].matches('\n').count();
        for offsets in [[0, 2, 5, 7, 8], [8, 7, 0, 5, 2], [7, 0, 8, 0, 8]] {
            let mut lines = LineCounter::new(text);
            for offset in offsets {
                assert_eq!(lines.line_at(offset), expected(offset), "{offsets:?}");
            }
        }
    }
}
