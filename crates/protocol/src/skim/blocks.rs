//! Output in blocks of 64 bytes, with a bit for each byte that a line's meaning can depend on.
//!
//! A third of what agents print is colour. Colours, and the white space that a line begins with, are passed over by
//! arithmetic on bit masks, so that no branch depends on them.

use std::marker::PhantomData;

use super::lanes::Lanes;
use crate::escape::{C1_LEAD, ESC};

pub(crate) const BLOCK_BYTES: usize = 64;

/// Walks some bytes block by block.
#[derive(Debug)]
pub(crate) struct Blocks<'b, L> {
    rest: &'b [u8],
    carry: Carry,
    lanes: PhantomData<L>,
}

/// What is to be looked at in a block; the lowest bit is its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) newlines: u64,
    /// The first byte of each line behind white space and colours.
    pub(crate) heads: u64,
    /// Controls, what may begin a C1 control, and `[`, except newlines and what belongs to colours.
    pub(crate) rough: u64,
    /// Where a sequence shows that it is no colour.
    pub(crate) doubts: u64,
}

/// How things go over the end of a block.
#[derive(Debug, Clone, Copy)]
struct Carry {
    /// It ended with ESC.
    escape: bool,
    /// It ended inside the parameters of a colour, or before them.
    parameters: bool,
    /// It ended before the head of its last line.
    head: bool,
}

impl<'b, L: Lanes> Blocks<'b, L> {
    /// Begins with bytes that are a line's first ones, or go on with one whose head is known.
    pub(crate) fn of(bytes: &'b [u8], seeks_head: bool) -> Self {
        Self {
            rest: bytes,
            carry: Carry { escape: false, parameters: false, head: seeks_head },
            lanes: PhantomData,
        }
    }
}

impl<L: Lanes> Iterator for Blocks<'_, L> {
    type Item = Block;

    #[inline(always)]
    fn next(&mut self) -> Option<Block> {
        if let Some((bytes, rest)) = self.rest.split_first_chunk::<BLOCK_BYTES>() {
            self.rest = rest;
            return Some(self.carry.advance::<L>(bytes));
        }
        if self.rest.is_empty() {
            return None;
        }
        // The end is filled up with what means nothing.
        let mut bytes = [b' '; BLOCK_BYTES];
        for (slot, byte) in bytes.iter_mut().zip(self.rest) {
            *slot = *byte;
        }
        self.rest = &[];
        Some(self.carry.advance::<L>(&bytes))
    }
}

impl Carry {
    #[inline(always)]
    fn advance<L: Lanes>(&mut self, bytes: &[u8; BLOCK_BYTES]) -> Block {
        let Masks { newline, space, escape, all } = Masks::of::<L>(bytes);
        let Colours { covered, doubts } = if escape != 0 || self.escape || self.parameters {
            self.colours::<L>(escape, bytes)
        } else {
            Colours { covered: 0, doubts: 0 }
        };
        let skipped = space | covered;
        let starts = (newline << 1) | u64::from(self.head);
        let (heads, runs_over) = behind_rows(starts, skipped);
        self.head = runs_over || newline >> 63 == 1;
        Block { newlines: newline, heads, rough: all & !newline & !covered, doubts }
    }

    #[inline(always)]
    fn colours<L: Lanes>(&mut self, escape: u64, bytes: &[u8; BLOCK_BYTES]) -> Colours {
        let ColourMasks { bracket, parameter, m } = ColourMasks::of::<L>(bytes);
        // The place behind each ESC, the bracket there, and the first byte behind it that is no parameter.
        let behind_escape = (escape << 1) | u64::from(self.escape);
        let opening = behind_escape & bracket;
        let first = (opening << 1) | u64::from(self.parameters);
        let (last, runs_over) = behind_rows(first, parameter);
        let parameters = parameter & !parameter.wrapping_add(first & parameter);
        self.escape = escape >> 63 == 1;
        self.parameters = runs_over || opening >> 63 == 1;
        Colours {
            covered: escape | opening | parameters | last,
            doubts: (behind_escape & !bracket) | (last & !m),
        }
    }
}

struct Colours {
    /// The bytes of colours.
    covered: u64,
    doubts: u64,
}

/// Returns for each start the first place at it or behind it that is in no row, and whether a row runs over the end.
///
/// Adding a bit to the lowest of a row of ones carries it to the place behind the row.
#[inline(always)]
fn behind_rows(starts: u64, rows: u64) -> (u64, bool) {
    let (sum, runs_over) = rows.overflowing_add(starts & rows);
    ((sum & !rows) | (starts & !rows), runs_over)
}

/// What the bytes of a block are, a bit for each.
#[derive(Default)]
struct Masks {
    newline: u64,
    space: u64,
    escape: u64,
    /// Controls other than tab, what may begin a C1 control, and `[`.
    all: u64,
}

/// What of them may belong to colours.
#[derive(Default)]
struct ColourMasks {
    bracket: u64,
    /// Digits, `:` and `;`.
    parameter: u64,
    m: u64,
}

impl Masks {
    #[inline(always)]
    fn of<L: Lanes>(bytes: &[u8; BLOCK_BYTES]) -> Self {
        let mut masks = Self::default();
        for (index, part) in bytes.chunks_exact(L::BYTES).enumerate() {
            let bytes = L::load(part);
            let place = |lanes: L| lanes.bits() << (index * L::BYTES);
            let is_tab = bytes.is(b'\t');
            masks.newline |= place(bytes.is(b'\n'));
            masks.space |= place(bytes.is(b' ').or(is_tab));
            masks.escape |= place(bytes.is(ESC));
            masks.all |=
                place(bytes.is_within(0, 0x1f).and_not(is_tab).or(bytes.is(C1_LEAD)).or(bytes.is(b'[')));
        }
        masks
    }
}

impl ColourMasks {
    #[inline(always)]
    fn of<L: Lanes>(bytes: &[u8; BLOCK_BYTES]) -> Self {
        let mut masks = Self::default();
        for (index, part) in bytes.chunks_exact(L::BYTES).enumerate() {
            let bytes = L::load(part);
            let place = |lanes: L| lanes.bits() << (index * L::BYTES);
            masks.bracket |= place(bytes.is(b'['));
            masks.parameter |= place(bytes.is_within(b'0', b';'));
            masks.m |= place(bytes.is(b'm'));
        }
        masks
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{BLOCK_BYTES, Blocks};

    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop::sample::select(vec![
            "a",
            "b",
            " ",
            "  ",
            "m",
            "0",
            "12;3",
            "[",
            "\t",
            "\n",
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

    /// The same by walking byte for byte: newlines, heads, rough bytes and doubts.
    fn walk(bytes: &[u8]) -> [Vec<usize>; 4] {
        let [mut newlines, mut heads, mut rough, mut doubts] = [const { Vec::new() }; 4];
        let mut seeks_head = true;
        let mut at = 0;
        while at < bytes.len() {
            if bytes[at] == 0x1b {
                let Some(b'[') = bytes.get(at + 1) else {
                    doubts.push(at + 1);
                    at += 1;
                    continue;
                };
                at += 2;
                while bytes.get(at).is_some_and(|byte| (b'0'..=b';').contains(byte)) {
                    at += 1;
                }
                match bytes.get(at) {
                    Some(b'm') => at += 1,
                    _ => doubts.push(at),
                }
                // What ends a sequence that is no colour is covered too, unless it begins the next line or sequence.
                continue;
            }
            match bytes[at] {
                b'\n' => newlines.push(at),
                byte if (byte < 0x20 && byte != b'\t') || byte == b'[' || byte == 0xc2 => rough.push(at),
                _ => {}
            }
            let is_space = matches!(bytes[at], b' ' | b'\t');
            if seeks_head && !is_space {
                heads.push(at);
                seeks_head = false;
            }
            seeks_head |= bytes[at] == b'\n';
            at += 1;
        }
        [newlines, heads, rough, doubts]
    }

    proptest! {
        #[test]
        fn blocks_see_what_a_walk_sees_up_to_the_first_doubt(bytes in bytes()) {
            let blocks: Vec<_> = Blocks::<wide::u8x16>::of(&bytes, true).collect();
            let places = |mask: fn(&super::Block) -> u64| -> Vec<usize> {
                (0..blocks.len() * BLOCK_BYTES)
                    .filter(|at| mask(&blocks[at / BLOCK_BYTES]) >> (at % BLOCK_BYTES) & 1 == 1)
                    .collect()
            };
            let [newlines, heads, rough, doubts] = walk(&bytes);
            let first_doubt = doubts.first().copied().unwrap_or(bytes.len()).min(bytes.len());
            let before = |places: Vec<usize>| -> Vec<usize> { places.into_iter().filter(|at| *at < first_doubt).collect() };
            prop_assert_eq!(before(places(|block| block.newlines)), before(newlines));
            prop_assert_eq!(before(places(|block| block.heads)), before(heads));
            prop_assert_eq!(before(places(|block| block.rough)), before(rough));
            let found = places(|block| block.doubts).first().copied().unwrap_or(bytes.len()).min(bytes.len());
            prop_assert_eq!(found, first_doubt);
        }
    }
}
