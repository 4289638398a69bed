//! Parser for the checklists of GitHub Spec Kit (`- [ ] T001 …`) and Kiro (`- [ ] 1. …`).
//!
//! Collects the check boxes with their text and phases; `spec_kit` and `kiro` derive the dependencies.

use std::ops::Range;

use domain::PhaseNumber;

use crate::{
    diagnostic::{Diagnostic, DiagnosticSink},
    draft::{PlanDraft, StatusMark, TaskDraft},
    heading::{self, Heading},
    list_item::ListItem,
    markdown::{Block, BlockKind, Outline},
    plan::Task,
    text::{join_lines, line_start, parse_checkbox},
};

mod dependency_phrases;
mod entry;
mod kiro;
mod phase_numbers;
mod spec_kit;

use entry::{ChecklistDialect, ChecklistEntry};
use phase_numbers::ChecklistPhase;
use spec_kit::PhaseSequence;

/// Tells whether the file has a check box with an id.
pub(crate) fn is_checklist(text: &str, outline: &Outline) -> bool {
    detect_dialect(text, outline).is_some()
}

/// Returns the dialect of the first check box that has an id.
fn detect_dialect(text: &str, outline: &Outline) -> Option<ChecklistDialect> {
    let mut items = outline.blocks.iter().filter(|block| matches!(block.kind, BlockKind::Item { .. }));
    items.find_map(|block| {
        ChecklistEntry::new(ListItem::new(text, block.span.clone())).map(|entry| entry.dialect())
    })
}

pub(crate) fn parse<'a>(text: &'a str, outline: &Outline, diagnostics: &mut DiagnosticSink) -> PlanDraft<'a> {
    let Some(dialect) = detect_dialect(text, outline) else { return PlanDraft::default() };
    let mut reader = ChecklistParser::new(text, dialect);
    let is_outermost = |block: &&Block| matches!(block.kind, BlockKind::Item { depth: 0 });
    let n_items = outline.blocks.iter().filter(is_outermost).count();
    reader.plan.reserve(n_items);
    reader.plan.implied.reserve(4 * n_items);
    for block in &outline.blocks {
        match block.kind {
            BlockKind::Heading { level } => reader.add_heading(level, block.span.clone()),
            BlockKind::Item { depth } => reader.add_item(depth, block.span.clone()),
            BlockKind::Paragraph | BlockKind::Table(_) | BlockKind::Rule => {}
        }
    }
    reader.close_tasks_ending_before(usize::MAX);
    reader.push_warnings(diagnostics);
    reader.finish()
}

/// A task whose list item has not ended yet.
struct OpenTask<'a> {
    /// Index of the task in `PlanDraft::tasks`.
    index: usize,
    item: ListItem<'a>,
    /// Spans below the first line that belong to this task and not to a nested one.
    own_text: Vec<Range<usize>>,
    /// First byte not yet assigned to any task.
    cursor: usize,
    end: usize,
}

struct ChecklistParser<'a> {
    text: &'a str,
    dialect: ChecklistDialect,
    /// Until `finish`, a task's phase is an index into `phases`.
    plan: PlanDraft<'a>,
    /// For each task, the index of the task it is nested in.
    parents: Vec<Option<usize>>,
    title: Option<String>,
    phases: Vec<ChecklistPhase>,
    phase_level: u8,
    /// Tasks of the current phase so far.
    sequence: PhaseSequence,
    /// Stack of the tasks that enclose the current position.
    open_tasks: Vec<OpenTask<'a>>,
    /// Level of the heading whose section is skipped because it contains no tasks.
    skipped_level: Option<u8>,
    /// Top-level check boxes without an id.
    boxes_without_id: Vec<Range<usize>>,
    skipped_ids: Vec<Range<usize>>,
}

impl<'a> ChecklistParser<'a> {
    fn new(text: &'a str, dialect: ChecklistDialect) -> Self {
        Self {
            text,
            dialect,
            plan: PlanDraft::default(),
            parents: Vec::new(),
            title: None,
            phases: vec![ChecklistPhase::before_first_heading()],
            phase_level: 6,
            sequence: PhaseSequence::default(),
            open_tasks: Vec::new(),
            skipped_level: None,
            boxes_without_id: Vec::new(),
            skipped_ids: Vec::new(),
        }
    }

    fn add_heading(&mut self, level: u8, span: Range<usize>) {
        if self.skipped_level.is_some_and(|taskless| level > taskless) {
            return;
        }
        self.skipped_level = None;
        let heading = Heading::new(self.text, span).text;
        if let Some(phase) = heading::parse_phase_heading(heading) {
            self.phase_level = level;
            self.phases.push(ChecklistPhase::new(&phase, heading));
            self.sequence = PhaseSequence::default();
        } else if level == 1 && self.title.is_none() {
            self.title = Some(join_lines(&heading::unescape_heading(heading)));
        } else if level <= self.phase_level && !self.plan.tasks.is_empty() && is_reference_section(heading) {
            self.skipped_level = Some(level);
        }
    }

    fn add_item(&mut self, depth: usize, span: Range<usize>) {
        self.close_tasks_ending_before(span.start);
        let item = ListItem::new(self.text, span.clone());
        let is_box = depth == 0 && parse_checkbox(item.first_line).is_some();
        let entry = match ChecklistEntry::new(item) {
            Some(entry) if entry.dialect() == self.dialect => entry,
            Some(_) | None => {
                if is_box && self.skipped_level.is_none() {
                    self.boxes_without_id.push(span);
                }
                return;
            }
        };
        if self.skipped_level.is_some() {
            self.skipped_ids.push(entry.id_span.clone());
            return;
        }
        if let Some(parent) = self.open_tasks.last_mut() {
            let line_start = line_start(self.text, span.start);
            parent.own_text.push(parent.cursor..line_start.max(parent.cursor));
            parent.cursor = span.end;
        }
        self.open_task(entry, span.end);
    }

    /// Adds a task and keeps it open until its list item ends.
    fn open_task(&mut self, entry: ChecklistEntry<'a>, end: usize) {
        let Ok(id) = entry.id.parse() else { return };
        let index = self.plan.tasks.len();
        self.parents.push(self.open_tasks.last().map(|parent| parent.index));
        self.phases.last_mut().into_iter().for_each(ChecklistPhase::mark_used);
        let mut draft = TaskDraft::new(entry.id_span.clone());
        draft.status_mark = Some(StatusMark::Checkbox(entry.mark_span.clone()));
        if self.dialect == ChecklistDialect::SpecKit {
            let start = self.plan.implied.len();
            self.sequence.push_task(index, entry.is_parallel, &mut self.plan.implied);
            draft.implied = start..self.plan.implied.len();
        }
        let mut task = Task::new(id, join_lines(&entry.title));
        task.phase = PhaseNumber::try_from(self.phases.len() - 1).unwrap_or_default();
        task.done = entry.is_done;
        task.optional = entry.is_optional;
        task.references = entry.stories.iter().map(|story| (*story).to_owned()).collect();
        self.plan.push_task(task, draft);
        let ChecklistEntry { item, .. } = entry;
        let cursor = item.below.start;
        self.open_tasks.push(OpenTask { index, item, own_text: Vec::new(), cursor, end });
    }

    /// Closes the tasks that end at or before `start`.
    fn close_tasks_ending_before(&mut self, start: usize) {
        while let Some(mut open) = self.open_tasks.pop_if(|open| open.end <= start) {
            let rest = open.item.indented_span(self.text, open.cursor);
            if !rest.is_empty() {
                open.own_text.push(rest);
            }
            match self.dialect {
                ChecklistDialect::SpecKit => spec_kit::finish_task(self.text, &open, &mut self.plan),
                ChecklistDialect::Kiro => kiro::finish_task(self.text, &open, &mut self.plan),
            }
        }
    }

    fn finish(self) -> PlanDraft<'a> {
        let Self { dialect, mut plan, parents, title, phases, .. } = self;
        let (phases, numbers) = phase_numbers::number_phases(phases);
        for task in &mut plan.tasks {
            task.phase = numbers.get(task.phase as usize).copied().unwrap_or(1);
        }
        if dialect == ChecklistDialect::Kiro {
            kiro::chain_tasks(&mut plan, &parents);
        }
        PlanDraft { title: title.unwrap_or_default(), phases, ..plan }
    }

    fn push_warnings(&self, diagnostics: &mut DiagnosticSink) {
        let example = match self.dialect {
            ChecklistDialect::SpecKit => "- [ ] T001 …",
            ChecklistDialect::Kiro => "- [ ] 1. …",
        };
        if let Some(first) = self.boxes_without_id.first() {
            let line = self.text.get(first.clone()).unwrap_or_default().lines().next().unwrap_or_default();
            let message = match self.boxes_without_id.len() {
                1 => "this check box has no id and is not read as a task".to_owned(),
                n => format!("this check box and {} more have no id and are not read as tasks", n - 1),
            };
            diagnostics.push(
                Diagnostic::warning(first.start..first.start + line.len(), message)
                    .with_hint(format!("if it is a task, write {example}")),
            );
        }
        if let Some(first) = self.skipped_ids.first() {
            let message = "tasks under a heading about dependencies or examples are ignored";
            diagnostics.push(
                Diagnostic::warning(first.clone(), message)
                    .with_hint("rename the heading if these are real tasks"),
            );
        }
    }
}

/// Tells whether a heading starts a section that explains the tasks instead of listing some.
fn is_reference_section(heading: &str) -> bool {
    let heading = heading.to_lowercase();
    ["dependenc", "execution order", "example", "의존", "예시", "예제"]
        .iter()
        .any(|sign| heading.contains(sign))
}
