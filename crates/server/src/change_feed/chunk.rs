//! Joins frames of an event stream to chunks.

use bytes::Bytes;

/// Size from which a chunk is sent.
const CHUNK_BYTES: usize = 128 << 10;

/// Collects frames into one chunk. A single frame is not copied.
#[derive(Default)]
pub(super) struct ChunkBuilder {
    first: Bytes,
    joined: Vec<u8>,
}

impl ChunkBuilder {
    /// Adds a frame, if any. Returns whether the chunk is large enough.
    pub(super) fn add(&mut self, frame: Option<Bytes>) -> bool {
        let Some(frame) = frame else { return false };
        if self.first.is_empty() {
            self.first = frame;
        } else {
            if self.joined.is_empty() {
                self.joined.extend_from_slice(&self.first);
            }
            self.joined.extend_from_slice(&frame);
        }
        self.first.len().max(self.joined.len()) >= CHUNK_BYTES
    }

    /// Returns the chunk; `None` if it is empty.
    pub(super) fn text(self) -> Option<Bytes> {
        let text = if self.joined.is_empty() { self.first } else { self.joined.into() };
        (!text.is_empty()).then_some(text)
    }
}
