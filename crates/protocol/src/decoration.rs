//! What may stand around a message on its line: white space, symbols, boxes, quotation marks, bullets.

use std::ops::Range;

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};
use unicode_width::UnicodeWidthChar;

/// What stands before the first sign of a line that means something.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Lead {
    /// The index of that sign, or the line's length.
    pub(crate) at: usize,
    /// Whether the line begins with a vertical box sign, so that its right border goes too.
    pub(crate) is_boxed: bool,
    /// The box signs and `>` in the order in which they stand.
    pub(crate) frame: Vec<char>,
    /// Whether `+` or `-` stands directly before the sign: a line of a diff.
    pub(crate) is_diff: bool,
    /// Whether bold type begins directly before the sign and wants its closing `**` taken away.
    pub(crate) is_bold: bool,
    /// The number of columns that only white space takes at the line's beginning.
    pub(crate) indent: usize,
    /// The column of the sign.
    pub(crate) column: usize,
}

impl Lead {
    /// Reads the beginning of a line.
    pub(crate) fn of(text: &str) -> Self {
        let mut lead = Self { at: text.len(), indent: indent(text), ..Self::default() };
        for (index, sign) in text.char_indices() {
            if !may_surround(sign) {
                lead.at = index;
                break;
            }
            if is_frame(sign) {
                lead.is_boxed |=
                    lead.frame.is_empty() && is_vertical(sign) && text[..index].trim().is_empty();
                // Nobody nests boxes and quotations deeper; the bound keeps hostile lines cheap.
                if lead.frame.len() < 16 {
                    lead.frame.push(sign);
                }
            }
        }
        let before = &text[..lead.at];
        lead.is_diff = before.ends_with(['+', '-']);
        lead.is_bold = before.ends_with("**");
        lead.column = before.chars().fold(0, next_column);
        lead
    }

    /// Takes away the right border of a line whose tag stands in a box.
    pub(crate) fn without_border<'t>(&self, text: &'t str) -> &'t str {
        if !self.is_boxed {
            return text;
        }
        let end = text.trim_end();
        match end.chars().next_back() {
            Some(sign) if is_box(sign) => end[..end.len() - sign.len_utf8()].trim_end(),
            _ => text,
        }
    }

    /// Takes the tag's frame off a line of its body.
    pub(crate) fn unframe<'t>(&self, text: &'t str) -> &'t str {
        &text[self.inside(text)]
    }

    /// Returns the part of a body's line that lies inside the tag's frame.
    pub(crate) fn inside(&self, text: &str) -> Range<usize> {
        if self.frame.is_empty() {
            return 0..text.len();
        }
        if self.is_boxed && text.chars().all(|sign| sign.is_whitespace() || is_box(sign)) {
            return 0..0;
        }
        let mut rest = text;
        for sign in &self.frame {
            let inner = rest.trim_start();
            let Some(behind) = inner.strip_prefix(|c: char| c == *sign || (is_box(c) && is_box(*sign)))
            else {
                break;
            };
            rest = behind.strip_prefix([' ', '\u{a0}']).unwrap_or(behind);
        }
        let start = text.len() - rest.len();
        start..start + self.without_border(rest).len()
    }
}

/// Takes away what may follow a tag or a thin line: white space and decoration.
pub(crate) fn trim_end(text: &str) -> &str {
    text.trim_end_matches(may_surround)
}

/// Returns whether a sign may stand before or behind a message on its line.
pub(crate) fn may_surround(sign: char) -> bool {
    is_decoration(sign) || sign.is_whitespace()
}

/// Tells whether a sign may stand before a message without being part of it.
fn is_decoration(sign: char) -> bool {
    match sign {
        '>' | '*' | '-' | '+' | '#' | '|' | '•' | '·' | '❯' => true,
        // ASCII and Hangul syllables, the most frequent signs, need no table.
        '\0'..='\x7f' | '가'..='힣' => false,
        // Variation selectors, the joiner inside an emoji of several signs, and the byte order mark.
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{200d}' | '\u{feff}' => true,
        // Arrows, mathematics, boxes, blocks, shapes, dingbats and Braille, which spinners use: symbols throughout.
        '\u{2190}'..='\u{2307}' | '\u{2500}'..='\u{2767}' | '\u{2800}'..='\u{28ff}' => true,
        _ => is_symbol(sign),
    }
}

fn is_symbol(sign: char) -> bool {
    matches!(
        sign.general_category(),
        GeneralCategory::OtherSymbol | GeneralCategory::ModifierSymbol | GeneralCategory::MathSymbol
    )
}

fn is_frame(sign: char) -> bool {
    sign == '>' || is_box(sign)
}

/// Tells whether a sign belongs to a box that is drawn around text.
fn is_box(sign: char) -> bool {
    matches!(sign, '|' | '\u{2500}'..='\u{257f}' | '▏' | '▕' | '▌' | '▐')
}

fn is_vertical(sign: char) -> bool {
    matches!(sign, '|' | '│' | '┃' | '║' | '╎' | '╏' | '┆' | '┇' | '┊' | '┋' | '▏' | '▕' | '▌' | '▐')
}

/// Counts the columns of white space at the beginning of a line.
pub(crate) fn indent(text: &str) -> usize {
    text.chars().take_while(|sign| sign.is_whitespace()).fold(0, next_column)
}

/// Returns the column behind a sign that stands in `column`.
fn next_column(column: usize, sign: char) -> usize {
    match sign {
        '\t' => (column / 8 + 1) * 8,
        _ => column + sign.width().unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::{Lead, is_decoration, is_symbol};

    #[test]
    fn the_ranges_that_are_taken_for_symbols_hold_nothing_else() {
        for sign in ('\u{2190}'..='\u{2307}').chain('\u{2500}'..='\u{2767}').chain('\u{2800}'..='\u{28ff}') {
            assert!(is_symbol(sign), "{sign:?}");
        }
    }

    #[test]
    fn symbols_are_decoration_and_letters_quotes_brackets_are_not() {
        for sign in "⏺●✻⠋→│╭▶✅🤖⚠\u{fffd}\u{fe0f}>*-+#|•·❯©".chars() {
            assert!(is_decoration(sign), "{sign:?}");
        }
        for sign in "aZ1가`'\"“»[](/=<~^_.…".chars() {
            assert!(!is_decoration(sign), "{sign:?}");
        }
    }

    #[test]
    fn a_tag_in_a_box_gives_its_frame() {
        let lead = Lead::of("  │ > [ASK_USER] Which?    │");
        assert_eq!((lead.frame.as_slice(), lead.is_boxed), (['│', '>'].as_slice(), true));
        assert_eq!(lead.unframe("  │ > options: a, b    │"), "options: a, b");
        assert_eq!(lead.unframe("  ╰────────╯"), "");
        assert_eq!(Lead::of("> [ASK_USER]").unframe("> - a"), "- a");
        assert_eq!(Lead::of("[ASK_USER]").unframe("│ kept │"), "│ kept │");
    }

    #[test]
    fn a_sign_of_a_diff_and_bold_type_are_seen() {
        assert!(Lead::of("+[ASK_USER]").is_diff);
        assert!(!Lead::of("+ [ASK_USER]").is_diff);
        assert!(Lead::of("- **[ASK_USER]**").is_bold);
    }
}
