//! Puts pictures onto a terminal, each over the one before, below whatever has scrolled up.
//!
//! Pure: gives the bytes, and remembers what they left on the screen.

use std::fmt::Write;

use crate::screen::{draw::Picture, line::Line};

/// A terminal that supports it shows all of a picture at once.
const BEGIN: &str = "\x1b[?2026h\x1b[?25l";
const END: &str = "\x1b[?25h\x1b[?2026l";

/// What stands on the screen.
#[derive(Debug, Default)]
pub struct Painter {
    /// The widths of the lines of the last picture.
    widths: Vec<usize>,
    /// The line of the cursor.
    cursor: usize,
    /// Whether lines have colours.
    has_colours: bool,
}

impl Painter {
    /// Begins on a line of its own.
    pub fn new(has_colours: bool) -> Self {
        Self { has_colours, ..Self::default() }
    }

    /// Returns what replaces the last picture by lines that stay and a new picture.
    pub fn paint(&mut self, stays: &[Line], picture: &Picture, width: usize) -> String {
        let mut out = BEGIN.to_owned();
        self.erase(&mut out, width);
        for line in stays {
            out.push_str(&self.line(line));
            out.push_str("\r\n");
        }
        let lines: Vec<String> = picture.lines.iter().map(|line| self.line(line)).collect();
        out.push_str(&lines.join("\r\n"));
        let (row, column) = picture.cursor;
        let up = picture.lines.len().saturating_sub(1).saturating_sub(row);
        if up > 0 {
            let _ = write!(out, "\x1b[{up}A");
        }
        out.push('\r');
        if column > 0 {
            let _ = write!(out, "\x1b[{column}C");
        }
        out.push_str(END);
        self.widths = picture.lines.iter().map(Line::width).collect();
        self.cursor = row;
        out
    }

    /// Returns what leaves the last picture where it is, and goes on below it.
    pub fn leave(&mut self) -> String {
        let down = self.widths.len().saturating_sub(1).saturating_sub(self.cursor);
        self.widths.clear();
        self.cursor = 0;
        let down = if down > 0 { format!("\x1b[{down}B") } else { String::new() };
        format!("{down}\r\n")
    }

    /// Forgets the last picture: somebody else has written over it.
    pub fn forget(&mut self) {
        (self.widths, self.cursor) = (Vec::new(), 0);
    }

    /// Goes to the first line of the last picture, which may have been folded by a narrower window, and clears it.
    fn erase(&self, out: &mut String, width: usize) {
        let above = self.widths.iter().take(self.cursor);
        let rows: usize = above.map(|line| line.div_ceil(width.max(1)).max(1)).sum();
        if rows > 0 {
            let _ = write!(out, "\x1b[{rows}A");
        }
        out.push_str("\r\x1b[J");
    }

    fn line(&self, line: &Line) -> String {
        if self.has_colours { line.painted() } else { line.text() }
    }
}

#[cfg(test)]
mod tests {
    use anstyle::{AnsiColor, Style};

    use super::*;

    fn picture(lines: &[&str], cursor: (usize, usize)) -> Picture {
        let lines = lines.iter().map(|line| Line::of(Style::new(), line)).collect();
        Picture { lines, cursor }
    }

    fn stays(text: &str) -> Vec<Line> {
        vec![Line::of(AnsiColor::Red.on_default(), text)]
    }

    /// Returns what is on a terminal and above it, after these bytes.
    fn seen(terminal: &mut avt::Terminal, bytes: &str) -> Vec<String> {
        terminal.feed(bytes);
        let lines = terminal.screen().all_lines().map(|line| line.text().trim_end().to_owned());
        let mut lines: Vec<String> = lines.collect();
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines
    }

    fn terminal(width: usize, height: usize) -> avt::Terminal {
        avt::Terminal::with_scrollback(width, height, None).unwrap()
    }

    #[test]
    fn a_picture_replaces_the_one_before_and_what_stays_scrolls_up() {
        let mut terminal = terminal(20, 5);
        let mut painter = Painter::default();
        seen(&mut terminal, &painter.paint(&[], &picture(&["one", "two", "> "], (2, 2)), 20));
        assert_eq!((terminal.cursor_position().row, terminal.cursor_position().col), (2, 2));
        let lines = seen(&mut terminal, &painter.paint(&stays("a"), &picture(&["1", "> "], (1, 2)), 20));
        assert_eq!(lines, ["a", "1", ">"]);
        for text in ["b", "c", "d", "e"] {
            seen(&mut terminal, &painter.paint(&stays(text), &picture(&["1", "> x"], (0, 1)), 20));
        }
        let lines = seen(&mut terminal, &painter.leave());
        assert_eq!(lines, ["a", "b", "c", "d", "e", "1", "> x"]);
    }

    #[test]
    fn colours_are_there_only_where_they_are_wanted() {
        let picture = picture(&["x"], (0, 0));
        let plain = Painter::default().paint(&stays("a"), &picture, 20);
        assert!(!plain.contains("\x1b[31m"), "{plain:?}");
        let mut painter = Painter::new(true);
        assert!(painter.paint(&stays("a"), &picture, 20).contains("\x1b[31ma\x1b[0m"));
    }

    #[test]
    fn a_narrower_window_leaves_nothing_behind_on_the_screen() {
        let mut terminal = terminal(20, 8);
        let mut painter = Painter::default();
        let wide = picture(&["aaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbb", "> "], (2, 2));
        seen(&mut terminal, &painter.paint(&[], &wide, 20));
        terminal.resize(10, 8);
        seen(&mut terminal, &painter.paint(&[], &picture(&["a", "> "], (1, 2)), 10));
        // What a terminal itself has scrolled away by then can't be called back.
        let lines: Vec<_> = terminal.screen().visible_lines().map(|line| line.text()).collect();
        assert_eq!(lines.concat().split_whitespace().collect::<Vec<_>>(), ["a", ">"]);
    }
}
