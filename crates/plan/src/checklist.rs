//! Parser for the checklists of GitHub Spec Kit (`- [ ] T001 …`) and Kiro (`- [ ] 1. …`).
//!
//! Collects the check boxes with their text and phases; `spec_kit` and `kiro` derive the dependencies.

use std::{collections::HashSet, ops::Range};

use domain::PhaseNumber;

use crate::{
    diagnostic::DiagnosticSink,
    draft::{PlanDraft, StatusMark, TaskDraft},
    heading::{self, Heading},
    list_item::ListItem,
    markdown::{Block, BlockKind, Outline},
    plan::Task,
    problem::Problem,
    text::{join_lines, line_start, parse_checkbox},
};

mod coverage_of_parent;
mod dependency_phrases;
mod entry;
mod kiro;
mod phase_numbers;
mod section_order;
mod spec_kit;
mod waves;

use entry::{ChecklistDialect, ChecklistEntry};
use phase_numbers::ChecklistPhase;
use spec_kit::PhaseSequence;

/// Tells whether the file has check boxes with ids.
pub(crate) fn has_ids(text: &str, outline: &Outline) -> bool {
    !matches!(detect_dialect(text, outline), None | Some(ChecklistDialect::Plain))
}

/// Returns the ids of all check boxes.
pub(crate) fn box_ids(text: &str, outline: &Outline) -> HashSet<String> {
    detect_dialect(text, outline).map(|dialect| listed_ids(text, dialect, outline)).unwrap_or_default()
}

/// Tells whether the file has check boxes.
pub(crate) fn is_checklist(text: &str, outline: &Outline) -> bool {
    detect_dialect(text, outline).is_some()
}

/// Returns the dialect of the first check box that has an id. Ids such as `ST-001` could be words (`SHA-256`): they count
/// if at least half of the outermost check boxes have one.
fn detect_dialect(text: &str, outline: &Outline) -> Option<ChecklistDialect> {
    let mut n_boxes = 0;
    let mut n_uncertain = 0;
    let mut has_nested = false;
    for block in &outline.blocks {
        let BlockKind::Item { depth } = block.kind else { continue };
        let item = ListItem::new(text, block.span.clone());
        if parse_checkbox(item.first_line).is_none() {
            continue;
        }
        has_nested = true;
        n_boxes += usize::from(depth == 0);
        if let Some(entry) = ChecklistEntry::new(item) {
            if entry.has_certain_id() {
                return Some(entry.dialect());
            }
            n_uncertain += usize::from(depth == 0);
        }
    }
    if n_uncertain > 0 && 2 * n_uncertain >= n_boxes {
        return Some(ChecklistDialect::SpecKit);
    }
    has_nested.then_some(ChecklistDialect::Plain)
}

pub(crate) fn parse<'a>(text: &'a str, outline: &Outline, diagnostics: &mut DiagnosticSink) -> PlanDraft<'a> {
    let Some(dialect) = detect_dialect(text, outline) else { return PlanDraft::default() };
    let mut reader = ChecklistParser::new(text, dialect);
    let is_outermost = |block: &&Block| matches!(block.kind, BlockKind::Item { depth: 0 });
    let n_items = outline.blocks.iter().filter(is_outermost).count();
    reader.plan.reserve(n_items);
    reader.plan.implied.reserve(4 * n_items);
    for (at, block) in outline.blocks.iter().enumerate() {
        match block.kind {
            BlockKind::Heading { level } => {
                let end = outline.blocks[at + 1..]
                    .iter()
                    .find(|next| matches!(next.kind, BlockKind::Heading { .. }));
                let end = end.map_or(text.len(), |next| next.span.start);
                reader.add_heading(level, block.span.clone(), end);
            }
            BlockKind::Item { depth } => reader.add_item(depth, block.span.clone(), outline),
            BlockKind::Paragraph => reader.add_paragraph(block.span.clone()),
            BlockKind::Table(_) | BlockKind::Rule => {}
        }
    }
    reader.close_tasks_ending_before(usize::MAX);
    reader.finish(diagnostics)
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
    /// Level of the heading whose section explains the tasks: it has only tasks that are nowhere else.
    skipped_level: Option<u8>,
    /// Whether that section may tell the order of tasks.
    is_order_section: bool,
    /// Lines of the section on dependencies.
    order_lines: Vec<Range<usize>>,
    /// Ids outside of sections that explain the tasks; collected on demand.
    listed_ids: Option<HashSet<String>>,
    /// For each task, whether it may run beside its neighbours.
    is_parallel: Vec<bool>,
    waves: Option<Vec<Vec<String>>>,
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
            is_order_section: false,
            order_lines: Vec::new(),
            listed_ids: None,
            is_parallel: Vec::new(),
            waves: None,
        }
    }

    /// Reads a heading, given the end of the section up to the next heading.
    fn add_heading(&mut self, level: u8, span: Range<usize>, section_end: usize) {
        let heading = Heading::new(self.text, span.clone()).text;
        if self.dialect == ChecklistDialect::Kiro && self.waves.is_none() && is_graph_section(heading) {
            self.waves = waves::parse_waves(self.text.get(span.end..section_end).unwrap_or_default());
        }
        if self.skipped_level.is_some_and(|taskless| level > taskless) {
            return;
        }
        self.skipped_level = None;
        if let Some(phase) = heading::parse_phase_heading(heading) {
            self.phase_level = level;
            self.phases.push(ChecklistPhase::new(&phase, heading));
            self.sequence = PhaseSequence::default();
        } else if level == 1 && self.title.is_none() {
            self.title = Some(join_lines(&heading::unescape_heading(heading)));
            self.plan.covered.push(span);
        } else if level <= self.phase_level && !self.plan.tasks.is_empty() && is_reference_section(heading) {
            self.skipped_level = Some(level);
            self.is_order_section = is_order_section(heading);
        } else if self.dialect == ChecklistDialect::Plain && is_criteria_section(heading) {
            self.skipped_level = Some(level);
            self.is_order_section = false;
        }
    }

    /// Remembers the lines of a paragraph that may tell the order of tasks.
    fn add_paragraph(&mut self, span: Range<usize>) {
        if self.skipped_level.is_none() || !self.is_order_section {
            return;
        }
        let mut start = span.start;
        for line in self.text.get(span).unwrap_or_default().split_inclusive('\n') {
            self.order_lines.push(start..start + line.trim_end().len());
            start += line.len();
        }
    }

    fn read_entry(&self, item: &ListItem<'a>) -> Option<ChecklistEntry<'a>> {
        if self.dialect == ChecklistDialect::Plain {
            // A box in a box is a part of it.
            let is_task = self.open_tasks.is_empty() && self.skipped_level.is_none();
            return ChecklistEntry::new_without_id(item.clone(), self.plan.tasks.len() + 1)
                .filter(|_| is_task);
        }
        ChecklistEntry::new(item.clone()).filter(|entry| entry.dialect() == self.dialect)
    }

    /// Tells whether an id is listed outside of the sections that explain the tasks.
    fn is_listed(&mut self, id: &str, outline: &Outline) -> bool {
        let (text, dialect) = (self.text, self.dialect);
        let ids = self.listed_ids.get_or_insert_with(|| listed_ids(text, dialect, outline));
        ids.contains(id)
    }

    fn add_item(&mut self, depth: usize, span: Range<usize>, outline: &Outline) {
        self.close_tasks_ending_before(span.start);
        let item = ListItem::new(self.text, span.clone());
        let Some(entry) = self.read_entry(&item) else {
            if self.skipped_level.is_some() && self.is_order_section {
                let start = item.first_line_start;
                self.order_lines.push(start..start + item.first_line.len());
            }
            return;
        };
        if self.skipped_level.is_some() && self.is_listed(&entry.id, outline) {
            return;
        }
        if depth > 0
            && let Some(parent) = self.open_tasks.last_mut()
        {
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
        self.is_parallel.push(entry.is_parallel);
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
            // Lines of the item that are indented less belong to the task around it.
            if let Some(parent) = self.open_tasks.last_mut() {
                parent.cursor = parent.cursor.min(rest.end);
            }
            if !rest.is_empty() {
                open.own_text.push(rest);
            }
            // A line that is not indented does not belong to the task, also behind a nested one.
            let start = line_start(self.text, open.item.first_line_start);
            self.plan.covered.push(start..open.item.below.start.max(start));
            self.plan.covered.extend(open.own_text.iter().cloned());
            match self.dialect {
                ChecklistDialect::SpecKit => spec_kit::finish_task(self.text, &open, &mut self.plan),
                ChecklistDialect::Kiro | ChecklistDialect::Plain => {
                    kiro::finish_task(self.text, &open, &mut self.plan)
                }
            }
        }
    }

    fn finish(self, diagnostics: &mut DiagnosticSink) -> PlanDraft<'a> {
        let Self {
            text, dialect, mut plan, parents, title, mut phases, order_lines, is_parallel, waves, ..
        } = self;
        if dialect == ChecklistDialect::SpecKit {
            section_order::apply_lines(text, &order_lines, &mut phases, &mut plan, diagnostics);
        }
        let (phases, numbers) = phase_numbers::number_phases(phases);
        for task in &mut plan.tasks {
            task.phase = numbers.get(task.phase as usize).copied().unwrap_or(1);
        }
        if dialect != ChecklistDialect::SpecKit {
            let input = kiro::ChainInput { parents: &parents, is_parallel: &is_parallel, waves };
            kiro::chain_tasks(&mut plan, &input, diagnostics);
        }
        if dialect == ChecklistDialect::Plain
            && let (Some(first), Some(last)) = (plan.tasks.first(), plan.tasks.last())
        {
            plan.has_assigned_ids = true;
            let span = plan.task_drafts.first().map(|draft| draft.id_span.clone()).unwrap_or_default();
            diagnostics
                .push(span, Problem::AssignedIds { first: first.id.to_string(), last: last.id.to_string() });
        }
        PlanDraft { title: title.unwrap_or_default(), phases, ..plan }
    }
}

/// Returns the ids of the check boxes outside of the sections that explain the tasks.
fn listed_ids(text: &str, dialect: ChecklistDialect, outline: &Outline) -> HashSet<String> {
    let mut skipped_level = None;
    let mut ids = HashSet::new();
    for block in &outline.blocks {
        match block.kind {
            BlockKind::Heading { level } => {
                if skipped_level.is_some_and(|skipped| level > skipped) {
                    continue;
                }
                let heading = Heading::new(text, block.span.clone()).text;
                let is_phase = heading::parse_phase_heading(heading).is_some();
                skipped_level =
                    (!is_phase && is_reference_section(heading) && !ids.is_empty()).then_some(level);
            }
            BlockKind::Item { .. } if skipped_level.is_none() => {
                let entry = ChecklistEntry::new(ListItem::new(text, block.span.clone()));
                let entry = entry.filter(|entry| entry.dialect() == dialect);
                ids.extend(entry.map(|entry| entry.id.into_owned()));
            }
            BlockKind::Item { .. } | BlockKind::Paragraph | BlockKind::Table(_) | BlockKind::Rule => {}
        }
    }
    ids
}

/// Tells whether a heading starts a section that usually explains the tasks instead of listing some.
fn is_reference_section(heading: &str) -> bool {
    let heading = heading.to_lowercase();
    ["example", "예시", "예제"].iter().any(|sign| heading.contains(sign)) || is_order_section(&heading)
}

/// Tells whether a heading starts a section on the order of the tasks.
fn is_order_section(heading: &str) -> bool {
    let heading = heading.to_lowercase();
    ["dependenc", "execution order", "의존", "依存"].iter().any(|sign| heading.contains(sign))
}

fn is_graph_section(heading: &str) -> bool {
    heading.to_ascii_lowercase().contains("dependency graph")
}

/// Tells whether the check boxes below a heading are conditions rather than tasks.
fn is_criteria_section(heading: &str) -> bool {
    let heading = heading.to_lowercase();
    ["acceptance", "definition of done", "success criteria", "완료 조건", "인수 조건", "완료 기준"]
        .iter()
        .any(|sign| heading.contains(sign))
}
