//! The cost of hostile output: bounded memory, and time proportional to its length.

#[path = "bounds/clock.rs"]
mod clock;
#[path = "bounds/hostile.rs"]
mod hostile;
#[path = "bounds/memory.rs"]
mod memory;

use std::time::Duration;

use hostile::{BufferedPart, HostileOutput};
use memory::MemoryMeter;

/// The memory limit of a decoder, without its input and its items.
///
/// The worst known case is a block of many keys, at 48 MiB.
const MEMORY_MAX: usize = 64 << 20;
/// Buffers double when they grow, so two measurements of the same need can differ; real growth is larger.
const MEMORY_SLACK: usize = 128 << 10;
/// Longer bodies are invalid.
const BODY_BYTES_MAX: usize = 1 << 20;
/// The size of one read from a terminal.
const READ_BYTES: usize = 4096;

#[test]
fn memory_does_not_grow_beyond_the_limits() {
    for hostile in hostile::all_hostile_outputs().iter().filter(|hostile| hostile.scope != BufferedPart::Body)
    {
        let length = match hostile.scope {
            BufferedPart::Line | BufferedPart::Body => 100 << 10,
            BufferedPart::Stream => 48 << 10,
            BufferedPart::Edits => 8 << 10,
            BufferedPart::Screen => 2 << 10,
        };
        let [_, once] = measure_memory_peaks(hostile, &hostile.bytes(length));
        let [_, twice] = measure_memory_peaks(hostile, &hostile.bytes(2 * length));
        assert!(twice <= once + MEMORY_SLACK, "{}: {once} bytes, then {twice}", hostile.name);
        assert!(twice <= MEMORY_MAX, "{}: {twice} bytes", hostile.name);
    }
}

#[test]
fn memory_does_not_grow_beyond_the_body_limit() {
    // The others are similar and slower.
    const KINDS: [&str; 4] = ["a body of lines", "a body of one line", "a block without an end", "documents"];
    for hostile in hostile::all_hostile_outputs().iter().filter(|hostile| KINDS.contains(&hostile.name)) {
        let bytes = hostile.bytes(9 * BODY_BYTES_MAX / 4);
        let [half, whole] = measure_memory_peaks(hostile, &bytes);
        assert!(whole <= half + MEMORY_SLACK, "{}: {half} bytes, then {whole}", hostile.name);
        assert!(whole <= MEMORY_MAX, "{}: {whole} bytes", hostile.name);
    }
}

#[test]
fn body_within_its_limit_needs_a_bounded_multiple_of_its_length() {
    // The memory of a body is proportional to its length, so a smaller body is enough.
    const PART: usize = 32;
    for hostile in hostile::all_hostile_outputs().iter().filter(|hostile| hostile.scope == BufferedPart::Body)
    {
        let [_, peak] = measure_memory_peaks(hostile, &hostile.bytes(BODY_BYTES_MAX / PART));
        assert!(peak <= MEMORY_MAX / PART, "{}: {peak} bytes", hostile.name);
    }
}

#[test]
fn most_expensive_bodies_stay_below_the_limit() {
    for name in ["a body of one line of clusters", "many keys"] {
        let hostile = hostile::all_hostile_outputs()
            .into_iter()
            .find(|hostile| hostile.name == name)
            .expect("a generator");
        let [_, peak] = measure_memory_peaks(&hostile, &hostile.bytes(BODY_BYTES_MAX));
        assert!(peak <= MEMORY_MAX, "{name}: {peak} bytes");
    }
}

#[test]
fn large_read_needs_no_more_memory_than_small_ones() {
    for hostile in hostile::all_hostile_outputs() {
        let bytes = hostile.bytes(match hostile.scope {
            BufferedPart::Line => 70 << 10,
            BufferedPart::Stream => 20 << 10,
            BufferedPart::Body | BufferedPart::Edits => 10 << 10,
            BufferedPart::Screen => 1 << 10,
        });
        let [_, in_pieces] = measure_memory_peaks(&hostile, &bytes);
        let meter = MemoryMeter::start();
        let mut decoder = hostile.decoder();
        let items = (decoder.push(&bytes), decoder.end_turn());
        // The items of a large read exist at once, in a vector that has doubled.
        let at_once = meter.peak().saturating_sub(2 * meter.current());
        drop(items);
        assert!(
            at_once <= in_pieces + MEMORY_SLACK,
            "{}: {at_once} bytes instead of {in_pieces}",
            hostile.name
        );
    }
}

#[test]
fn time_is_proportional_to_the_length() {
    // Four times plus noise; quadratic time would be sixteen times.
    const FACTOR_MAX: u32 = 8;
    const NOISE: Duration = Duration::from_millis(5);
    for hostile in hostile::all_hostile_outputs() {
        // Four times as much is still below the limits, which would hide quadratic time.
        let length = match hostile.scope {
            BufferedPart::Line | BufferedPart::Edits => 15 << 10,
            BufferedPart::Body | BufferedPart::Stream => 5 << 10,
            BufferedPart::Screen => 600,
        };
        let (short, long) = (hostile.bytes(length), hostile.bytes(4 * length));
        let once = measure_shortest_time(&hostile, &short);
        let four_times = measure_shortest_time(&hostile, &long);
        assert!(
            four_times <= FACTOR_MAX * once + NOISE,
            "{}: {once:?} for {} bytes, {four_times:?} for {}",
            hostile.name,
            short.len(),
            long.len()
        );
    }
}

/// Decodes output in terminal reads; returns the peak memory of its first half and of the whole.
fn measure_memory_peaks(hostile: &HostileOutput, bytes: &[u8]) -> [usize; 2] {
    let (first, second) = bytes.split_at(bytes.len() / 2);
    let meter = MemoryMeter::start();
    let mut decoder = hostile.decoder();
    let mut read = |bytes: &[u8]| bytes.chunks(READ_BYTES).for_each(|piece| drop(decoder.push(piece)));
    read(first);
    let half = meter.peak();
    read(second);
    drop(decoder.end_turn());
    [half, meter.peak()]
}

/// Decodes output several times and returns the shortest time.
fn measure_shortest_time(hostile: &HostileOutput, bytes: &[u8]) -> Duration {
    let read = |_| {
        let begin = clock::thread_cpu_time();
        let mut decoder = hostile.decoder();
        bytes.chunks(READ_BYTES).for_each(|piece| drop(decoder.push(piece)));
        drop(decoder.end_turn());
        clock::thread_cpu_time().saturating_sub(begin)
    };
    (0..3).map(read).min().unwrap_or_default()
}
