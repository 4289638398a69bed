//! Frames: a length, a kind, a tag, a payload.
//!
//! ```text
//! 0               4      5     9
//! payload length | kind | tag | payload
//! ```
//!
//! A reply carries the tag of the request that it answers. A reader takes bytes as they come, allocates no more than
//! what came, and refuses a length that no frame has.

use std::fmt;

use zeroize::Zeroizing;

use super::FRAME_BYTES_MAX;

const HEAD_BYTES: usize = 9;

/// One frame. Debug output does not show what is in it.
#[derive(Clone, PartialEq, Eq)]
pub struct Frame {
    /// What the payload is.
    pub kind: u8,
    /// Chosen by the client, repeated in replies.
    pub tag: u32,
    /// The rest. It is zeroed when dropped, as it can hold secrets.
    pub payload: Zeroizing<Vec<u8>>,
}

/// A frame's head names a length that no frame has. Nothing behind it can be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a frame of {bytes} bytes: at most {FRAME_BYTES_MAX} are allowed")]
pub struct TooLarge {
    /// The length that was named.
    pub bytes: usize,
}

impl Frame {
    /// Puts a frame into bytes.
    pub fn encode(kind: u8, tag: u32, payload: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD_BYTES + payload.len());
        bytes.extend_from_slice(&u32::try_from(payload.len()).unwrap_or(u32::MAX).to_le_bytes());
        bytes.push(kind);
        bytes.extend_from_slice(&tag.to_le_bytes());
        bytes.extend_from_slice(payload);
        bytes
    }
}

/// Puts frames together from bytes as they come.
#[derive(Default)]
pub struct FrameReader {
    bytes: Zeroizing<Vec<u8>>,
    /// How much of it was taken out already.
    taken: usize,
}

impl FrameReader {
    /// Takes bytes. The caller takes frames out before it pushes more, so this never grows beyond one frame and a piece.
    pub fn push(&mut self, piece: &[u8]) {
        let rest = self.bytes.get(self.taken..).unwrap_or_default();
        if self.taken > 0 || rest.len() + piece.len() > self.bytes.capacity() {
            // Growing by hand leaves no copy of a secret behind in freed memory.
            let capacity = (rest.len() + piece.len()).max(rest.len() * 2);
            let mut larger = Zeroizing::new(Vec::with_capacity(capacity));
            larger.extend_from_slice(rest);
            self.bytes = larger;
            self.taken = 0;
        }
        self.bytes.extend_from_slice(piece);
    }

    /// Returns the next whole frame.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, TooLarge> {
        self.next_frame_within(FRAME_BYTES_MAX)
    }

    /// Does the same where a frame may be only so long.
    pub(crate) fn next_frame_within(&mut self, bytes_max: usize) -> Result<Option<Frame>, TooLarge> {
        let rest = self.bytes.get(self.taken..).unwrap_or_default();
        let Some((&[a, b, c, d, kind, e, f, g, h], rest)) = rest.split_first_chunk::<HEAD_BYTES>() else {
            return Ok(None);
        };
        let length = u32::from_le_bytes([a, b, c, d]) as usize;
        if length > bytes_max {
            return Err(TooLarge { bytes: length });
        }
        let Some(payload) = rest.get(..length) else { return Ok(None) };
        let payload = Zeroizing::new(payload.to_vec());
        self.taken += HEAD_BYTES + length;
        if self.taken == self.bytes.len() {
            // An idle connection keeps no memory.
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
