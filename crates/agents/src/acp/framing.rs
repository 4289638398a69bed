//! Bytes as they come → the lines that a JSON-RPC agent wrote, with their places.
//!
//! Keeps one unfinished line, and of a line beyond the bound nothing.

/// A line with a picture in it is large; what is larger than this is no message of anybody.
const LINE_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Cuts output into lines.
#[derive(Debug, Default)]
pub(super) struct Framing {
    line: Vec<u8>,
    begin: Option<u64>,
    is_too_long: bool,
}

/// One line of output.
#[derive(Debug)]
pub(super) struct Framed {
    /// The offset of its first byte.
    pub(super) begin: u64,
    /// The offset behind its newline.
    pub(super) end: u64,
    /// Its text without the newline; nothing where it is too long.
    pub(super) text: Option<Vec<u8>>,
}

impl Framing {
    /// Takes the bytes at `offset`, and returns the lines that end in them.
    pub(super) fn push(&mut self, bytes: &[u8], offset: u64) -> Vec<Framed> {
        let mut lines = Vec::new();
        let mut at = offset;
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let begin = *self.begin.get_or_insert(at);
            at += piece.len() as u64;
            self.keep(piece);
            if piece.ends_with(b"\n") {
                self.begin = None;
                let text = std::mem::take(&mut self.line);
                let is_too_long = std::mem::take(&mut self.is_too_long);
                lines.push(Framed { begin, end: at, text: (!is_too_long).then_some(text) });
            }
        }
        lines
    }

    fn keep(&mut self, piece: &[u8]) {
        let piece = piece.strip_suffix(b"\n").unwrap_or(piece);
        if self.is_too_long || self.line.len() + piece.len() > LINE_BYTES_MAX {
            self.is_too_long = true;
            self.line = Vec::new();
        } else {
            self.line.extend_from_slice(piece);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Framing, LINE_BYTES_MAX};

    #[test]
    fn a_line_has_its_place_wherever_it_was_cut() {
        let mut framing = Framing::default();
        assert!(framing.push(b"{\"a\"", 10).is_empty());
        let lines = framing.push(b":1}\n\n{", 20);
        let places: Vec<_> = lines.iter().map(|line| (line.begin, line.end)).collect();
        assert_eq!(places, [(10, 24), (24, 25)]);
        assert_eq!(lines[0].text.as_deref(), Some(&b"{\"a\":1}"[..]));
    }

    #[test]
    fn a_line_beyond_the_bound_is_dropped_and_the_next_is_whole() {
        let mut framing = Framing::default();
        assert!(framing.push(&vec![b'x'; LINE_BYTES_MAX + 1], 0).is_empty());
        let lines = framing.push(b"y\nz\n", LINE_BYTES_MAX as u64 + 1);
        assert!(lines[0].text.is_none());
        assert_eq!(lines[1].text.as_deref(), Some(&b"z"[..]));
        assert!(framing.line.capacity() < 1024);
    }
}
