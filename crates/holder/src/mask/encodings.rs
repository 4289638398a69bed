//! The encodings in which a value can appear in output: plain, with terminal line ends, JSON, URL, and base64 at each
//! of its three alignments.
//!
//! In base64, characters at both edges also contain bits of neighbouring bytes; only characters that depend on the
//! value alone are masked. Encodings too short to be distinguished from ordinary text are omitted.

use zeroize::Zeroizing;

/// Shortest part of a base64 text that is searched for.
const BASE64_BYTES_MIN: usize = 6;

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

type EncodedSecret = Zeroizing<Vec<u8>>;

/// Returns all encodings of a value, possibly with duplicates.
pub(super) fn encodings_of(value: &[u8]) -> Vec<EncodedSecret> {
    let mut encodings = vec![Zeroizing::new(value.to_vec()), terminal(value), json(value)];
    for lower_case in [false, true] {
        // Unescaped characters of RFC 3986, JavaScript's encodeURIComponent, encodeURI, and HTML forms with + for a
        // space.
        encodings.push(url(value, b"-_.~", false, lower_case));
        encodings.push(url(value, b"-_.~!*'()", false, lower_case));
        encodings.push(url(value, b"-_.~!*'();/?:@&=+$,#", false, lower_case));
        encodings.push(url(value, b"-_.*", true, lower_case));
        encodings.push(url(value, b"-_.~/", false, lower_case));
    }
    for alphabet in [STANDARD, URL_SAFE] {
        for alignment in 0..3 {
            let encoding = base64(value, alignment, alphabet);
            if encoding.len() >= BASE64_BYTES_MIN {
                encodings.push(encoding);
            }
        }
    }
    encodings
}

/// A terminal turns a line feed into two bytes.
fn terminal(value: &[u8]) -> EncodedSecret {
    let mut encoding = Zeroizing::new(Vec::with_capacity(value.len() * 2));
    let mut before = 0;
    for &byte in value {
        if byte == b'\n' && before != b'\r' {
            encoding.push(b'\r');
        }
        encoding.push(byte);
        before = byte;
    }
    encoding
}

fn json(value: &[u8]) -> EncodedSecret {
    let mut encoding = Zeroizing::new(Vec::with_capacity(value.len() * 6));
    for &byte in value {
        match byte {
            b'"' => encoding.extend_from_slice(b"\\\""),
            b'\\' => encoding.extend_from_slice(b"\\\\"),
            b'\n' => encoding.extend_from_slice(b"\\n"),
            b'\r' => encoding.extend_from_slice(b"\\r"),
            b'\t' => encoding.extend_from_slice(b"\\t"),
            0..0x20 => {
                encoding.extend_from_slice(b"\\u00");
                encoding.extend_from_slice(&byte_to_hex(byte, true));
            }
            _ => encoding.push(byte),
        }
    }
    encoding
}

fn url(value: &[u8], unescaped: &[u8], plus_for_space: bool, lower_case: bool) -> EncodedSecret {
    let mut encoding = Zeroizing::new(Vec::with_capacity(value.len() * 3));
    for &byte in value {
        if byte == b' ' && plus_for_space {
            encoding.push(b'+');
        } else if byte.is_ascii_alphanumeric() || unescaped.contains(&byte) {
            encoding.push(byte);
        } else {
            encoding.push(b'%');
            encoding.extend_from_slice(&byte_to_hex(byte, lower_case));
        }
    }
    encoding
}

fn byte_to_hex(byte: u8, lower_case: bool) -> [u8; 2] {
    let ten = if lower_case { b'a' } else { b'A' };
    [byte >> 4, byte & 15].map(|digit| if digit < 10 { b'0' + digit } else { ten + digit - 10 })
}

/// Returns the characters that depend only on the value, if `alignment` other bytes precede it.
fn base64(value: &[u8], alignment: usize, alphabet: &[u8; 64]) -> EncodedSecret {
    let bit = |index: usize| -> Option<u8> {
        let byte = value.get((index / 8).checked_sub(alignment)?)?;
        Some(byte >> (7 - index % 8) & 1)
    };
    let first = (alignment * 8).div_ceil(6);
    let end = (alignment + value.len()) * 8 / 6;
    let mut encoding = Zeroizing::new(Vec::with_capacity(end.saturating_sub(first)));
    for character in first..end {
        let sextet = (0..6).filter_map(|n| bit(character * 6 + n)).fold(0, |sum, bit| sum << 1 | bit);
        encoding.extend(alphabet.get(usize::from(sextet)).copied());
    }
    encoding
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_encodings_include(value: &str, expected: &[&str]) {
        let encodings = encodings_of(value.as_bytes());
        for encoding in expected {
            assert!(
                encodings.iter().any(|candidate| candidate.as_slice() == encoding.as_bytes()),
                "{value:?} has no {encoding:?}"
            );
        }
    }

    #[test]
    fn encodings_match_the_output_of_common_programs() {
        // `printf 'hunter2/secret' | base64`, preceded by nothing, `x` and `xy`.
        assert_encodings_include(
            "hunter2/secret",
            &["aHVudGVyMi9zZWNyZX", "odW50ZXIyL3NlY3Jld", "h1bnRlcjIvc2VjcmV0"],
        );
        assert_encodings_include(
            "p@ss w0rd/+",
            &["p%40ss%20w0rd%2F%2B", "p%40ss%20w0rd%2f%2b", "p%40ss+w0rd%2F%2B"],
        );
        assert_encodings_include("say \"hi\"\\\n", &["say \\\"hi\\\"\\\\\\n"]);
        assert_encodings_include("-----BEGIN\nMII\n-----", &["-----BEGIN\r\nMII\r\n-----"]);
    }
}
