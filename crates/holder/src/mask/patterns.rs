//! Finds all encodings of all values in one pass.
//!
//! A bit set of byte pairs tells whether any encoding starts with a pair. Almost no position of ordinary output
//! passes this test, so masking costs about a nanosecond per byte. Overlapping matches are all found.

use zeroize::{Zeroize, Zeroizing};

use super::{MASK, Secret, encodings};

/// All encodings, sorted, and the byte pairs they start with.
pub(super) struct SecretPatterns {
    encodings: Vec<Zeroizing<Vec<u8>>>,
    pairs: Box<[u64; 1024]>,
    firsts: [u64; 4],
}

impl Drop for SecretPatterns {
    fn drop(&mut self) {
        self.pairs.zeroize();
        self.firsts.zeroize();
    }
}

impl SecretPatterns {
    /// Returns `None` if there is nothing to mask.
    pub(super) fn new(secrets: &[Secret]) -> Option<Self> {
        let mut encodings: Vec<Zeroizing<Vec<u8>>> =
            secrets.iter().flat_map(|secret| encodings::encodings_of(secret.value())).collect();
        encodings.sort_by(|a, b| a.as_slice().cmp(b.as_slice()));
        encodings.dedup();
        if encodings.is_empty() {
            return None;
        }
        let mut patterns = Self { encodings, pairs: Box::new([0; 1024]), firsts: [0; 4] };
        for encoding in &patterns.encodings {
            let (Some(&first), Some(&second)) = (encoding.first(), encoding.get(1)) else { continue };
            set_bit(&mut patterns.firsts, usize::from(first));
            set_bit(patterns.pairs.as_mut_slice(), pair_index(first, second));
        }
        Some(patterns)
    }

    /// Masks all matches of `raw` in `masked`; returns the offset from which an incomplete match may begin.
    pub(super) fn mask(&self, raw: &[u8], masked: &mut [u8]) -> usize {
        let mut n_decided = raw.len();
        self.each_candidate(raw, |at, encodings, rest| {
            for encoding in encodings {
                if rest.starts_with(encoding) {
                    if let Some(matched) = masked.get_mut(at..at + encoding.len()) {
                        matched.fill(MASK);
                    }
                } else if encoding.starts_with(rest) {
                    n_decided = n_decided.min(at);
                }
            }
        });
        n_decided
    }

    /// Masks a match at the end of `raw` if at least half of it is present.
    pub(super) fn mask_trailing_partial_matches(&self, raw: &[u8], masked: &mut [u8]) {
        self.each_candidate(raw, |at, encodings, rest| {
            let is_half = |encoding: &Zeroizing<Vec<u8>>| {
                encoding.starts_with(rest) && rest.len() * 2 >= encoding.len()
            };
            if let Some(matched) = masked.get_mut(at..)
                && encodings.iter().any(is_half)
            {
                matched.fill(MASK);
            }
        });
    }

    /// Calls back for each position where a match may begin, with the encodings that start with the same one or two
    /// bytes.
    fn each_candidate(&self, raw: &[u8], mut call: impl FnMut(usize, &[Zeroizing<Vec<u8>>], &[u8])) {
        for (at, two) in raw.windows(2).enumerate() {
            let &[first, second] = two else { continue };
            if is_bit_set(self.pairs.as_slice(), pair_index(first, second)) {
                call(at, self.encodings_starting_with(two), raw.get(at..).unwrap_or_default());
            }
        }
        if let Some((last, _)) = raw.split_last()
            && is_bit_set(&self.firsts, usize::from(*last))
        {
            let at = raw.len() - 1;
            call(at, self.encodings_starting_with(&[*last]), std::slice::from_ref(last));
        }
    }

    fn encodings_starting_with(&self, start: &[u8]) -> &[Zeroizing<Vec<u8>>] {
        let from = self.encodings.partition_point(|encoding| encoding.as_slice() < start);
        let rest = self.encodings.get(from..).unwrap_or_default();
        let count = rest.partition_point(|encoding| encoding.starts_with(start));
        rest.get(..count).unwrap_or_default()
    }
}

fn pair_index(first: u8, second: u8) -> usize {
    usize::from(first) << 8 | usize::from(second)
}

fn set_bit(bits: &mut [u64], index: usize) {
    if let Some(word) = bits.get_mut(index / 64) {
        *word |= 1 << (index % 64);
    }
}

fn is_bit_set(bits: &[u64], index: usize) -> bool {
    bits.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
}
