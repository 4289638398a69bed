//! Decoration around a message on its line: white space, symbols, boxes, quotation marks, bullets.

use std::ops::Range;

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};
use unicode_width::UnicodeWidthChar;

/// The decoration before the first significant character of a line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct LinePrefix {
    /// The index of that character, or the line's length.
    pub(crate) end: usize,
    /// Whether the line begins with a vertical box character, so that its right border is removed too.
    pub(crate) is_boxed: bool,
    /// The box characters and `>`, in order.
    pub(crate) frame: Vec<char>,
    /// Whether `+` or `-` directly precedes the character: a line of a diff.
    pub(crate) is_diff: bool,
    /// Whether `**` directly precedes the character; its closing `**` is then removed.
    pub(crate) is_bold: bool,
    /// The columns of white space at the start of the line.
    pub(crate) indent: usize,
    /// The column of the first significant character.
    pub(crate) column: usize,
}

impl LinePrefix {
    pub(crate) fn parse(text: &str) -> Self {
        let mut prefix = Self { end: text.len(), indent: indent_width(text), ..Self::default() };
        for (index, character) in text.char_indices() {
            if !may_surround_message(character) {
                prefix.end = index;
                break;
            }
            if is_frame(character) {
                prefix.is_boxed |=
                    prefix.frame.is_empty() && is_vertical(character) && text[..index].trim().is_empty();
                // Deeper nesting does not occur; the bound keeps hostile lines cheap.
                if prefix.frame.len() < 16 {
                    prefix.frame.push(character);
                }
            }
        }
        let before = &text[..prefix.end];
        prefix.is_diff = before.ends_with(['+', '-']);
        prefix.is_bold = before.ends_with("**");
        prefix.column = before.chars().fold(0, next_column);
        prefix
    }

    /// Removes the right border of a line whose tag is in a box.
    pub(crate) fn strip_right_border<'t>(&self, text: &'t str) -> &'t str {
        if !self.is_boxed {
            return text;
        }
        let end = text.trim_end();
        match end.chars().next_back() {
            Some(character) if is_box(character) => end[..end.len() - character.len_utf8()].trim_end(),
            _ => text,
        }
    }

    /// Removes the tag's frame from a line of its body.
    pub(crate) fn strip_frame<'t>(&self, text: &'t str) -> &'t str {
        &text[self.range_inside_frame(text)]
    }

    /// Returns the part of a body line inside the tag's frame.
    pub(crate) fn range_inside_frame(&self, text: &str) -> Range<usize> {
        if self.frame.is_empty() {
            return 0..text.len();
        }
        if self.is_boxed && text.chars().all(|character| character.is_whitespace() || is_box(character)) {
            return 0..0;
        }
        let mut rest = text;
        for character in &self.frame {
            let inner = rest.trim_start();
            let Some(after) =
                inner.strip_prefix(|c: char| c == *character || (is_box(c) && is_box(*character)))
            else {
                break;
            };
            rest = after.strip_prefix([' ', '\u{a0}']).unwrap_or(after);
        }
        let start = text.len() - rest.len();
        start..start + self.strip_right_border(rest).len()
    }
}

/// Removes decoration after a tag or a keyword line.
pub(crate) fn trim_end_decoration(text: &str) -> &str {
    text.trim_end_matches(may_surround_message)
}

/// Returns whether a character may precede or follow a message on its line.
pub(crate) fn may_surround_message(character: char) -> bool {
    is_decoration(character) || character.is_whitespace()
}

/// Returns whether a character other than white space may precede a message.
fn is_decoration(character: char) -> bool {
    match character {
        '>' | '*' | '-' | '+' | '#' | '|' | '•' | '·' | '❯' => true,
        // ASCII and Hangul syllables, the most frequent characters, need no table.
        '\0'..='\x7f' | '가'..='힣' => false,
        // Variation selectors, the joiner inside composed emoji, and the byte order mark.
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{200d}' | '\u{feff}' => true,
        // Arrows, mathematics, boxes, blocks, shapes, dingbats and Braille (spinners): all symbols.
        '\u{2190}'..='\u{2307}' | '\u{2500}'..='\u{2767}' | '\u{2800}'..='\u{28ff}' => true,
        _ => is_symbol(character),
    }
}

fn is_symbol(character: char) -> bool {
    matches!(
        character.general_category(),
        GeneralCategory::OtherSymbol | GeneralCategory::ModifierSymbol | GeneralCategory::MathSymbol
    )
}

fn is_frame(character: char) -> bool {
    character == '>' || is_box(character)
}

/// Returns whether a character belongs to a box drawn around text.
fn is_box(character: char) -> bool {
    matches!(character, '|' | '\u{2500}'..='\u{257f}' | '▏' | '▕' | '▌' | '▐')
}

fn is_vertical(character: char) -> bool {
    matches!(character, '|' | '│' | '┃' | '║' | '╎' | '╏' | '┆' | '┇' | '┊' | '┋' | '▏' | '▕' | '▌' | '▐')
}

/// Counts the columns of white space at the start of a line.
pub(crate) fn indent_width(text: &str) -> usize {
    text.chars().take_while(|character| character.is_whitespace()).fold(0, next_column)
}

/// Returns the column after a character at `column`.
fn next_column(column: usize, character: char) -> usize {
    match character {
        '\t' => (column / 8 + 1) * 8,
        _ => column + character.width().unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::{LinePrefix, is_decoration, is_symbol};

    #[test]
    fn symbol_ranges_contain_only_symbols() {
        for character in
            ('\u{2190}'..='\u{2307}').chain('\u{2500}'..='\u{2767}').chain('\u{2800}'..='\u{28ff}')
        {
            assert!(is_symbol(character), "{character:?}");
        }
    }

    #[test]
    fn symbols_are_decoration_and_letters_quotes_brackets_are_not() {
        for character in "⏺●✻⠋→│╭▶✅🤖⚠\u{fffd}\u{fe0f}>*-+#|•·❯©".chars() {
            assert!(is_decoration(character), "{character:?}");
        }
        for character in "aZ1가`'\"“»[](/=<~^_.…".chars() {
            assert!(!is_decoration(character), "{character:?}");
        }
    }

    #[test]
    fn tag_in_a_box_has_a_frame() {
        let prefix = LinePrefix::parse("  │ > [ASK_USER] Which?    │");
        assert_eq!((prefix.frame.as_slice(), prefix.is_boxed), (['│', '>'].as_slice(), true));
        assert_eq!(prefix.strip_frame("  │ > options: a, b    │"), "options: a, b");
        assert_eq!(prefix.strip_frame("  ╰────────╯"), "");
        assert_eq!(LinePrefix::parse("> [ASK_USER]").strip_frame("> - a"), "- a");
        assert_eq!(LinePrefix::parse("[ASK_USER]").strip_frame("│ kept │"), "│ kept │");
    }

    #[test]
    fn diff_marks_and_bold_markup_are_detected() {
        assert!(LinePrefix::parse("+[ASK_USER]").is_diff);
        assert!(!LinePrefix::parse("+ [ASK_USER]").is_diff);
        assert!(LinePrefix::parse("- **[ASK_USER]**").is_bold);
    }
}
