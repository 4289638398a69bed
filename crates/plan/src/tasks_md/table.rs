//! Tables of tasks: those with an `ID` column.

use std::{borrow::Cow, ops::Range};

use domain::PhaseNumber;
use memchr::{Memchr, memchr_iter};

use crate::{
    dependencies::IdReference,
    diagnostic::{Diagnostic, DiagnosticCode},
    field_keys::FieldKey,
    text::{is_checked, normalize_criterion, parse_checkbox, span_of_slice, trim, truncate_for_message},
};

use super::{
    field_value::{FieldValue, ValueContinuation},
    task_collector::{FieldSource, TaskCollector},
};

/// The fields that a table's columns stand for.
#[derive(Debug)]
pub(super) struct TableColumns {
    keys: Vec<Option<FieldKey>>,
    id_column: usize,
}

impl TableColumns {
    /// Reads the header; `None` if it has no `ID` column.
    pub(super) fn new(text: &str, head: &Range<usize>) -> Option<Self> {
        let keys: Vec<_> = RowCells::new(text, head).map(FieldKey::from_column_heading).collect();
        let id = keys.iter().position(|&key| key == Some(FieldKey::Id))?;
        Some(Self { keys, id_column: id })
    }

    /// Returns the columns with an unknown name, each with the known name that it resembles.
    pub(super) fn misspelled_headings<'a>(
        &self,
        text: &'a str,
        head: &Range<usize>,
    ) -> Vec<(&'a str, &'static str)> {
        RowCells::new(text, head).filter_map(FieldKey::misspelled_column_heading).collect()
    }

    /// Tells whether any row has a task id.
    pub(super) fn has_task_row(&self, text: &str, rows: &[Range<usize>]) -> bool {
        rows.iter().any(|row| {
            RowCells::new(text, row).nth(self.id_column).is_some_and(|cell| IdCell::parse(cell).is_some())
        })
    }

    /// Reads all rows, given the enclosing phase.
    pub(super) fn parse_rows(
        &self,
        rows: &[Range<usize>],
        scope: Option<PhaseNumber>,
        tasks: &mut TaskCollector<'_, '_>,
    ) {
        let mut cells = Vec::with_capacity(self.keys.len());
        for row in rows {
            cells.clear();
            cells.extend(RowCells::new(tasks.text, row));
            self.parse_row(row, &cells, scope, tasks);
        }
    }

    fn parse_row<'a>(
        &self,
        row: &Range<usize>,
        cells: &[&'a str],
        scope: Option<PhaseNumber>,
        tasks: &mut TaskCollector<'a, '_>,
    ) {
        let text = tasks.text;
        let is_whole = cells.len() == self.keys.len();
        if cells.iter().all(|cell| cell.is_empty()) {
            return;
        }
        if !is_whole {
            tasks.diagnostics.push(self.cell_count_error(text, row, cells.len()));
        }
        let Some(cell) = cells.get(self.id_column) else { return };
        let span = span_of_slice(text, cell, 0);
        let Some(id) = IdCell::parse(cell) else {
            // One error per row is enough.
            if is_whole {
                let message = format!("'{}' is not a task id", truncate_for_message(cell));
                let hint = "write T1, T1.3, T001, 1.2 or P1-T1.3";
                tasks
                    .diagnostics
                    .push(Diagnostic::error(DiagnosticCode::ParseFail, span, message).with_hint(hint));
            }
            return;
        };
        let Some(index) = tasks.find_or_add_task(id.text, span.clone(), FieldSource::Row) else { return };
        tasks.set_phase(index, FieldSource::Row, id.phase, scope);
        if let Some((is_ticked, mark)) = id.checkbox {
            tasks.set_checkbox(
                index,
                FieldSource::Row,
                is_ticked,
                span.start + mark.start..span.start + mark.end,
            );
        }
        for (key, cell) in self.keys.iter().zip(cells) {
            let Some(key) = *key else { continue };
            if key == FieldKey::Acceptance {
                let criteria =
                    cell.split("<br>").filter_map(|part| normalize_criterion(&unescape_cell(part)));
                tasks.set_criteria(index, FieldSource::Row, criteria.collect());
            } else {
                tasks.set_field(
                    index,
                    FieldSource::Row,
                    key,
                    FieldValue::new(text, cell, ValueContinuation::Cell),
                );
            }
        }
    }

    fn cell_count_error(&self, text: &str, row: &Range<usize>, n_cells: usize) -> Diagnostic {
        let line = text.get(row.clone()).unwrap_or_default().trim();
        let cells = if n_cells == 1 { "cell" } else { "cells" };
        let message =
            format!("this row has {n_cells} {cells}, but the table has {} columns", self.keys.len());
        let hint = if n_cells > self.keys.len() {
            "write \\| for a bar inside the text"
        } else if !line.contains('|') {
            "add an empty line between the table and the text below it"
        } else {
            "add the missing cells; write | | for an empty one"
        };
        Diagnostic::error(DiagnosticCode::ParseFail, span_of_slice(text, line, 0), message).with_hint(hint)
    }
}

/// The id in a cell, which may have Markdown marks around it or a check box before it.
struct IdCell<'a> {
    text: &'a str,
    /// The phase of `P1-T1.3`.
    phase: Option<PhaseNumber>,
    /// A check box before the id: whether it is checked, and the span of its mark.
    checkbox: Option<(bool, Range<usize>)>,
}

impl<'a> IdCell<'a> {
    fn parse(cell: &'a str) -> Option<Self> {
        let mut rest = cell;
        let mut check = None;
        if let Some((mark, span, after)) = parse_checkbox(cell) {
            check = Some((is_checked(mark), span));
            rest = after.trim_start();
        }
        let inner = rest.trim_matches(['*', '`', '_', '~']);
        let inner = inner.strip_prefix('[').map_or(inner, |link| link.split(']').next().unwrap_or(link));
        let (reference, length) = IdReference::parse_prefix(inner)?;
        if length < inner.len() || !reference.is_valid_id() {
            return None;
        }
        Some(Self { text: &inner[length - reference.id.len()..], phase: reference.phase, checkbox: check })
    }
}

/// Iterates over the cells of a row. A bar behind a backslash is text.
struct RowCells<'a> {
    line: &'a str,
    /// Start of the next cell.
    start: usize,
    bars: Memchr<'a>,
}

impl<'a> RowCells<'a> {
    fn new(text: &'a str, row: &Range<usize>) -> Self {
        let line = trim(text.get(row.clone()).unwrap_or_default());
        let line = line.strip_prefix('|').unwrap_or(line);
        Self { line, start: 0, bars: memchr_iter(b'|', line.as_bytes()) }
    }
}

impl<'a> Iterator for RowCells<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.start >= self.line.len() {
            return None;
        }
        let is_text = |bar: usize| bar > 0 && self.line.as_bytes()[bar - 1] == b'\\';
        let end = self.bars.by_ref().find(|&bar| !is_text(bar)).unwrap_or(self.line.len());
        let cell = &self.line[self.start..end];
        self.start = end + 1;
        Some(trim(cell))
    }
}

/// Replaces escaped bars in a cell.
pub(super) fn unescape_cell(cell: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\\', cell.as_bytes()).is_some() {
        Cow::Owned(cell.replace("\\|", "|"))
    } else {
        Cow::Borrowed(cell)
    }
}

/// Tells whether a paragraph looks like a task table that Markdown does not accept as a table.
pub(super) fn is_malformed_table(text: &str, span: &Range<usize>) -> bool {
    let paragraph = text.get(span.clone()).unwrap_or_default();
    if !paragraph.starts_with('|') {
        return false;
    }
    let (head, rest) = paragraph.split_once('\n').unwrap_or((paragraph, ""));
    let head = span_of_slice(text, head, 0);
    TableColumns::new(text, &head).is_some() && rest.trim_start().starts_with('|')
}

/// Returns the error for a malformed table; its delimiter row is the problem.
pub(super) fn malformed_table_error(text: &str, span: &Range<usize>) -> Diagnostic {
    let paragraph = text.get(span.clone()).unwrap_or_default();
    let mut lines = paragraph.lines();
    let head = lines.next().unwrap_or_default();
    let dashes = lines.next().unwrap_or_default();
    let n_columns = RowCells::new(text, &span_of_slice(text, head, 0)).count();
    let line = format!("|{}", "---|".repeat(n_columns.min(32)));
    Diagnostic::error(
        DiagnosticCode::ParseFail,
        span_of_slice(text, dashes, 0),
        "not a valid table: the second line does not match the header",
    )
    .with_hint(format!("write {line} as the second line"))
}
