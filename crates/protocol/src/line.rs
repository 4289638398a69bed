//! One rendered line of output, and the origin of its characters.

#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    /// The text without its newline.
    pub(crate) text: &'a str,
    origin: ByteOrigin<'a>,
    /// The offset of the line's first byte.
    pub(crate) begin: u64,
    /// The offset after the line's newline.
    pub(crate) end: u64,
    /// Whether the line was longer than its limit; `text` is then truncated.
    pub(crate) too_long: bool,
}

/// The origin of a line's bytes in the output.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ByteOrigin<'a> {
    /// Consecutive bytes from this offset on.
    Contiguous(u64),
    Pieces(&'a [SourcePiece]),
    /// All from one offset: a line of a screen.
    Point(u64),
}

/// The bytes of a line from index `text` on come from offset `source` on, up to the next piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SourcePiece {
    pub(crate) text: usize,
    pub(crate) source: u64,
}

impl<'a> Line<'a> {
    pub(crate) fn new(text: &'a str, origin: ByteOrigin<'a>, begin: u64, end: u64, too_long: bool) -> Self {
        Self { text, origin, begin, end, too_long }
    }

    /// Returns the offset of the byte that drew the character at `index`.
    pub(crate) fn offset_at(&self, index: usize) -> u64 {
        match self.origin {
            ByteOrigin::Contiguous(base) => base + index as u64,
            ByteOrigin::Point(offset) => offset,
            ByteOrigin::Pieces(pieces) => {
                let next = pieces.partition_point(|piece| piece.text <= index);
                match next.checked_sub(1).and_then(|last| pieces.get(last)) {
                    Some(piece) => piece.source + (index - piece.text) as u64,
                    None => self.begin,
                }
            }
        }
    }

    /// Returns the part of the line before `index` as a line of its own.
    pub(crate) fn part_before(&self, index: usize) -> Line<'a> {
        Line {
            text: self.text.get(..index).unwrap_or(self.text),
            end: self.offset_at(index),
            too_long: false,
            ..*self
        }
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}
