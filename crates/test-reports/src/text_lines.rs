//! The lines of an output as a terminal shows them.

/// The visible lines of an output, without colors, overwritten text and final carriage returns.
pub(crate) struct TextLines(Vec<String>);

impl TextLines {
    pub(crate) fn new(output: &[u8]) -> Self {
        Self(output.split(|byte| *byte == b'\n').map(visible_line).collect())
    }

    pub(crate) fn as_slice(&self) -> Vec<&str> {
        self.0.iter().map(String::as_str).collect()
    }
}

/// Lines with control characters are rendered; the others, some of them long JSON documents, are taken as they are.
fn visible_line(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let is_plain = !line.iter().any(|byte| (*byte < 0x20 && *byte != b'\t') || *byte == 0x7f);
    if is_plain { String::from_utf8_lossy(line).into_owned() } else { protocol::visible_text(line) }
}

/// Returns the text of lines without the indentation that all of them have, and without blank lines around it.
pub(crate) fn dedented(lines: &[&str]) -> String {
    let is_text = |line: &&&str| !line.trim().is_empty();
    let indentation = |line: &&str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let shared = lines.iter().filter(is_text).map(indentation).min().unwrap_or(0);
    let cut: Vec<&str> = lines.iter().map(|line| line.get(shared..).unwrap_or_default().trim_end()).collect();
    cut.join("\n").trim_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::{TextLines, dedented};

    #[test]
    fn lines_are_what_a_terminal_shows() {
        let lines = TextLines::new(b"\x1b[31mred\x1b[0m\r\n50%\r100%\ttab\xff");
        assert_eq!(lines.as_slice(), ["red", "100%\ttab\u{fffd}"]);
    }

    #[test]
    fn shared_indentation_is_removed() {
        assert_eq!(dedented(&["", "    a", "      b", "", "    c", ""]), "a\n  b\n\nc");
    }
}
