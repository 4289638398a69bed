//! Line numbers for a series of mostly increasing byte offsets.

use memchr::memchr_iter;

/// Counts lines from the previously requested offset. Line ends must be line feeds.
///
/// Tasks mostly come in file order, so counting onward is cheaper than an index of all lines.
pub(super) struct LineCounter<'a> {
    bytes: &'a [u8],
    offset: usize,
    line: usize,
    /// Bytes scanned again because an offset was smaller than the previous one.
    n_bytes_recounted: usize,
    line_starts: Option<Vec<usize>>,
}

impl<'a> LineCounter<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { bytes: text.as_bytes(), offset: 0, line: 1, n_bytes_recounted: 0, line_starts: None }
    }

    /// Returns the 1-based line number of an offset.
    pub(super) fn line_at(&mut self, offset: usize) -> usize {
        if let Some(starts) = &self.line_starts {
            return starts.partition_point(|&start| start <= offset);
        }
        let (from, to) = (self.offset.min(offset), self.offset.max(offset));
        let n_between = memchr_iter(b'\n', self.bytes.get(from..to).unwrap_or_default()).count();
        if offset < self.offset {
            self.line -= n_between;
            self.n_bytes_recounted += to - from;
            // Tasks in random order would be rescanned again and again: build the full index.
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
    fn lines_are_counted_forward_and_backward() {
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
