//! The write-back of a done task: one box, and nothing else of the file.

use std::ops::Range;

use domain::TaskId;

use crate::{
    draft::StatusMark,
    parse::{ParseOptions, parse},
};

/// What ticking a task means for its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MarkDoneOutcome {
    /// This change marks it as done.
    Edit(TextEdit),
    /// The file says so already.
    AlreadyDone,
    /// The task has neither a box nor a status to change: a heading or a row without one.
    NoStatusField,
    /// The file has no such task.
    NoTask,
}

/// A change of a few bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// The bytes to replace.
    pub span: Range<usize>,
    /// What to put there.
    pub replacement: String,
}

impl TextEdit {
    /// Returns the file with the change made, every other byte as it was.
    pub fn apply(&self, source: &[u8]) -> Vec<u8> {
        let before = source.get(..self.span.start).unwrap_or(source);
        let after = source.get(self.span.end..).unwrap_or_default();
        [before, self.replacement.as_bytes(), after].concat()
    }
}

/// Finds the change that marks a task as done in its file, as the file is now.
///
/// A check box gets its `x`; where there is only a `Status` line, column or JSON value, its word becomes done.
/// Nothing is ever added to a file that has no such place.
///
/// ```
/// let source = b"- [ ] T001 Begin\n";
/// let plan::Tick::Edit(edit) = plan::tick(source, plan::Options { format: None }, &"T001".parse().unwrap()) else {
///     unreachable!()
/// };
/// assert_eq!(edit.apply(source), b"- [x] T001 Begin\n");
/// ```
pub fn mark_done(source: &[u8], options: ParseOptions, id: &TaskId) -> MarkDoneOutcome {
    let parsed = parse(source, options);
    let mut matching = parsed.plan.tasks.iter().zip(&parsed.status_marks).filter(|(task, _)| task.id == *id);
    match matching.next() {
        None => MarkDoneOutcome::NoTask,
        Some((task, _)) if task.done => MarkDoneOutcome::AlreadyDone,
        Some((_, None)) => MarkDoneOutcome::NoStatusField,
        Some((_, Some(mark))) => MarkDoneOutcome::Edit(edit(source, mark)),
    }
}

fn edit(source: &[u8], mark: &StatusMark) -> TextEdit {
    match mark {
        StatusMark::Checkbox(span) => TextEdit { span: span.clone(), replacement: "x".to_owned() },
        StatusMark::JsonString(span) => TextEdit { span: span.clone(), replacement: "\"done\"".to_owned() },
        StatusMark::Word(span) => {
            let word = String::from_utf8_lossy(source.get(span.clone()).unwrap_or_default());
            let is_korean = word.chars().any(|c| ('가'..='힣').contains(&c));
            let done = if is_korean { "완료" } else { "done" };
            // An empty value directly behind its colon, or between two bars, wants its space.
            let is_tight =
                matches!(source.get(..span.start).and_then(<[u8]>::last), Some(b':' | b'*' | b'|'));
            let space = if is_tight { " " } else { "" };
            TextEdit { span: span.clone(), replacement: format!("{space}{done}") }
        }
    }
}
