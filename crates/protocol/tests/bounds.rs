//! What hostile output can cost: memory under one bound, and time in proportion to its length.

#[path = "bounds/clock.rs"]
mod clock;
#[path = "bounds/hostile.rs"]
mod hostile;
#[path = "bounds/memory.rs"]
mod memory;

use std::time::Duration;

use hostile::{Hostile, Reach};
use memory::Meter;

/// What a decoder may need at most beside its input and what it gives out.
///
/// The worst that is known is a block of many keys, at 48 MiB.
const MEMORY_MAX: usize = 64 << 20;
/// Buffers double when they grow, so two measures of the same need can differ; what grows with its input grows more.
const MEMORY_SLACK: usize = 128 << 10;
/// A body is given up at this length.
const BODY_BYTES_MAX: usize = 1 << 20;
/// How much is read from a terminal at once.
const READ_BYTES: usize = 4096;

#[test]
fn what_is_longer_than_every_limit_needs_no_more_memory_the_longer_it_is() {
    for hostile in hostile::all().iter().filter(|hostile| hostile.reach != Reach::Body) {
        let length = match hostile.reach {
            Reach::Line | Reach::Body => 100 << 10,
            Reach::Stream => 48 << 10,
            Reach::Edits => 8 << 10,
            Reach::Screen => 2 << 10,
        };
        let [_, once] = peaks(hostile, &hostile.bytes(length));
        let [_, twice] = peaks(hostile, &hostile.bytes(2 * length));
        assert!(twice <= once + MEMORY_SLACK, "{}: {once} bytes, then {twice}", hostile.name);
        assert!(twice <= MEMORY_MAX, "{}: {twice} bytes", hostile.name);
    }
}

#[test]
fn a_body_longer_than_its_limit_needs_no_more_memory_the_longer_it_is() {
    // The others are bodies of the same kinds, and slower.
    const KINDS: [&str; 4] = ["a body of lines", "a body of one line", "a block without an end", "documents"];
    for hostile in hostile::all().iter().filter(|hostile| KINDS.contains(&hostile.name)) {
        let bytes = hostile.bytes(9 * BODY_BYTES_MAX / 4);
        let [half, whole] = peaks(hostile, &bytes);
        assert!(whole <= half + MEMORY_SLACK, "{}: {half} bytes, then {whole}", hostile.name);
        assert!(whole <= MEMORY_MAX, "{}: {whole} bytes", hostile.name);
    }
}

#[test]
fn a_body_within_its_limit_needs_a_bounded_multiple_of_its_length() {
    // What is built of a body is in proportion to it, so a part of it tells about the whole.
    const PART: usize = 32;
    for hostile in hostile::all().iter().filter(|hostile| hostile.reach == Reach::Body) {
        let [_, peak] = peaks(hostile, &hostile.bytes(BODY_BYTES_MAX / PART));
        assert!(peak <= MEMORY_MAX / PART, "{}: {peak} bytes", hostile.name);
    }
}

#[test]
fn the_hungriest_bodies_stay_under_the_bound() {
    for name in ["a body of one line of clusters", "many keys"] {
        let hostile = hostile::all().into_iter().find(|hostile| hostile.name == name).expect("a generator");
        let [_, peak] = peaks(&hostile, &hostile.bytes(BODY_BYTES_MAX));
        assert!(peak <= MEMORY_MAX, "{name}: {peak} bytes");
    }
}

#[test]
fn one_large_read_needs_no_more_memory_than_many_small_ones() {
    for hostile in hostile::all() {
        let bytes = hostile.bytes(match hostile.reach {
            Reach::Line => 70 << 10,
            Reach::Stream => 20 << 10,
            Reach::Body | Reach::Edits => 10 << 10,
            Reach::Screen => 1 << 10,
        });
        let [_, in_pieces] = peaks(&hostile, &bytes);
        let meter = Meter::start();
        let mut decoder = hostile.decoder();
        let items = (decoder.push(&bytes), decoder.end_turn());
        // The items of a large read are all there at once, in a vector that has doubled.
        let at_once = meter.peak().saturating_sub(2 * meter.now());
        drop(items);
        assert!(
            at_once <= in_pieces + MEMORY_SLACK,
            "{}: {at_once} bytes instead of {in_pieces}",
            hostile.name
        );
    }
}

#[test]
fn four_times_the_output_takes_about_four_times_as_long() {
    // Four times and what noise adds; a loop inside a loop would take sixteen times.
    const FACTOR_MAX: u32 = 8;
    const NOISE: Duration = Duration::from_millis(5);
    for hostile in hostile::all() {
        // A limit must not hide a loop inside a loop, so four times as much still lies below it.
        let length = match hostile.reach {
            Reach::Line | Reach::Edits => 15 << 10,
            Reach::Body | Reach::Stream => 5 << 10,
            Reach::Screen => 600,
        };
        let (short, long) = (hostile.bytes(length), hostile.bytes(4 * length));
        let once = fastest(&hostile, &short);
        let four_times = fastest(&hostile, &long);
        assert!(
            four_times <= FACTOR_MAX * once + NOISE,
            "{}: {once:?} for {} bytes, {four_times:?} for {}",
            hostile.name,
            short.len(),
            long.len()
        );
    }
}

/// Reads some output as a terminal gives it, and returns what was needed up to its half, and in all.
fn peaks(hostile: &Hostile, bytes: &[u8]) -> [usize; 2] {
    let (first, second) = bytes.split_at(bytes.len() / 2);
    let meter = Meter::start();
    let mut decoder = hostile.decoder();
    let mut read = |bytes: &[u8]| bytes.chunks(READ_BYTES).for_each(|piece| drop(decoder.push(piece)));
    read(first);
    let half = meter.peak();
    read(second);
    drop(decoder.end_turn());
    [half, meter.peak()]
}

/// Reads some output several times, and returns how long the fastest reading took.
fn fastest(hostile: &Hostile, bytes: &[u8]) -> Duration {
    let read = |_| {
        let begin = clock::worked();
        let mut decoder = hostile.decoder();
        bytes.chunks(READ_BYTES).for_each(|piece| drop(decoder.push(piece)));
        drop(decoder.end_turn());
        clock::worked().saturating_sub(begin)
    };
    (0..3).map(read).min().unwrap_or_default()
}
