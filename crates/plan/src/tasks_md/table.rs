//! Tables of tasks: those with an `ID` column.

use std::{borrow::Cow, ops::Range};

use domain::PhaseNumber;
use memchr::{Memchr, memchr_iter};

use crate::{
    dependencies::{IdReference, IdShape, is_requirement_id},
    diagnostic::DiagnosticSink,
    draft::StatusMark,
    field_keys::FieldKey,
    heading,
    problem::Problem,
    text::{is_checked, normalize_criterion, parse_checkbox, span_of_slice, trim, truncate_for_message},
    values::{self, TaskStatus},
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
    has_title: bool,
}

impl TableColumns {
    /// Reads the header; `None` if no column can have ids.
    pub(super) fn new(text: &str, head: &Range<usize>) -> Option<Self> {
        let keys: Vec<_> = RowCells::new(text, head).map(FieldKey::from_column_heading).collect();
        let position = |sought| keys.iter().position(|&key| key == Some(sought));
        let title = position(FieldKey::Title);
        let id = position(FieldKey::Id)
            .or_else(|| position(FieldKey::Number).filter(|_| title.is_some()))
            // A column of tasks may have only their ids.
            .or(title.filter(|&column| column == 0))?;
        Some(Self { has_title: title.is_some_and(|title| title != id), keys, id_column: id })
    }

    /// Tells whether a malformed row is an error: only a table with an `ID` column is surely one of tasks.
    pub(super) fn has_id_column(&self) -> bool {
        self.keys.get(self.id_column) == Some(&Some(FieldKey::Id))
    }

    /// Returns the columns with an unknown name, each with the known name that it resembles.
    pub(super) fn misspelled_headings<'a>(
        &self,
        text: &'a str,
        head: &Range<usize>,
    ) -> Vec<(&'a str, &'static str)> {
        RowCells::new(text, head).filter_map(FieldKey::misspelled_column_heading).collect()
    }

    /// Tells whether the rows have less than check boxes with the same ids would have.
    pub(super) fn is_index(&self) -> bool {
        !self.has_title || !self.keys.contains(&Some(FieldKey::Dependencies))
    }

    /// Tells whether any row has a task id.
    pub(super) fn has_task_row(&self, text: &str, rows: &[Range<usize>]) -> bool {
        rows.iter().any(|row| self.is_task_row(text, row))
    }

    /// Tells whether each row has a task id.
    pub(super) fn has_only_task_rows(&self, text: &str, rows: &[Range<usize>]) -> bool {
        rows.iter().all(|row| self.is_task_row(text, row))
    }

    fn is_task_row(&self, text: &str, row: &Range<usize>) -> bool {
        RowCells::new(text, row).nth(self.id_column).is_some_and(|cell| self.parse_id(cell).is_some())
    }

    /// Tells whether a row is a task whose status is written in it.
    pub(super) fn has_status_mark(&self, text: &str, row: &Range<usize>) -> bool {
        self.is_task_row(text, row)
            && (self.keys.contains(&Some(FieldKey::Status))
                || RowCells::new(text, row).any(|cell| split_cell_status(cell).is_some()))
    }

    /// Returns the ids of all rows.
    pub(super) fn references<'a>(
        &self,
        text: &'a str,
        rows: &[Range<usize>],
    ) -> impl Iterator<Item = IdReference<'a>> {
        rows.iter().filter_map(move |row| {
            RowCells::new(text, row)
                .nth(self.id_column)
                .and_then(|cell| self.parse_id(cell))
                .map(|id| id.reference)
        })
    }

    /// Parses the cell with the id. Ids of requirements and risks count only in a table with titles of tasks.
    fn parse_id<'a>(&self, cell: &'a str) -> Option<IdCell<'a>> {
        let id = IdCell::parse(cell)?;
        let is_certain = match id.reference.shape() {
            IdShape::Letter => true,
            IdShape::Number => self.has_id_column() || self.has_title,
            IdShape::Compound => self.has_title || !is_requirement_id(&id.reference.id),
            IdShape::Short => self.has_title,
        };
        is_certain.then_some(id)
    }

    /// Reads all rows, given the header and the enclosing phase.
    pub(super) fn parse_rows(
        &self,
        head: &Range<usize>,
        rows: &[Range<usize>],
        scope: Option<PhaseNumber>,
        tasks: &mut TaskCollector<'_, '_>,
    ) {
        let mut cells = Vec::with_capacity(self.keys.len());
        let names: Vec<&str> = RowCells::new(tasks.text, head).collect();
        tasks.begin_table();
        for row in rows {
            cells.clear();
            cells.extend(RowCells::new(tasks.text, row));
            self.parse_row(row, &names, &cells, scope, tasks);
        }
    }

    fn parse_row<'a>(
        &self,
        row: &Range<usize>,
        names: &[&str],
        cells: &[&'a str],
        scope: Option<PhaseNumber>,
        tasks: &mut TaskCollector<'a, '_>,
    ) {
        let text = tasks.text;
        let is_whole = cells.len() == self.keys.len();
        if cells.iter().all(|cell| cell.is_empty()) {
            return;
        }
        if !is_whole && self.has_id_column() {
            self.push_cell_count(text, row, cells.len(), tasks.diagnostics);
        }
        let Some(cell) = cells.get(self.id_column) else { return };
        let span = span_of_slice(text, cell, 0);
        let Some(id) = self.parse_id(cell) else {
            // One error per row is enough.
            if is_whole && self.has_id_column() {
                let problem = Problem::NotATaskId { text: truncate_for_message(cell) };
                tasks.diagnostics.push(span, problem);
            }
            return;
        };
        let is_done = || id.status.as_ref().is_some_and(|(is_done, _)| *is_done) || self.is_row_done(cells);
        let id_span = span_of_slice(text, id.text, 0);
        let Some(index) = tasks.find_or_add_task(&id.reference, id_span, FieldSource::Row, is_done) else {
            return;
        };
        tasks.mark_covered(row.clone());
        let phase = id.reference.phase.or_else(|| id.reference.phase_of_compound());
        tasks.set_phase(index, FieldSource::Row, phase, scope);
        if let Some((is_done, mark)) = id.status {
            tasks.set_mark(index, FieldSource::Row, is_done, mark.moved_by(span.start));
        }
        for (at, cell) in cells.iter().enumerate() {
            let Some(key) = self.keys.get(at).copied().flatten() else {
                // What a column means that is not known, the agent understands.
                tasks.add_note(index, names.get(at).copied().unwrap_or_default(), &unescape_cell(cell));
                continue;
            };
            let mut cell = cell;
            let after_mark;
            if key == FieldKey::Title
                && let Some((is_done, mark, after)) = split_cell_status(cell)
            {
                let start = span_of_slice(text, cell, 0).start;
                tasks.set_mark(index, FieldSource::Row, is_done, mark.moved_by(start));
                after_mark = after;
                cell = &after_mark;
            }
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

    fn is_row_done(&self, cells: &[&str]) -> bool {
        let status = self.keys.iter().position(|&key| key == Some(FieldKey::Status));
        let cell = status.and_then(|status| cells.get(status));
        cell.is_some_and(|cell| values::parse_status(cell) == Some(TaskStatus::Done))
    }

    fn push_cell_count(
        &self,
        text: &str,
        row: &Range<usize>,
        n_cells: usize,
        diagnostics: &mut DiagnosticSink,
    ) {
        let line = text.get(row.clone()).unwrap_or_default().trim();
        let problem = Problem::CellCount { n_cells, n_columns: self.keys.len(), has_bar: line.contains('|') };
        diagnostics.push(span_of_slice(text, line, 0), problem);
    }
}

/// Splits a check box or symbol from the beginning of a cell.
fn split_cell_status(cell: &str) -> Option<(bool, StatusMark, &str)> {
    if let Some((mark, span, after)) = parse_checkbox(cell) {
        return Some((is_checked(mark), StatusMark::Checkbox(span), after.trim_start()));
    }
    let (symbol, after) = heading::split_symbol(cell)?;
    let is_done = values::is_done_symbol(symbol)?;
    Some((is_done, StatusMark::Symbol(0..symbol.len()), after))
}

/// The id in a cell, which may have Markdown marks around it and a check box or symbol beside it.
struct IdCell<'a> {
    reference: IdReference<'a>,
    text: &'a str,
    /// Whether the mark means done, and its position in the cell.
    status: Option<(bool, StatusMark)>,
}

impl<'a> IdCell<'a> {
    fn parse(cell: &'a str) -> Option<Self> {
        let mut rest = cell;
        let mut status = None;
        if let Some((is_done, mark, after)) = split_cell_status(cell) {
            status = Some((is_done, mark));
            rest = after;
        }
        let inner = trim_marks(rest);
        let inner = inner.strip_prefix('[').map_or(inner, |link| link.split(']').next().unwrap_or(link));
        let (inner, word) = heading::split_status_at_end(inner);
        if let Some((is_done, part, true)) = word {
            status = status.or(Some((is_done, StatusMark::Symbol(span_of_slice(cell, part, 0)))));
        }
        let inner = trim_marks(trim(inner));
        Some(Self { reference: IdReference::parse_whole(inner)?, text: inner, status })
    }
}

/// Removes Markdown marks around an id.
fn trim_marks(text: &str) -> &str {
    match text.as_bytes() {
        // Most ids have none.
        [first, .., last] if first.is_ascii_alphanumeric() && last.is_ascii_alphanumeric() => text,
        _ => text.trim_matches(['*', '`', '_', '~']),
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
    TableColumns::new(text, &head).is_some_and(|columns| columns.has_id_column())
        && rest.trim_start().starts_with('|')
}

/// Reports a malformed table; its delimiter row is the problem.
pub(super) fn push_malformed_table(text: &str, span: &Range<usize>, diagnostics: &mut DiagnosticSink) {
    let paragraph = text.get(span.clone()).unwrap_or_default();
    let mut lines = paragraph.lines();
    let head = lines.next().unwrap_or_default();
    let dashes = lines.next().unwrap_or_default();
    let n_columns = RowCells::new(text, &span_of_slice(text, head, 0)).count();
    let expected = format!("|{}", "---|".repeat(n_columns.min(32)));
    diagnostics.push(span_of_slice(text, dashes, 0), Problem::MalformedTable { expected });
}
