//! The end of a check's output, as the inbox shows it. The receipt has a longer part.

const LINES_MAX: usize = 20;
/// Characters kept of a line: a minified file on one line must not fill the inbox.
const LINE_CHARS_MAX: usize = 300;

/// Returns the last lines of an output, without blank lines at its end.
pub(crate) fn end_of_output(output: &str) -> String {
    let lines: Vec<&str> = output.trim_end().lines().collect();
    let first = lines.len().saturating_sub(LINES_MAX);
    let mut end = String::new();
    if first > 0 {
        end.push('…');
    }
    for line in lines.iter().skip(first) {
        if !end.is_empty() {
            end.push('\n');
        }
        match line.char_indices().nth(LINE_CHARS_MAX) {
            Some((at, _)) => {
                end.push_str(line.get(..at).unwrap_or_default());
                end.push('…');
            }
            None => end.push_str(line),
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::{LINE_CHARS_MAX, LINES_MAX, end_of_output};

    #[test]
    fn end_of_output_has_a_bound() {
        assert_eq!(end_of_output(""), "");
        assert_eq!(end_of_output("one\ntwo\n\n"), "one\ntwo");
        let long: String = (1..=50).map(|number| format!("line {number}\n")).collect();
        let end = end_of_output(&long);
        assert!(end.starts_with("…\nline 31\n") && end.ends_with("\nline 50"), "{end}");
        assert_eq!(end.lines().count(), LINES_MAX + 1);
        let wide = end_of_output(&"가".repeat(1000));
        assert_eq!(wide.chars().count(), LINE_CHARS_MAX + 1);
    }
}
