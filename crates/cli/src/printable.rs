//! Text from files, names and agents, made safe for a person's terminal.
//!
//! What a terminal would obey (controls, escape sequences, changes of direction) is shown as a sign, never sent.

use serde::Serialize;

/// Returns a text without anything that a terminal would obey.
pub fn printable(text: &str) -> String {
    text.chars().map(|sign| if is_obeyed(sign) { char::REPLACEMENT_CHARACTER } else { sign }).collect()
}

/// Returns the same for a line of a file, byte for byte as long, so that places in it stay; tabs stay too.
pub fn printable_line(line: &str) -> String {
    line.chars()
        .map(|sign| match sign.len_utf8() {
            _ if sign == '\t' || !is_obeyed(sign) => sign,
            1 => '?',
            2 => '·',
            _ => char::REPLACEMENT_CHARACTER,
        })
        .collect()
}

/// Returns a value as JSON on one line, in which such signs are escaped.
pub fn json<T: Serialize>(value: &T) -> serde_json::Result<String> {
    let json = serde_json::to_string(value)?;
    if !json.contains(is_obeyed) {
        return Ok(json);
    }
    // They stand only inside of strings, where an escape is the same.
    let escape = |sign: char| match is_obeyed(sign) {
        true => format!("\\u{:04x}", u32::from(sign)),
        false => sign.to_string(),
    };
    Ok(json.chars().map(escape).collect())
}

fn is_obeyed(sign: char) -> bool {
    // Marks and overrides of direction, and what some programs take for a new line.
    let turns = matches!(
        sign,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    sign.is_control() || turns
}

#[cfg(test)]
mod tests {
    use super::{json, printable, printable_line};

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        let hostile = "a\u{1b}[2J\u{9b}31m\u{202e}\u{2028}\r\nb\u{7f}가";
        for text in [printable(hostile), printable_line(hostile), json(&hostile).unwrap()] {
            assert!(!text.contains(|sign: char| sign.is_control() || sign == '\u{202e}'), "{text:?}");
        }
        assert_eq!(printable_line(hostile).len(), hostile.len());
        assert_eq!(serde_json::from_str::<String>(&json(&hostile).unwrap()).unwrap(), hostile);
    }
}
