//! Makes text from files and agents safe for a terminal.
//!
//! Control characters, escape sequences, bidirectional overrides and invisible characters are replaced, never printed.

use std::io::{self, Write};

use serde::Serialize;

/// Replaces control characters and bidirectional overrides.
pub(crate) fn printable(text: &str) -> String {
    text.chars()
        .map(|char| if is_control_or_bidi(char) { char::REPLACEMENT_CHARACTER } else { char })
        .collect()
}

/// The same for a line of a file. Keeps the byte length, so that spans stay valid, and tabs.
pub(crate) fn printable_line(line: &str) -> String {
    line.chars()
        .map(|char| match char.len_utf8() {
            _ if char == '\t' || !is_control_or_bidi(char) => char,
            1 => '?',
            2 => '·',
            _ => char::REPLACEMENT_CHARACTER,
        })
        .collect()
}

/// Prints values as JSON, one on each line.
pub(crate) fn print_json_lines<T: Serialize>(values: &[T]) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for value in values {
        writeln!(out, "{}", printable_json(value)?)?;
    }
    out.flush()
}

/// Serializes a value as JSON on one line, with these characters escaped.
pub(crate) fn printable_json<T: Serialize>(value: &T) -> serde_json::Result<String> {
    let json = serde_json::to_string(value)?;
    if !json.contains(is_control_or_bidi) {
        return Ok(json);
    }
    // They occur only in strings, where an escape is equivalent.
    let escape = |char: char| match is_control_or_bidi(char) {
        true => char.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
        false => char.to_string(),
    };
    Ok(json.chars().map(escape).collect())
}

/// Cleans output that arrives in any pieces; line breaks and tabs stay.
#[derive(Default)]
pub(crate) struct PrintableStream {
    /// The incomplete character at the end.
    rest: Vec<u8>,
}

impl PrintableStream {
    pub(crate) fn clean(&mut self, bytes: &[u8]) -> String {
        self.rest.extend_from_slice(bytes);
        let is_cut = |error: &std::str::Utf8Error| error.error_len().is_none();
        // Only the end can be incomplete: search backwards for its first byte.
        let tail = self.rest.iter().rposition(|byte| !(0x80..=0xbf).contains(byte)).unwrap_or(0);
        let end = match std::str::from_utf8(self.rest.get(tail..).unwrap_or_default()) {
            Err(error) if is_cut(&error) => tail,
            Ok(_) | Err(_) => self.rest.len(),
        };
        let kept = self.rest.split_off(end);
        let text = String::from_utf8_lossy(&std::mem::replace(&mut self.rest, kept)).into_owned();
        let clean = |char: char| match char {
            '\n' | '\r' | '\t' => char,
            _ if is_control_or_bidi(char) => char::REPLACEMENT_CHARACTER,
            _ => char,
        };
        text.chars().map(clean).collect()
    }
}

fn is_control_or_bidi(char: char) -> bool {
    // Bidirectional marks and overrides, and Unicode line separators.
    let is_bidi = matches!(
        char,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    // Invisible characters, which can hide text or make two names look equal. Joiners stay: scripts and emoji need them.
    let is_invisible = matches!(
        char,
        '\u{ad}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}'
            | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e007f}'
    );
    char.is_control() || is_bidi || is_invisible
}

#[cfg(test)]
mod tests {
    use super::{PrintableStream, printable, printable_json, printable_line};

    #[test]
    fn invisible_characters_are_replaced_and_scripts_and_emoji_stay() {
        for hidden in ['\u{200b}', '\u{2060}', '\u{feff}', '\u{e0041}', '\u{3164}', '\u{ad}'] {
            assert_eq!(printable(&format!("a{hidden}b")), "a\u{fffd}b");
            let json = printable_json(&hidden).unwrap();
            assert!(json.is_ascii() && serde_json::from_str::<char>(&json).unwrap() == hidden, "{json}");
        }
        for text in ["가나다", "👩\u{200d}💻", "می\u{200c}خواهم", "e\u{301}"] {
            assert_eq!(printable(text), text);
        }
    }

    #[test]
    fn a_stream_is_cleaned_the_same_in_any_pieces() {
        let text = "a\u{9b}31m 가 \u{202e}x\r\n\ty\u{e0041}👩\u{200d}💻\u{1b}".as_bytes();
        let whole = PrintableStream::default().clean(text);
        assert!(
            whole.contains("가")
                && whole.contains("\r\n\t")
                && !whole.contains(['\u{9b}', '\u{202e}', '\u{1b}'])
        );
        for size in 1..text.len() {
            let mut stream = PrintableStream::default();
            let pieces: String = text.chunks(size).map(|piece| stream.clean(piece)).collect();
            assert_eq!(pieces, whole, "{size}");
        }
    }

    #[test]
    fn control_characters_and_overrides_are_replaced() {
        let hostile = "a\u{1b}[2J\u{9b}31m\u{202e}\u{2028}\r\nb\u{7f}가";
        for text in [printable(hostile), printable_line(hostile), printable_json(&hostile).unwrap()] {
            assert!(!text.contains(|char: char| char.is_control() || char == '\u{202e}'), "{text:?}");
        }
        assert_eq!(printable_line(hostile).len(), hostile.len());
        assert_eq!(serde_json::from_str::<String>(&printable_json(&hostile).unwrap()).unwrap(), hostile);
    }
}
