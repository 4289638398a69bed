//! What rows and sections say about tasks, put together as it is read.
//!
//! A section's word counts more than a row's, whichever comes first in the file.

use std::{borrow::Cow, collections::HashMap, ops::Range};

use domain::{PhaseNumber, TaskId};

use crate::{
    dependencies,
    diagnostic::{Code, Diagnostic, Diagnostics},
    draft::{Draft, DraftPhase, Mark},
    heading::{self, HeadingNumber},
    item::Item,
    keys::Key,
    text::{self, check_box, is_none, is_ticked, many_lines, one_line, scalar, shorten},
    values::{self, STATUS_HINT, Status, TIMEOUT_HINT},
};

use super::{table::unescape, without_layer};

/// Who says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Voice {
    /// A section, which wins.
    Section,
    /// A row of a table.
    Row,
}

/// The value of a key or a cell.
#[derive(Debug)]
pub(super) struct Value<'a> {
    pub(super) text: &'a str,
    pub(super) start: usize,
    /// The item whose lines below the key continue the value.
    pub(super) below: Option<Item<'a>>,
    /// The values of a key that has a list.
    pub(super) list: Vec<String>,
    pub(super) is_cell: bool,
}

impl<'a> Value<'a> {
    pub(super) fn inline(text: &'a str, start: usize) -> Self {
        Self { text, start, below: None, list: Vec::new(), is_cell: false }
    }

    fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    /// Returns the whole value, with the lines below the key.
    fn whole(&self, source: &str) -> Cow<'a, str> {
        let Some(item) = &self.below else {
            return if self.is_cell { unescape(self.text) } else { Cow::Borrowed(self.text) };
        };
        let mut whole = format!("{}\n", self.text);
        item.push_below(source, item.below.clone(), &mut whole);
        Cow::Owned(whole)
    }
}

/// A task while more may be said about it.
#[derive(Debug, Default)]
struct Notes {
    /// The keys that a section and a row have given, a bit for each.
    given: [u32; 2],
    is_seen: [bool; 2],
    /// A box before the id: who has it, whether it is ticked, and where its mark is.
    check: Option<(Voice, bool, Range<usize>)>,
    is_status_done: bool,
    /// The phase, and how much its source counts; less is more.
    phase: Option<(u8, DraftPhase)>,
    prose: String,
}

/// The tasks, their phases, their places by id, and where to complain.
type Finished<'a, 'd> =
    (Vec<Draft<'a>>, Vec<Option<DraftPhase>>, HashMap<TaskId, usize>, &'d mut Diagnostics);

/// All tasks of a file so far.
pub(super) struct Gathered<'a, 'd> {
    pub(super) source: &'a str,
    pub(super) diagnostics: &'d mut Diagnostics,
    drafts: Vec<Draft<'a>>,
    notes: Vec<Notes>,
    places: HashMap<TaskId, usize>,
}

impl<'a, 'd> Gathered<'a, 'd> {
    pub(super) fn new(source: &'a str, diagnostics: &'d mut Diagnostics) -> Self {
        Self { source, diagnostics, drafts: Vec::new(), notes: Vec::new(), places: HashMap::new() }
    }

    /// Makes room for so many more tasks.
    pub(super) fn reserve(&mut self, n_tasks: usize) {
        self.drafts.reserve(n_tasks);
        self.notes.reserve(n_tasks);
        self.places.reserve(n_tasks);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.drafts.is_empty()
    }

    /// Returns the place of the task that a row or a section is about; nothing where there was one before.
    pub(super) fn open(&mut self, id: TaskId, id_span: Range<usize>, voice: Voice) -> Option<usize> {
        let place = *self.places.entry(id.clone()).or_insert(self.drafts.len());
        let Some(notes) = self.notes.get_mut(place) else {
            self.drafts.push(Draft::new(id, id_span));
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
        let (Some(draft), Some(notes)) = (self.drafts.get_mut(place), self.notes.get_mut(place)) else {
            return;
        };
        draft.task.title = title;
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
        let (Some(draft), Some(notes)) = (self.drafts.get_mut(place), self.notes.get_mut(place)) else {
            return;
        };
        let bit = 1 << key as u32;
        let is_given = |voice: Voice| notes.given[voice as usize] & bit != 0;
        if is_given(Voice::Section) || voice == Voice::Row && is_given(Voice::Row) {
            return;
        }
        notes.given[voice as usize] |= bit;
        let source = self.source;
        let task = &mut draft.task;
        let one = |value: &Value<'_>| scalar(&value.whole(source));
        let many = |value: &Value<'_>| text::values(&value.whole(source));
        match key {
            Key::Id | Key::After => {}
            Key::Title => task.title = one_line(&value.whole(source)),
            Key::Dependencies => {
                let end = value.below.as_ref().map_or(value.span().end, |item| item.below.end);
                draft.mentions =
                    dependencies::parse(source.get(value.start..end).unwrap_or_default(), value.start);
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
                checked(draft, key, &value, self.diagnostics)
            }
        }
    }

    /// Returns the tasks and the phases that they name; the others have none yet.
    pub(super) fn finish(self) -> Finished<'a, 'd> {
        let mut drafts = self.drafts;
        let finished = drafts.iter_mut().zip(self.notes).map(|(draft, notes)| {
            let task = &mut draft.task;
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
            notes.phase.map(|(_, phase)| phase)
        });
        let phases = finished.collect();
        (drafts, phases, self.places, self.diagnostics)
    }
}

impl Notes {
    fn set_phase(&mut self, rank: u8, number: PhaseNumber, name: String) {
        if self.phase.as_ref().is_none_or(|(known, _)| rank < *known) {
            self.phase = Some((rank, DraftPhase { number, name, after: None, is_story: false }));
        }
    }

    fn phase_value(&mut self, value: &Value<'_>, rank: u8, diagnostics: &mut Diagnostics) {
        if is_none(value.text) {
            return;
        }
        match heading::phase_value(value.text).map(|phase| (phase.number, phase.name)) {
            Some((HeadingNumber::Whole(number) | HeadingNumber::Dotted(number), name)) => {
                self.set_phase(rank, number, one_line(name));
            }
            Some((HeadingNumber::Letter, _)) | None => {
                let message = format!("phase '{}' has no number, and is left out", shorten(value.text));
                diagnostics
                    .push(Diagnostic::warning(value.span(), message).hint("write 2, or Phase 2: name"));
            }
        }
    }

    fn status(&mut self, draft: &mut Draft<'_>, value: &Value<'_>, diagnostics: &mut Diagnostics) {
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

/// Reads the values that are more than words.
fn checked(draft: &mut Draft<'_>, key: Key, value: &Value<'_>, diagnostics: &mut Diagnostics) {
    let task = &mut draft.task;
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
                diagnostics.push(wrong(value, "budget", "write 200k or 1m for tokens, $2 for money"));
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

fn wrong(value: &Value<'_>, what: &str, hint: &str) -> Diagnostic {
    let message = format!("'{}' is no {what}", shorten(value.text));
    Diagnostic::error(Code::ParseFail, value.span(), message).hint(hint)
}

fn description(value: &Value<'_>, source: &str) -> String {
    // A description that says nothing is written with a dash, too.
    if value.below.is_none() && is_none(value.text) {
        return String::new();
    }
    let whole = value.whole(source);
    if value.is_cell { many_lines(&whole.replace("<br>", "\n")) } else { many_lines(&whole) }
}

fn is_yes(value: &str) -> bool {
    ["yes", "true", "optional", "[x]", "예"].iter().any(|yes| value.eq_ignore_ascii_case(yes))
}
