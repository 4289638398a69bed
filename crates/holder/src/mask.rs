//! Masks secret values in an agent's output before it reaches a file.
//!
//! Every byte of a value becomes `*`, so offsets do not change. Values are also recognized in the encodings that
//! programs print (`encodings`). Buffers are zeroed on drop.
//!
//! Output arrives in pieces that may end inside a value. A possible beginning is held back until the next piece
//! decides, or released by `flush` after a moment, so that a prompt stays visible. A value whose beginning was
//! released is still recognized, and its rest is masked.

mod encodings;
mod patterns;

use zeroize::Zeroizing;

use patterns::SecretPatterns;

/// Shorter values would mask ordinary text.
pub const SECRET_BYTES_MIN: usize = 4;
/// A long private key fits.
pub const SECRET_BYTES_MAX: usize = 8 << 10;
/// Limit of all values together; with all encodings about a quarter of a megabyte.
pub const SECRETS_BYTES_MAX: usize = 16 << 10;

/// Replacement of a masked byte.
pub const MASK: u8 = b'*';

/// A secret value. Debug output shows only its length; zeroed on drop.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    /// Takes ownership of a value.
    pub fn new(value: Vec<u8>) -> Self {
        Self(Zeroizing::new(value))
    }

    /// Returns the length of the value.
    pub fn byte_length(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn value(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secret({} bytes)", self.0.len())
    }
}

/// Checks that values can be masked; returns the reason if not.
pub fn check_secrets(secrets: &[Secret]) -> Result<(), &'static str> {
    if secrets.iter().any(|secret| secret.0.len() < SECRET_BYTES_MIN) {
        return Err("a secret is shorter than 4 bytes: masking it would hide ordinary text");
    }
    if secrets.iter().any(|secret| secret.0.len() > SECRET_BYTES_MAX) {
        return Err("a secret is longer than 8 KiB");
    }
    if secrets.iter().map(|secret| secret.0.len()).sum::<usize>() > SECRETS_BYTES_MAX {
        return Err("the secrets are longer than 16 KiB in total");
    }
    Ok(())
}

/// Masks one stream.
#[derive(Default)]
pub struct Masker {
    patterns: Option<SecretPatterns>,
    /// Undecided input, unmasked.
    raw: Zeroizing<Vec<u8>>,
    /// The same bytes, with matches masked.
    masked: Vec<u8>,
    /// Number of these bytes already released by `flush`.
    n_released: usize,
}

impl Masker {
    /// Replaces the values. Output that was already released does not change.
    pub fn set_secrets(&mut self, secrets: &[Secret]) {
        self.patterns = SecretPatterns::new(secrets);
    }

    /// Tells whether there is nothing to mask; output can then bypass the masker.
    pub fn has_nothing_to_mask(&self) -> bool {
        self.patterns.is_none() && self.raw.is_empty()
    }

    /// Tells whether output is held back that `flush` would release.
    pub fn has_held_back_output(&self) -> bool {
        self.n_released < self.raw.len()
    }

    /// Adds a piece of output, and appends to `out` what is decided. The number of bytes never changes.
    pub fn push(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        extend_zeroizing(&mut self.raw, piece);
        self.masked.extend_from_slice(piece);
        let n_decided = match &self.patterns {
            Some(patterns) => patterns.mask(&self.raw, &mut self.masked),
            None => self.raw.len(),
        };
        if self.n_released < n_decided {
            out.extend_from_slice(self.masked.get(self.n_released..n_decided).unwrap_or_default());
        }
        self.n_released = self.n_released.saturating_sub(n_decided);
        drop_front(&mut self.raw, n_decided);
        self.masked.drain(..n_decided);
    }

    /// Releases held-back output. If it is at least half of a value, it is masked to be safe.
    pub fn flush(&mut self, out: &mut Vec<u8>) {
        if let Some(patterns) = &self.patterns {
            patterns.mask_trailing_partial_matches(&self.raw, &mut self.masked);
        }
        out.extend_from_slice(self.masked.get(self.n_released..).unwrap_or_default());
        self.n_released = self.masked.len();
    }
}

/// Appends without leaving copies of secrets in freed memory.
fn extend_zeroizing(buffer: &mut Zeroizing<Vec<u8>>, piece: &[u8]) {
    let needed = buffer.len() + piece.len();
    if needed > buffer.capacity() {
        let mut larger = Zeroizing::new(Vec::with_capacity(needed));
        larger.extend_from_slice(buffer);
        *buffer = larger;
    }
    buffer.extend_from_slice(piece);
}

/// Removes bytes from the front and zeroes the freed ones.
fn drop_front(buffer: &mut Zeroizing<Vec<u8>>, count: usize) {
    let count = count.min(buffer.len());
    let n_remaining = buffer.len() - count;
    buffer.copy_within(count.., 0);
    // The buffer is still used, so the compiler keeps this store. Volatile byte-wise zeroing would cost more than the
    // search.
    if let Some(freed) = buffer.get_mut(n_remaining..) {
        freed.fill(0);
    }
    buffer.truncate(n_remaining);
}
