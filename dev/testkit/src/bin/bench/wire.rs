//! The decoder against a search that visits every hit, and against a stripper of escape sequences.
//!
//! `memchr3` is the floor: it only finds ESC, `[` and newline. `anstream` is what a program would use to read coloured
//! output; it only parses escape sequences.

use anstream::adapter::StripBytes;
use anyhow::{Result, ensure};
use domain::Role;
use protocol::{AcceptedTaskIds, DecodedItem, Decoder, DecoderOptions, KeyRequirement};
use testkit::{
    bench::{Goal, Report, Variant, measure_variants},
    corpus::{self, Corpus},
};

use crate::memory;

const LARGE_BYTES: usize = 64 << 20;
const SMALL_BYTES: usize = 64 << 10;
/// Size of one read from a terminal.
const CHUNK_BYTES: usize = 4096;
const ROUNDS: usize = 9;

/// Runs the bench.
pub(crate) fn run() -> Result<Report> {
    let large = corpus::generate(LARGE_BYTES, 1);
    // The same number of bytes in different small inputs: with one repeated input the branch predictor learns it, and
    // even the plain search looks slower at 64 MB.
    let small: Vec<Corpus> =
        (2..2 + LARGE_BYTES / SMALL_BYTES).map(|seed| corpus::generate(SMALL_BYTES, seed as u64)).collect();
    for corpus in small.iter().chain([&large]) {
        check_decoded_messages(corpus)?;
    }
    let peak = memory::measure_peak_bytes(|| {
        decode(&large.bytes);
    });

    let timings = measure_variants(
        ROUNDS,
        vec![
            Variant::new("decoder", || decode(&large.bytes)),
            Variant::new("memchr3", || search_delimiters(&large.bytes)),
            Variant::new("anstream", || strip_escapes(&large.bytes)),
            Variant::new("decoder, 64 KB", || small.iter().map(|corpus| decode(&corpus.bytes)).sum()),
        ],
    );
    // Both sizes end at a whole line, so they differ by some bytes from the round number.
    let small_total = small.iter().map(|corpus| corpus.bytes.len()).sum::<usize>() as f64;
    let sizes = large.bytes.len() as f64 / small_total;

    let mut report = Report::new("wire", timings.rounds);
    report.add_ratio("decoder/memchr3", timings.times_longer("memchr3", "decoder"), Goal::AtLeast(0.4));
    report.add_ratio("decoder/anstream", timings.times_longer("anstream", "decoder"), Goal::AtLeast(1.5));
    report.add_ratio(
        "64MB/64KB",
        sizes * timings.times_longer("decoder, 64 KB", "decoder"),
        Goal::AtLeast(0.9),
    );
    report.add_ratio("peak memory MiB", peak as f64 / f64::from(1 << 20), Goal::AtMost(4.0));

    let megabytes = large.bytes.len() as f64 / 1e6;
    for name in ["decoder", "memchr3", "anstream"] {
        report.add_figure(&format!("{name} MB/s"), megabytes / timings.median_seconds(name));
    }
    report.add_figure("decoder, 64 KB MB/s", small_total / 1e6 / timings.median_seconds("decoder, 64 KB"));
    report.add_figure("messages", large.n_messages as f64);
    let shares = corpus::shares(&large.bytes);
    report.add_figure("corpus MB", megabytes);
    report.add_figure("corpus escape share", shares.escape);
    report.add_figure("corpus non-ASCII share", shares.non_ascii);
    report.add_figure("corpus edited lines share", shares.edited_lines);
    report.add_figure("corpus bytes per line", shares.line_bytes);
    Ok(report)
}

/// Returns a decoder for a session that may send every message.
fn decoder() -> Decoder {
    Decoder::new(DecoderOptions {
        role: Role::Orchestrator,
        key: None,
        key_requirement: KeyRequirement::Optional,
        task_ids: AcceptedTaskIds::default(),
    })
}

/// Checks that the decoder finds all messages: a fast wrong result does not count.
fn check_decoded_messages(corpus: &Corpus) -> Result<()> {
    let mut decoder = decoder();
    let mut items: Vec<DecodedItem> =
        corpus.bytes.chunks(CHUNK_BYTES).flat_map(|chunk| decoder.push(chunk)).collect();
    items.extend(decoder.end_turn());
    let n_messages = items.iter().filter(|item| matches!(item, DecodedItem::Message(_))).count();
    let invalid = items.iter().find(|item| matches!(item, DecodedItem::Invalid(_)));
    ensure!(invalid.is_none(), "the corpus holds an invalid message: {invalid:?}");
    ensure!(
        n_messages == corpus.n_messages,
        "{} messages were written, {n_messages} decoded",
        corpus.n_messages
    );
    Ok(())
}

/// Decodes the whole output, and returns the number of items.
fn decode(bytes: &[u8]) -> u64 {
    let mut decoder = decoder();
    let found: usize = bytes.chunks(CHUNK_BYTES).map(|chunk| decoder.push(chunk).len()).sum();
    (found + decoder.end_turn().len()) as u64
}

/// Visits every ESC, bracket and newline.
fn search_delimiters(bytes: &[u8]) -> u64 {
    let hits = |chunk: &[u8]| memchr::memchr3_iter(0x1b, b'[', b'\n', chunk).map(|at| at as u64).sum::<u64>();
    bytes.chunks(CHUNK_BYTES).map(hits).sum()
}

/// Strips every escape sequence.
fn strip_escapes(bytes: &[u8]) -> u64 {
    let mut stripper = StripBytes::new();
    let kept = |chunk: &[u8]| stripper.strip_next(chunk).map(|text| text.len() as u64).sum::<u64>();
    bytes.chunks(CHUNK_BYTES).map(kept).sum()
}
