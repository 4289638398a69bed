//! Generates agent output as terminals get it: logs, code, diffs, prose, colours, spinners, and occasional messages.
//!
//! The generator aims at fixed shares of escape sequences, edited lines and non-ASCII text; [`shares`] measures them
//! independently.

mod lines;
mod messages;
mod paint;

use crate::random::Random;

/// Average distance between two messages.
const MESSAGE_EVERY_BYTES: usize = 20 * 1024;
/// One line in this many is edited in place.
const EDITED_ONE_IN: usize = 20;
/// One byte in this many belongs to an escape sequence.
const ESCAPE_ONE_IN: usize = 3;
/// This many of a hundred bytes are not ASCII.
const NON_ASCII_PERCENT: usize = 15;

/// Generated output and the number of its messages.
pub struct Corpus {
    pub bytes: Vec<u8>,
    /// Number of messages that an orchestrator's decoder must find in it, all of them valid.
    pub n_messages: usize,
}

/// Generates about `size` bytes of output; the same seed and size give the same bytes.
pub fn generate(size: usize, seed: u64) -> Corpus {
    let mut writer = Writer {
        random: Random::new(seed),
        bytes: Vec::with_capacity(size + 8192),
        counts: Counts::default(),
    };
    let mut n_messages = 0;
    while writer.bytes.len() < size {
        if writer.bytes.len() >= n_messages * MESSAGE_EVERY_BYTES + MESSAGE_EVERY_BYTES / 2 {
            // Every kind in turn, so that any stretch of half a megabyte has all of them.
            n_messages += messages::write_message(&mut writer, n_messages);
        } else {
            lines::write(&mut writer);
        }
    }
    Corpus { bytes: writer.bytes, n_messages }
}

/// The bytes so far, and the counts that control their shares.
struct Writer {
    random: Random,
    bytes: Vec<u8>,
    counts: Counts,
}

#[derive(Default)]
struct Counts {
    escape: usize,
    non_ascii: usize,
    lines: usize,
    edited_lines: usize,
}

impl Writer {
    /// Appends text without escape sequences.
    fn write_text(&mut self, text: &str) {
        self.counts.non_ascii += text.bytes().filter(|byte| !byte.is_ascii()).count();
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// Appends an escape sequence.
    fn write_escape(&mut self, sequence: &str) {
        self.counts.escape += sequence.len();
        self.bytes.extend_from_slice(sequence.as_bytes());
    }

    fn write_newline(&mut self) {
        self.counts.lines += 1;
        self.bytes.push(b'\n');
    }

    /// Tells whether more lines that are edited in place are needed to reach their share.
    fn lacks_edited_lines(&self) -> bool {
        self.counts.edited_lines * EDITED_ONE_IN < self.counts.lines
    }

    /// Tells whether more colour is needed to reach its share.
    fn lacks_escapes(&self) -> bool {
        self.counts.escape * ESCAPE_ONE_IN < self.bytes.len()
    }

    /// Tells whether more non-ASCII characters are needed to reach their share.
    fn lacks_non_ascii(&self) -> bool {
        self.counts.non_ascii * 100 < self.bytes.len() * NON_ASCII_PERCENT
    }
}

/// Shares of an output, from 0 to 1.
#[derive(Debug)]
pub struct Shares {
    /// Bytes that belong to escape sequences.
    pub escape: f64,
    /// Bytes outside ASCII.
    pub non_ascii: f64,
    /// Lines with a carriage return, a backspace or a sequence that edits the line.
    pub edited_lines: f64,
    /// The mean length of a line in bytes.
    pub line_bytes: f64,
}

/// Measures the shares of an output.
pub fn shares(bytes: &[u8]) -> Shares {
    let (mut escape, mut non_ascii, mut n_lines, mut n_edited) = (0, 0, 0, 0);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        n_lines += 1;
        let mut is_edited = line.iter().any(|byte| matches!(byte, b'\r' | 8));
        let mut rest = line;
        while let Some(at) = rest.iter().position(|byte| *byte == 0x1b) {
            let length = escape_sequence_length(&rest[at..]);
            let last = rest[at + length - 1];
            is_edited |= rest.get(at + 1) == Some(&b'[') && b"KJGCDP@X".contains(&last);
            escape += length;
            rest = &rest[at + length..];
        }
        non_ascii += line.iter().filter(|byte| !byte.is_ascii()).count();
        n_edited += usize::from(is_edited);
    }
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    Shares {
        escape: share(escape, bytes.len()),
        non_ascii: share(non_ascii, bytes.len()),
        edited_lines: share(n_edited, n_lines),
        line_bytes: share(bytes.len(), n_lines),
    }
}

/// Returns the length of the escape sequence at the start of the bytes.
fn escape_sequence_length(bytes: &[u8]) -> usize {
    let end = match bytes.get(1) {
        Some(b'[') => bytes.iter().skip(2).position(|byte| (0x40..=0x7e).contains(byte)).map(|at| at + 3),
        Some(b']') => bytes.iter().skip(2).position(|byte| matches!(byte, 7 | b'\\')).map(|at| at + 3),
        _ => Some(2),
    };
    end.unwrap_or(bytes.len()).min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(value: f64, expected: f64, tolerance: f64, what: &str) {
        assert!((value - expected).abs() <= tolerance, "{what}: {value} is not {expected} ± {tolerance}");
    }

    #[test]
    fn the_shares_are_those_of_the_specification() {
        for (size, seed, tolerance) in [(4 << 20, 1, 0.005), (64 << 10, 2, 0.02)] {
            let corpus = generate(size, seed);
            let shares = shares(&corpus.bytes);
            assert_near(shares.escape, 1.0 / 3.0, tolerance, "escape bytes");
            assert_near(shares.non_ascii, 0.15, tolerance, "bytes outside ASCII");
            assert_near(shares.edited_lines, 0.05, tolerance, "edited lines");
            assert_near(corpus.n_messages as f64, size as f64 / 20_480.0, 3.0, "messages");
            assert!((40.0..200.0).contains(&shares.line_bytes), "{shares:?}");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes() {
        assert!(generate(100_000, 3).bytes == generate(100_000, 3).bytes);
        assert!(generate(100_000, 3).bytes != generate(100_000, 4).bytes);
    }

    #[test]
    fn the_output_is_valid_utf8() {
        assert!(String::from_utf8(generate(500_000, 5).bytes).is_ok());
    }

    #[test]
    fn sequences_are_counted_whole() {
        let bytes = b"a\x1b[31mb\x1b]0;t\x07c\x1b]8;;u\x1b\\d\n";
        assert_near(shares(bytes).escape, (5 + 6 + 8) as f64 / bytes.len() as f64, 0.0001, "escape bytes");
    }
}
