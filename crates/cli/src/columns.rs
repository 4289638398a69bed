//! Lines in columns, as wide as what stands in them.

use std::io::{self, Write};

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::printable::printable;

const TITLE: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();

/// A text longer than this is cut: the rest is in the JSON.
const CELL_WIDTH_MAX: usize = 60;

/// Prints a table with its title; nothing where it has no lines.
pub fn print<const N: usize>(
    out: &mut impl Write,
    title: &str,
    heads: [&str; N],
    lines: impl IntoIterator<Item = [String; N]>,
) -> io::Result<()> {
    let lines: Vec<[String; N]> = lines.into_iter().map(|cells| cells.map(|cell| cut(&cell))).collect();
    if lines.is_empty() {
        return Ok(());
    }
    let mut widths = heads.map(UnicodeWidthStr::width);
    for line in &lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = (*width).max(cell.width());
        }
    }
    writeln!(out, "\n{TITLE}{title}{TITLE:#}")?;
    writeln!(out, "{FAINT}{}{FAINT:#}", row(&heads.map(str::to_owned), &widths))?;
    for line in &lines {
        writeln!(out, "{}", row(line, &widths))?;
    }
    Ok(())
}

fn row(cells: &[String], widths: &[usize]) -> String {
    let mut text = String::new();
    for (cell, width) in cells.iter().zip(widths) {
        text.push_str(cell);
        text.extend(std::iter::repeat_n(' ', (width + 2).saturating_sub(cell.width())));
    }
    text.trim_end().to_owned()
}

/// Returns the first line of a text, as much of it as fits.
fn cut(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut short = String::new();
    for sign in printable(line).chars() {
        if short.width() >= CELL_WIDTH_MAX {
            short.push('…');
            break;
        }
        short.push(sign);
    }
    short
}
