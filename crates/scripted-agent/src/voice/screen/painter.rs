//! Paints lines and the box below them, with cursor movements in the place of spaces, as real programs do.

use std::io;

use rustix::{stdio::stdout, termios::tcgetwinsize};

use crate::mouth;

/// What is on the screen.
pub struct Painter {
    /// What is written in the box.
    pub written: String,
    is_alternate: bool,
    lines: Vec<String>,
}

impl Painter {
    /// A screen with nothing on it.
    pub fn new(is_alternate: bool) -> Self {
        Self { written: String::new(), is_alternate, lines: Vec::new() }
    }

    /// Sets the terminal's modes, and paints the empty box.
    pub fn begin(&mut self) -> io::Result<()> {
        mouth::write(b"\x1b[?2004h")?;
        if self.is_alternate {
            mouth::write(b"\x1b[?1049h\x1b[2J")?;
        }
        self.paint_box()
    }

    /// Adds a line behind a mark; what does not fit is wrapped, and the rest is indented as far as the mark.
    pub fn line(&mut self, mark: &str, text: &str) -> io::Result<()> {
        let width = size().0;
        let indent = " ".repeat(mark.chars().count());
        for (index, line) in wrap(text, width.saturating_sub(indent.len() + 1)).into_iter().enumerate() {
            let line = format!("{}{line}", if index == 0 { mark } else { &indent });
            if !self.is_alternate {
                mouth::write(format!("\r\x1b[K{}\r\n", moved(&line)).as_bytes())?;
            }
            self.lines.push(line);
        }
        self.paint_box()
    }

    /// Paints the box, and on an alternate screen everything above it.
    pub fn paint_box(&self) -> io::Result<()> {
        let shown = match self.written.matches('\n').count() {
            0 => self.written.clone(),
            lines => format!("[Pasted text #1 +{lines} lines]"),
        };
        if !self.is_alternate {
            return mouth::write(format!("\r\x1b[K❯ {shown}").as_bytes());
        }
        let rows = size().1.max(2);
        let mut screen = "\x1b[?2026h".to_owned();
        let first = self.lines.len().saturating_sub(rows - 1);
        for (row, line) in self.lines.iter().skip(first).enumerate() {
            screen.push_str(&format!("\x1b[{};1H{}\x1b[K", row + 1, moved(line)));
        }
        screen.push_str(&format!("\x1b[{rows};1H› {shown}\x1b[K\x1b[?2026l"));
        mouth::write(screen.as_bytes())
    }
}

/// Returns the terminal's columns and rows; on a pipe those of an old terminal.
fn size() -> (usize, usize) {
    match tcgetwinsize(stdout()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => {
            (usize::from(size.ws_col), usize::from(size.ws_row))
        }
        _ => (80, 24),
    }
}

/// Cuts a text at spaces into lines of at most so many signs.
fn wrap(text: &str, width: usize) -> Vec<String> {
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

/// Writes each space between words as a movement, as long as every sign before it is one column wide.
fn moved(line: &str) -> String {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    let mut painted = " ".repeat(indent);
    let mut column = indent;
    for (index, word) in text.split(' ').enumerate() {
        if index > 0 {
            column += 1;
            // A column is counted from one.
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
