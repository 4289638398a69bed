//! What rows and sections say about tasks, put together as it is read.
//!
//! A section's word counts more than a row's, whichever comes first in the file.

use std::ops::Range;

use domain::{PhaseNumber, TaskId};

use crate::{
    dependencies,
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    draft::{Draft, DraftPlan, Mark},
    keys::Key,
    plan::Task,
    text::{self, one_line, scalar},
};

use super::{
    notes::Notes,
    value::{More, Value, checked, description, is_yes},
    without_layer,
};

/// Who says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Voice {
    /// A section, which wins.
    Section,
    /// A row of a table.
    Row,
}

/// All tasks of a file so far.
pub(super) struct Gathered<'a, 'd> {
    pub(super) source: &'a str,
    pub(super) diagnostics: &'d mut Diagnostics,
    /// What was found; its phases are those that keys and columns name.
    plan: DraftPlan<'a>,
    notes: Vec<Notes>,
    ids_have_dots: bool,
}

impl<'a, 'd> Gathered<'a, 'd> {
    pub(super) fn new(source: &'a str, diagnostics: &'d mut Diagnostics) -> Self {
        Self { source, diagnostics, plan: DraftPlan::default(), notes: Vec::new(), ids_have_dots: false }
    }

    /// Makes room for so many more tasks.
    pub(super) fn reserve(&mut self, n_tasks: usize) {
        self.plan.reserve(n_tasks);
        self.plan.mentions.reserve(n_tasks);
        self.plan.places.reserve(n_tasks);
        self.notes.reserve(n_tasks);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.plan.tasks.is_empty()
    }

    /// Returns the place of the task that a row or a section is about; nothing where there was one before.
    pub(super) fn open(&mut self, id: &'a str, id_span: Range<usize>, voice: Voice) -> Option<usize> {
        let place = *self.plan.places.entry(id).or_insert(self.plan.tasks.len());
        let Some(notes) = self.notes.get_mut(place) else {
            self.ids_have_dots |= id.contains('.');
            self.plan.push(Task::new(id.parse().ok()?, String::new()), Draft::new(id_span));
            let mut notes = Notes::default();
            notes.is_seen[voice as usize] = true;
            self.notes.push(notes);
            return Some(place);
        };
        if notes.is_seen[voice as usize] {
            let what = if voice == Voice::Section { "a section" } else { "a row" };
            let message = format!("there is {what} for {id} already");
            self.diagnostics.push(
                Diagnostic::error(DiagnosticCode::ParseFail, id_span, message)
                    .hint("give one of the two another id"),
            );
            return None;
        }
        notes.is_seen[voice as usize] = true;
        if voice == Voice::Section
            && let Some(draft) = self.plan.drafts.get_mut(place)
        {
            draft.id_span = id_span;
        }
        Some(place)
    }

    /// Keeps the box before an id.
    pub(super) fn check(&mut self, place: usize, voice: Voice, is_ticked: bool, mark: Range<usize>) {
        if let Some(notes) = self.notes.get_mut(place)
            && notes.check.as_ref().is_none_or(|(known, ..)| voice < *known)
        {
            notes.check = Some((voice, is_ticked, mark));
        }
    }

    /// Keeps the phase that an id (`P1-T1.3`) or a heading above says.
    pub(super) fn phase(
        &mut self,
        place: usize,
        voice: Voice,
        of_id: Option<PhaseNumber>,
        scope: Option<PhaseNumber>,
    ) {
        let Some(notes) = self.notes.get_mut(place) else { return };
        let rank = 3 * voice as u8;
        if let Some((rank, number)) =
            of_id.map(|of_id| (rank + 1, of_id)).or(scope.map(|scope| (rank + 2, scope)))
        {
            notes.set_phase(rank, number);
        }
    }

    /// Adds a section's text that is no key line, below the description.
    pub(super) fn prose(&mut self, place: usize, prose: String) {
        if let Some(task) = self.plan.tasks.get_mut(place) {
            task.text = joined(std::mem::take(&mut task.text), prose);
        }
    }

    /// Gives a task its title.
    pub(super) fn title(&mut self, place: usize, title: String) {
        let (Some(task), Some(notes)) = (self.plan.tasks.get_mut(place), self.notes.get_mut(place)) else {
            return;
        };
        task.title = title;
        notes.give(Voice::Section, Key::Title);
    }

    /// Tells whether a section's heading has a title, so that it needs no key for it.
    pub(super) fn has_title(&self, place: usize) -> bool {
        self.notes.get(place).is_some_and(|notes| notes.is_given(Voice::Section, Key::Title))
    }

    /// Keeps what a key or a column says, if nobody who counts more has said it, and nobody before.
    pub(super) fn set(&mut self, place: usize, voice: Voice, key: Key, value: Value<'a, '_>) {
        let (Some(task), Some(draft), Some(notes)) =
            (self.plan.tasks.get_mut(place), self.plan.drafts.get_mut(place), self.notes.get_mut(place))
        else {
            return;
        };
        if !notes.give(voice, key) {
            return;
        }
        let source = self.source;
        let one = |value: &Value<'_, '_>| scalar(&value.whole(source));
        let many = |value: &Value<'_, '_>| text::values(&value.whole(source));
        match key {
            Key::Id | Key::After | Key::Artefacts | Key::Acceptance => {}
            Key::Title => task.title = one_line(&value.whole(source)),
            Key::Dependencies => {
                let end = match value.more {
                    More::Below(item) => item.below.end,
                    More::None | More::Cell => value.span().end,
                };
                let start = self.plan.mentions.len();
                let list = source.get(value.start..end).unwrap_or_default();
                dependencies::parse(list, value.start, &mut self.plan.mentions);
                draft.mentions = start..self.plan.mentions.len();
            }
            Key::Layer => task.layer = one(&value),
            Key::Agent => task.agent = one(&value),
            Key::Tester => task.tester = one(&value),
            Key::Verify => task.verify = one(&value),
            Key::Worktree => task.worktree = one(&value),
            Key::Touches => task.touches = many(&value),
            Key::References => task.references = many(&value),
            Key::Optional => task.optional = is_yes(value.text),
            // A section's replaces a row's; a row can come behind its section, whose prose is there already.
            Key::Description => {
                let prose = if voice == Voice::Row { std::mem::take(&mut task.text) } else { String::new() };
                task.text = joined(description(&value, source), prose);
            }
            Key::Phase => {
                let phase = notes.phase_value(&value, 3 * voice as u8, self.diagnostics);
                self.plan.phases.extend(phase);
            }
            Key::Status => notes.status(draft, &value, self.diagnostics),
            Key::Complexity | Key::Timeout | Key::Priority | Key::Budget => {
                checked(task, key, &value, self.diagnostics)
            }
        }
    }

    /// Keeps acceptance criteria, as [`set`](Self::set) does with other values.
    pub(super) fn criteria(&mut self, place: usize, voice: Voice, criteria: Vec<String>) {
        if let (Some(task), Some(notes)) = (self.plan.tasks.get_mut(place), self.notes.get_mut(place))
            && notes.give(voice, Key::Acceptance)
        {
            task.acceptance = criteria;
        }
    }

    /// Puts all together that was found.
    pub(super) fn finish(self) -> DraftPlan<'a> {
        let Self { mut plan, notes, diagnostics, ids_have_dots, .. } = self;
        for ((task, draft), notes) in plan.tasks.iter_mut().zip(&mut plan.drafts).zip(notes) {
            if let Some(title) = without_layer(&task.title, task.layer.as_deref()) {
                task.title = title.to_owned();
            }
            // A task is done when its box is ticked or its status says so; the box is what gets ticked, if there is one.
            task.done |=
                notes.is_status_done || notes.check.as_ref().is_some_and(|(_, is_ticked, _)| *is_ticked);
            if let Some((_, _, mark)) = notes.check {
                draft.mark = Some(Mark::Box(mark));
            }
            if let Some((_, number)) = notes.phase {
                task.phase = number;
            } else if ids_have_dots {
                task.phase = first_number(&task.id, &draft.id_span, diagnostics);
            }
        }
        plan
    }
}

/// Joins two texts with an empty line.
fn joined(mut text: String, below: String) -> String {
    if text.is_empty() {
        return below;
    }
    if !below.is_empty() {
        text.push_str("\n\n");
        text.push_str(&below);
    }
    text
}

/// Returns the phase that an id's first number names.
fn first_number(id: &TaskId, span: &Range<usize>, diagnostics: &mut Diagnostics) -> PhaseNumber {
    let first = id.numbers().next().unwrap_or_default();
    first.parse().unwrap_or_else(|_| {
        let message = format!("the first number of {id} is too large for a phase");
        diagnostics.push(
            Diagnostic::error(DiagnosticCode::ParseFail, span.clone(), message)
                .hint("write a smaller number, or give the task a Phase"),
        );
        1
    })
}
