//! Parser for an id at the beginning of a text: `T1.3`, `1.2`, `P1-T1.3`.

use std::borrow::Cow;

use domain::{PhaseNumber, TaskId};

/// An id as written, with its phase if one is given: `P1-T1.3`.
#[derive(Debug, Clone)]
pub(crate) struct IdReference<'a> {
    pub(crate) phase: Option<PhaseNumber>,
    pub(crate) id: Cow<'a, str>,
}

impl<'a> IdReference<'a> {
    /// Parses a reference at the beginning of a text, and returns its byte length too.
    pub(crate) fn parse_prefix(text: &'a str) -> Option<(Self, usize)> {
        let phase_length = phase_prefix_length(text);
        let phase = match phase_length {
            0 => None,
            length => Some(text[1..length - 1].parse().ok()?),
        };
        let id_length = id_prefix_length(&text[phase_length..])?;
        let end = phase_length + id_length;
        Some((Self { phase, id: Cow::Borrowed(&text[phase_length..end]) }, end))
    }

    /// Returns the id, or `None` if it is longer than a task id may be.
    pub(crate) fn task_id(&self) -> Option<TaskId> {
        self.id.parse().ok()
    }

    /// Tells whether `task_id` would succeed.
    pub(crate) fn is_valid_id(&self) -> bool {
        // Short ids are always valid; skip the parser.
        self.id.len() <= 16 || self.task_id().is_some()
    }

    pub(crate) fn has_letter_prefix(&self) -> bool {
        self.id.starts_with('T')
    }
}

/// Returns the length of `P1-`, or 0.
fn phase_prefix_length(text: &str) -> usize {
    let Some(rest) = text.strip_prefix('P') else { return 0 };
    let n_digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if n_digits > 0 && rest[n_digits..].starts_with('-') { n_digits + 2 } else { 0 }
}

fn id_prefix_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut end = usize::from(bytes.first() == Some(&b'T'));
    loop {
        let n_digits = bytes[end..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if n_digits == 0 {
            return None;
        }
        end += n_digits;
        // A dot belongs to the id only before a digit: `T7..T11` is a range, and `T7.` ends a sentence.
        if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
            end += 1;
        } else {
            return Some(end);
        }
    }
}
