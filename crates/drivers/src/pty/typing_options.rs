//! How text is typed into a program on a terminal, and how to detect that it was submitted.

use serde::{Deserialize, Serialize};

use super::PtyMode;
use crate::driver::{OutgoingBytes, SendError};

/// Linux silently drops the part of a line beyond 4,096 bytes, including its newline.
const LINE_BYTES_MAX: usize = 4095;

/// How text is typed into a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TypingOptions {
    /// Whether text is typed as a bracketed paste.
    pub paste: bool,
    /// The key that submits the typed text.
    pub submit: String,
    /// Delay before that key; some programs treat an immediate key as part of the paste.
    pub submit_after_ms: u64,
    /// Whether the program shows an input box, so that the key is pressed again while it still contains the text.
    pub verify: bool,
    /// Prefixes of an input box.
    pub marks: Vec<String>,
    /// The key that stops a turn.
    pub interrupt: String,
    /// Limit of a typed line in bytes; by default that of the terminal, for programs that read lines.
    pub line_bytes_max: Option<usize>,
    /// Lines that are typed before and after a text of several lines.
    pub around: Option<[String; 2]>,
}

impl Default for TypingOptions {
    /// Options for a terminal in line mode: a newline submits the line.
    fn default() -> Self {
        Self {
            paste: false,
            submit: "\n".to_owned(),
            submit_after_ms: 0,
            verify: false,
            marks: ["❯", "›", ">"].map(str::to_owned).to_vec(),
            interrupt: "\u{3}".to_owned(),
            line_bytes_max: None,
            around: None,
        }
    }
}

impl TypingOptions {
    /// Returns the text without control characters that would act on a terminal.
    pub(super) fn typed_text(&self, text: &str, mode: PtyMode) -> Result<String, SendError> {
        let text: String = text.replace("\r\n", "\n").chars().filter(|char| is_typable(*char)).collect();
        let text = text.trim_end_matches('\n');
        let bytes = text.split('\n').map(str::len).max().unwrap_or(0);
        let terminal_max = match mode {
            PtyMode::Lines => Some(LINE_BYTES_MAX),
            PtyMode::Screen => None,
        };
        if let Some(bytes_max) = self.line_bytes_max.or(terminal_max).filter(|bytes_max| bytes > *bytes_max) {
            return Err(SendError::TooLong { bytes, bytes_max });
        }
        Ok(match &self.around {
            Some([before, after]) if text.contains('\n') => format!("{before}\n{text}\n{after}"),
            _ => text.to_owned(),
        })
    }

    /// Returns the keys that type and submit the text.
    pub(super) fn keystrokes(&self, typed_text: &str) -> Vec<OutgoingBytes> {
        let typed =
            if self.paste { format!("\u{1b}[200~{typed_text}\u{1b}[201~") } else { typed_text.to_owned() };
        if self.submit_after_ms == 0 {
            return vec![OutgoingBytes {
                after_ms: 0,
                bytes: format!("{typed}{}", self.submit).into_bytes(),
            }];
        }
        vec![OutgoingBytes { after_ms: 0, bytes: typed.into_bytes() }, self.submit_key()]
    }

    /// Returns the key that submits the typed text.
    pub(super) fn submit_key(&self) -> OutgoingBytes {
        OutgoingBytes { after_ms: self.submit_after_ms, bytes: self.submit.clone().into_bytes() }
    }

    /// Tells whether typed text is still in the input box, which is the last row with one of its prefixes.
    pub(super) fn is_in_input_box(&self, typed_text: &str, rows: &[String]) -> bool {
        let inside = rows.iter().rev().find_map(|row| {
            let row = row.trim_matches(|char: char| char.is_whitespace() || matches!(char, '│' | '┃' | '|'));
            self.marks.iter().find_map(|mark| row.strip_prefix(mark.as_str()))
        });
        let Some(inside) = inside.map(str::trim).filter(|inside| !inside.is_empty()) else { return false };
        // A narrow box wraps and a long paste is folded, so only the start is compared.
        let first: String = typed_text.lines().next().unwrap_or("").trim().chars().take(24).collect();
        inside.starts_with("[Pasted ") || (!first.is_empty() && inside.starts_with(&first))
    }
}

/// Tells whether a character is text: newline and tab are, other control characters act as keys.
fn is_typable(char: char) -> bool {
    !char.is_control() || matches!(char, '\n' | '\t')
}

#[cfg(test)]
mod tests {
    use super::{PtyMode, SendError, TypingOptions};

    fn tui_options() -> TypingOptions {
        TypingOptions {
            paste: true,
            submit: "\r".to_owned(),
            submit_after_ms: 500,
            ..TypingOptions::default()
        }
    }

    #[test]
    fn control_characters_are_removed_from_typed_text() {
        let typed_text =
            tui_options().typed_text("a\u{1b}[201~\u{3}b\r\nc\u{9b}\n\n", PtyMode::Screen).unwrap();
        assert_eq!(typed_text, "a[201~b\nc");
        let keys = tui_options().keystrokes(&typed_text);
        assert_eq!(keys[0].bytes, b"\x1b[200~a[201~b\nc\x1b[201~");
        assert_eq!((keys[1].after_ms, &keys[1].bytes[..]), (500, &b"\r"[..]));
    }

    #[test]
    fn a_line_beyond_the_terminal_limit_is_rejected() {
        let long = "가".repeat(1366);
        assert_eq!(
            TypingOptions::default().typed_text(&long, PtyMode::Lines),
            Err(SendError::TooLong { bytes: 4098, bytes_max: 4095 })
        );
        assert!(
            TypingOptions::default()
                .typed_text(&format!("{0}\n{0}", "x".repeat(4095)), PtyMode::Lines)
                .is_ok()
        );
        assert!(tui_options().typed_text(&long, PtyMode::Screen).is_ok());
    }

    #[test]
    fn several_lines_are_wrapped_in_the_configured_delimiters() {
        let around = Some(["{x".to_owned(), "x}".to_owned()]);
        let typing = TypingOptions { around, ..TypingOptions::default() };
        assert_eq!(typing.typed_text("a\nb", PtyMode::Lines).unwrap(), "{x\na\nb\nx}");
        assert_eq!(typing.typed_text("a", PtyMode::Lines).unwrap(), "a");
    }

    #[test]
    fn unsubmitted_text_in_the_input_box_is_detected() {
        let check = |rows: &[&str], stands: bool| {
            let rows: Vec<String> = rows.iter().map(|row| (*row).to_owned()).collect();
            assert_eq!(
                tui_options().is_in_input_box("Make the file, please\nnow", &rows),
                stands,
                "{rows:?}"
            );
        };
        check(&["│ ❯ Make the file, please   │", "  now", "  ? for shortcuts"], true);
        check(&["❯ [Pasted text #1 +5 lines]"], true);
        check(&["❯ Make the file, please", "● Done.", "❯ ", "  ? for shortcuts"], false);
        check(&["› Make the file, please", "› Explain this codebase"], false);
        check(&["no box"], false);
    }
}
