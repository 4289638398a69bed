//! What a key or a cell says, and the values of it that are more than words.

use std::{borrow::Cow, ops::Range};

use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    item::Item,
    keys::Key,
    plan::Task,
    text::{self, is_none, many_lines, shorten, span_in},
    values::{self, TIMEOUT_HINT},
};

use super::table::unescape;

pub(super) const BUDGET_HINT: &str = "write 200k or 1m for tokens, $2 for money";

/// The value of a key or a cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value<'a, 'i> {
    pub(super) text: &'a str,
    pub(super) start: usize,
    pub(super) more: More<'a, 'i>,
}

/// What there is to a value beside its own line.
#[derive(Debug, Clone, Copy)]
pub(super) enum More<'a, 'i> {
    /// Nothing.
    None,
    /// The lines of an item below the key.
    Below(&'i Item<'a>),
    /// It is a cell, where a bar is written with a backslash.
    Cell,
}

impl<'a, 'i> Value<'a, 'i> {
    pub(super) fn new(source: &str, text: &'a str, more: More<'a, 'i>) -> Self {
        Self { text, start: span_in(source, text, 0).start, more }
    }

    pub(super) fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    /// Returns the whole value, with the lines below the key.
    pub(super) fn whole(&self, source: &str) -> Cow<'a, str> {
        match self.more {
            More::None => Cow::Borrowed(self.text),
            More::Cell => unescape(self.text),
            More::Below(item) => {
                let mut whole = format!("{}\n", self.text);
                item.push_below(source, item.below.clone(), &mut whole);
                Cow::Owned(whole)
            }
        }
    }
}

/// Reads the values that are more than words.
pub(super) fn checked(task: &mut Task, key: Key, value: &Value<'_, '_>, diagnostics: &mut Diagnostics) {
    let words = text::unquote_code(value.text).unwrap_or(value.text);
    let is_given = !is_none(words);
    match key {
        Key::Priority => match words.parse() {
            Ok(priority) => task.priority = priority,
            Err(_) if is_given => {
                diagnostics.push(wrong(value, "priority", "write low, normal, high or critical"))
            }
            Err(_) => {}
        },
        Key::Timeout => {
            task.timeout_seconds = values::timeout_seconds(words);
            if is_given && task.timeout_seconds.is_none() {
                diagnostics.push(wrong(value, "timeout", TIMEOUT_HINT));
            }
        }
        Key::Budget => {
            task.budget = words.parse().ok();
            if is_given && task.budget.is_none() {
                diagnostics.push(wrong(value, "budget", BUDGET_HINT));
            }
        }
        _ => {
            task.complexity = values::complexity(words);
            if is_given && task.complexity.is_none() {
                let message =
                    format!("complexity '{}' is not S, M, L or XL, and is left out", shorten(words));
                diagnostics.push(Diagnostic::warning(value.span(), message).hint("write S, M, L or XL"));
            }
        }
    }
}

/// Complains about a value, and says what to write.
pub(super) fn wrong(value: &Value<'_, '_>, what: &str, hint: &str) -> Diagnostic {
    let message = format!("'{}' is no {what}", shorten(value.text));
    Diagnostic::error(DiagnosticCode::ParseFail, value.span(), message).hint(hint)
}

/// Returns a description; the lines of a cell are separated by `<br>`.
pub(super) fn description(value: &Value<'_, '_>, source: &str) -> String {
    // A description that says nothing is written with a dash, too.
    if !matches!(value.more, More::Below(_)) && is_none(value.text) {
        return String::new();
    }
    let whole = value.whole(source);
    if matches!(value.more, More::Cell) {
        many_lines(&whole.replace("<br>", "\n"))
    } else {
        many_lines(&whole)
    }
}

/// Tells whether a value agrees.
pub(super) fn is_yes(value: &str) -> bool {
    ["yes", "true", "optional", "[x]", "예"].iter().any(|yes| value.eq_ignore_ascii_case(yes))
}
