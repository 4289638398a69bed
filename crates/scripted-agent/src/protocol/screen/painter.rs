//! Paints lines and the input box below them, with cursor movements instead of spaces, as real programs do.

use std::io;

use rustix::{stdio::stdout, termios::tcgetwinsize};

use crate::output;

/// The content of the screen.
pub(super) struct ScreenPainter {
    /// Text in the input box.
    pub input_text: String,
    is_alternate: bool,
    lines: Vec<String>,
}

impl ScreenPainter {
    pub(super) fn new(is_alternate: bool) -> Self {
        Self { input_text: String::new(), is_alternate, lines: Vec::new() }
    }

    /// Sets the terminal's modes and paints the empty input box.
    pub(super) fn set_up_terminal(&mut self) -> io::Result<()> {
        output::write_bytes(b"\x1b[?2004h")?;
        if self.is_alternate {
            output::write_bytes(b"\x1b[?1049h\x1b[2J")?;
        }
        self.paint_input_box()
    }

    /// Adds a line after a mark; wrapped lines are indented to the same column.
    pub(super) fn add_line(&mut self, mark: &str, text: &str) -> io::Result<()> {
        let width = terminal_size().0;
        let indent = " ".repeat(mark.chars().count());
        for (index, line) in
            wrap_at_spaces(text, width.saturating_sub(indent.len() + 1)).into_iter().enumerate()
        {
            let line = format!("{}{line}", if index == 0 { mark } else { &indent });
            if !self.is_alternate {
                output::write_bytes(
                    format!("\r\x1b[K{}\r\n", replace_spaces_by_cursor_moves(&line)).as_bytes(),
                )?;
            }
            self.lines.push(line);
        }
        self.paint_input_box()
    }

    /// Paints the input box, and on an alternate screen everything above it.
    pub(super) fn paint_input_box(&self) -> io::Result<()> {
        let shown = match self.input_text.matches('\n').count() {
            0 => self.input_text.clone(),
            lines => format!("[Pasted text #1 +{lines} lines]"),
        };
        if !self.is_alternate {
            return output::write_bytes(format!("\r\x1b[K❯ {shown}").as_bytes());
        }
        let rows = terminal_size().1.max(2);
        let mut screen = "\x1b[?2026h".to_owned();
        let first = self.lines.len().saturating_sub(rows - 1);
        for (row, line) in self.lines.iter().skip(first).enumerate() {
            screen.push_str(&format!("\x1b[{};1H{}\x1b[K", row + 1, replace_spaces_by_cursor_moves(line)));
        }
        screen.push_str(&format!("\x1b[{rows};1H› {shown}\x1b[K\x1b[?2026l"));
        output::write_bytes(screen.as_bytes())
    }
}

/// Returns columns and rows; 80 by 24 without a terminal.
fn terminal_size() -> (usize, usize) {
    match tcgetwinsize(stdout()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => {
            (usize::from(size.ws_col), usize::from(size.ws_row))
        }
        _ => (80, 24),
    }
}

/// Wraps a text at spaces, to at most `width` characters per line.
fn wrap_at_spaces(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_inclusive(' ') {
        let Some(line) = lines.last_mut() else { continue };
        if !line.is_empty() && line.chars().count() + word.trim_end().chars().count() > width {
            lines.push(word.to_owned());
        } else {
            line.push_str(word);
        }
    }
    lines
}

/// Replaces spaces by cursor movements if all characters are one column wide.
fn replace_spaces_by_cursor_moves(line: &str) -> String {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    let mut painted = " ".repeat(indent);
    let mut column = indent;
    for (index, word) in text.split(' ').enumerate() {
        if index > 0 {
            column += 1;
            // Terminal columns start at 1.
            match text.is_ascii() {
                true => painted.push_str(&format!("\x1b[{}G", column + 1)),
                false => painted.push(' '),
            }
        }
        painted.push_str(word);
        column += word.chars().count();
    }
    painted
}
