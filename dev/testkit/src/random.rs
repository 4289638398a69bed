//! A small pseudo-random number generator (SplitMix64), so that a corpus does not change with a dependency.

/// Pseudo-random numbers that depend on the seed alone.
pub struct Random(u64);

impl Random {
    /// Creates the generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number below `bound`, which is at least 1.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let number = (mixed ^ (mixed >> 31)) >> 32;
        // The high half of a 32 by 32 bit product is spread evenly enough over a bound that is far below 2^32.
        usize::try_from((number * (bound as u64)) >> 32).unwrap_or(0)
    }

    /// Returns true with a probability of one in `n`.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Returns one of the items.
    pub fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_below_their_bound_and_reach_all_below_it() {
        let mut random = Random::new(7);
        let mut seen = [0; 10];
        for _ in 0..1_000 {
            seen[random.below(10)] += 1;
        }
        assert!(seen.iter().all(|n| *n > 60), "{seen:?}");
    }
}
