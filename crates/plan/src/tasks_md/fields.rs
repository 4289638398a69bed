//! What rows and sections say about tasks, put together as it is read.
//!
//! A section's word counts more than a row's, whichever comes first in the file.

use std::ops::Range;

use domain::PhaseNumber;

use crate::{
    dependencies::{self, Mention},
    diagnostic::{Code, Diagnostic, Diagnostics},
    draft::{Draft, DraftPhase, DraftPlan, Mark},
    ids::IdMap,
    keys::Key,
    plan::Task,
    text::{self, one_line, scalar},
};

use super::{
    notes::Notes,
    value::{Value, checked, description, is_yes},
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
    tasks: Vec<Task>,
    drafts: Vec<Draft>,
    notes: Vec<Notes>,
    mentions: Vec<Mention<'a>>,
    places: IdMap<'a>,
}

impl<'a, 'd> Gathered<'a, 'd> {
    pub(super) fn new(source: &'a str, diagnostics: &'d mut Diagnostics) -> Self {
        Self {
            source,
            diagnostics,
            tasks: Vec::new(),
            drafts: Vec::new(),
            notes: Vec::new(),
            mentions: Vec::new(),
            places: IdMap::default(),
        }
    }

    /// Makes room for so many more tasks.
    pub(super) fn reserve(&mut self, n_tasks: usize) {
        self.tasks.reserve(n_tasks);
        self.drafts.reserve(n_tasks);
        self.notes.reserve(n_tasks);
        self.mentions.reserve(n_tasks);
        self.places.reserve(n_tasks);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Returns the place of the task that a row or a section is about; nothing where there was one before.
    pub(super) fn open(&mut self, id: &'a str, id_span: Range<usize>, voice: Voice) -> Option<usize> {
        let place = *self.places.entry(id).or_insert(self.tasks.len());
        let Some(notes) = self.notes.get_mut(place) else {
            self.tasks.push(Task::new(id.parse().ok()?, String::new()));
            self.drafts.push(Draft::new(id_span));
            let mut notes = Notes::default();
            notes.is_seen[voice as usize] = true;
            self.notes.push(notes);
            return Some(place);
        };
        if notes.is_seen[voice as usize] {
            let what = if voice == Voice::Section { "a section" } else { "a row" };
            let message = format!("there is {what} for {id} already");
            self.diagnostics.push(
                Diagnostic::error(Code::ParseFail, id_span, message).hint("give one of the two another id"),
            );
            return None;
        }
        notes.is_seen[voice as usize] = true;
        if voice == Voice::Section
            && let Some(draft) = self.drafts.get_mut(place)
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
            notes.set_phase(rank, number, String::new());
        }
    }

    /// Adds a section's text that is no key line.
    pub(super) fn prose(&mut self, place: usize, prose: String) {
        if let Some(notes) = self.notes.get_mut(place) {
            notes.prose = prose;
        }
    }

    /// Gives a task its title.
    pub(super) fn title(&mut self, place: usize, title: String) {
        let (Some(task), Some(notes)) = (self.tasks.get_mut(place), self.notes.get_mut(place)) else {
            return;
        };
        task.title = title;
        notes.given[Voice::Section as usize] |= 1 << Key::Title as u32;
    }

    /// Tells whether a section's heading has a title, so that it needs no key for it.
    pub(super) fn has_title(&self, place: usize) -> bool {
        self.notes
            .get(place)
            .is_some_and(|notes| notes.given[Voice::Section as usize] & 1 << Key::Title as u32 != 0)
    }

    /// Keeps what a key or a column says, if nobody who counts more has said it, and nobody before.
    pub(super) fn set(&mut self, place: usize, voice: Voice, key: Key, value: Value<'a>) {
        let (Some(task), Some(draft), Some(notes)) =
            (self.tasks.get_mut(place), self.drafts.get_mut(place), self.notes.get_mut(place))
        else {
            return;
        };
        let bit = 1 << key as u32;
        let is_given = |voice: Voice| notes.given[voice as usize] & bit != 0;
        if is_given(Voice::Section) || voice == Voice::Row && is_given(Voice::Row) {
            return;
        }
        notes.given[voice as usize] |= bit;
        let source = self.source;
        let one = |value: &Value<'_>| scalar(&value.whole(source));
        let many = |value: &Value<'_>| text::values(&value.whole(source));
        match key {
            Key::Id | Key::After => {}
            Key::Title => task.title = one_line(&value.whole(source)),
            Key::Dependencies => {
                let end = value.below.as_ref().map_or(value.span().end, |item| item.below.end);
                let start = self.mentions.len();
                let list = source.get(value.start..end).unwrap_or_default();
                dependencies::parse(list, value.start, &mut self.mentions);
                draft.mentions = start..self.mentions.len();
            }
            Key::Layer => task.layer = one(&value),
            Key::Agent => task.agent = one(&value),
            Key::Tester => task.tester = one(&value),
            Key::Verify => task.verify = one(&value),
            Key::Worktree => task.worktree = one(&value),
            Key::Touches => task.touches = many(&value),
            Key::References => task.references = many(&value),
            Key::Acceptance => task.acceptance = value.list,
            Key::Optional => task.optional = is_yes(value.text),
            Key::Description => task.text = description(&value, source),
            Key::Phase => notes.phase_value(&value, 3 * voice as u8, self.diagnostics),
            Key::Status => notes.status(draft, &value, self.diagnostics),
            Key::Complexity | Key::Timeout | Key::Priority | Key::Budget => {
                checked(task, key, &value, self.diagnostics)
            }
        }
    }

    /// Returns the tasks, the phases that they name (the others have none yet), and where to complain.
    pub(super) fn finish(self) -> (DraftPlan<'a>, Vec<Option<DraftPhase>>, &'d mut Diagnostics) {
        let Self { mut tasks, mut drafts, notes, mentions, places, diagnostics, .. } = self;
        let mut phases = Vec::with_capacity(tasks.len());
        for ((task, draft), notes) in tasks.iter_mut().zip(&mut drafts).zip(notes) {
            if let Some(title) = without_layer(&task.title, task.layer.as_deref()) {
                task.title = title.to_owned();
            }
            if task.text.is_empty() {
                task.text = notes.prose;
            } else if !notes.prose.is_empty() {
                task.text.push_str("\n\n");
                task.text.push_str(&notes.prose);
            }
            // A task is done when its box is ticked or its status says so; the box is what gets ticked, if there is one.
            task.done |=
                notes.is_status_done || notes.check.as_ref().is_some_and(|(_, is_ticked, _)| *is_ticked);
            if let Some((_, _, mark)) = notes.check {
                draft.mark = Some(Mark::Box(mark));
            }
            phases.push(notes.phase.map(|(_, phase)| phase));
        }
        (DraftPlan { tasks, drafts, mentions, places, ..DraftPlan::default() }, phases, diagnostics)
    }
}
