//! Prints tables with columns as wide as their content.

use std::io::{self, Write};

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::printable::printable;

const TITLE: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();

/// Longer cells are truncated; JSON output has the full text.
const CELL_WIDTH_MAX: usize = 60;

/// Prints a table with a title; nothing if it has no rows.
pub(crate) fn print_table<const N: usize>(
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

/// Returns the first line of a text, truncated.
fn cut(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut short = String::new();
    for char in printable(line).chars() {
        if short.width() >= CELL_WIDTH_MAX {
            short.push('…');
            break;
        }
        short.push(char);
    }
    short
}
