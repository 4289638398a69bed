//! The line of one place after the other, counted on from the last.

use memchr::memchr_iter;

/// Counts the lines of a text, which has no line ends but line feeds.
///
/// Tasks come mostly in the file's order, so that counting on is cheaper than a list of all lines.
pub(super) struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    /// How many bytes were looked at a second time.
    n_again: usize,
    starts: Option<Vec<usize>>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { bytes: text.as_bytes(), at: 0, line: 1, n_again: 0, starts: None }
    }

    /// Returns the line of an offset, from 1.
    pub(super) fn line(&mut self, offset: usize) -> usize {
        if let Some(starts) = &self.starts {
            return starts.partition_point(|&start| start <= offset);
        }
        let (from, to) = (self.at.min(offset), self.at.max(offset));
        let n_between = memchr_iter(b'\n', self.bytes.get(from..to).unwrap_or_default()).count();
        if offset < self.at {
            self.line -= n_between;
            self.n_again += to - from;
            // A file whose tasks are in no order would be counted over and over.
            if self.n_again > self.bytes.len() {
                let after = memchr_iter(b'\n', self.bytes).map(|end| end + 1);
                self.starts = Some(std::iter::once(0).chain(after).collect());
            }
        } else {
            self.line += n_between;
        }
        self.at = offset;
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn lines_are_counted_on_and_back() {
        let text = "a\nb\n\nc\nd";
        let expected = |offset: usize| 1 + text[..offset].matches('\n').count();
        for offsets in [[0, 2, 5, 7, 8], [8, 7, 0, 5, 2], [7, 0, 8, 0, 8]] {
            let mut lines = Lines::new(text);
            for offset in offsets {
                assert_eq!(lines.line(offset), expected(offset), "{offsets:?}");
            }
        }
    }
}
