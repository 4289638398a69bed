//! A line that is being edited, with its cursor.

use unicode_width::UnicodeWidthChar;

/// Length limit of the line.
const CHARS_MAX: usize = 16 << 10;

/// A line that is being edited.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct InputLine {
    chars: Vec<char>,
    at: usize,
}

/// An edit of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineEdit {
    Insert(char),
    Backspace,
    Delete,
    /// Deletes the word before the cursor.
    DeleteWord,
    /// Deletes everything before the cursor.
    DeleteToStart,
    Left,
    Right,
    Home,
    End,
}

impl InputLine {
    /// Creates a line with the cursor at its end.
    pub(crate) fn from_text(text: &str) -> Self {
        let chars: Vec<char> = text.chars().take(CHARS_MAX).collect();
        Self { at: chars.len(), chars }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.chars.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns the text and clears the line.
    pub(crate) fn take(&mut self) -> String {
        self.at = 0;
        std::mem::take(&mut self.chars).into_iter().collect()
    }

    /// Applies an edit.
    pub(crate) fn edit(&mut self, edit: LineEdit) {
        match edit {
            LineEdit::Insert(char) if self.chars.len() < CHARS_MAX => {
                self.chars.insert(self.at, char);
                self.at += 1;
            }
            LineEdit::Insert(_) => {}
            LineEdit::Backspace => self.delete_back_to(self.at.saturating_sub(1)),
            LineEdit::Delete if self.at < self.chars.len() => {
                self.chars.remove(self.at);
            }
            LineEdit::Delete => {}
            LineEdit::DeleteWord => {
                let before = self.chars.get(..self.at).unwrap_or_default();
                let word_end = before.iter().rposition(|char| !char.is_whitespace()).map_or(0, |at| at + 1);
                let word = before.get(..word_end).unwrap_or_default();
                self.delete_back_to(
                    word.iter().rposition(|char| char.is_whitespace()).map_or(0, |at| at + 1),
                );
            }
            LineEdit::DeleteToStart => self.delete_back_to(0),
            LineEdit::Left => self.at = self.at.saturating_sub(1),
            LineEdit::Right => self.at = (self.at + 1).min(self.chars.len()),
            LineEdit::Home => self.at = 0,
            LineEdit::End => self.at = self.chars.len(),
        }
    }

    /// Returns the part around the cursor that fits the width, and the column of the cursor.
    pub(crate) fn window(&self, width: usize) -> (String, usize) {
        let width_of = |char: &char| displayed_char(*char).width().unwrap_or(1);
        let mut first = self.at;
        let mut column = 0;
        // One column is reserved for the cursor after the last character.
        while let Some(char) = first.checked_sub(1).and_then(|before| self.chars.get(before)) {
            let wider = column + width_of(char);
            if wider + 1 > width {
                break;
            }
            (first, column) = (first - 1, wider);
        }
        let mut taken = 0;
        let fits = self.chars.iter().skip(first).take_while(|char| {
            taken += width_of(char);
            taken < width
        });
        (fits.map(|char| displayed_char(*char)).collect(), column)
    }

    fn delete_back_to(&mut self, start: usize) {
        self.chars.drain(start.min(self.at)..self.at);
        self.at = start.min(self.at);
    }
}

/// Returns the character that replaces a line break or tab.
fn displayed_char(char: char) -> char {
    match char {
        '\n' => '⏎',
        '\t' => ' ',
        _ => char,
    }
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;

    #[test]
    fn edits_apply_at_the_cursor() {
        let check = |start: &str, edits: &[LineEdit], expected: &str| {
            let mut line = InputLine::from_text(start);
            edits.iter().for_each(|edit| line.edit(*edit));
            assert_eq!(line.take(), expected, "{start} {edits:?}");
        };
        check("ab", &[LineEdit::Insert('c')], "abc");
        check("ab", &[LineEdit::Left, LineEdit::Insert('c')], "acb");
        check("가나", &[LineEdit::Backspace], "가");
        check("ab", &[LineEdit::Home, LineEdit::Delete], "b");
        check("ab", &[LineEdit::Delete, LineEdit::Home, LineEdit::Backspace, LineEdit::Left], "ab");
        check("one two  ", &[LineEdit::DeleteWord], "one ");
        check("one two", &[LineEdit::Left, LineEdit::DeleteToStart, LineEdit::End, LineEdit::Right], "o");
        check("", &[LineEdit::DeleteWord, LineEdit::Backspace, LineEdit::DeleteToStart], "");
    }

    #[test]
    fn the_cursor_is_always_visible() {
        let mut line = InputLine::from_text("a long 답변 of 여러 글자\nand two lines");
        for _ in 0..30 {
            for width in 1..20 {
                let (text, column) = line.window(width);
                assert!(text.width() < width.max(1) || text.is_empty(), "{text:?} in {width}");
                assert!(column < width.max(1), "{column} in {width}");
            }
            line.edit(LineEdit::Left);
        }
    }
}
