//! Merges table rows and sections into tasks while the file is parsed.
//!
//! A section takes precedence over a row, whichever comes first in the file.

use std::ops::Range;

use domain::{AgentName, PhaseNumber, TaskId};

use crate::{
    dependencies::{self, IdReference, IdShape},
    diagnostic::DiagnosticSink,
    draft::{PlanDraft, StatusMark, TaskDraft},
    field_keys::FieldKey,
    line_index::LineIndex,
    paths::push_paths,
    plan::Task,
    problem::Problem,
    text::{self, join_lines, parse_scalar},
    values::{self, TaskStatus},
};

use super::{
    diagram_order,
    field_state::TaskFieldState,
    field_value::{FieldValue, ValueContinuation, description_text, is_yes, set_validated_field},
    strip_layer_label,
};

/// Where a value is written; lower values take precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FieldSource {
    Section,
    Row,
}

/// All tasks of the file so far.
pub(super) struct TaskCollector<'a, 'd> {
    pub(super) text: &'a str,
    pub(super) diagnostics: &'d mut DiagnosticSink,
    /// Its phases are those named by keys and columns.
    plan: PlanDraft<'a>,
    field_states: Vec<TaskFieldState>,
    ids_have_dots: bool,
    /// Whether `P5-T1.1` and `P7-T1.1` are different tasks.
    keeps_phase: bool,
    duplicates: Vec<DuplicateTask>,
    n_tables: usize,
}

impl<'a, 'd> TaskCollector<'a, 'd> {
    pub(super) fn new(text: &'a str, keeps_phase: bool, diagnostics: &'d mut DiagnosticSink) -> Self {
        Self {
            text,
            diagnostics,
            plan: PlanDraft::default(),
            field_states: Vec::new(),
            ids_have_dots: false,
            keeps_phase,
            duplicates: Vec::new(),
            n_tables: 0,
        }
    }

    pub(super) fn reserve(&mut self, n_tasks: usize) {
        self.plan.reserve(n_tasks);
        self.plan.mentions.reserve(n_tasks);
        self.plan.index_by_id.reserve(n_tasks);
        self.field_states.reserve(n_tasks);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.plan.tasks.is_empty()
    }

    /// Returns the index of the task that a row or section describes, or `None` if it is a duplicate, which `finish`
    /// reports. `is_done` is asked only of a duplicate.
    pub(super) fn find_or_add_task(
        &mut self,
        reference: &IdReference<'a>,
        id_span: Range<usize>,
        source: FieldSource,
        is_done: impl FnOnce() -> bool,
    ) -> Option<usize> {
        // The id is part of the text, with or without its phase.
        let written = match self.keeps_phase && reference.phase.is_some() {
            true => id_span.clone(),
            false => id_span.end - reference.id.len()..id_span.end,
        };
        let id = self.text.get(written)?;
        let index = *self.plan.index_by_id.entry(id).or_insert(self.plan.tasks.len());
        let n_tables = self.n_tables;
        let Some(state) = self.field_states.get_mut(index) else {
            self.ids_have_dots |= id.contains('.') && reference.shape() != IdShape::Compound;
            self.plan.push_task(Task::new(id.parse().ok()?, String::new()), TaskDraft::new(id_span));
            if self.keeps_phase && reference.phase.is_some() {
                self.plan.tasks_by_bare_id.entry(reference.id.as_ref().to_owned()).or_default().push(index);
            }
            let mut state = TaskFieldState::default();
            state.table = Some(n_tables);
            state.seen_sources[source as usize] = true;
            self.field_states.push(state);
            return Some(index);
        };
        if state.seen_sources[source as usize] {
            // A row in another table is an overview.
            if source == FieldSource::Section || state.table == Some(n_tables) {
                self.duplicates.push(DuplicateTask { first: index, span: id_span, is_done: is_done() });
            }
            return None;
        }
        state.seen_sources[source as usize] = true;
        match source {
            FieldSource::Section => {
                if let Some(draft) = self.plan.task_drafts.get_mut(index) {
                    draft.id_span = id_span;
                }
            }
            FieldSource::Row => state.table = Some(n_tables),
        }
        Some(index)
    }

    /// Sets whether the duplicate that was found last is done.
    pub(super) fn set_duplicate_status(&mut self, value: &str) {
        if let Some(duplicate) = self.duplicates.last_mut() {
            duplicate.is_done |= values::parse_status(value) == Some(TaskStatus::Done);
        }
    }

    pub(super) fn begin_table(&mut self) {
        self.n_tables += 1;
    }

    /// Records a part of the file that was read.
    pub(super) fn mark_covered(&mut self, span: Range<usize>) {
        self.plan.covered.push(span);
    }

    /// Tells whether a task has this id.
    pub(super) fn has_id(&self, index: usize, id: &str) -> bool {
        self.plan.tasks.get(index).is_some_and(|task| task.id.as_str() == id)
    }

    /// Adds the files that a text names.
    pub(super) fn add_paths(&mut self, index: usize, text: &str) {
        if let Some(task) = self.plan.tasks.get_mut(index) {
            push_paths(text, &mut task.touches);
        }
    }

    /// Tells whether a value can be the name of an agent; otherwise a note says that it is text.
    pub(super) fn check_agent_name(&mut self, key: &'static str, value: &str) -> bool {
        // In Korean plans the same word is also the heading of a description.
        let start = text::span_of_slice(self.text, value, 0).start;
        let before = self.text.get(text::line_start(self.text, start)..start).unwrap_or_default();
        let is_word = !value.contains(char::is_whitespace) && !value.contains('`');
        let is_name = is_word && !value.is_empty() || !before.contains("검증");
        if !is_name && !value.is_empty() {
            let problem = Problem::NotAnAgent { key, text: text::truncate_for_message(value) };
            self.diagnostics.push(start..start + value.len(), problem);
        }
        is_name
    }

    /// Warns of an unknown key or column, given the known name that it resembles. `name` is a part of the text.
    pub(super) fn warn_of_misspelled_key(&mut self, misspelled: Option<(&str, &'static str)>) {
        let Some((name, known)) = misspelled else { return };
        let span = text::span_of_slice(self.text, name, 0);
        let problem = Problem::UnknownKey { name: text::truncate_for_message(name), known };
        self.diagnostics.push(span, problem);
    }

    /// Sets the check box or symbol at an id or title.
    pub(super) fn set_mark(&mut self, index: usize, source: FieldSource, is_done: bool, mark: StatusMark) {
        if let Some(state) = self.field_states.get_mut(index)
            && state.checkbox.as_ref().is_none_or(|(previous, ..)| source < *previous)
        {
            state.checkbox = Some((source, is_done, mark));
        }
    }

    /// Notes that all check boxes of a section are ticked, unless the task has a status.
    pub(super) fn note_ticked_boxes(&mut self, index: usize, heading: usize) {
        let has_status = self.field_states.get(index).is_none_or(|state| {
            state.checkbox.is_some()
                || [FieldSource::Section, FieldSource::Row]
                    .into_iter()
                    .any(|source| state.is_set(source, FieldKey::Status))
        });
        let id = self.plan.tasks.get(index).map(|task| task.id.to_string());
        if let Some(id) = id.filter(|_| !has_status) {
            let end = self.text[heading..].find('\n').map_or(self.text.len(), |length| heading + length);
            self.diagnostics.push(heading..end, Problem::AllBoxesTicked { id });
        }
    }

    /// Sets the phase from an id (`P1-T1.3`) or from the enclosing heading.
    pub(super) fn set_phase(
        &mut self,
        index: usize,
        source: FieldSource,
        of_id: Option<PhaseNumber>,
        scope: Option<PhaseNumber>,
    ) {
        let Some(state) = self.field_states.get_mut(index) else { return };
        let rank = 3 * source as u8;
        if let Some((rank, number)) =
            of_id.map(|of_id| (rank + 1, of_id)).or(scope.map(|scope| (rank + 2, scope)))
        {
            state.set_phase(rank, number);
        }
    }

    /// Appends a section's text to the description.
    pub(super) fn append_prose(&mut self, index: usize, prose: String) {
        if let Some(task) = self.plan.tasks.get_mut(index) {
            task.text = join_paragraphs(std::mem::take(&mut task.text), prose);
        }
    }

    /// Adds a cell of a column that is not a key to the text.
    pub(super) fn add_note(&mut self, index: usize, column: &str, value: &str) {
        let Some(state) = self.field_states.get_mut(index).filter(|_| !text::means_none(value)) else {
            return;
        };
        if !state.notes.is_empty() {
            state.notes.push('\n');
        }
        let colon = if column.is_empty() { "" } else { ": " };
        state.notes.push_str(&format!("{column}{colon}{}", value.replace("<br>", "\n")));
    }

    /// Sets the title from a section's heading.
    pub(super) fn set_title(&mut self, index: usize, title: String) {
        let (Some(task), Some(state)) = (self.plan.tasks.get_mut(index), self.field_states.get_mut(index))
        else {
            return;
        };
        task.title = title;
        state.claim_key(FieldSource::Section, FieldKey::Title);
    }

    /// Tells whether the section's heading has a title.
    pub(super) fn has_heading_title(&self, index: usize) -> bool {
        self.field_states.get(index).is_some_and(|state| state.is_set(FieldSource::Section, FieldKey::Title))
    }

    /// Sets a field from a key or column, unless a source of higher precedence or an earlier line has set it. Tells
    /// whether the value was taken.
    pub(super) fn set_field(
        &mut self,
        index: usize,
        source: FieldSource,
        key: FieldKey,
        value: FieldValue<'a, '_>,
    ) -> bool {
        let (Some(task), Some(draft), Some(state)) = (
            self.plan.tasks.get_mut(index),
            self.plan.task_drafts.get_mut(index),
            self.field_states.get_mut(index),
        ) else {
            return false;
        };
        if !state.claim_key(source, key) {
            return false;
        }
        let text = self.text;
        let one = |value: &FieldValue<'_, '_>| parse_scalar(&value.full_text(text));
        let many = |value: &FieldValue<'_, '_>| text::parse_values(&value.full_text(text));
        match key {
            FieldKey::Id | FieldKey::Number | FieldKey::After | FieldKey::Acceptance => {}
            FieldKey::Files | FieldKey::Artefacts => push_paths(&value.full_text(text), &mut task.touches),
            FieldKey::Title => task.title = join_lines(&value.full_text(text)),
            FieldKey::Dependencies => {
                let end = match value.continuation {
                    ValueContinuation::ItemLines(item) => item.below.end,
                    ValueContinuation::None | ValueContinuation::Cell => value.span().end,
                };
                let start = self.plan.mentions.len();
                let list = text.get(value.start..end).unwrap_or_default();
                dependencies::parse_list(list, value.start, &mut self.plan.mentions);
                draft.mentions = start..self.plan.mentions.len();
            }
            FieldKey::Layer => task.layer = one(&value),
            FieldKey::Agent => task.agent = one(&value).map(without_at_sign),
            FieldKey::Tester => task.tester = one(&value).map(without_at_sign),
            FieldKey::Verify => task.verify = one(&value),
            FieldKey::Worktree => task.worktree = one(&value),
            FieldKey::Touches => task.touches = many(&value),
            FieldKey::References => task.references = many(&value),
            FieldKey::Optional => task.optional = is_yes(value.text),
            // A row after its section must not overwrite the section's text.
            FieldKey::Description => {
                let prose =
                    if source == FieldSource::Row { std::mem::take(&mut task.text) } else { String::new() };
                task.text = join_paragraphs(description_text(&value, text), prose);
            }
            FieldKey::Phase => {
                let phase = state.set_phase_from_value(&value, 3 * source as u8, self.diagnostics);
                self.plan.phases.extend(phase);
            }
            FieldKey::Status => state.set_status_from_value(draft, &value, self.diagnostics),
            FieldKey::Complexity | FieldKey::Timeout | FieldKey::Priority | FieldKey::Budget => {
                set_validated_field(task, key, &value, self.diagnostics)
            }
        }
        true
    }

    /// Sets the acceptance criteria by the same rule as [`set_field`](Self::set_field).
    pub(super) fn set_criteria(&mut self, index: usize, source: FieldSource, criteria: Vec<String>) -> bool {
        let (Some(task), Some(state)) = (self.plan.tasks.get_mut(index), self.field_states.get_mut(index))
        else {
            return false;
        };
        let is_taken = state.claim_key(source, FieldKey::Acceptance);
        if is_taken {
            task.acceptance = criteria;
        }
        is_taken
    }

    /// Tells whether a source has set the acceptance criteria.
    pub(super) fn has_criteria(&self, index: usize, source: FieldSource) -> bool {
        self.field_states.get(index).is_some_and(|state| state.is_set(source, FieldKey::Acceptance))
    }

    /// Applies check boxes, phases and layers, and returns the draft.
    pub(super) fn finish(self) -> PlanDraft<'a> {
        let Self { text, mut plan, field_states: mut state, diagnostics, ids_have_dots, duplicates, .. } =
            self;
        for ((task, draft), state) in plan.tasks.iter_mut().zip(&mut plan.task_drafts).zip(&mut state) {
            if let Some(title) = strip_layer_label(&task.title, task.layer.as_deref()) {
                task.title = title.to_owned();
            }
            // A task is done if its box is checked or its status says so. If it has a box, that is where it gets
            // marked done.
            task.done |=
                state.is_status_done || state.checkbox.as_ref().is_some_and(|(_, is_ticked, _)| *is_ticked);
            if let Some((_, _, mark)) = state.checkbox.take() {
                draft.status_mark = Some(mark);
            }
            // A table may have only a description.
            if task.title.is_empty() && state.is_set(FieldSource::Row, FieldKey::Description) {
                task.title = task.text.lines().next().unwrap_or_default().trim().to_owned();
            }
            if !state.notes.is_empty() {
                let notes = text::normalize_text(&std::mem::take(&mut state.notes));
                task.text = join_paragraphs(std::mem::take(&mut task.text), notes);
            }
            if let Some((_, number)) = state.phase {
                task.phase = number;
            } else if ids_have_dots {
                task.phase = phase_from_id(&task.id, &draft.id_span, diagnostics);
            }
        }
        if plan.mentions.is_empty() {
            diagram_order::add_dependencies(text, &mut plan, diagnostics);
        }
        if !duplicates.is_empty() {
            let lines = LineIndex::new(text.as_bytes());
            for DuplicateTask { first, span, is_done } in duplicates {
                let (Some(task), Some(draft)) = (plan.tasks.get(first), plan.task_drafts.get(first)) else {
                    continue;
                };
                let problem = Problem::DuplicateId {
                    id: task.id.to_string(),
                    first_line: lines.line_of(draft.id_span.start),
                    are_done: task.done && is_done,
                };
                diagnostics.push(span, problem);
            }
        }
        plan
    }
}

/// A row or section whose id an earlier one has.
struct DuplicateTask {
    /// Index of the task that has the id.
    first: usize,
    span: Range<usize>,
    is_done: bool,
}

/// Joins two texts with an empty line between them.
/// Removes the sign of a mention: `@backend-specialist` is the agent `backend-specialist`.
fn without_at_sign(name: String) -> String {
    match name.strip_prefix('@') {
        Some(bare) if bare.parse::<AgentName>().is_ok() => bare.to_owned(),
        Some(_) | None => name,
    }
}

fn join_paragraphs(mut text: String, below: String) -> String {
    if text.is_empty() {
        return below;
    }
    if !below.is_empty() {
        text.push_str("\n\n");
        text.push_str(&below);
    }
    text
}

/// Returns the phase number that the first number of an id denotes.
fn phase_from_id(id: &TaskId, span: &Range<usize>, diagnostics: &mut DiagnosticSink) -> PhaseNumber {
    let first = id.numbers().next().unwrap_or_default();
    first.parse().unwrap_or_else(|_| {
        diagnostics.push(span.clone(), Problem::PhaseNumberTooLarge { id: id.to_string() });
        1
    })
}
