//! Tracks which source has set which field of a task, so that the right value wins.

use domain::PhaseNumber;

use crate::{
    diagnostic::DiagnosticSink,
    draft::{PhaseDraft, StatusMark, TaskDraft},
    field_keys::FieldKey,
    heading::{self, PhaseHeadingNumber},
    problem::{Problem, ValueField},
    text::{self, is_checked, join_lines, means_none, parse_checkbox, truncate_for_message},
    values::{self, TaskStatus},
};

use super::{
    field_value::{FieldValue, push_invalid_value},
    task_collector::FieldSource,
};

/// Parse state of one task.
#[derive(Debug, Default)]
pub(super) struct TaskFieldState {
    /// Bit sets of the keys that the section and the row have set, indexed by [`FieldSource`].
    set_keys: [u32; 2],
    pub(super) seen_sources: [bool; 2],
    /// A check box or symbol at the id or title: its source, whether it means done, and where it is.
    pub(super) checkbox: Option<(FieldSource, bool, StatusMark)>,
    /// The table that has its row.
    pub(super) table: Option<usize>,
    pub(super) is_status_done: bool,
    /// Cells of columns that are not keys; they follow the text.
    pub(super) notes: String,
    /// The phase and the rank of its source; a lower rank takes precedence.
    pub(super) phase: Option<(u8, PhaseNumber)>,
}

impl TaskFieldState {
    pub(super) fn is_set(&self, source: FieldSource, key: FieldKey) -> bool {
        self.set_keys[source as usize] & 1 << key as u32 != 0
    }

    /// Records that a source sets a key. Returns false if the section or the same source has set it before: the value
    /// must then be ignored.
    pub(super) fn claim_key(&mut self, source: FieldSource, key: FieldKey) -> bool {
        if self.is_set(FieldSource::Section, key) || self.is_set(source, key) {
            return false;
        }
        self.set_keys[source as usize] |= 1 << key as u32;
        true
    }

    /// Sets the phase unless a source of equal or higher precedence has set it.
    pub(super) fn set_phase(&mut self, rank: u8, number: PhaseNumber) {
        if self.phase.is_none_or(|(known, _)| rank < known) {
            self.phase = Some((rank, number));
        }
    }

    /// Sets the phase from a key or column; returns a phase draft if the value includes a name.
    pub(super) fn set_phase_from_value(
        &mut self,
        value: &FieldValue<'_, '_>,
        rank: u8,
        diagnostics: &mut DiagnosticSink,
    ) -> Option<PhaseDraft> {
        if means_none(value.text) {
            return None;
        }
        match heading::parse_phase_value(value.text).map(|phase| (phase.number, phase.name)) {
            Some((PhaseHeadingNumber::Whole(number) | PhaseHeadingNumber::Dotted(number), name)) => {
                self.set_phase(rank, number);
                let name = join_lines(name);
                (!name.is_empty()).then_some(PhaseDraft { number, name, ..PhaseDraft::default() })
            }
            Some((PhaseHeadingNumber::Letter, _)) | None => {
                let problem = Problem::PhaseWithoutNumber { text: truncate_for_message(value.text) };
                diagnostics.push(value.span(), problem);
                None
            }
        }
    }

    /// Sets whether the task is done or deferred, and records where that is written.
    pub(super) fn set_status_from_value(
        &mut self,
        draft: &mut TaskDraft,
        value: &FieldValue<'_, '_>,
        diagnostics: &mut DiagnosticSink,
    ) {
        let word = text::unquote_code(value.text).unwrap_or(value.text);
        if let Some((mark, span, _)) = parse_checkbox(word) {
            let start = text::span_of_slice(value.text, word, value.start).start;
            self.is_status_done = is_checked(mark);
            draft.status_mark = Some(StatusMark::Checkbox(start + span.start..start + span.end));
            draft.is_deferred = false;
            return;
        }
        let status = if means_none(word) { Some(TaskStatus::Open) } else { values::parse_status(word) };
        self.is_status_done = status == Some(TaskStatus::Done);
        draft.is_deferred = status == Some(TaskStatus::Deferred);
        draft.status_mark = Some(StatusMark::Word(value.span()));
        if status.is_none() && values::is_remark(word) {
            let problem = Problem::UnclearStatus { text: truncate_for_message(word) };
            diagnostics.push(value.span(), problem);
        } else if status.is_none() {
            push_invalid_value(value, ValueField::Status, diagnostics);
        }
    }
}
