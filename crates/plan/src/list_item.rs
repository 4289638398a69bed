//! One Markdown list item: its first line and the lines below it.

use std::ops::Range;

use crate::text::{dedent, indent_width, line_start, trim_start};

/// A list item, located in the source.
#[derive(Debug, Clone)]
pub(crate) struct ListItem<'a> {
    /// Without the list marker.
    pub(crate) first_line: &'a str,
    /// Offset of `first_line` in the source.
    pub(crate) first_line_start: usize,
    /// Span of the lines below the first one.
    pub(crate) below: Range<usize>,
    /// Column of the list marker.
    pub(crate) marker_column: usize,
    /// Column at which the content starts.
    pub(crate) content_column: usize,
}

impl<'a> ListItem<'a> {
    /// Splits the item that covers the given bytes.
    pub(crate) fn new(text: &'a str, span: Range<usize>) -> Self {
        let whole = text.get(span.clone()).unwrap_or_default();
        let n_marker = marker_length(whole);
        let line_length = memchr::memchr(b'\n', whole.as_bytes()).unwrap_or(whole.len());
        let after_marker = &whole[n_marker..line_length.max(n_marker)];
        let first = trim_start(after_marker);
        let n_spaces = after_marker.len() - first.len();
        let marker_column = column_width(&text[line_start(text, span.start)..span.start]);
        // More than four spaces start an indented code block, whose content begins one space after the marker.
        let n_spaces_counted = if trim_start(first).is_empty() || n_spaces > 4 { 1 } else { n_spaces };
        Self {
            first_line: if first.ends_with('\r') { first.trim_end_matches('\r') } else { first },
            first_line_start: span.start + n_marker + n_spaces,
            below: (span.start + line_length + 1).min(span.end)..span.end,
            marker_column,
            content_column: marker_column + n_marker + n_spaces_counted,
        }
    }

    /// Returns the span from `from` to the first line that is not indented. Markdown treats such a line as a
    /// continuation of the paragraph, but authors do not mean that.
    pub(crate) fn indented_span(&self, text: &str, from: usize) -> Range<usize> {
        let mut end = from;
        // Most items have a single line.
        if from >= self.below.end {
            return from..from;
        }
        for line in text.get(from..self.below.end).unwrap_or_default().split_inclusive('\n') {
            if !line.trim().is_empty() && indent_width(line) <= self.marker_column {
                break;
            }
            end += line.len();
        }
        from..end
    }

    /// Appends lines below the first one without their indentation.
    pub(crate) fn push_dedented(&self, text: &str, span: Range<usize>, to: &mut String) {
        for line in text.get(span).unwrap_or_default().split_inclusive('\n') {
            to.push_str(dedent(line, self.content_column));
            // A blank line shorter than the indentation still needs its line end.
            if line.trim().is_empty() && !to.ends_with('\n') {
                to.push('\n');
            }
        }
    }
}

/// Returns the length of the list marker: a bullet, or a number with a dot or a bracket.
fn marker_length(text: &str) -> usize {
    let n_digits = text.bytes().take_while(u8::is_ascii_digit).count();
    match text.as_bytes().get(n_digits) {
        Some(b'.' | b')') if n_digits > 0 => n_digits + 1,
        Some(b'-' | b'*' | b'+') if n_digits == 0 => 1,
        _ => 0,
    }
}

fn column_width(prefix: &str) -> usize {
    prefix.chars().fold(0_usize, |column, character| match character {
        '\t' => column + 4 - column % 4,
        _ => column + 1,
    })
}

#[cfg(test)]
mod tests {
    use super::ListItem;

    fn assert_item_text(text: &str, first: &str, below: &str) {
        let start = text.len() - text.trim_start().len();
        let item = ListItem::new(text, start..text.len());
        let mut found = String::new();
        item.push_dedented(text, item.indented_span(text, item.below.start), &mut found);
        assert_eq!((item.first_line, found.as_str()), (first, below), "{text:?}");
        assert!(text[item.first_line_start..].starts_with(first));
    }

    #[test]
    fn indented_lines_belong_to_the_item() {
        assert_item_text("- a\n  b\n\n    c\n", "a", "b\n\n  c\n");
        assert_item_text("  - a\r\n    b\r\n", "a", "b\r\n");
        assert_item_text("12. a\n    b", "a", "b");
        assert_item_text("- a\n\tb\n", "a", "b\n");
    }

    #[test]
    fn an_unindented_line_ends_the_item() {
        assert_item_text("- a\nlazy\n  b\n", "a", "");
        assert_item_text("-\n  b\n", "", "b\n");
    }
}
