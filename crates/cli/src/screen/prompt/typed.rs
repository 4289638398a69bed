//! A line that is being typed, with the place where the next sign goes.

use unicode_width::UnicodeWidthChar;

/// An answer longer than this belongs into a file.
const SIGNS_MAX: usize = 16 << 10;

/// A line that is being typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Typed {
    signs: Vec<char>,
    at: usize,
}

/// What can be done to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit {
    /// Put a sign in.
    Insert(char),
    /// Take the sign before the cursor out.
    Backspace,
    /// Take the sign at the cursor out.
    Delete,
    /// Take the word before the cursor out.
    DeleteWord,
    /// Take everything before the cursor out.
    DeleteToStart,
    /// Go a sign back.
    Left,
    /// Go a sign on.
    Right,
    /// Go to the first sign.
    Home,
    /// Go behind the last sign.
    End,
}

impl Typed {
    /// Begins with a text.
    pub fn of(text: &str) -> Self {
        let signs: Vec<char> = text.chars().take(SIGNS_MAX).collect();
        Self { at: signs.len(), signs }
    }

    /// Tells whether nothing is typed.
    pub fn is_empty(&self) -> bool {
        self.signs.is_empty()
    }

    /// Forgets what is typed.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns what is typed, and begins anew.
    pub fn take(&mut self) -> String {
        self.at = 0;
        std::mem::take(&mut self.signs).into_iter().collect()
    }

    /// Changes it.
    pub fn edit(&mut self, edit: Edit) {
        match edit {
            Edit::Insert(sign) if self.signs.len() < SIGNS_MAX => {
                self.signs.insert(self.at, sign);
                self.at += 1;
            }
            Edit::Insert(_) => {}
            Edit::Backspace => self.remove_from(self.at.saturating_sub(1)),
            Edit::Delete if self.at < self.signs.len() => {
                self.signs.remove(self.at);
            }
            Edit::Delete => {}
            Edit::DeleteWord => {
                let before = self.signs.get(..self.at).unwrap_or_default();
                let word_end = before.iter().rposition(|sign| !sign.is_whitespace()).map_or(0, |at| at + 1);
                let word = before.get(..word_end).unwrap_or_default();
                self.remove_from(word.iter().rposition(|sign| sign.is_whitespace()).map_or(0, |at| at + 1));
            }
            Edit::DeleteToStart => self.remove_from(0),
            Edit::Left => self.at = self.at.saturating_sub(1),
            Edit::Right => self.at = (self.at + 1).min(self.signs.len()),
            Edit::Home => self.at = 0,
            Edit::End => self.at = self.signs.len(),
        }
    }

    /// Returns as much of it as fits around the cursor, and in which column the cursor is.
    pub fn window(&self, width: usize) -> (String, usize) {
        let width_of = |sign: &char| shown(*sign).width().unwrap_or(1);
        let mut first = self.at;
        let mut column = 0;
        // One column is left for the cursor behind the last sign.
        while let Some(sign) = first.checked_sub(1).and_then(|before| self.signs.get(before)) {
            let wider = column + width_of(sign);
            if wider + 1 > width {
                break;
            }
            (first, column) = (first - 1, wider);
        }
        let mut taken = 0;
        let fits = self.signs.iter().skip(first).take_while(|sign| {
            taken += width_of(sign);
            taken < width
        });
        (fits.map(|sign| shown(*sign)).collect(), column)
    }

    fn remove_from(&mut self, start: usize) {
        self.signs.drain(start.min(self.at)..self.at);
        self.at = start.min(self.at);
    }
}

/// Returns the sign that stands for another on one line.
fn shown(sign: char) -> char {
    match sign {
        '\n' => '⏎',
        '\t' => ' ',
        _ => sign,
    }
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;

    #[test]
    fn a_line_is_edited_where_the_cursor_is() {
        let check = |start: &str, edits: &[Edit], expected: &str| {
            let mut typed = Typed::of(start);
            edits.iter().for_each(|edit| typed.edit(*edit));
            assert_eq!(typed.take(), expected, "{start} {edits:?}");
        };
        check("ab", &[Edit::Insert('c')], "abc");
        check("ab", &[Edit::Left, Edit::Insert('c')], "acb");
        check("가나", &[Edit::Backspace], "가");
        check("ab", &[Edit::Home, Edit::Delete], "b");
        check("ab", &[Edit::Delete, Edit::Home, Edit::Backspace, Edit::Left], "ab");
        check("one two  ", &[Edit::DeleteWord], "one ");
        check("one two", &[Edit::Left, Edit::DeleteToStart, Edit::End, Edit::Right], "o");
        check("", &[Edit::DeleteWord, Edit::Backspace, Edit::DeleteToStart], "");
    }

    #[test]
    fn the_cursor_is_always_in_the_window() {
        let mut typed = Typed::of("a long 답변 of 여러 글자\nand two lines");
        for _ in 0..30 {
            for width in 1..20 {
                let (text, column) = typed.window(width);
                assert!(text.width() < width.max(1) || text.is_empty(), "{text:?} in {width}");
                assert!(column < width.max(1), "{column} in {width}");
            }
            typed.edit(Edit::Left);
        }
    }
}
