//! Makes text from files and agents safe for a terminal.
//!
//! Control characters, escape sequences and bidirectional overrides are replaced, never printed.

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

/// Serializes a value as JSON on one line, with these characters escaped.
pub(crate) fn printable_json<T: Serialize>(value: &T) -> serde_json::Result<String> {
    let json = serde_json::to_string(value)?;
    if !json.contains(is_control_or_bidi) {
        return Ok(json);
    }
    // They occur only in strings, where an escape is equivalent.
    let escape = |char: char| match is_control_or_bidi(char) {
        true => format!("\\u{:04x}", u32::from(char)),
        false => char.to_string(),
    };
    Ok(json.chars().map(escape).collect())
}

fn is_control_or_bidi(char: char) -> bool {
    // Bidirectional marks and overrides, and Unicode line separators.
    let is_bidi = matches!(
        char,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    char.is_control() || is_bidi
}

#[cfg(test)]
mod tests {
    use super::{printable, printable_json, printable_line};

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
