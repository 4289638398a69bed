//! A table of tasks: one with an `ID` column.

use std::ops::Range;

use crate::{
    dependencies::Reference,
    diagnostic::{Code, Diagnostic, Diagnostics},
    keys::Key,
    text::{criterion, shorten, span_in},
};

use super::fields::{Fields, Value};

/// What the columns of a table are.
#[derive(Debug)]
pub(super) struct Columns {
    keys: Vec<Option<Key>>,
    id: usize,
}

impl Columns {
    /// Reads the head of a table; nothing where it has no `ID` column.
    pub(super) fn new(text: &str, head: &Range<usize>) -> Option<Self> {
        let keys: Vec<_> = cells(text, head).iter().map(|cell| Key::of_column(cell)).collect();
        let id = keys.iter().position(|&key| key == Some(Key::Id))?;
        Some(Self { keys, id })
    }

    /// Tells whether a row has the id of a task.
    pub(super) fn fits(&self, text: &str, rows: &[Range<usize>]) -> bool {
        rows.iter().any(|row| cells(text, row).get(self.id).is_some_and(|cell| reference(cell).is_some()))
    }

    /// Reads a row.
    pub(super) fn row<'a>(
        &self,
        text: &'a str,
        row: &Range<usize>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Fields<'a>> {
        let cells = cells(text, row);
        if cells.iter().all(|cell| cell.is_empty()) {
            return None;
        }
        if cells.len() != self.keys.len() {
            diagnostics.push(self.wrong_count(text, row, cells.len()));
        }
        let cell = cells.get(self.id)?;
        let span = span_in(text, cell, 0);
        let Some((check, reference)) = reference(cell) else {
            let message = format!("'{}' is no task id", shorten(cell));
            diagnostics.push(
                Diagnostic::error(Code::ParseFail, span, message)
                    .hint("write T1, T1.3, T001, 1.2 or P1-T1.3"),
            );
            return None;
        };
        let mut fields = Fields::new(reference.task_id()?, span.clone());
        fields.phase = reference.phase;
        fields.check =
            check.map(|(is_ticked, mark)| (is_ticked, span.start + mark.start..span.start + mark.end));
        for (key, cell) in self.keys.iter().zip(&cells) {
            let Some(key) = key.filter(|key| !matches!(key, Key::Id | Key::After)) else { continue };
            let mut value = Value::inline(cell, span_in(text, cell, 0).start);
            value.is_cell = true;
            if key == Key::Acceptance {
                value.list = cell.split("<br>").filter_map(|part| criterion(&unescape(part))).collect();
            }
            fields.set(key, value);
        }
        Some(fields)
    }

    fn wrong_count(&self, text: &str, row: &Range<usize>, n_cells: usize) -> Diagnostic {
        let line = text.get(row.clone()).unwrap_or_default().trim();
        let message = format!("this row has {n_cells} cells, and the table {} columns", self.keys.len());
        let hint = if n_cells > self.keys.len() {
            "write \\| for a bar that is part of the text"
        } else {
            "add the missing cells; an empty one is written | |"
        };
        Diagnostic::error(Code::ParseFail, span_in(text, line, 0), message).hint(hint)
    }
}

/// A box before an id: whether it is ticked, and where its mark is.
type Check = Option<(bool, Range<usize>)>;

/// Reads the id in a cell, which may be decorated or have a box before it.
fn reference(cell: &str) -> Option<(Check, Reference<'_>)> {
    let mut rest = cell;
    let mut check = None;
    if let Some((mark, span, after)) = crate::text::check_box(cell) {
        check = Some((crate::text::is_ticked(mark), span));
        rest = after.trim_start();
    }
    let inner = rest.trim_matches(['*', '`', '_', '~']);
    let inner = inner.strip_prefix('[').map_or(inner, |link| link.split(']').next().unwrap_or(link));
    let (reference, length) = Reference::prefix(inner)?;
    (length == inner.len() && reference.task_id().is_some()).then_some((check, reference))
}

/// Cuts a row into its cells. A bar behind a backslash is text.
fn cells<'a>(text: &'a str, row: &Range<usize>) -> Vec<&'a str> {
    let line = text.get(row.clone()).unwrap_or_default().trim();
    let mut found = Vec::new();
    let mut start = usize::from(line.starts_with('|'));
    for bar in memchr::memchr_iter(b'|', line.as_bytes()) {
        if bar >= start && !line[..bar].ends_with('\\') {
            found.push(line[start..bar].trim());
            start = bar + 1;
        }
    }
    if start < line.len() {
        found.push(line[start..].trim());
    }
    found
}

/// Returns a cell's text as it is meant.
pub(super) fn unescape(cell: &str) -> String {
    cell.replace("\\|", "|")
}

/// Tells whether a paragraph wants to be a table of tasks, but Markdown does not take it for one.
pub(super) fn is_broken(text: &str, span: &Range<usize>) -> bool {
    let paragraph = text.get(span.clone()).unwrap_or_default();
    if !paragraph.starts_with('|') {
        return false;
    }
    let (head, rest) = paragraph.split_once('\n').unwrap_or((paragraph, ""));
    let head = span_in(text, head, 0);
    Columns::new(text, &head).is_some() && rest.trim_start().starts_with('|')
}

/// Returns what is wrong with it: the line of dashes.
pub(super) fn broken(text: &str, span: &Range<usize>) -> Diagnostic {
    let paragraph = text.get(span.clone()).unwrap_or_default();
    let mut lines = paragraph.lines();
    let head = lines.next().unwrap_or_default();
    let dashes = lines.next().unwrap_or_default();
    let n_columns = cells(text, &span_in(text, head, 0)).len();
    let line = format!("|{}", "---|".repeat(n_columns.min(32)));
    Diagnostic::error(
        Code::ParseFail,
        span_in(text, dashes, 0),
        "this is no table: its second line does not fit the first",
    )
    .hint(format!("write {line} as the second line"))
}
