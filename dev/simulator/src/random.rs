//! A small pseudo-random number generator (SplitMix64), with the same numbers on every machine.

/// Pseudo-random numbers that depend on the seed alone.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// Creates the generator of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number below `bound`; 0 if `bound` is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let number = (mixed ^ (mixed >> 31)) >> 32;
        usize::try_from((number * (bound as u64)) >> 32).unwrap_or(0)
    }

    /// Returns a number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: u32, high: u32) -> u32 {
        low + u32::try_from(self.below((high - low + 1) as usize)).unwrap_or(0)
    }

    /// Returns a time from `low` to `high` seconds, in milliseconds.
    pub(crate) fn seconds_as_ms(&mut self, low: u32, high: u32) -> i64 {
        i64::from(self.between(low * 1_000, high * 1_000))
    }

    /// Returns true with a probability of one in `n`.
    pub(crate) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Returns true with a probability of `percent` in a hundred.
    pub(crate) fn chance_percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Returns one of the items; `None` if there are none.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn numbers_depend_on_the_seed_and_stay_within_their_bounds() {
        let numbers = |seed| {
            let mut random = Random::new(seed);
            (0..100).map(|_| random.between(3, 7)).collect::<Vec<_>>()
        };
        assert_eq!(numbers(1), numbers(1));
        assert_ne!(numbers(1), numbers(2));
        assert!((3..=7).all(|number| numbers(1).contains(&number)));
        assert!(numbers(1).iter().all(|number| (3..=7).contains(number)));
    }
}
