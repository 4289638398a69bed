//! Finds all encodings of all values in one pass.
//!
//! A bit set of byte pairs tells whether any encoding starts with a pair. Almost no position of ordinary output
//! passes this test, so masking costs about a nanosecond per byte. Overlapping matches are all found.

use zeroize::{Zeroize, Zeroizing};

use super::{MASK, Secret, forms};

/// All encodings, sorted, and the byte pairs they start with.
pub(super) struct Patterns {
    forms: Vec<Zeroizing<Vec<u8>>>,
    pairs: Box<[u64; 1024]>,
    firsts: [u64; 4],
}

impl Drop for Patterns {
    fn drop(&mut self) {
        self.pairs.zeroize();
        self.firsts.zeroize();
    }
}

impl Patterns {
    /// Returns `None` if there is nothing to mask.
    pub(super) fn new(secrets: &[Secret]) -> Option<Self> {
        let mut forms: Vec<Zeroizing<Vec<u8>>> =
            secrets.iter().flat_map(|secret| forms::of(secret.value())).collect();
        forms.sort_by(|a, b| a.as_slice().cmp(b.as_slice()));
        forms.dedup();
        if forms.is_empty() {
            return None;
        }
        let mut patterns = Self { forms, pairs: Box::new([0; 1024]), firsts: [0; 4] };
        for form in &patterns.forms {
            let (Some(&first), Some(&second)) = (form.first(), form.get(1)) else { continue };
            set(&mut patterns.firsts, usize::from(first));
            set(patterns.pairs.as_mut_slice(), pair(first, second));
        }
        Some(patterns)
    }

    /// Masks all matches of `raw` in `shown`; returns the offset from which an incomplete match may begin.
    pub(super) fn mask(&self, raw: &[u8], shown: &mut [u8]) -> usize {
        let mut held = raw.len();
        self.each_candidate(raw, |at, forms, rest| {
            for form in forms {
                if rest.starts_with(form) {
                    if let Some(found) = shown.get_mut(at..at + form.len()) {
                        found.fill(MASK);
                    }
                } else if form.starts_with(rest) {
                    held = held.min(at);
                }
            }
        });
        held
    }

    /// Masks a match at the end of `raw` if at least half of it is present.
    pub(super) fn mask_halves(&self, raw: &[u8], shown: &mut [u8]) {
        self.each_candidate(raw, |at, forms, rest| {
            let is_half = |form: &Zeroizing<Vec<u8>>| form.starts_with(rest) && rest.len() * 2 >= form.len();
            if let Some(found) = shown.get_mut(at..)
                && forms.iter().any(is_half)
            {
                found.fill(MASK);
            }
        });
    }

    /// Calls back for each position where a match may begin, with the encodings that start with the same one or two
    /// bytes.
    fn each_candidate(&self, raw: &[u8], mut call: impl FnMut(usize, &[Zeroizing<Vec<u8>>], &[u8])) {
        for (at, two) in raw.windows(2).enumerate() {
            let &[first, second] = two else { continue };
            if is_set(self.pairs.as_slice(), pair(first, second)) {
                call(at, self.beginning_with(two), raw.get(at..).unwrap_or_default());
            }
        }
        if let Some((last, _)) = raw.split_last()
            && is_set(&self.firsts, usize::from(*last))
        {
            let at = raw.len() - 1;
            call(at, self.beginning_with(&[*last]), std::slice::from_ref(last));
        }
    }

    fn beginning_with(&self, start: &[u8]) -> &[Zeroizing<Vec<u8>>] {
        let from = self.forms.partition_point(|form| form.as_slice() < start);
        let behind = self.forms.get(from..).unwrap_or_default();
        let count = behind.partition_point(|form| form.starts_with(start));
        behind.get(..count).unwrap_or_default()
    }
}

fn pair(first: u8, second: u8) -> usize {
    usize::from(first) << 8 | usize::from(second)
}

fn set(bits: &mut [u64], index: usize) {
    if let Some(word) = bits.get_mut(index / 64) {
        *word |= 1 << (index % 64);
    }
}

fn is_set(bits: &[u64], index: usize) -> bool {
    bits.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
}
