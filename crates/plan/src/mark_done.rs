//! Marks a task as done in its plan file, changing nothing else in it.

use std::ops::Range;

use domain::TaskId;

use crate::{
    draft::StatusMark,
    parse::{ParseOptions, parse},
};

/// Result of [`mark_done`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MarkDoneOutcome {
    /// Applying this edit marks the task as done.
    Edit(TextEdit),
    /// The file already marks the task as done.
    AlreadyDone,
    /// The task has neither a check box nor a status field.
    NoStatusField,
    /// The file has no task with this id.
    NoTask,
}

/// Replacement of a byte range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// Byte range to replace.
    pub span: Range<usize>,
    /// Text that replaces it.
    pub replacement: String,
}

impl TextEdit {
    /// Returns the file with the edit applied; all other bytes are unchanged.
    pub fn apply(&self, source: &[u8]) -> Vec<u8> {
        let before = source.get(..self.span.start).unwrap_or(source);
        let after = source.get(self.span.end..).unwrap_or_default();
        [before, self.replacement.as_bytes(), after].concat()
    }
}

/// Finds the edit that marks a task as done in the current content of its file.
///
/// A check box gets an `x`; otherwise the value of a `Status` line, column or JSON field is replaced. A file without
/// either is not changed.
///
/// ```
/// let source = b"- [ ] T001 Begin\n";
/// let plan::MarkDoneOutcome::Edit(edit) = plan::mark_done(source, plan::ParseOptions::default(), &"T001".parse().unwrap()) else {
///     unreachable!()
/// };
/// assert_eq!(edit.apply(source), b"- [x] T001 Begin\n");
/// ```
pub fn mark_done(source: &[u8], options: ParseOptions<'_>, id: &TaskId) -> MarkDoneOutcome {
    let parsed = parse(source, options);
    let mut matching = parsed.plan.tasks.iter().zip(&parsed.status_marks).filter(|(task, _)| task.id == *id);
    match matching.next() {
        None => MarkDoneOutcome::NoTask,
        Some((task, _)) if task.done => MarkDoneOutcome::AlreadyDone,
        Some((_, None)) => MarkDoneOutcome::NoStatusField,
        Some((_, Some(mark))) => MarkDoneOutcome::Edit(edit_status_mark(source, mark)),
    }
}

fn edit_status_mark(source: &[u8], mark: &StatusMark) -> TextEdit {
    match mark {
        StatusMark::Checkbox(span) => TextEdit { span: span.clone(), replacement: "x".to_owned() },
        StatusMark::Symbol(span) => TextEdit { span: span.clone(), replacement: "✅".to_owned() },
        StatusMark::JsonString(span) => TextEdit { span: span.clone(), replacement: "\"done\"".to_owned() },
        StatusMark::Word(span) => {
            let word = String::from_utf8_lossy(source.get(span.clone()).unwrap_or_default());
            let is_korean = word.chars().any(|c| ('가'..='힣').contains(&c));
            let done = if is_korean { "완료" } else { "done" };
            // An empty value directly after a colon, an asterisk or a bar needs a space before it.
            let is_tight =
                matches!(source.get(..span.start).and_then(<[u8]>::last), Some(b':' | b'*' | b'|'));
            let space = if is_tight { " " } else { "" };
            TextEdit { span: span.clone(), replacement: format!("{space}{done}") }
        }
    }
}
