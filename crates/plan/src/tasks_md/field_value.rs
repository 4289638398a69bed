//! Values of key lines and table cells, and the fields whose values are validated.

use std::{borrow::Cow, ops::Range};

use crate::{
    diagnostic::DiagnosticSink,
    field_keys::FieldKey,
    list_item::ListItem,
    plan::Task,
    problem::{Problem, ValueField},
    text::{self, means_none, normalize_text, span_of_slice, truncate_for_message},
    values,
};

use super::table::unescape_cell;

/// The value of a key line or a cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct FieldValue<'a, 'i> {
    pub(super) text: &'a str,
    pub(super) start: usize,
    pub(super) continuation: ValueContinuation<'a, 'i>,
}

/// How a value continues beyond its own line.
#[derive(Debug, Clone, Copy)]
pub(super) enum ValueContinuation<'a, 'i> {
    None,
    /// Continues on the lines of the list item below the key.
    ItemLines(&'i ListItem<'a>),
    /// A table cell, in which a bar is escaped by a backslash.
    Cell,
}

impl<'a, 'i> FieldValue<'a, 'i> {
    pub(super) fn new(source: &str, text: &'a str, continuation: ValueContinuation<'a, 'i>) -> Self {
        Self { text, start: span_of_slice(source, text, 0).start, continuation }
    }

    pub(super) fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    /// Returns the complete value, including the lines below the key.
    pub(super) fn full_text(&self, source: &str) -> Cow<'a, str> {
        match self.continuation {
            ValueContinuation::None => Cow::Borrowed(self.text),
            ValueContinuation::Cell => unescape_cell(self.text),
            ValueContinuation::ItemLines(item) => {
                let mut whole = format!("{}\n", self.text);
                item.push_dedented(source, item.below.clone(), &mut whole);
                Cow::Owned(whole)
            }
        }
    }
}

/// Sets a field that only accepts certain values, or reports the value as invalid.
pub(super) fn set_validated_field(
    task: &mut Task,
    key: FieldKey,
    value: &FieldValue<'_, '_>,
    diagnostics: &mut DiagnosticSink,
) {
    let text = text::unquote_code(value.text).unwrap_or(value.text);
    let is_given = !means_none(text);
    match key {
        FieldKey::Priority => match values::parse_priority(text) {
            Some(priority) => task.priority = priority,
            None if is_given => push_invalid_value(value, ValueField::Priority, diagnostics),
            None => {}
        },
        FieldKey::Timeout => {
            task.timeout_seconds = values::parse_timeout(text);
            if is_given && task.timeout_seconds.is_none() {
                push_invalid_value(value, ValueField::Timeout, diagnostics);
            }
        }
        FieldKey::Budget => {
            task.budget = text.parse().ok();
            if is_given && task.budget.is_none() {
                push_invalid_value(value, ValueField::Budget, diagnostics);
            }
        }
        FieldKey::Id
        | FieldKey::Title
        | FieldKey::Dependencies
        | FieldKey::Complexity
        | FieldKey::Layer
        | FieldKey::Agent
        | FieldKey::Tester
        | FieldKey::Phase
        | FieldKey::Description
        | FieldKey::Acceptance
        | FieldKey::Touches
        | FieldKey::Verify
        | FieldKey::Worktree
        | FieldKey::Status
        | FieldKey::Optional
        | FieldKey::References
        | FieldKey::After
        | FieldKey::Artefacts
        | FieldKey::Files
        | FieldKey::Number => {
            task.complexity = values::parse_complexity(text);
            if is_given && task.complexity.is_none() {
                let problem = Problem::UnknownComplexity { text: truncate_for_message(text) };
                diagnostics.push(value.span(), problem);
            }
        }
    }
}

/// Reports a value that is not accepted.
pub(super) fn push_invalid_value(
    value: &FieldValue<'_, '_>,
    field: ValueField,
    diagnostics: &mut DiagnosticSink,
) {
    diagnostics.push(value.span(), Problem::InvalidValue { field, text: truncate_for_message(value.text) });
}

/// Returns a description; lines of a cell are separated by `<br>`.
pub(super) fn description_text(value: &FieldValue<'_, '_>, source: &str) -> String {
    // A dash stands for an empty description.
    if !matches!(value.continuation, ValueContinuation::ItemLines(_)) && means_none(value.text) {
        return String::new();
    }
    let whole = value.full_text(source);
    if matches!(value.continuation, ValueContinuation::Cell) {
        normalize_text(&whole.replace("<br>", "\n"))
    } else {
        normalize_text(&whole)
    }
}

pub(super) fn is_yes(value: &str) -> bool {
    ["yes", "true", "optional", "[x]", "예"].iter().any(|yes| value.eq_ignore_ascii_case(yes))
}
