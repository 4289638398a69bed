//! Styled lines, measured in terminal columns.
//!
//! All text passes through `printable`, so that agents cannot control the terminal.

use anstyle::Style;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::printable::printable;

/// A line of styled pieces of text.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Line {
    pieces: Vec<(Style, String)>,
}

impl Line {
    /// Starts a line with a text.
    pub(crate) fn styled(style: Style, text: &str) -> Self {
        Self::default().append(style, text)
    }

    /// Appends a text.
    pub(crate) fn append(mut self, style: Style, text: &str) -> Self {
        self.pieces.push((style, printable(text)));
        self
    }

    /// Returns the width in columns.
    pub(crate) fn width(&self) -> usize {
        self.pieces.iter().map(|(_, text)| text.width()).sum()
    }

    /// Truncates the line to a width.
    pub(crate) fn cut(self, width: usize) -> Self {
        if self.width() <= width {
            return self;
        }
        let mut left = width;
        let mut pieces = Vec::new();
        for (style, text) in self.pieces {
            let is_whole = text.width() < left;
            let text = if is_whole { text } else { cut(&(text + "……"), left) };
            left = left.saturating_sub(text.width());
            pieces.push((style, text));
            if !is_whole {
                break;
            }
        }
        Self { pieces }
    }

    /// Returns the text without styles.
    pub(crate) fn text(&self) -> String {
        self.pieces.iter().map(|(_, text)| text.as_str()).collect()
    }

    /// Returns the text with ANSI styles.
    pub(crate) fn ansi_text(&self) -> String {
        self.pieces.iter().map(|(style, text)| format!("{style}{text}{style:#}")).collect()
    }
}

/// Truncates a text to a width, with an ellipsis.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut short = prefix_of_width(text, width.saturating_sub(1)).to_owned();
    if width > 0 {
        short.push('…');
    }
    short
}

/// Pads or truncates a text to a width, left-aligned.
pub(crate) fn pad(text: &str, width: usize) -> String {
    let text = cut(text, width);
    let blanks = width.saturating_sub(text.width());
    text + &" ".repeat(blanks)
}

/// Pads or truncates a text to a width, right-aligned.
pub(crate) fn pad_left(text: &str, width: usize) -> String {
    let text = cut(text, width);
    let blanks = width.saturating_sub(text.width());
    " ".repeat(blanks) + &text
}

/// Wraps a text at spaces if possible; keeps its line breaks.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    text.trim_end().lines().flat_map(|line| wrap_line(&line.replace('\t', "  "), width.max(1))).collect()
}

/// Joins a text to one line with single spaces.
pub(crate) fn collapse_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn wrap_line(line: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = line.trim_end();
    while rest.width() > width {
        let fits = prefix_of_width(rest, width);
        // A character that is wider than the line gets its own line.
        let fits = if fits.is_empty() { first_char(rest) } else { fits };
        let next_is_blank = rest.get(fits.len()..).is_some_and(|rest| rest.starts_with(' '));
        let at = if next_is_blank { None } else { fits.rfind(' ').filter(|at| *at > 0) };
        let (line, after) = rest.split_at(at.unwrap_or(fits.len()));
        lines.push(line.trim_end().to_owned());
        rest = after.trim_start();
    }
    if !rest.is_empty() || lines.is_empty() {
        lines.push(rest.to_owned());
    }
    lines
}

/// Returns the longest prefix that fits the width.
fn prefix_of_width(text: &str, width: usize) -> &str {
    let mut taken = 0;
    for (at, char) in text.char_indices() {
        taken += char.width().unwrap_or(1);
        if taken > width {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}

fn first_char(text: &str) -> &str {
    let end = text.char_indices().nth(1).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_never_wider_than_requested() {
        for text in [
            "",
            "short",
            "a longer text than that",
            "결제 대행사를 선택해 주세요",
            "👩‍👩‍👧 가나다",
            "e\u{301}e\u{301}",
        ] {
            for width in 0..12 {
                assert!(cut(text, width).width() <= width, "{text} in {width}");
                assert_eq!(pad(text, width).width(), width, "{text} in {width}");
                assert_eq!(pad_left(text, width).width(), width, "{text} in {width}");
                let line = Line::styled(Style::new(), text).append(Style::new(), text).cut(width);
                assert!(line.width() <= width, "{text} in {width}: {line:?}");
            }
            for width in 2..12 {
                let lines = wrap(text, width);
                assert!(lines.iter().all(|line| line.width() <= width), "{text} in {width}: {lines:?}");
                let all = |text: &str| text.replace(' ', "");
                assert_eq!(all(&lines.concat()), all(text));
            }
        }
    }

    #[test]
    fn text_wraps_at_spaces() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("one\n\n  two", 7), ["one", "", "  two"]);
        assert_eq!(wrap("unbreakable", 4), ["unbr", "eaka", "ble"]);
        assert_eq!(wrap("가나다", 1), ["가", "나", "다"]);
    }

    #[test]
    fn truncated_text_ends_with_an_ellipsis() {
        assert_eq!(cut("결제 대행사", 6), "결제 …");
        assert_eq!(Line::styled(Style::new(), "ab").append(Style::new(), "cd").cut(3).text(), "ab…");
    }

    #[test]
    fn control_characters_are_replaced() {
        let line = Line::styled(Style::new().bold(), "a\u{1b}]0;x\u{7}\u{202e}b");
        assert_eq!(line.text(), "a\u{fffd}]0;x\u{fffd}\u{fffd}b");
    }
}
