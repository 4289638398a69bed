//! Rules that hold for every input: fuzz targets look for one that breaks them, tests replay what they found.
//!
//! Every function panics where a rule is broken, which is what libFuzzer and test runners understand.

use domain::Role;
use wire::{Decoder, Item, Keys, Options};

/// The key that the decoder's inputs may carry.
const KEY: &str = "k3f9";
/// What a message shows of itself at most, the sign for "cut" included.
const RAW_BYTES_MAX: usize = 4096 + '…'.len_utf8();

/// Checks the decoder on some output.
///
/// The last byte also chooses how it is read: the role, the keys, and into what pieces it is cut.
pub fn decoder(bytes: &[u8]) {
    let choice = bytes.last().copied().unwrap_or(0);
    let options = options(choice);

    let (whole, _) = decode(bytes, bytes.len().max(1), &options);
    let piece = usize::from(choice >> 3) + 1;
    let (cut, safe) = decode(bytes, piece, &options);
    assert_eq!(cut, whole, "cutting the output into pieces of {piece} changes what it says");

    let mut end_before = 0;
    for item in &whole {
        let span = item.span();
        assert!(end_before <= span.start, "ranges overlap or go back at {}", span.start);
        assert!(span.start < span.end, "an item without bytes at {}", span.start);
        assert!(span.raw.len() <= RAW_BYTES_MAX, "{} bytes of raw", span.raw.len());
        end_before = span.end;
    }
    assert!(end_before <= bytes.len() as u64, "a range ends behind the output");
    check_restart(bytes, &options, safe, &whole);
}

/// Reading can start again at the safe offset: what was complete before and what comes then is everything.
fn check_restart(bytes: &[u8], options: &Options, safe: SafePoint, whole: &[Item]) {
    let start = usize::try_from(safe.offset).unwrap_or(usize::MAX);
    assert!(start <= bytes.len(), "the safe offset {start} lies behind the output");
    let rest = bytes.get(start..).unwrap_or_default();
    let (later, _) = decode(rest, rest.len().max(1), options);
    let shown = |item: &Item, base: u64| {
        let json = serde_json::to_value(item).unwrap_or_default();
        (item.span().start + base, item.span().end + base, json["type"].clone(), json["payload"].clone())
    };
    let mut all: Vec<_> = whole.iter().take(safe.n_items).map(|item| shown(item, 0)).collect();
    all.extend(later.iter().map(|item| shown(item, safe.offset)));
    let expected: Vec<_> = whole.iter().map(|item| shown(item, 0)).collect();
    assert_eq!(all, expected, "starting again at {start} changes what is said");
}

/// A place where reading could start again, and how much had been said before it.
struct SafePoint {
    offset: u64,
    n_items: usize,
}

/// Decodes output in pieces, and remembers the safe offset in the middle of it.
fn decode(bytes: &[u8], piece: usize, options: &Options) -> (Vec<Item>, SafePoint) {
    let mut decoder = Decoder::new(options.clone());
    let mut items = Vec::new();
    let mut safe = SafePoint { offset: 0, n_items: 0 };
    let mut n_read = 0;
    for chunk in bytes.chunks(piece) {
        items.extend(decoder.push(chunk));
        n_read += chunk.len();
        let offset = decoder.safe_offset();
        assert!(offset <= n_read as u64, "the safe offset {offset} is ahead of {n_read}");
        assert!(offset >= safe.offset, "the safe offset went back from {} to {offset}", safe.offset);
        if n_read <= bytes.len() / 2 || safe.offset == 0 {
            safe = SafePoint { offset, n_items: items.len() };
        }
    }
    items.extend(decoder.end_turn());
    (items, safe)
}

fn options(choice: u8) -> Options {
    let role = if choice & 1 == 0 { Role::Worker } else { Role::Orchestrator };
    let keys = if choice & 6 == 6 { Keys::Required } else { Keys::Optional };
    let key = if choice & 2 == 0 { None } else { KEY.parse().ok() };
    Options { role, key, keys, numeric_ids: choice & 4 == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_output_keeps_the_rules() {
        for seed in 0..8 {
            decoder(&crate::corpus::generate(50_000, seed).bytes);
        }
    }
}
