//! Parser for TASKS.md: headings `### T1.3: title`, a table with an `ID` column, or both.
//!
//! A task may appear in both; `task_collector` merges them, and the section takes precedence. Dependencies are
//! resolved later, in `resolve`.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    ops::Range,
};

use domain::{PhaseNumber, TaskId};

use crate::{
    dependencies::{self, IdReference, IdShape, is_requirement_id},
    diagnostic::DiagnosticSink,
    draft::{PhaseDraft, PlanDraft},
    field_keys::FieldKey,
    heading::{self, Heading, PhaseHeadingNumber, TaskHeading},
    list_item::ListItem,
    markdown::{Block, BlockKind, Outline},
    problem::{Problem, ValueField},
    text::{join_lines, parse_scalar, parse_values, span_of_slice, strip_bullet, truncate_for_message},
};

mod diagram_order;
mod field_state;
mod field_value;
mod section;
mod table;
mod task_collector;

use field_value::{FieldValue, ValueContinuation};
use section::TaskSection;
use task_collector::TaskCollector;

/// Tells whether the file has a heading or a table row that names a task.
///
/// `Task 2` may be the heading of a group of check boxes, and `US1: title` a user story: they count only if
/// `accepts_weak`.
pub(crate) fn is_tasks_md(text: &str, outline: &Outline, accepts_weak: bool) -> bool {
    outline.blocks.iter().enumerate().any(|(at, block)| match &block.kind {
        BlockKind::Heading { .. } => {
            let task = heading::parse_task_heading(&Heading::new(text, block.span.clone()))
                .filter(|task| !is_title(text, outline, at, task));
            let is_task = |task: &TaskHeading<'_>| {
                accepts_weak || !is_ambiguous(task) || has_status_line(text, outline, at)
            };
            task.as_ref().is_some_and(is_task) || explicit_id(text, outline, at).is_some()
        }
        BlockKind::Table(table) => table::TableColumns::new(text, &table.head)
            .is_some_and(|columns| columns.has_task_row(text, &table.rows)),
        BlockKind::Item { .. } | BlockKind::Paragraph | BlockKind::Rule => false,
    })
}

/// Tells whether nothing but headings such as `P1: Setup`, which also name phases, could be tasks.
pub(crate) fn has_only_phase_headings(text: &str, outline: &Outline) -> bool {
    outline.blocks.iter().enumerate().all(|(at, block)| match &block.kind {
        BlockKind::Heading { .. } => {
            let heading = Heading::new(text, block.span.clone());
            let is_task =
                heading::parse_task_heading(&heading).is_some() || explicit_id(text, outline, at).is_some();
            !is_task || heading::parse_phase_heading(heading.text).is_some()
        }
        BlockKind::Table(_) => false,
        BlockKind::Item { .. } | BlockKind::Paragraph | BlockKind::Rule => true,
    })
}

/// Tells whether the tables of the file are only an index of tasks that are written elsewhere, given the ids found there.
pub(crate) fn is_index_of(text: &str, outline: &Outline, ids: impl FnOnce() -> HashSet<String>) -> bool {
    let mut tables = Vec::new();
    for (at, block) in outline.blocks.iter().enumerate() {
        match &block.kind {
            BlockKind::Heading { .. } => {
                let heading = Heading::new(text, block.span.clone());
                let task = heading::parse_task_heading(&heading);
                if task.is_some_and(|task| !is_title(text, outline, at, &task))
                    || explicit_id(text, outline, at).is_some()
                {
                    return false;
                }
            }
            BlockKind::Table(table) => {
                if let Some(columns) = table::TableColumns::new(text, &table.head)
                    && columns.has_task_row(text, &table.rows)
                {
                    if !columns.is_index() {
                        return false;
                    }
                    tables.push((columns, &table.rows));
                }
            }
            BlockKind::Item { .. } | BlockKind::Paragraph | BlockKind::Rule => {}
        }
    }
    let ids = ids();
    let references = || tables.iter().flat_map(|(columns, rows)| columns.references(text, rows));
    let n_listed = references().filter(|reference| ids.contains(reference.with_phase().as_ref())).count();
    n_listed > 0 && 2 * n_listed >= references().count()
}

/// Tells whether a task heading is the title of the file: the only one of its level, above everything else. `# T1: …` is a
/// task all the same.
fn is_title(text: &str, outline: &Outline, at: usize, task: &TaskHeading<'_>) -> bool {
    let is_top = |block: &&Block| matches!(block.kind, BlockKind::Heading { level: 1 });
    let is_heading = |block: &&Block| matches!(block.kind, BlockKind::Heading { .. });
    task.reference.shape() != IdShape::Letter
        && task.status.is_none()
        && outline.blocks.get(at).is_some_and(|block| is_top(&block))
        && !outline.blocks.iter().skip(at + 1).any(|block| is_top(&block))
        && !outline.blocks.iter().take(at).any(|block| is_heading(&block))
        && !has_status_line(text, outline, at)
}

/// Tells whether a heading may also name something else than a task.
fn is_ambiguous(task: &TaskHeading<'_>) -> bool {
    task.has_noun && task.reference.shape() == IdShape::Number && task.phase.is_none()
        || is_requirement_like(task)
}

fn is_requirement_like(task: &TaskHeading<'_>) -> bool {
    task.reference.shape() == IdShape::Short || is_requirement_id(&task.reference.id)
}

/// Tells whether the file has a table with an `ID` column, even a malformed one.
pub(crate) fn has_task_table(text: &str, outline: &Outline) -> bool {
    outline.blocks.iter().any(|block| match &block.kind {
        BlockKind::Table(table) => {
            table::TableColumns::new(text, &table.head).is_some_and(|columns| columns.has_id_column())
        }
        BlockKind::Paragraph => table::is_malformed_table(text, &block.span),
        BlockKind::Heading { .. } | BlockKind::Item { .. } | BlockKind::Rule => false,
    })
}

/// Returns the value of `- **ID**: x` directly below the heading with this index.
fn explicit_id<'a>(text: &'a str, outline: &Outline, heading: usize) -> Option<&'a str> {
    let next = outline.blocks.get(heading + 1)?;
    let BlockKind::Item { depth: 0 } = next.kind else { return None };
    // Most sections begin with another key.
    let line = text.get(next.span.start..)?.get(..6)?;
    if !line.eq_ignore_ascii_case("- **id") {
        return None;
    }
    let item = ListItem::new(text, next.span.clone());
    let (key, value) = FieldKey::parse_key_line(item.first_line)?;
    (key == FieldKey::Id && value.parse::<TaskId>().is_ok()).then_some(value)
}

/// Returns the task headings by the index of their block, without those that only group others.
fn find_task_headings<'a>(
    text: &'a str,
    outline: &Outline,
    diagnostics: &mut DiagnosticSink,
) -> BTreeMap<usize, TaskHeading<'a>> {
    let mut found: Vec<(usize, u8, TaskHeading<'a>)> = Vec::new();
    for (at, block) in outline.blocks.iter().enumerate() {
        let BlockKind::Heading { level } = block.kind else { continue };
        let heading = Heading::new(text, block.span.clone());
        if let Some(id) = explicit_id(text, outline, at) {
            found.push((at, level, TaskHeading::with_id_line(&heading, id, span_of_slice(text, id, 0))));
        } else if let Some(task) = heading::parse_task_heading(&heading)
            && !is_title(text, outline, at, &task)
        {
            found.push((at, level, task));
        }
    }
    if found.is_empty() {
        found = numbered_headings_with_status(text, outline);
    }
    let is_certain = |(at, _, task): &(usize, u8, TaskHeading<'_>)| {
        !is_requirement_like(task) || has_status_line(text, outline, *at)
    };
    let has_certain = found.iter().any(is_certain);
    found.retain(|heading| !has_certain || is_certain(heading));
    let groups = find_group_headings(&found);
    let mut headings = BTreeMap::new();
    for (index, (at, _, task)) in found.into_iter().enumerate() {
        match groups.get(&index) {
            Some(members) => {
                let id = task.reference.with_phase().into_owned();
                diagnostics.push(task.id_span, Problem::GroupHeading { id, members: members.clone() });
            }
            None => {
                headings.insert(at, task);
            }
        }
    }
    headings
}

/// Tells whether the line below the heading with this index is a status, as `to_tasks_md` writes it.
fn has_status_line(text: &str, outline: &Outline, heading: usize) -> bool {
    outline.blocks.get(heading + 1).is_some_and(|next| {
        text.get(next.span.start..)
            .is_some_and(|rest| rest.starts_with("- **Status**") || rest.starts_with("**Status**"))
    })
}

/// Returns headings such as `1. Title` with a status below. Two of them make a list of tasks, in a file without other ids.
fn numbered_headings_with_status<'a>(text: &'a str, outline: &Outline) -> Vec<(usize, u8, TaskHeading<'a>)> {
    let has_status = |at: usize| {
        let next = outline.blocks.get(at + 1).and_then(|next| text.get(next.span.start..));
        let line = next.and_then(|rest| rest.lines().next()).map(strip_bullet);
        line.and_then(FieldKey::parse_key_line).is_some_and(|(key, _)| key == FieldKey::Status)
    };
    let mut found = Vec::new();
    for (at, block) in outline.blocks.iter().enumerate() {
        let BlockKind::Heading { level } = block.kind else { continue };
        let heading = Heading::new(text, block.span.clone());
        if let Some(task) = heading::parse_numbered_heading(&heading).filter(|_| has_status(at)) {
            found.push((at, level, task));
        }
    }
    if found.len() > 1 { found } else { Vec::new() }
}

/// Tells whether headings such as `1. Title` are the tasks of a file.
pub(crate) fn has_numbered_tasks(text: &str, outline: &Outline) -> bool {
    !numbered_headings_with_status(text, outline).is_empty()
}

/// Returns the headings that only group tasks, with ids of these: one with the id of a heading below it, and `P1-R1`
/// where there is `P1-R1-T1`.
fn find_group_headings(found: &[(usize, u8, TaskHeading<'_>)]) -> HashMap<usize, Vec<String>> {
    const MEMBERS_MAX: usize = 9;
    let mut groups: HashMap<usize, Vec<String>> = HashMap::new();
    let mut add = |group: usize, member: &str| {
        let members = groups.entry(group).or_default();
        if members.len() < MEMBERS_MAX {
            members.push(member.to_owned());
        }
    };
    let mut open: Vec<usize> = Vec::new();
    let mut by_id: HashMap<&str, usize> = HashMap::new();
    for (index, (_, level, task)) in found.iter().enumerate() {
        let id = task.reference.id.as_ref();
        while open.last().and_then(|&last| found.get(last)).is_some_and(|(_, above, _)| above >= level) {
            open.pop();
        }
        for &above in &open {
            if found.get(above).is_some_and(|(_, _, above)| above.reference.id == id) {
                add(above, id);
            }
        }
        open.push(index);
        if task.reference.shape() == IdShape::Compound {
            by_id.entry(id).or_insert(index);
        }
    }
    for (_, _, task) in found.iter().filter(|(_, _, task)| task.reference.shape() == IdShape::Compound) {
        let id = task.reference.id.as_ref();
        for (cut, _) in id.match_indices(['-', '/']) {
            if let Some(&group) = by_id.get(&id[..cut]) {
                add(group, id);
            }
        }
    }
    groups
}

/// Tells whether the same id occurs in two phases, so that `P5-T1.1` and `P7-T1.1` are different tasks.
fn has_same_id_in_two_phases(
    headings: &BTreeMap<usize, TaskHeading<'_>>,
    text: &str,
    outline: &Outline,
) -> bool {
    let mut phases: HashMap<String, Option<PhaseNumber>> = HashMap::new();
    let mut is_new = |reference: &IdReference<'_>| {
        let known = phases.entry(reference.id.as_ref().to_owned()).or_insert(reference.phase);
        *known == reference.phase
    };
    let has_phase = headings.values().any(|task| task.reference.phase.is_some());
    let heading_conflict = has_phase && !headings.values().all(|task| is_new(&task.reference));
    heading_conflict
        || outline.blocks.iter().any(|block| match &block.kind {
            BlockKind::Table(table)
                if text.get(block.span.clone()).is_some_and(|table| table.contains("P")) =>
            {
                let columns = table::TableColumns::new(text, &table.head);
                columns.is_some_and(|columns| {
                    let mut seen: HashMap<String, PhaseNumber> = HashMap::new();
                    columns.references(text, &table.rows).any(|reference| match reference.phase {
                        None => false,
                        Some(phase) => *seen.entry(reference.id.into_owned()).or_insert(phase) != phase,
                    })
                })
            }
            BlockKind::Table(_)
            | BlockKind::Heading { .. }
            | BlockKind::Item { .. }
            | BlockKind::Paragraph
            | BlockKind::Rule => false,
        })
}

pub(crate) fn parse<'a>(text: &'a str, outline: &Outline, diagnostics: &mut DiagnosticSink) -> PlanDraft<'a> {
    let headings = find_task_headings(text, outline, diagnostics);
    let keeps_phase = has_same_id_in_two_phases(&headings, text, outline);
    let mut reader = TasksMdParser {
        text,
        title: None,
        phases: Vec::new(),
        phase_scopes: Vec::new(),
        has_tasks: !headings.is_empty() || is_tasks_md(text, outline, true),
        headings,
        tasks: TaskCollector::new(text, keeps_phase, diagnostics),
        section: None,
        last_phase: 0,
    };
    reader.tasks.reserve(reader.headings.len());
    for (at, block) in outline.blocks.iter().enumerate() {
        let nested = outline.blocks.get(at + 1..).unwrap_or_default();
        reader.add_block(at, block, nested);
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
    /// Task headings by the index of their block.
    headings: BTreeMap<usize, TaskHeading<'a>>,
    /// The largest phase number so far, for headings without one.
    last_phase: PhaseNumber,
}

impl<'a> TasksMdParser<'a, '_> {
    fn add_block(&mut self, at: usize, block: &Block, nested: &[Block]) {
        match &block.kind {
            BlockKind::Item { depth: 0 } => return self.add_item(block.span.clone(), nested),
            BlockKind::Item { .. } => return,
            BlockKind::Heading { .. } | BlockKind::Paragraph | BlockKind::Table(_) | BlockKind::Rule => {}
        }
        // Any other block ends a list.
        if let Some(section) = &mut self.section {
            section.end_list(&mut self.tasks);
        }
        match &block.kind {
            BlockKind::Heading { level } => self.add_heading(at, *level, block.span.clone()),
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

    fn add_heading(&mut self, at: usize, level: u8, span: Range<usize>) {
        let heading = Heading::new(self.text, span.clone());
        if let Some(task) = self.headings.remove(&at) {
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
                let number = match phase.number {
                    PhaseHeadingNumber::Whole(number) | PhaseHeadingNumber::Dotted(number) => number,
                    PhaseHeadingNumber::Letter => self.last_phase.saturating_add(1),
                };
                self.last_phase = self.last_phase.max(number);
                self.phase_scopes.push((level, number));
                self.declare_phase(number, &heading::unescape_heading(phase.name));
            }
            None if level == 1 && self.title.is_none() => {
                self.title = Some(join_lines(&heading::unescape_heading(heading.text)));
                self.tasks.mark_covered(span);
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
                section.add_list_item(&item, span, &mut self.tasks);
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
            table::push_malformed_table(self.text, &span, self.tasks.diagnostics);
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
            if columns.has_only_task_rows(self.text, rows) {
                section.exclude_table(span, &mut self.tasks);
            } else {
                // A table that has other rows too is also text, except for rows that change when their task is done.
                for row in rows.iter().filter(|row| columns.has_status_mark(self.text, row)) {
                    section.exclude_from_prose(self.text, row.clone());
                }
            }
        }
        let scope = self.current_phase();
        self.tasks.reserve(rows.len());
        for name in columns.misspelled_headings(self.text, head) {
            self.tasks.warn_of_misspelled_key(Some(name));
        }
        columns.parse_rows(head, rows, scope, &mut self.tasks);
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
                    Err(_) => field_value::push_invalid_value(&value, ValueField::Budget, diagnostics),
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
        | FieldKey::Artefacts
        | FieldKey::Files
        | FieldKey::Number => {}
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
                diagnostics.push(mention.span, Problem::NotAPhase { text: truncate_for_message(name) });
            }
        }
    }
    phases
}
