//! One item of a list: its first line, and the lines below it.

use std::ops::Range;

use crate::text::{dedent, indent, line_start};

/// An item, cut out of the source.
#[derive(Debug, Clone)]
pub(crate) struct ListItem<'a> {
    /// The first line, without the list's marker.
    pub(crate) first_line: &'a str,
    /// Where the first line begins.
    pub(crate) first_line_start: usize,
    /// The bytes below the first line.
    pub(crate) below: Range<usize>,
    /// How far the marker is indented.
    pub(crate) marker_column: usize,
    /// How far the item's content is indented.
    pub(crate) content_column: usize,
}

impl<'a> ListItem<'a> {
    /// Takes an item apart, given the bytes that it covers.
    pub(crate) fn new(text: &'a str, span: Range<usize>) -> Self {
        let whole = text.get(span.clone()).unwrap_or_default();
        let n_marker = marker_length(whole);
        let line_length = memchr::memchr(b'\n', whole.as_bytes()).unwrap_or(whole.len());
        let after_marker = &whole[n_marker..line_length.max(n_marker)];
        let first = after_marker.trim_start();
        let n_spaces = after_marker.len() - first.len();
        let marker_column = column_width(&text[line_start(text, span.start)..span.start]);
        // More than four spaces are an indented code block, which begins one space after the marker.
        let n_spaces_counted = if first.trim().is_empty() || n_spaces > 4 { 1 } else { n_spaces };
        Self {
            first_line: first.trim_end_matches('\r'),
            first_line_start: span.start + n_marker + n_spaces,
            below: (span.start + line_length + 1).min(span.end)..span.end,
            marker_column,
            content_column: marker_column + n_marker + n_spaces_counted,
        }
    }

    /// Returns the bytes from a place below the first line up to a line that is not indented: Markdown lets such a
    /// line continue a paragraph, but it was not meant to.
    pub(crate) fn indented_span(&self, text: &str, from: usize) -> Range<usize> {
        let mut end = from;
        // Most items are one line.
        if from >= self.below.end {
            return from..from;
        }
        for line in text.get(from..self.below.end).unwrap_or_default().split_inclusive('\n') {
            if !line.trim().is_empty() && indent(line) <= self.marker_column {
                break;
            }
            end += line.len();
        }
        from..end
    }

    /// Adds lines below the first to a text, without their indentation.
    pub(crate) fn push_dedented(&self, text: &str, span: Range<usize>, to: &mut String) {
        for line in text.get(span).unwrap_or_default().split_inclusive('\n') {
            to.push_str(dedent(line, self.content_column));
            // A blank line may be shorter than the indentation, its end is not.
            if line.trim().is_empty() && !to.ends_with('\n') {
                to.push('\n');
            }
        }
    }
}

/// Returns the length of a list's marker: a bullet, or a number with a dot or a bracket.
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

    fn check(text: &str, first: &str, below: &str) {
        let start = text.len() - text.trim_start().len();
        let item = ListItem::new(text, start..text.len());
        let mut found = String::new();
        item.push_dedented(text, item.indented_span(text, item.below.start), &mut found);
        assert_eq!((item.first_line, found.as_str()), (first, below), "{text:?}");
        assert!(text[item.first_line_start..].starts_with(first));
    }

    #[test]
    fn what_is_indented_below_an_item_belongs_to_it() {
        check("- a\n  b\n\n    c\n", "a", "b\n\n  c\n");
        check("  - a\r\n    b\r\n", "a", "b\r\n");
        check("12. a\n    b", "a", "b");
        check("- a\n\tb\n", "a", "b\n");
    }

    #[test]
    fn a_line_that_is_not_indented_ends_it() {
        check("- a\nlazy\n  b\n", "a", "");
        check("-\n  b\n", "", "b\n");
    }
}
