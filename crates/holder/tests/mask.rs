//! No value survives in any chunking; nothing else changes, and offsets stay the same.

#![expect(clippy::unwrap_used, reason = "a failed setup must fail the test")]

use holder::mask::{MASK, Masker, Secret};
use proptest::{collection::vec, prelude::*};

fn secrets(values: &[Vec<u8>]) -> Vec<Secret> {
    values.iter().cloned().map(Secret::new).collect()
}

/// Masks a text in pieces; a piece marked with `true` is followed by a flush.
fn mask(values: &[Vec<u8>], pieces: &[(Vec<u8>, bool)]) -> Vec<u8> {
    let mut masker = Masker::default();
    masker.set_secrets(&secrets(values));
    let mut out = Vec::new();
    for (piece, is_pause) in pieces {
        masker.push(piece, &mut out);
        if *is_pause {
            masker.flush(&mut out);
        }
    }
    masker.flush(&mut out);
    out
}

fn mask_text(values: &[&str], text: &str) -> String {
    let values: Vec<Vec<u8>> = values.iter().map(|value| value.as_bytes().to_vec()).collect();
    String::from_utf8(mask(&values, &[(text.into(), false)])).unwrap()
}

/// Splits a text into pieces of the given lengths, with or without flushes.
fn split_into_pieces(text: &[u8], cuts: &[(usize, bool)]) -> Vec<(Vec<u8>, bool)> {
    let mut rest = text;
    let mut pieces = Vec::new();
    for (length, is_pause) in cuts {
        let (piece, behind) = rest.split_at((*length).min(rest.len()));
        pieces.push((piece.to_vec(), *is_pause));
        rest = behind;
    }
    pieces.push((rest.to_vec(), false));
    pieces
}

fn contains(text: &[u8], value: &[u8]) -> bool {
    text.windows(value.len()).any(|window| window == value)
}

fn base64(bytes: &[u8], alphabet: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    for chunk in bytes.chunks(3) {
        let mut three = [0; 3];
        three[..chunk.len()].copy_from_slice(chunk);
        let bits = u32::from_be_bytes([0, three[0], three[1], three[2]]);
        for n in 0..=chunk.len() {
            text.push(alphabet[(bits >> (18 - 6 * n) & 63) as usize]);
        }
        text.resize(text.len().next_multiple_of(4), b'=');
    }
    text
}

fn url(bytes: &[u8]) -> Vec<u8> {
    let encode = |byte: &u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => vec![*byte],
        other => format!("%{other:02X}").into_bytes(),
    };
    bytes.iter().flat_map(encode).collect()
}

#[test]
fn only_secret_values_are_masked() {
    assert_eq!(
        mask_text(&["hunter2"], "pass hunter2, hunter, hunter2hunter2"),
        "pass *******, hunter, **************"
    );
    assert_eq!(mask_text(&["abcd", "cdef"], "abcdef abcd cdef abc def"), "****** **** **** abc def");
    assert_eq!(mask_text(&["aaaa"], "aaaaaa aaa."), "****** aaa.");
    assert_eq!(
        mask_text(&["long-secret", "secret"], "a long-secret and a secret"),
        "a *********** and a ******"
    );
    assert_eq!(mask_text(&[], "anything"), "anything");
}

#[test]
fn an_encoded_value_is_masked() {
    assert_eq!(mask_text(&["p@ss/w0rd"], "?key=p%40ss%2Fw0rd&x"), "?key=*************&x");
    assert_eq!(mask_text(&["p@ss/w0rd"], "?key=p%40ss%2fw0rd&x"), "?key=*************&x");
    assert_eq!(mask_text(&["say \"x\""], r#"{"v":"say \"x\""}"#), r#"{"v":"*********"}"#);
    assert_eq!(mask_text(&["line1\nline2"], "line1\r\nline2\r\n"), "************\r\n");
}

#[test]
fn a_flushed_beginning_is_still_recognized() {
    let mut masker = Masker::default();
    masker.set_secrets(&secrets(&[b"0123456789".to_vec()]));
    let mut out = Vec::new();
    masker.push(b"x 012", &mut out);
    assert_eq!((out.as_slice(), masker.has_held_back_output()), (&b"x "[..], true));
    masker.flush(&mut out);
    assert_eq!((out.as_slice(), masker.has_held_back_output()), (&b"x 012"[..], false));
    masker.push(b"3456789!", &mut out);
    assert_eq!(out, b"x 012*******!");
}

#[test]
fn removed_values_are_no_longer_masked() {
    let mut masker = Masker::default();
    masker.set_secrets(&secrets(&[b"secret".to_vec()]));
    let mut out = Vec::new();
    masker.push(b"secret sec", &mut out);
    masker.set_secrets(&[]);
    masker.push(b"ret secret", &mut out);
    assert!(masker.has_nothing_to_mask());
    assert_eq!(out, b"****** secret secret");
}

/// Values of few letters, so that they overlap, repeat and nest; texts are made of their pieces.
fn secret_values_strategy() -> impl Strategy<Value = Vec<Vec<u8>>> {
    vec(vec(prop::sample::select(b"ab/+ \n".to_vec()), 4..20), 1..5)
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_length_never_changes_and_no_value_survives_any_cutting(
        values in secret_values_strategy(),
        order in vec((any::<prop::sample::Index>(), vec(prop::sample::select(b"ab/+ \n".to_vec()), 0..6)), 0..8),
        cuts in vec((0_usize..12, any::<bool>()), 0..20),
    ) {
        let mut text = Vec::new();
        for (index, between) in &order {
            text.extend(index.get(&values));
            text.extend(between);
        }
        let masked = mask(&values, &split_into_pieces(&text, &cuts));
        prop_assert_eq!(masked.len(), text.len());
        for value in &values {
            prop_assert!(!contains(&masked, value), "{:?} in {:?}", value, masked);
        }
        for (before, after) in text.iter().zip(&masked) {
            prop_assert!(after == before || *after == MASK);
        }
        // Without flushes the chunking makes no difference.
        let quiet: Vec<(usize, bool)> = cuts.iter().map(|(length, _)| (*length, false)).collect();
        prop_assert_eq!(mask(&values, &split_into_pieces(&text, &quiet)), mask(&values, &[(text.clone(), false)]));
    }

    #[test]
    fn text_without_values_is_unchanged(text in vec(any::<u8>(), 0..500), cuts in vec((0_usize..50, Just(false)), 0..20)) {
        let values = [b"no-such-value-in-random-bytes".to_vec()];
        prop_assert_eq!(mask(&values, &split_into_pieces(&text, &cuts)), text);
    }

    #[test]
    fn base64_of_a_value_is_masked_at_any_alignment(
        value in vec(any::<u8>(), 8..40),
        before in vec(any::<u8>(), 0..7),
        after in vec(any::<u8>(), 0..7),
        is_url_safe: bool,
        cuts in vec((0_usize..12, Just(false)), 0..20),
    ) {
        let alphabet = if is_url_safe { URL_SAFE } else { STANDARD };
        let text = base64(&[before.as_slice(), &value, &after].concat(), alphabet);
        let masked = mask(std::slice::from_ref(&value), &split_into_pieces(&text, &cuts));
        prop_assert_eq!(masked.len(), text.len());
        // All except the two characters at the edges, which contain bits of neighbouring bytes.
        let stars = masked.iter().filter(|byte| **byte == MASK).count();
        prop_assert!(stars >= value.len() * 8 / 6 - 1, "{} of {:?}", stars, String::from_utf8_lossy(&masked));
    }

    #[test]
    fn a_value_in_a_url_is_masked(value in vec(any::<u8>(), 4..30), cuts in vec((0_usize..12, Just(false)), 0..20)) {
        let text = [b"https://x/?k=".as_slice(), &url(&value), b"&end"].concat();
        let masked = mask(std::slice::from_ref(&value), &split_into_pieces(&text, &cuts));
        prop_assert_eq!(masked.len(), text.len());
        prop_assert!(!contains(&masked, &url(&value)));
        prop_assert!(masked.starts_with(b"https://x/?k=") || contains(&url(&value), b"/"));
    }
}
