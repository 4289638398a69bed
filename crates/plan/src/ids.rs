//! Hash map and sort order for large numbers of short ids.
//!
//! The default hasher dominates the cost of a look-up; this one is cheaper, and seeded from it so that a malicious
//! file cannot force collisions.

use std::{
    collections::HashMap,
    hash::{BuildHasher, Hasher, RandomState},
};

use crate::plan::Task;

/// Returns the task indices sorted by id; equal ids keep their file order.
pub(crate) fn indices_sorted_by_id(tasks: &[Task], keys: &[IdSortKey]) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..tasks.len()).collect();
    // Most files are already sorted.
    if keys.is_sorted_by(|left, right| left < right) && keys.last() != Some(&NO_SORT_KEY) {
        return indices;
    }
    indices.sort_by(|&left, &right| {
        let by_id = || tasks[left].id.cmp(&tasks[right].id);
        match (keys[left], keys[right]) {
            (left, right) if left == NO_SORT_KEY || right == NO_SORT_KEY || left == right => by_id(),
            (left, right) => left.cmp(&right),
        }
    });
    indices
}

/// Packs an id into an integer that sorts like the id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct IdSortKey(u64);

/// Marks an id that does not fit into a sort key; such ids are compared directly.
const NO_SORT_KEY: IdSortKey = IdSortKey(u64::MAX);

/// Returns the sort key of an id; ids with other letters, more than three numbers or six digits have none.
pub(crate) fn sort_key(id: &str) -> IdSortKey {
    const NUMBERS_MAX: u32 = 3;
    const BITS: u32 = 21;
    let text = id.as_bytes();
    let digits = text.strip_prefix(b"T").unwrap_or(text);
    let mut key = 0;
    let mut n_numbers = 0;
    for number in digits.split(|&byte| byte == b'.') {
        if number.len() > 6 || n_numbers == NUMBERS_MAX || !number.iter().all(u8::is_ascii_digit) {
            return NO_SORT_KEY;
        }
        // Plus one, because `T1` comes before `T1.0`.
        let value = number.iter().fold(0, |value, digit| value * 10 + u64::from(digit & 0xF)) + 1;
        key = key << BITS | value;
        n_numbers += 1;
    }
    IdSortKey(key << (BITS * (NUMBERS_MAX - n_numbers)))
}

/// Task index by id.
pub(crate) type IndexById<'a> = HashMap<&'a str, usize, IdHasherBuilder>;

/// Creates hashers that share one random seed.
#[derive(Debug, Clone)]
pub(crate) struct IdHasherBuilder {
    seed: u64,
}

impl Default for IdHasherBuilder {
    fn default() -> Self {
        Self { seed: RandomState::new().hash_one(0_u8) }
    }
}

impl BuildHasher for IdHasherBuilder {
    type Hasher = IdHasher;

    fn build_hasher(&self) -> IdHasher {
        IdHasher { state: self.seed }
    }
}

/// Mixes eight bytes at a time into its state.
pub(crate) struct IdHasher {
    state: u64,
}

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.state
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in words.by_ref() {
            self.mix(word.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)));
        }
        // Including the length distinguishes trailing zero bytes.
        let rest =
            words.remainder().iter().fold(bytes.len() as u64, |rest, &byte| rest << 8 | u64::from(byte));
        self.mix(rest);
    }

    /// `str` appends a terminator byte, which is redundant because the length is included.
    fn write_u8(&mut self, _end: u8) {}
}

impl IdHasher {
    fn mix(&mut self, word: u64) {
        // The golden ratio: an odd constant with well spread bits.
        const FACTOR: u128 = 0x9E37_79B9_7F4A_7C15;
        let product = u128::from(self.state ^ word) * FACTOR;
        self.state = (product >> 64) as u64 ^ product as u64;
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::HashSet, hash::BuildHasher};

    use domain::TaskId;

    use super::{IdHasherBuilder, NO_SORT_KEY, sort_key};

    #[test]
    fn sort_keys_order_like_ids() {
        let ids = [
            "T1", "T01", "1", "T1.0", "T1.2", "T1.10", "T1.10.3", "T2", "T10", "T000010", "T999999",
            "T1000000", "1.2.3.4", "1.4a", "T1a", "ST-001", "P1-R1-T1",
        ];
        let ids: Vec<TaskId> = ids.iter().map(|id| id.parse().unwrap()).collect();
        for left in &ids {
            for right in &ids {
                let keys = (sort_key(left.as_str()), sort_key(right.as_str()));
                if keys.0 != NO_SORT_KEY && keys.1 != NO_SORT_KEY && keys.0 != keys.1 {
                    assert_eq!(keys.0.cmp(&keys.1), left.cmp(right), "{left} {right}");
                }
            }
        }
        assert_ne!(sort_key(ids[6].as_str()), NO_SORT_KEY);
        assert_eq!(sort_key(ids[11].as_str()), NO_SORT_KEY);
    }

    #[test]
    fn typical_ids_do_not_collide() {
        let state = IdHasherBuilder::default();
        let ids = (0..100).flat_map(|n| (0..1_000).map(move |m| format!("T{n}.{m}")));
        let buckets: HashSet<u64> = ids.map(|id| state.hash_one(id.as_str()) >> 40).collect();
        // 100,000 random values in 2^24 buckets have about 300 collisions.
        assert!(buckets.len() > 99_000, "{}", buckets.len());
    }
}
