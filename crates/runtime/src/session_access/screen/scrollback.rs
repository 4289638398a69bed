//! Lines that have scrolled off a screen, as output that another terminal shows in the same way.

use std::{collections::VecDeque, fmt::Write};

use avt::{Color, Line, Observation, Observer, Pen};

/// Limit of lines, which a page shows all at once.
const LINES_MAX: usize = 5_000;
/// Limit of bytes, for wide and coloured lines.
const BYTES_MAX: usize = 2 << 20;

/// The last lines that scrolled off, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Scrollback {
    lines: VecDeque<String>,
    n_bytes: usize,
}

impl Scrollback {
    /// Appends all lines. Leaves the cursor at the start of the line below them.
    pub(super) fn append_to(&self, text: &mut String) {
        self.lines.iter().for_each(|line| text.push_str(line));
        // A wrapped line ends without a line break.
        if self.lines.back().is_some_and(|line| !line.ends_with('\n')) {
            text.push_str("\r\n");
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    fn add(&mut self, line: String) {
        self.n_bytes += line.len();
        self.lines.push_back(line);
        while self.lines.len() > LINES_MAX || self.n_bytes > BYTES_MAX {
            let Some(oldest) = self.lines.pop_front() else { break };
            self.n_bytes -= oldest.len();
        }
    }
}

impl Observer for Scrollback {
    type Output = ();

    fn evicted(&mut self, _context: &mut Observation<'_>, line: &Line) {
        self.add(render(line));
    }

    fn end(&mut self, _context: &mut Observation<'_>) {}
}

/// Renders a line with its colours, without trailing blanks.
fn render(line: &Line) -> String {
    let is_blank = |cell: &avt::Cell| cell.char() == ' ' && cell.pen().is_default();
    let n_used = match line.is_wrapped() {
        true => line.len(),
        false => line.cells().iter().rposition(|cell| !is_blank(cell)).map_or(0, |last| last + 1),
    };
    let mut text = String::new();
    let mut pen = Pen::default();
    // The second cell of a wide character has no width.
    for cell in line.cells().iter().take(n_used).filter(|cell| cell.width() > 0) {
        if *cell.pen() != pen {
            pen = *cell.pen();
            push_style(&mut text, &pen);
        }
        text.push(cell.char());
    }
    if !pen.is_default() {
        text.push_str("\u{1b}[m");
    }
    if !line.is_wrapped() {
        text.push_str("\r\n");
    }
    text
}

fn push_style(text: &mut String, pen: &Pen) {
    text.push_str("\u{1b}[0");
    let codes = [
        (pen.is_bold(), ";1"),
        (pen.is_faint(), ";2"),
        (pen.is_italic(), ";3"),
        (pen.is_underline(), ";4"),
        (pen.is_blink(), ";5"),
        (pen.is_inverse(), ";7"),
        (pen.is_strikethrough(), ";9"),
    ];
    codes.into_iter().filter(|(is_on, _)| *is_on).for_each(|(_, code)| text.push_str(code));
    for (color, code) in [(pen.foreground(), 38), (pen.background(), 48)] {
        // Writing to a string does not fail.
        let _ = match color {
            Some(Color::Indexed(index)) => write!(text, ";{code};5;{index}"),
            Some(Color::RGB(rgb)) => write!(text, ";{code};2;{};{};{}", rgb.r, rgb.g, rgb.b),
            None => Ok(()),
        };
    }
    text.push('m');
}

#[cfg(test)]
mod tests {
    use avt::Terminal;

    use super::*;

    /// Returns the scrollback of a screen of two lines.
    fn render_scrollback(columns: usize, printed: &str) -> String {
        let mut scrollback = Scrollback::default();
        Terminal::new(columns, 2).unwrap().feed_with(printed, &mut scrollback);
        let mut text = String::new();
        scrollback.append_to(&mut text);
        text
    }

    #[test]
    fn lines_keep_text_colours_and_line_breaks() {
        for (printed, expected) in [
            ("one\r\ntwo\r\n\r\n", "one\r\ntwo\r\n"),
            ("\u{1b}[1;31mred\u{1b}[m ink\r\n\r\n", "\u{1b}[0;1;38;5;1mred\u{1b}[0m ink\r\n"),
            ("\u{1b}[48;2;1;2;3mx\r\n\u{1b}[m\r\n", "\u{1b}[0;48;2;1;2;3mx\u{1b}[m\r\n"),
            ("한글 ok\r\n\r\n", "한글 ok\r\n"),
            ("", ""),
        ] {
            assert_eq!(render_scrollback(20, printed), expected, "{printed:?}");
        }
        // A wrapped line stays one line.
        assert_eq!(render_scrollback(4, "abcdefgh\r\n\r\n"), "abcdefgh\r\n");
    }

    #[test]
    fn only_the_last_lines_are_kept() {
        let printed: String = (0..LINES_MAX + 10).map(|number| format!("{number}\r\n")).collect();
        let text = render_scrollback(20, &printed);
        assert_eq!(text.lines().count(), LINES_MAX);
        assert!(text.starts_with("9\r\n"), "{}", &text[..20]);
        let wide = format!("{}\r\n", "x".repeat(999)).repeat(4_000);
        assert!(render_scrollback(1000, &wide).len() <= BYTES_MAX);
    }
}
