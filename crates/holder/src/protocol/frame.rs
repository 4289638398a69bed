//! Frames: a length, a kind, a tag, a payload.
//!
//! ```text
//! 0               4      5     9
//! payload length | kind | tag | payload
//! ```
//!
//! A reply carries the tag of its request. The reader accepts bytes in any chunks, allocates no more than it
//! received, and rejects impossible lengths.

use std::fmt;

use zeroize::Zeroizing;

use super::FRAME_BYTES_MAX;

const HEAD_BYTES: usize = 9;

/// A frame. Debug output does not show its payload.
#[derive(Clone, PartialEq, Eq)]
pub struct Frame {
    /// Type of the payload.
    pub kind: u8,
    /// Chosen by the client, repeated in replies.
    pub tag: u32,
    /// Zeroed on drop, as it may contain secrets.
    pub payload: Zeroizing<Vec<u8>>,
}

/// A frame exceeds the limit. The rest of the stream cannot be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the frame has {bytes} bytes, the limit is {FRAME_BYTES_MAX}")]
pub struct FrameTooLarge {
    /// Length in the frame header.
    pub bytes: usize,
}

impl Frame {
    /// Encodes a frame.
    pub fn encode(kind: u8, tag: u32, payload: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD_BYTES + payload.len());
        bytes.extend_from_slice(&u32::try_from(payload.len()).unwrap_or(u32::MAX).to_le_bytes());
        bytes.push(kind);
        bytes.extend_from_slice(&tag.to_le_bytes());
        bytes.extend_from_slice(payload);
        bytes
    }
}

/// Assembles frames from received bytes.
#[derive(Default)]
pub struct FrameReader {
    bytes: Zeroizing<Vec<u8>>,
    /// Number of bytes already returned as frames.
    taken: usize,
}

impl FrameReader {
    /// Adds received bytes. The caller takes frames out before adding more, so this holds at most one frame and a
    /// piece.
    pub fn push(&mut self, piece: &[u8]) {
        let rest = self.bytes.get(self.taken..).unwrap_or_default();
        if self.taken > 0 || rest.len() + piece.len() > self.bytes.capacity() {
            // Growing explicitly leaves no copy of secrets in freed memory.
            let capacity = (rest.len() + piece.len()).max(rest.len() * 2);
            let mut larger = Zeroizing::new(Vec::with_capacity(capacity));
            larger.extend_from_slice(rest);
            self.bytes = larger;
            self.taken = 0;
        }
        self.bytes.extend_from_slice(piece);
    }

    /// Returns the next complete frame.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, FrameTooLarge> {
        self.next_frame_within(FRAME_BYTES_MAX)
    }

    /// Like [`next_frame`](Self::next_frame), with a lower limit.
    pub(crate) fn next_frame_within(&mut self, bytes_max: usize) -> Result<Option<Frame>, FrameTooLarge> {
        let rest = self.bytes.get(self.taken..).unwrap_or_default();
        let Some((&[a, b, c, d, kind, e, f, g, h], rest)) = rest.split_first_chunk::<HEAD_BYTES>() else {
            return Ok(None);
        };
        let length = u32::from_le_bytes([a, b, c, d]) as usize;
        if length > bytes_max {
            return Err(FrameTooLarge { bytes: length });
        }
        let Some(payload) = rest.get(..length) else { return Ok(None) };
        let payload = Zeroizing::new(payload.to_vec());
        self.taken += HEAD_BYTES + length;
        if self.taken == self.bytes.len() {
            // Idle connections keep no buffer.
            *self = Self::default();
        }
        Ok(Some(Frame { kind, tag: u32::from_le_bytes([e, f, g, h]), payload }))
    }
}

impl fmt::Debug for FrameReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FrameReader({} bytes)", self.bytes.len() - self.taken)
    }
}

impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Frame(kind {}, tag {}, {} bytes)", self.kind, self.tag, self.payload.len())
    }
}
