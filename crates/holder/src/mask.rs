//! Hides secret values in what an agent writes, byte for byte, before it reaches a file.
//!
//! Every byte of a known value becomes `*`, so that offsets stay what they are. A value is also known by the forms in
//! which programs print it (`forms`). Never writes a value anywhere; what it holds is zeroed when it is dropped.
//!
//! Output comes in pieces that can end inside a value. What could be the start of one is held back until the next piece
//! decides; `flush` gives it up after a moment, so that a prompt that ends like a value begins is still shown. What was
//! given up stays known: when the rest of the value comes, the rest is masked.

mod forms;
mod patterns;

use zeroize::Zeroizing;

use patterns::Patterns;

/// The shortest value that can be masked: shorter ones would hide ordinary text.
pub const SECRET_BYTES_MIN: usize = 4;
/// The longest value: a long private key fits.
pub const SECRET_BYTES_MAX: usize = 8 << 10;
/// How long all values may be together. With all forms that is at most a quarter of a megabyte.
pub const SECRETS_BYTES_MAX: usize = 16 << 10;

/// What a masked byte becomes.
pub const MASK: u8 = b'*';

/// A value that must not be seen. Debug output does not show it, and its memory is zeroed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    /// Takes a value over.
    pub fn new(value: Vec<u8>) -> Self {
        Self(Zeroizing::new(value))
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

/// Says why a set of values can't be masked.
pub fn check(secrets: &[Secret]) -> Result<(), &'static str> {
    if secrets.iter().any(|secret| secret.0.len() < SECRET_BYTES_MIN) {
        return Err("a value is shorter than 4 bytes: masking it would hide ordinary text");
    }
    if secrets.iter().any(|secret| secret.0.len() > SECRET_BYTES_MAX) {
        return Err("a value is longer than 8 KiB");
    }
    if secrets.iter().map(|secret| secret.0.len()).sum::<usize>() > SECRETS_BYTES_MAX {
        return Err("the values are longer than 16 KiB together");
    }
    Ok(())
}

/// Masks one stream.
#[derive(Default)]
pub struct Masker {
    patterns: Option<Patterns>,
    /// What came and is not decided yet, as it came.
    raw: Zeroizing<Vec<u8>>,
    /// The same with what is known masked.
    shown: Vec<u8>,
    /// How much of both was given out already, by `flush`.
    given: usize,
}

impl Masker {
    /// Replaces the values to hide. What was given out already stays as it is.
    pub fn set(&mut self, secrets: &[Secret]) {
        self.patterns = Patterns::new(secrets);
    }

    /// Says whether there is anything to hide. If not, output need not go through here at all.
    pub fn is_idle(&self) -> bool {
        self.patterns.is_none() && self.raw.is_empty()
    }

    /// Says whether something is held back that `flush` would give out.
    pub fn is_holding(&self) -> bool {
        self.given < self.raw.len()
    }

    /// Takes a piece of output and appends to `out` what is decided. No byte is added, lost or moved.
    pub fn push(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        extend(&mut self.raw, piece);
        self.shown.extend_from_slice(piece);
        let held = match &self.patterns {
            Some(patterns) => patterns.mask(&self.raw, &mut self.shown),
            None => self.raw.len(),
        };
        if self.given < held {
            out.extend_from_slice(self.shown.get(self.given..held).unwrap_or_default());
        }
        self.given = self.given.saturating_sub(held);
        drop_front(&mut self.raw, held);
        self.shown.drain(..held);
    }

    /// Gives out what is held back. If it is half of a value or more, it is masked: better one word too many.
    pub fn flush(&mut self, out: &mut Vec<u8>) {
        if let Some(patterns) = &self.patterns {
            patterns.mask_halves(&self.raw, &mut self.shown);
        }
        out.extend_from_slice(self.shown.get(self.given..).unwrap_or_default());
        self.given = self.shown.len();
    }
}

/// Appends without leaving a copy of the old bytes behind in freed memory.
fn extend(buffer: &mut Zeroizing<Vec<u8>>, piece: &[u8]) {
    let needed = buffer.len() + piece.len();
    if needed > buffer.capacity() {
        let mut larger = Zeroizing::new(Vec::with_capacity(needed));
        larger.extend_from_slice(buffer);
        *buffer = larger;
    }
    buffer.extend_from_slice(piece);
}

/// Removes the front and zeroes what is freed by it.
fn drop_front(buffer: &mut Zeroizing<Vec<u8>>, count: usize) {
    let count = count.min(buffer.len());
    let left = buffer.len() - count;
    buffer.copy_within(count.., 0);
    // The buffer lives on, so this is no dead store. Byte by byte, as memory that is freed is zeroed, it would cost more
    // than the search.
    if let Some(freed) = buffer.get_mut(left..) {
        freed.fill(0);
    }
    buffer.truncate(left);
}
