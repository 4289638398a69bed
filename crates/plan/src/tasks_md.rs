//! Parser for TASKS.md: headings `### T1.3: title`, a table with an `ID` column, or both.
//!
//! A task may appear in both; `task_collector` merges them, and the section takes precedence. Dependencies are
//! resolved later, in `resolve`.

use std::ops::Range;

use domain::PhaseNumber;

use crate::{
    dependencies,
    diagnostic::{Diagnostic, DiagnosticCode, DiagnosticSink},
    draft::{PhaseDraft, PlanDraft},
    field_keys::FieldKey,
    heading::{self, Heading, PhaseHeadingNumber},
    list_item::ListItem,
    markdown::{Block, BlockKind, Outline},
    text::{join_lines, parse_scalar, parse_values, truncate_for_message},
};

mod field_state;
mod field_value;
mod section;
mod table;
mod task_collector;

use field_value::{FieldValue, ValueContinuation};
use section::TaskSection;
use task_collector::TaskCollector;

/// Tells whether the file has a heading or a table row that names a task.
pub(crate) fn is_tasks_md(text: &str, outline: &Outline) -> bool {
    outline.blocks.iter().any(|block| match &block.kind {
        BlockKind::Heading { .. } => {
            heading::parse_task_heading(&Heading::new(text, block.span.clone())).is_some()
        }
        BlockKind::Table(table) => table::TableColumns::new(text, &table.head)
            .is_some_and(|columns| columns.has_task_row(text, &table.rows)),
        BlockKind::Item { .. } | BlockKind::Paragraph | BlockKind::Rule => false,
    })
}

/// Tells whether the file has a table with an `ID` column, even a malformed one.
pub(crate) fn has_task_table(text: &str, outline: &Outline) -> bool {
    outline.blocks.iter().any(|block| match &block.kind {
        BlockKind::Table(table) => table::TableColumns::new(text, &table.head).is_some(),
        BlockKind::Paragraph => table::is_malformed_table(text, &block.span),
        BlockKind::Heading { .. } | BlockKind::Item { .. } | BlockKind::Rule => false,
    })
}

pub(crate) fn parse<'a>(text: &'a str, outline: &Outline, diagnostics: &mut DiagnosticSink) -> PlanDraft<'a> {
    let mut reader = TasksMdParser {
        text,
        title: None,
        phases: Vec::new(),
        phase_scopes: Vec::new(),
        tasks: TaskCollector::new(text, diagnostics),
        section: None,
        has_tasks: is_tasks_md(text, outline),
    };
    reader.tasks.reserve(
        outline.blocks.iter().filter(|block| matches!(block.kind, BlockKind::Heading { .. })).count(),
    );
    for (at, block) in outline.blocks.iter().enumerate() {
        let nested = outline.blocks.get(at + 1..).unwrap_or_default();
        reader.add_block(block, nested);
    }
    reader.close_section(text.len());
    reader.finish()
}

struct TasksMdParser<'a, 'd> {
    text: &'a str,
    title: Option<String>,
    phases: Vec<PhaseDraft>,
    /// Levels and numbers of the enclosing phase headings.
    phase_scopes: Vec<(u8, PhaseNumber)>,
    tasks: TaskCollector<'a, 'd>,
    section: Option<TaskSection>,
    /// Whether any heading or row of the file names a task.
    has_tasks: bool,
}

impl<'a> TasksMdParser<'a, '_> {
    fn add_block(&mut self, block: &Block, nested: &[Block]) {
        match &block.kind {
            BlockKind::Item { depth: 0 } => return self.add_item(block.span.clone(), nested),
            BlockKind::Item { .. } => return,
            BlockKind::Heading { .. } | BlockKind::Paragraph | BlockKind::Table(_) | BlockKind::Rule => {}
        }
        // Any other block ends a list.
        if let Some(section) = &mut self.section {
            section.end_criteria(&mut self.tasks);
        }
        match &block.kind {
            BlockKind::Heading { level } => self.add_heading(*level, block.span.clone()),
            BlockKind::Item { .. } => {}
            BlockKind::Paragraph => self.add_paragraph(block.span.clone()),
            BlockKind::Table(table) => self.add_table(block.span.clone(), &table.head, &table.rows),
            BlockKind::Rule => {
                if let Some(section) = &mut self.section {
                    section.add_horizontal_rule(block.span.clone());
                }
            }
        }
    }

    fn add_heading(&mut self, level: u8, span: Range<usize>) {
        let heading = Heading::new(self.text, span.clone());
        if let Some(task) = heading::parse_task_heading(&heading) {
            self.close_section(span.start);
            self.close_phase_scopes(level);
            let scope = self.current_phase();
            self.section = Some(TaskSection::open(level, task, span, scope, &mut self.tasks));
            return;
        }
        if self.section.as_ref().is_some_and(|section| level > section.level) {
            return;
        }
        self.close_section(span.start);
        self.close_phase_scopes(level);
        match heading::parse_phase_heading(heading.text) {
            Some(phase) => {
                // Phase 3.1 is part of phase 3.
                let (PhaseHeadingNumber::Whole(number) | PhaseHeadingNumber::Dotted(number)) = phase.number
                else {
                    return;
                };
                self.phase_scopes.push((level, number));
                self.declare_phase(number, &heading::unescape_heading(phase.name));
            }
            None if level == 1 && self.title.is_none() => {
                self.title = Some(join_lines(&heading::unescape_heading(heading.text)));
            }
            None => {}
        }
    }

    /// Returns the phase of the nearest enclosing phase heading.
    fn current_phase(&self) -> Option<PhaseNumber> {
        self.phase_scopes.last().map(|&(_, number)| number)
    }

    fn close_phase_scopes(&mut self, level: u8) {
        while self.phase_scopes.last().is_some_and(|&(scope, _)| scope >= level) {
            self.phase_scopes.pop();
        }
    }

    fn declare_phase(&mut self, number: PhaseNumber, name: &str) {
        self.phases.push(PhaseDraft { number, name: join_lines(name), ..PhaseDraft::default() });
    }

    fn add_item(&mut self, span: Range<usize>, nested: &[Block]) {
        let item = ListItem::new(self.text, span.clone());
        let Some((key, value)) = FieldKey::parse_key_line(item.first_line) else {
            if self.section.is_some() || !self.phase_scopes.is_empty() {
                self.tasks.warn_of_misspelled_key(FieldKey::misspelled_key_line(item.first_line));
            }
            if let Some(section) = &mut self.section {
                section.add_criterion(self.text, &item, span);
            }
            return;
        };
        if let Some(section) = &mut self.section {
            section.add_key_line((key, value), item, span, nested, &mut self.tasks);
        } else if let Some(phase) = self.phases.last_mut().filter(|_| !self.phase_scopes.is_empty()) {
            set_phase_field(phase, (key, value), &item, self.text, self.tasks.diagnostics);
        } else if key == FieldKey::Title && self.title.is_none() && self.tasks.is_empty() {
            self.title = parse_scalar(value);
        }
    }

    fn add_paragraph(&mut self, span: Range<usize>) {
        if table::is_malformed_table(self.text, &span) {
            self.tasks.diagnostics.push(table::malformed_table_error(self.text, &span));
        } else if let Some(section) = &mut self.section {
            section.add_paragraph(span, &mut self.tasks);
        }
    }

    fn add_table(&mut self, span: Range<usize>, head: &Range<usize>, rows: &[Range<usize>]) {
        let Some(columns) = table::TableColumns::new(self.text, head) else { return };
        // Tables of risks or requirements may have an ID column too, but no task ids in it.
        if self.has_tasks && !columns.has_task_row(self.text, rows) {
            return;
        }
        if let Some(section) = &mut self.section {
            section.exclude_from_prose(self.text, span);
        }
        let scope = self.current_phase();
        self.tasks.reserve(rows.len());
        for name in columns.misspelled_headings(self.text, head) {
            self.tasks.warn_of_misspelled_key(Some(name));
        }
        columns.parse_rows(rows, scope, &mut self.tasks);
    }

    fn close_section(&mut self, end: usize) {
        if let Some(section) = self.section.take() {
            section.close(end, &mut self.tasks);
        }
    }

    fn finish(self) -> PlanDraft<'a> {
        let Self { title, mut phases, tasks, .. } = self;
        let mut plan = tasks.finish();
        phases.append(&mut plan.phases);
        PlanDraft { title: title.unwrap_or_default(), phases, ..plan }
    }
}

/// Removes a leading `[…]` with the name of the layer from a title; `None` if there is none.
pub(crate) fn strip_layer_label<'a>(title: &'a str, layer: Option<&str>) -> Option<&'a str> {
    let (inside, rest) = title.strip_prefix('[')?.split_once(']')?;
    inside.trim().eq_ignore_ascii_case(layer?).then(|| rest.trim())
}

/// Reads a key line below a phase heading. The first value of each field wins.
fn set_phase_field(
    phase: &mut PhaseDraft,
    (key, value): (FieldKey, &str),
    item: &ListItem<'_>,
    text: &str,
    diagnostics: &mut DiagnosticSink,
) {
    let below = ListItem { below: item.indented_span(text, item.below.start), ..item.clone() };
    let value = FieldValue::new(text, value, ValueContinuation::ItemLines(&below));
    match key {
        FieldKey::After => phase.after = Some(parse_predecessor_phases(value.text, text, diagnostics)),
        FieldKey::Verify if phase.verify.is_none() => phase.verify = parse_scalar(&value.full_text(text)),
        FieldKey::Artefacts if phase.artefacts.is_empty() => {
            phase.artefacts = parse_values(&value.full_text(text))
        }
        FieldKey::Budget if phase.budgets.is_empty() => {
            for part in parse_values(value.text) {
                match part.parse() {
                    Ok(budget) => phase.budgets.push(budget),
                    Err(_) => diagnostics.push(field_value::invalid_value_error(
                        &value,
                        "budget",
                        field_value::BUDGET_HINT,
                    )),
                }
            }
        }
        FieldKey::Id
        | FieldKey::Title
        | FieldKey::Dependencies
        | FieldKey::Complexity
        | FieldKey::Layer
        | FieldKey::Agent
        | FieldKey::Tester
        | FieldKey::Phase
        | FieldKey::Description
        | FieldKey::Acceptance
        | FieldKey::Touches
        | FieldKey::Verify
        | FieldKey::Timeout
        | FieldKey::Priority
        | FieldKey::Budget
        | FieldKey::Worktree
        | FieldKey::Status
        | FieldKey::Optional
        | FieldKey::References
        | FieldKey::Artefacts => {}
    }
}

/// Parses the phases that a phase waits for: `- **After**: 1, 2`.
fn parse_predecessor_phases(
    value: &str,
    text: &str,
    diagnostics: &mut DiagnosticSink,
) -> Vec<(PhaseNumber, Range<usize>)> {
    let start = crate::text::span_of_slice(text, value, 0).start;
    let mut phases = Vec::new();
    let mut mentions = Vec::new();
    dependencies::parse_list(value, start, &mut mentions);
    for mention in mentions {
        let name = text.get(mention.span.clone()).unwrap_or_default();
        match heading::parse_phase_value(name).map(|phase| phase.number) {
            Some(PhaseHeadingNumber::Whole(number)) => phases.push((number, mention.span)),
            Some(PhaseHeadingNumber::Dotted(_) | PhaseHeadingNumber::Letter) | None => {
                let message = format!("'{}' is not a phase", truncate_for_message(name));
                diagnostics.push(
                    Diagnostic::error(DiagnosticCode::ParseFail, mention.span, message)
                        .with_hint("write the number of a phase"),
                );
            }
        }
    }
    phases
}
