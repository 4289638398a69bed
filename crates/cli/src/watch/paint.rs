//! Paints frames on a terminal, each over the previous one, below the lines that have scrolled up.
//!
//! Pure: returns the bytes and remembers what they leave on the screen.

use std::fmt::Write;

use crate::screen::{draw::Frame, line::Line};

/// Synchronized output: supporting terminals show a frame at once.
const BEGIN: &str = "\x1b[?2026h\x1b[?25l";
const END: &str = "\x1b[?25h\x1b[?2026l";

/// Paints frames and remembers the last one.
#[derive(Debug, Default)]
pub(super) struct Painter {
    /// Line widths of the last frame.
    widths: Vec<usize>,
    /// Line of the cursor.
    cursor: usize,
    has_colours: bool,
}

impl Painter {
    pub(super) fn new(has_colours: bool) -> Self {
        Self { has_colours, ..Self::default() }
    }

    /// Returns the bytes that replace the last frame by permanent lines and a new frame.
    pub(super) fn paint(&mut self, permanent: &[Line], frame: &Frame, width: usize) -> String {
        let mut out = BEGIN.to_owned();
        self.erase(&mut out, width);
        for line in permanent {
            out.push_str(&self.line_text(line));
            out.push_str("\r\n");
        }
        let lines: Vec<String> = frame.lines.iter().map(|line| self.line_text(line)).collect();
        out.push_str(&lines.join("\r\n"));
        let (row, column) = frame.cursor;
        let up = frame.lines.len().saturating_sub(1).saturating_sub(row);
        if up > 0 {
            // Writing to a string cannot fail.
            let _ = write!(out, "\x1b[{up}A");
        }
        out.push('\r');
        if column > 0 {
            let _ = write!(out, "\x1b[{column}C");
        }
        out.push_str(END);
        self.widths = frame.lines.iter().map(Line::width).collect();
        self.cursor = row;
        out
    }

    /// Returns the bytes that leave the last frame on the screen and continue below it.
    pub(super) fn move_below_frame(&mut self) -> String {
        let down = self.widths.len().saturating_sub(1).saturating_sub(self.cursor);
        self.widths.clear();
        self.cursor = 0;
        let down = if down > 0 { format!("\x1b[{down}B") } else { String::new() };
        format!("{down}\r\n")
    }

    /// Forgets the last frame, after another program has overwritten it.
    pub(super) fn forget_frame(&mut self) {
        (self.widths, self.cursor) = (Vec::new(), 0);
    }

    /// Moves to the first line of the last frame, which a narrower window may have wrapped, and clears it.
    fn erase(&self, out: &mut String, width: usize) {
        let above = self.widths.iter().take(self.cursor);
        let rows: usize = above.map(|line| line.div_ceil(width.max(1)).max(1)).sum();
        if rows > 0 {
            let _ = write!(out, "\x1b[{rows}A");
        }
        out.push_str("\r\x1b[J");
    }

    fn line_text(&self, line: &Line) -> String {
        if self.has_colours { line.ansi_text() } else { line.text() }
    }
}

#[cfg(test)]
mod tests {
    use anstyle::{AnsiColor, Style};

    use super::*;

    fn frame(lines: &[&str], cursor: (usize, usize)) -> Frame {
        let lines = lines.iter().map(|line| Line::styled(Style::new(), line)).collect();
        Frame { lines, cursor }
    }

    fn permanent_line(text: &str) -> Vec<Line> {
        vec![Line::styled(AnsiColor::Red.on_default(), text)]
    }

    /// Returns the screen and scrollback after these bytes.
    fn feed_and_read_lines(terminal: &mut avt::Terminal, bytes: &str) -> Vec<String> {
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
    fn frames_replace_each_other_and_permanent_lines_scroll_up() {
        let mut terminal = terminal(20, 5);
        let mut painter = Painter::default();
        feed_and_read_lines(&mut terminal, &painter.paint(&[], &frame(&["one", "two", "> "], (2, 2)), 20));
        assert_eq!((terminal.cursor_position().row, terminal.cursor_position().col), (2, 2));
        let lines = feed_and_read_lines(
            &mut terminal,
            &painter.paint(&permanent_line("a"), &frame(&["1", "> "], (1, 2)), 20),
        );
        assert_eq!(lines, ["a", "1", ">"]);
        for text in ["b", "c", "d", "e"] {
            feed_and_read_lines(
                &mut terminal,
                &painter.paint(&permanent_line(text), &frame(&["1", "> x"], (0, 1)), 20),
            );
        }
        let lines = feed_and_read_lines(&mut terminal, &painter.move_below_frame());
        assert_eq!(lines, ["a", "b", "c", "d", "e", "1", "> x"]);
    }

    #[test]
    fn colours_are_used_only_if_enabled() {
        let frame = frame(&["x"], (0, 0));
        let plain = Painter::default().paint(&permanent_line("a"), &frame, 20);
        assert!(!plain.contains("\x1b[31m"), "{plain:?}");
        let mut painter = Painter::new(true);
        assert!(painter.paint(&permanent_line("a"), &frame, 20).contains("\x1b[31ma\x1b[0m"));
    }

    #[test]
    fn a_narrower_window_leaves_no_remains() {
        let mut terminal = terminal(20, 8);
        let mut painter = Painter::default();
        let wide = frame(&["aaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbb", "> "], (2, 2));
        feed_and_read_lines(&mut terminal, &painter.paint(&[], &wide, 20));
        terminal.resize(10, 8);
        feed_and_read_lines(&mut terminal, &painter.paint(&[], &frame(&["a", "> "], (1, 2)), 10));
        // Lines that the terminal itself has scrolled up cannot be erased.
        let lines: Vec<_> = terminal.screen().visible_lines().map(|line| line.text()).collect();
        assert_eq!(lines.concat().split_whitespace().collect::<Vec<_>>(), ["a", ">"]);
    }
}
