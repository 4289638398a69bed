//! The bytes at which a line of output can change its meaning, found 64 at a time.
//!
//! A third of what agents print is colour. Colours are taken out here by arithmetic on bit masks, a bit for each byte
//! of a block, so that no branch depends on them.

use wide::u8x16;

use crate::escape::{C1_LEAD, ESC};

const BLOCK_BYTES: usize = 64;

/// Walks the landmarks of some bytes from front to back: controls other than tab, `[`, and what may begin a C1 control.
///
/// Those of colours are left out, except where that can't be told within a block.
#[derive(Debug)]
pub(crate) struct Landmarks<'b> {
    bytes: &'b [u8],
    /// The index of the block that `ahead` is of.
    block: usize,
    /// A bit for each landmark of the block that is not passed yet.
    ahead: u64,
    carry: Carry,
}

/// How a colour goes over the end of a block.
#[derive(Debug, Clone, Copy, Default)]
struct Carry {
    /// The block ended with ESC.
    escape: bool,
    /// The block ended inside the parameters, or before them.
    parameters: bool,
}

impl<'b> Landmarks<'b> {
    pub(crate) fn of(bytes: &'b [u8]) -> Self {
        let mut landmarks = Self { bytes, block: 0, ahead: 0, carry: Carry::default() };
        landmarks.load();
        landmarks
    }

    /// Returns the first landmark at `from` or behind it; `from` never goes back.
    #[inline]
    pub(crate) fn next(&mut self, from: usize) -> Option<usize> {
        while from >= self.block + BLOCK_BYTES {
            self.advance()?;
        }
        self.ahead &= u64::MAX << from.saturating_sub(self.block);
        while self.ahead == 0 {
            self.advance()?;
        }
        Some(self.block + self.ahead.trailing_zeros() as usize)
    }

    #[inline]
    fn advance(&mut self) -> Option<()> {
        self.block += BLOCK_BYTES;
        (self.block < self.bytes.len()).then(|| self.load())
    }

    #[inline]
    fn load(&mut self) {
        let rest = self.bytes.get(self.block..).unwrap_or_default();
        (self.ahead, self.carry) = match rest.first_chunk::<BLOCK_BYTES>() {
            Some(block) => Masks::of(block).landmarks(block, self.carry),
            None => {
                let mut block = [b' '; BLOCK_BYTES];
                for (slot, byte) in block.iter_mut().zip(rest) {
                    *slot = *byte;
                }
                Masks::of(&block).landmarks(&block, self.carry)
            }
        };
    }
}

/// Returns the index behind the colour that begins at `at`; `None` where another sequence does, or it does not end.
#[inline]
pub(crate) fn behind_colour(bytes: &[u8], at: usize) -> Option<usize> {
    // No colour has more; the bound keeps a long row of digits from being looked at again and again.
    const PARAMETERS_MAX: usize = 256;
    let rest = bytes.get(at..)?.strip_prefix(&[ESC, b'['])?;
    let mut length = 0;
    while let Some(word) = rest.get(length..).and_then(|rest| rest.first_chunk::<8>()) {
        let parameters = leading_parameters(*word);
        length += parameters;
        if parameters < 8 {
            return (rest.get(length) == Some(&b'm')).then_some(at + 2 + length + 1);
        }
        if length > PARAMETERS_MAX {
            return None;
        }
    }
    length += rest.get(length..)?.iter().position(|byte| !(b'0'..=b';').contains(byte))?;
    (rest.get(length) == Some(&b'm')).then_some(at + 2 + length + 1)
}

/// Counts the digits, `:` and `;` at the beginning of eight bytes, all eight at once.
#[inline]
fn leading_parameters(word: [u8; 8]) -> usize {
    const EACH: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = EACH * 0x80;
    let word = u64::from_le_bytes(word);
    let low = word & !HIGH;
    // A byte's high bit is set by the sum if the byte is at least so large; bytes beyond ASCII have it anyway.
    let at_least_zero = low + EACH * (0x80 - b'0' as u64);
    let above_semicolon = low + EACH * (0x80 - (b';' as u64 + 1));
    let others = (word | above_semicolon | !at_least_zero) & HIGH;
    (others.trailing_zeros() / 8) as usize
}

/// What the bytes of a block are, a bit for each.
struct Masks {
    escape: u64,
    bracket: u64,
    /// Controls other than tab, and what may begin a C1 control.
    control: u64,
}

/// What of them belongs to colours, a bit for each.
struct ColourMasks {
    /// Digits, `:` and `;`.
    parameter: u64,
    m: u64,
}

impl Masks {
    #[inline]
    fn of(block: &[u8; BLOCK_BYTES]) -> Self {
        let mut masks = Self { escape: 0, bracket: 0, control: 0 };
        let (quarters, _) = block.as_chunks::<16>();
        for (index, quarter) in quarters.iter().enumerate() {
            let bytes = u8x16::new(*quarter);
            let place = |mask: u8x16| u64::from(mask.to_bitmask()) << (index * 16);
            let is = |byte: u8| bytes.simd_eq(u8x16::splat(byte));
            let is_low = bytes.min(u8x16::splat(0x1f)).simd_eq(bytes);
            masks.escape |= place(is(ESC));
            masks.bracket |= place(is(b'['));
            masks.control |= place((is_low & !is(b'\t')) | is(C1_LEAD));
        }
        masks
    }

    /// Returns the landmarks without those of colours, and how a colour goes on behind the block.
    #[inline]
    fn landmarks(&self, block: &[u8; BLOCK_BYTES], carry: Carry) -> (u64, Carry) {
        if self.escape == 0 && !carry.escape && !carry.parameters {
            return (self.control | self.bracket, Carry::default());
        }
        let ColourMasks { parameter, m } = ColourMasks::of(block);
        // The bracket behind each ESC, the byte behind that bracket, and the first byte that is no parameter.
        let opening = ((self.escape << 1) | u64::from(carry.escape)) & self.bracket;
        let first = (opening << 1) | u64::from(carry.parameters);
        // Adding a bit to the lowest of a row of ones carries it to the place behind the row.
        let (sum, runs_over) = parameter.overflowing_add(first & parameter);
        let last = (sum & !parameter) | (first & !parameter);
        let next = Carry { escape: self.escape >> 63 == 1, parameters: runs_over || opening >> 63 == 1 };

        let all = self.control | self.bracket;
        let lone_escape = self.escape & !(opening >> 1) & (u64::MAX >> 1);
        if last & !m != 0 || lone_escape != 0 {
            return (all, next);
        }
        let mut colours = self.escape | opening;
        if next.escape || next.parameters {
            // The last colour may turn out to be none.
            let pending = 1_u64.checked_shl(63_u32.wrapping_sub(self.escape.leading_zeros())).unwrap_or(0);
            colours &= !(pending | (pending << 1));
        }
        (all & !colours, next)
    }
}

impl ColourMasks {
    #[inline]
    fn of(block: &[u8; BLOCK_BYTES]) -> Self {
        let mut masks = Self { parameter: 0, m: 0 };
        let (quarters, _) = block.as_chunks::<16>();
        for (index, quarter) in quarters.iter().enumerate() {
            let bytes = u8x16::new(*quarter);
            let place = |mask: u8x16| u64::from(mask.to_bitmask()) << (index * 16);
            let above_zero = bytes - u8x16::splat(b'0');
            masks.parameter |= place(above_zero.min(u8x16::splat(b';' - b'0')).simd_eq(above_zero));
            masks.m |= place(bytes.simd_eq(u8x16::splat(b'm')));
        }
        masks
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Landmarks, behind_colour};

    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop::sample::select(vec![
            "a",
            "b",
            " ",
            "m",
            "0",
            "12;3",
            "[",
            "\t",
            "\n",
            "\r",
            "\x1b",
            "\x1b[",
            "\x1b[0m",
            "\x1b[38;5;12m",
            "\x1b[m",
            "\x1b[K",
            "\u{b7}",
            "뛰",
        ]);
        prop::collection::vec(piece, 0..200).prop_map(|pieces| pieces.concat().into_bytes())
    }

    proptest! {
        #[test]
        fn every_landmark_that_is_no_colours_is_found_once_in_order(bytes in bytes()) {
            let mut landmarks = Landmarks::of(&bytes);
            let mut found = Vec::new();
            let mut from = 0;
            while let Some(at) = landmarks.next(from) {
                match behind_colour(&bytes, at) {
                    Some(behind) => from = behind,
                    None => {
                        found.push(at);
                        from = at + 1;
                    }
                }
            }
            let mut expected = Vec::new();
            let mut at = 0;
            while at < bytes.len() {
                if let Some(behind) = behind_colour(&bytes, at) {
                    at = behind;
                    continue;
                }
                if (bytes[at] < 0x20 && bytes[at] != b'\t') || bytes[at] == b'[' || bytes[at] == 0xc2 {
                    expected.push(at);
                }
                at += 1;
            }
            prop_assert_eq!(found, expected);
        }
    }
}
