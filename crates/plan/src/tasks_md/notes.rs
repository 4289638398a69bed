//! What is known about a task beside the task itself, while more may be said.

use std::ops::Range;

use domain::PhaseNumber;

use crate::{
    diagnostic::{Diagnostic, Diagnostics},
    draft::{Draft, DraftPhase, Mark},
    heading::{self, HeadingNumber},
    keys::Key,
    text::{self, check_box, is_none, is_ticked, one_line, shorten},
    values::{self, STATUS_HINT, Status},
};

use super::{
    fields::Voice,
    value::{Value, wrong},
};

/// A task while more may be said about it.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// The keys that a section and a row have given, a bit for each.
    given: [u32; 2],
    pub(super) is_seen: [bool; 2],
    /// A box before the id: who has it, whether it is ticked, and where its mark is.
    pub(super) check: Option<(Voice, bool, Range<usize>)>,
    pub(super) is_status_done: bool,
    /// The phase, and how much its source counts; less is more.
    pub(super) phase: Option<(u8, PhaseNumber)>,
}

impl Notes {
    /// Tells whether a section or a row has given a key.
    pub(super) fn is_given(&self, voice: Voice, key: Key) -> bool {
        self.given[voice as usize] & 1 << key as u32 != 0
    }

    /// Remembers that a key is given now; tells whether it counts, because nobody who counts more has given it, and
    /// nobody before.
    pub(super) fn give(&mut self, voice: Voice, key: Key) -> bool {
        if self.is_given(Voice::Section, key) || self.is_given(voice, key) {
            return false;
        }
        self.given[voice as usize] |= 1 << key as u32;
        true
    }

    /// Keeps a phase, if nobody who counts more has said one.
    pub(super) fn set_phase(&mut self, rank: u8, number: PhaseNumber) {
        if self.phase.is_none_or(|(known, _)| rank < known) {
            self.phase = Some((rank, number));
        }
    }

    /// Reads the phase that a key or a column gives, and returns it where it has a name.
    pub(super) fn phase_value(
        &mut self,
        value: &Value<'_, '_>,
        rank: u8,
        diagnostics: &mut Diagnostics,
    ) -> Option<DraftPhase> {
        if is_none(value.text) {
            return None;
        }
        match heading::phase_value(value.text).map(|phase| (phase.number, phase.name)) {
            Some((HeadingNumber::Whole(number) | HeadingNumber::Dotted(number), name)) => {
                self.set_phase(rank, number);
                let name = one_line(name);
                (!name.is_empty()).then_some(DraftPhase { number, name, ..DraftPhase::default() })
            }
            Some((HeadingNumber::Letter, _)) | None => {
                let message = format!("phase '{}' has no number, and is left out", shorten(value.text));
                diagnostics
                    .push(Diagnostic::warning(value.span(), message).hint("write 2, or Phase 2: name"));
                None
            }
        }
    }

    /// Reads how far the task is, and keeps where that is written.
    pub(super) fn status(&mut self, draft: &mut Draft, value: &Value<'_, '_>, diagnostics: &mut Diagnostics) {
        let word = text::unquote_code(value.text).unwrap_or(value.text);
        if let Some((mark, span, _)) = check_box(word) {
            let start = text::span_in(value.text, word, value.start).start;
            self.is_status_done = is_ticked(mark);
            draft.mark = Some(Mark::Box(start + span.start..start + span.end));
            draft.is_deferred = false;
            return;
        }
        let status = if is_none(word) { Some(Status::Open) } else { values::status(word) };
        self.is_status_done = status == Some(Status::Done);
        draft.is_deferred = status == Some(Status::Deferred);
        draft.mark = Some(Mark::Word(value.span()));
        if status.is_none() {
            diagnostics.push(wrong(value, "status", STATUS_HINT));
        }
    }
}
