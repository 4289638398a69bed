//! The bytes at which a line of output can change its meaning, found sixteen at a time.

use wide::u8x16;

const BLOCK_BYTES: usize = 64;

/// Walks the landmarks of some bytes from front to back: controls other than tab, `[`, and what may begin a C1 control.
#[derive(Debug)]
pub(crate) struct Landmarks<'b> {
    bytes: &'b [u8],
    /// The index of the block that `mask` is of.
    block: usize,
    /// A bit for each landmark of the block that is not passed yet.
    mask: u64,
}

impl<'b> Landmarks<'b> {
    pub(crate) fn of(bytes: &'b [u8]) -> Self {
        let mut landmarks = Self { bytes, block: 0, mask: 0 };
        landmarks.load();
        landmarks
    }

    /// Returns the first landmark at `from` or behind it; `from` never goes back.
    #[inline]
    pub(crate) fn next(&mut self, from: usize) -> Option<usize> {
        if from >= self.block + BLOCK_BYTES {
            self.block = from - from % BLOCK_BYTES;
            self.load();
        }
        if from > self.block {
            self.mask &= u64::MAX << (from - self.block);
        }
        while self.mask == 0 {
            self.block += BLOCK_BYTES;
            if self.block >= self.bytes.len() {
                return None;
            }
            self.load();
        }
        Some(self.block + self.mask.trailing_zeros() as usize)
    }

    #[inline]
    fn load(&mut self) {
        let rest = self.bytes.get(self.block..).unwrap_or_default();
        self.mask = match rest.first_chunk::<BLOCK_BYTES>() {
            Some(block) => mask(block),
            None => {
                let mut block = [b' '; BLOCK_BYTES];
                for (slot, byte) in block.iter_mut().zip(rest) {
                    *slot = *byte;
                }
                mask(&block)
            }
        };
    }
}

#[inline]
fn mask(block: &[u8; BLOCK_BYTES]) -> u64 {
    let (quarters, _) = block.as_chunks::<16>();
    let mut mask = 0;
    for (index, quarter) in quarters.iter().enumerate() {
        mask |= u64::from(landmarks_of(u8x16::new(*quarter))) << (index * 16);
    }
    mask
}

#[inline]
fn landmarks_of(bytes: u8x16) -> u32 {
    let is = |byte: u8| bytes.simd_eq(u8x16::splat(byte));
    let is_control = bytes.min(u8x16::splat(0x1f)).simd_eq(bytes);
    ((is_control & !is(b'\t')) | is(b'[') | is(crate::escape::C1_LEAD)).to_bitmask()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Landmarks;

    proptest! {
        #[test]
        fn every_landmark_is_found_once_in_order(bytes in prop::collection::vec(prop::sample::select(b"ab [\t\n\r\x1b\xc2\xed\x00".to_vec()), 0..300)) {
            let mut landmarks = Landmarks::of(&bytes);
            let mut found = Vec::new();
            let mut from = 0;
            while let Some(at) = landmarks.next(from) {
                found.push(at);
                from = at + 1;
            }
            let is_landmark = |byte: u8| (byte < 0x20 && byte != b'\t') || byte == b'[' || byte == 0xc2;
            let expected: Vec<usize> = (0..bytes.len()).filter(|at| is_landmark(bytes[*at])).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
