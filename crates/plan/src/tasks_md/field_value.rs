//! Values of key lines and table cells, and the fields whose values are validated.

use std::{borrow::Cow, ops::Range};

use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, DiagnosticSink},
    field_keys::FieldKey,
    list_item::ListItem,
    plan::Task,
    text::{self, means_none, normalize_text, span_of_slice, truncate_for_message},
    values::{self, TIMEOUT_HINT},
};

use super::table::unescape_cell;

pub(super) const BUDGET_HINT: &str = "write 200k or 1m for tokens, $2 for money";

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
        FieldKey::Priority => match text.parse() {
            Ok(priority) => task.priority = priority,
            Err(_) if is_given => diagnostics.push(invalid_value_error(
                value,
                "priority",
                "write low, normal, high or critical",
            )),
            Err(_) => {}
        },
        FieldKey::Timeout => {
            task.timeout_seconds = values::parse_timeout(text);
            if is_given && task.timeout_seconds.is_none() {
                diagnostics.push(invalid_value_error(value, "timeout", TIMEOUT_HINT));
            }
        }
        FieldKey::Budget => {
            task.budget = text.parse().ok();
            if is_given && task.budget.is_none() {
                diagnostics.push(invalid_value_error(value, "budget", BUDGET_HINT));
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
        | FieldKey::Artefacts => {
            task.complexity = values::parse_complexity(text);
            if is_given && task.complexity.is_none() {
                let message = format!(
                    "complexity '{}' is not S, M, L or XL and is ignored",
                    truncate_for_message(text)
                );
                diagnostics.push(Diagnostic::warning(value.span(), message).with_hint("write S, M, L or XL"));
            }
        }
    }
}

/// Returns the error for a value that is not accepted.
pub(super) fn invalid_value_error(value: &FieldValue<'_, '_>, what: &str, hint: &str) -> Diagnostic {
    let message = format!("'{}' is not a {what}", truncate_for_message(value.text));
    Diagnostic::error(DiagnosticCode::ParseFail, value.span(), message).with_hint(hint)
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
