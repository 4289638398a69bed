//! Pieces of the stream, put together.

use bytes::Bytes;

/// About how much is told in one go.
const TOLD_BYTES: usize = 128 << 10;

/// What is told in one go. One piece is not copied.
#[derive(Default)]
pub(super) struct Told {
    first: Bytes,
    all: Vec<u8>,
}

impl Told {
    /// Adds a piece. Returns whether it is enough.
    pub(super) fn add(&mut self, piece: Option<Bytes>) -> bool {
        let Some(piece) = piece else { return false };
        if self.first.is_empty() {
            self.first = piece;
        } else {
            if self.all.is_empty() {
                self.all.extend_from_slice(&self.first);
            }
            self.all.extend_from_slice(&piece);
        }
        self.first.len().max(self.all.len()) >= TOLD_BYTES
    }

    pub(super) fn text(self) -> Option<Bytes> {
        let text = if self.all.is_empty() { self.first } else { self.all.into() };
        (!text.is_empty()).then_some(text)
    }
}
