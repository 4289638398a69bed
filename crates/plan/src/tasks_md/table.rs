//! A table of tasks: one with an `ID` column.

use std::{borrow::Cow, ops::Range};

use domain::PhaseNumber;
use memchr::{Memchr, memchr_iter};

use crate::{
    dependencies::Reference,
    diagnostic::{Diagnostic, DiagnosticCode},
    keys::Key,
    text::{check_box, criterion, is_ticked, shorten, span_in, trim},
};

use super::{
    fields::{Gathered, Voice},
    value::{More, Value},
};

/// What the columns of a table are.
#[derive(Debug)]
pub(super) struct Columns {
    keys: Vec<Option<Key>>,
    id: usize,
}

impl Columns {
    /// Reads the head of a table; nothing where it has no `ID` column.
    pub(super) fn new(text: &str, head: &Range<usize>) -> Option<Self> {
        let keys: Vec<_> = Cells::new(text, head).map(Key::of_column).collect();
        let id = keys.iter().position(|&key| key == Some(Key::Id))?;
        Some(Self { keys, id })
    }

    /// Tells whether a row has the id of a task.
    pub(super) fn fits(&self, text: &str, rows: &[Range<usize>]) -> bool {
        rows.iter().any(|row| Cells::new(text, row).nth(self.id).is_some_and(|cell| Id::of(cell).is_some()))
    }

    /// Reads all rows, given the phase whose heading they are below.
    pub(super) fn rows(
        &self,
        rows: &[Range<usize>],
        scope: Option<PhaseNumber>,
        tasks: &mut Gathered<'_, '_>,
    ) {
        let mut cells = Vec::with_capacity(self.keys.len());
        for row in rows {
            cells.clear();
            cells.extend(Cells::new(tasks.source, row));
            self.row(row, &cells, scope, tasks);
        }
    }

    fn row<'a>(
        &self,
        row: &Range<usize>,
        cells: &[&'a str],
        scope: Option<PhaseNumber>,
        tasks: &mut Gathered<'a, '_>,
    ) {
        let text = tasks.source;
        let is_whole = cells.len() == self.keys.len();
        if cells.iter().all(|cell| cell.is_empty()) {
            return;
        }
        if !is_whole {
            tasks.diagnostics.push(self.wrong_count(text, row, cells.len()));
        }
        let Some(cell) = cells.get(self.id) else { return };
        let span = span_in(text, cell, 0);
        let Some(id) = Id::of(cell) else {
            // One thing that is wrong with a row is enough.
            if is_whole {
                let message = format!("'{}' is no task id", shorten(cell));
                let hint = "write T1, T1.3, T001, 1.2 or P1-T1.3";
                tasks
                    .diagnostics
                    .push(Diagnostic::error(DiagnosticCode::ParseFail, span, message).hint(hint));
            }
            return;
        };
        let Some(place) = tasks.open(id.text, span.clone(), Voice::Row) else { return };
        tasks.phase(place, Voice::Row, id.phase, scope);
        if let Some((is_ticked, mark)) = id.check {
            tasks.check(place, Voice::Row, is_ticked, span.start + mark.start..span.start + mark.end);
        }
        for (key, cell) in self.keys.iter().zip(cells) {
            let Some(key) = *key else { continue };
            if key == Key::Acceptance {
                let criteria = cell.split("<br>").filter_map(|part| criterion(&unescape(part)));
                tasks.criteria(place, Voice::Row, criteria.collect());
            } else {
                tasks.set(place, Voice::Row, key, Value::new(text, cell, More::Cell));
            }
        }
    }

    fn wrong_count(&self, text: &str, row: &Range<usize>, n_cells: usize) -> Diagnostic {
        let line = text.get(row.clone()).unwrap_or_default().trim();
        let cells = if n_cells == 1 { "cell" } else { "cells" };
        let message = format!("this row has {n_cells} {cells}, and the table {} columns", self.keys.len());
        let hint = if n_cells > self.keys.len() {
            "write \\| for a bar that is part of the text"
        } else if !line.contains('|') {
            "put an empty line between the table and the text below it"
        } else {
            "add the missing cells; an empty one is written | |"
        };
        Diagnostic::error(DiagnosticCode::ParseFail, span_in(text, line, 0), message).hint(hint)
    }
}

/// The id in a cell; it may be decorated, or have a box before it.
struct Id<'a> {
    text: &'a str,
    /// The phase that `P1-T1.3` names.
    phase: Option<PhaseNumber>,
    /// A box before it: whether it is ticked, and where its mark is.
    check: Option<(bool, Range<usize>)>,
}

impl<'a> Id<'a> {
    fn of(cell: &'a str) -> Option<Self> {
        let mut rest = cell;
        let mut check = None;
        if let Some((mark, span, after)) = check_box(cell) {
            check = Some((is_ticked(mark), span));
            rest = after.trim_start();
        }
        let inner = rest.trim_matches(['*', '`', '_', '~']);
        let inner = inner.strip_prefix('[').map_or(inner, |link| link.split(']').next().unwrap_or(link));
        let (reference, length) = Reference::prefix(inner)?;
        if length < inner.len() || !reference.is_id() {
            return None;
        }
        Some(Self { text: &inner[length - reference.id.len()..], phase: reference.phase, check })
    }
}

/// The cells of a row, from left to right. A bar behind a backslash is text.
struct Cells<'a> {
    line: &'a str,
    /// Where the next cell begins.
    start: usize,
    bars: Memchr<'a>,
}

impl<'a> Cells<'a> {
    fn new(text: &'a str, row: &Range<usize>) -> Self {
        let line = trim(text.get(row.clone()).unwrap_or_default());
        let line = line.strip_prefix('|').unwrap_or(line);
        Self { line, start: 0, bars: memchr_iter(b'|', line.as_bytes()) }
    }
}

impl<'a> Iterator for Cells<'a> {
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

/// Returns a cell's text as it is meant.
pub(super) fn unescape(cell: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\\', cell.as_bytes()).is_some() {
        Cow::Owned(cell.replace("\\|", "|"))
    } else {
        Cow::Borrowed(cell)
    }
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
    let n_columns = Cells::new(text, &span_in(text, head, 0)).count();
    let line = format!("|{}", "---|".repeat(n_columns.min(32)));
    Diagnostic::error(
        DiagnosticCode::ParseFail,
        span_in(text, dashes, 0),
        "this is no table: its second line does not fit the first",
    )
    .hint(format!("write {line} as the second line"))
}
