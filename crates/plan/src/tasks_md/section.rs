//! One section `### T1.3: title`: its key lines and the text between them.

use std::ops::Range;

use domain::PhaseNumber;

use crate::{
    field_keys::FieldKey,
    heading::{self, TaskHeading},
    list_item::ListItem,
    markdown::{Block, BlockKind},
    text::{is_checked, join_lines, line_start, normalize_criterion, normalize_text, parse_checkbox},
};

use super::{
    field_value::{FieldValue, ValueContinuation},
    task_collector::{FieldSource, TaskCollector},
};

/// A section that has not ended yet.
pub(super) struct TaskSection {
    pub(super) level: u8,
    /// `None` for a repeated section of the same task, whose content is skipped.
    task_index: Option<usize>,
    /// First byte not yet recorded as read.
    covered_from: usize,
    /// First byte not yet assigned to text or a key line.
    cursor: usize,
    /// The heading above an `ID` line: the title, unless a `Title` line follows.
    heading_text: String,
    prose: Vec<String>,
    last_rule: Option<Range<usize>>,
    /// The list below a bold key while it continues.
    open_list: Option<OpenList>,
}

/// A list below a key in a line of its own.
enum OpenList {
    /// Items below `**Acceptance Criteria**:`.
    Criteria(Vec<String>),
    /// Items below `**Files**:`.
    Files,
}

impl TaskSection {
    /// Opens the section of a task heading, given the heading's span and the enclosing phase.
    pub(super) fn open<'a>(
        level: u8,
        task: TaskHeading<'a>,
        span: Range<usize>,
        scope: Option<PhaseNumber>,
        tasks: &mut TaskCollector<'a, '_>,
    ) -> Self {
        let is_done = || task.status.as_ref().is_some_and(|(is_done, _)| *is_done);
        let index = tasks.find_or_add_task(&task.reference, task.id_span, FieldSource::Section, is_done);
        let title = join_lines(&heading::unescape_heading(task.title));
        if let Some(index) = index {
            let phase = task.phase.or(task.reference.phase).or_else(|| task.reference.phase_of_compound());
            tasks.set_phase(index, FieldSource::Section, phase, scope);
            if let Some((is_done, mark)) = task.status {
                tasks.set_mark(index, FieldSource::Section, is_done, mark);
            }
            if !title.is_empty() && !task.has_id_line {
                tasks.set_title(index, title.clone());
            }
        } else {
            // Reported as a duplicate.
            tasks.mark_covered(span.clone());
        }
        Self {
            level,
            task_index: index,
            covered_from: span.start,
            cursor: span.end,
            heading_text: if task.has_id_line { title } else { String::new() },
            prose: Vec::new(),
            last_rule: None,
            open_list: None,
        }
    }

    /// Reads a `- **Key**: value` item with everything nested in it.
    pub(super) fn add_key_line<'a>(
        &mut self,
        (key, value): (FieldKey, &'a str),
        item: ListItem<'a>,
        span: Range<usize>,
        nested: &[Block],
        tasks: &mut TaskCollector<'a, '_>,
    ) {
        let text = tasks.text;
        self.end_list(tasks);
        let Some(index) = self.task_index else {
            if key == FieldKey::Status {
                tasks.set_duplicate_status(value);
            }
            return;
        };
        if key == FieldKey::Id && tasks.has_id(index, value) {
            self.exclude_from_prose(text, span.start..item.below.start);
            return;
        }
        if !key_applies_to_task(key, value, index, tasks) {
            return;
        }
        let mut item = ListItem { below: item.indented_span(text, item.below.start), ..item };
        if matches!(key, FieldKey::Files | FieldKey::Artefacts) {
            // The words around the paths stay in the text.
            tasks.add_paths(index, text.get(item.first_line_start..item.below.end).unwrap_or_default());
            return;
        }
        // Lines below a single value are not a part of it: they are text.
        item.below.end = value_end(text, key, &item, nested);
        let end = item.below.end;
        let is_taken = if key == FieldKey::Acceptance {
            tasks.set_criteria(index, FieldSource::Section, parse_criteria(text, value, &item, nested))
        } else {
            let has_more_lines = text.get(item.below.clone()).is_some_and(|below| !below.trim().is_empty());
            let continuation =
                if has_more_lines { ValueContinuation::ItemLines(&item) } else { ValueContinuation::None };
            tasks.set_field(index, FieldSource::Section, key, FieldValue::new(text, value, continuation))
        };
        // A repeated key is text.
        if is_taken {
            self.exclude_from_prose(text, span.start..end);
        }
    }

    /// Reads the lines of a paragraph that begin with a bold key.
    pub(super) fn add_paragraph(&mut self, span: Range<usize>, tasks: &mut TaskCollector<'_, '_>) {
        let text = tasks.text;
        let Some(index) = self.task_index else { return };
        let mut start = span.start;
        for line in text.get(span).unwrap_or_default().split_inclusive('\n') {
            let end = start + line.len();
            if let Some((key, value)) = FieldKey::parse_key_line(line.trim())
                && key_applies_to_task(key, value, index, tasks)
            {
                self.end_list(tasks);
                if matches!(key, FieldKey::Files | FieldKey::Artefacts) {
                    tasks.add_paths(index, value);
                    self.open_list = Some(OpenList::Files);
                    start = end;
                    continue;
                }
                let is_taken = if key == FieldKey::Acceptance {
                    let is_first = !tasks.has_criteria(index, FieldSource::Section);
                    if is_first {
                        let inline = value.split("<br>").filter_map(normalize_criterion).collect();
                        self.open_list = Some(OpenList::Criteria(inline));
                    }
                    is_first
                } else {
                    let value = FieldValue::new(text, value, ValueContinuation::None);
                    tasks.set_field(index, FieldSource::Section, key, value)
                };
                // A repeated key is text.
                if is_taken {
                    self.exclude_from_prose(text, start..end);
                }
            } else {
                tasks.warn_of_misspelled_key(FieldKey::misspelled_key_line(line.trim()));
                self.end_list(tasks);
            }
            start = end;
        }
    }

    /// Adds an item to the list that is still open, if any.
    pub(super) fn add_list_item(
        &mut self,
        item: &ListItem<'_>,
        span: Range<usize>,
        tasks: &mut TaskCollector<'_, '_>,
    ) {
        let text = tasks.text;
        match (&mut self.open_list, self.task_index) {
            (Some(OpenList::Criteria(criteria)), _) => {
                let item = ListItem { below: item.indented_span(text, item.below.start), ..item.clone() };
                criteria.extend(normalize_criterion(&item_text(text, &item)));
                self.exclude_from_prose(text, span.start..item.below.end);
            }
            (Some(OpenList::Files), Some(index)) => {
                tasks.add_paths(index, text.get(span).unwrap_or_default());
            }
            (Some(OpenList::Files) | None, _) => {}
        }
    }

    /// Ends the open list and stores the acceptance criteria.
    pub(super) fn end_list(&mut self, tasks: &mut TaskCollector<'_, '_>) {
        if let (Some(OpenList::Criteria(list)), Some(index)) = (self.open_list.take(), self.task_index) {
            tasks.set_criteria(index, FieldSource::Section, list);
        }
    }

    /// Records a horizontal rule; at the end of a section it is a separator and not part of the text.
    pub(super) fn add_horizontal_rule(&mut self, span: Range<usize>) {
        self.last_rule = Some(span);
    }

    /// Excludes a span from the section's text.
    pub(super) fn exclude_from_prose(&mut self, text: &str, span: Range<usize>) {
        self.push_prose(text, span.start);
        self.cursor = span.end;
    }

    /// Excludes a table of tasks, whose rows are recorded one by one.
    pub(super) fn exclude_table(&mut self, span: Range<usize>, tasks: &mut TaskCollector<'_, '_>) {
        if self.task_index.is_some() {
            tasks.mark_covered(self.covered_from..span.start);
            self.covered_from = span.end;
        }
        self.exclude_from_prose(tasks.text, span);
    }

    pub(super) fn close(mut self, end: usize, tasks: &mut TaskCollector<'_, '_>) {
        let text = tasks.text;
        self.end_list(tasks);
        // The lines of a duplicate are in no task: those that look like one are reported too.
        let Some(index) = self.task_index else { return };
        tasks.mark_covered(self.covered_from..end);
        let end = match self.last_rule.take() {
            Some(rule) if text.get(rule.end..end).is_some_and(|rest| rest.trim().is_empty()) => rule.start,
            _ => end,
        };
        if has_only_ticked_boxes(text.get(self.covered_from..end).unwrap_or_default()) {
            tasks.note_ticked_boxes(index, self.covered_from);
        }
        self.push_prose(text, end);
        if !self.heading_text.is_empty() {
            if tasks.has_heading_title(index) {
                self.prose.insert(0, self.heading_text);
            } else {
                tasks.set_title(index, self.heading_text);
            }
        }
        tasks.append_prose(
            index,
            if self.prose.len() == 1 { self.prose.remove(0) } else { self.prose.join("\n\n") },
        );
    }

    fn push_prose(&mut self, text: &str, end: usize) {
        let prose = normalize_text(text.get(self.cursor..end).unwrap_or_default());
        if !prose.is_empty() {
            self.prose.push(prose);
        }
    }
}

/// Tells whether a section has check boxes and none of them is open.
fn has_only_ticked_boxes(section: &str) -> bool {
    // Most sections have none.
    if memchr::memmem::find(section.as_bytes(), b"[x]").is_none() {
        return false;
    }
    let mut boxes = section
        .lines()
        .filter_map(|line| parse_checkbox(line.trim_start().strip_prefix(['-', '*', '+'])?.trim_start()));
    boxes.all(|(mark, ..)| is_checked(mark))
}

/// Tells whether a key applies to the task. If the heading has a title, a `Title` line is ordinary text, and so is an
/// agent that is no name.
fn key_applies_to_task(key: FieldKey, value: &str, index: usize, tasks: &mut TaskCollector<'_, '_>) -> bool {
    match key {
        FieldKey::Id | FieldKey::After | FieldKey::Number => false,
        FieldKey::Title => !tasks.has_heading_title(index),
        FieldKey::Tester => tasks.check_agent_name("Tester", value),
        FieldKey::Dependencies
        | FieldKey::Complexity
        | FieldKey::Layer
        | FieldKey::Agent
        | FieldKey::Phase
        | FieldKey::Artefacts
        | FieldKey::Files
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
        | FieldKey::References => true,
    }
}

/// Returns where the value of a key ends: the lines below it belong to lists and texts. Other values end before the
/// first nested item.
fn value_end(text: &str, key: FieldKey, item: &ListItem<'_>, nested: &[Block]) -> usize {
    match key {
        FieldKey::Dependencies
        | FieldKey::Description
        | FieldKey::Acceptance
        | FieldKey::Touches
        | FieldKey::References
        | FieldKey::Files
        | FieldKey::Artefacts => item.below.end,
        FieldKey::Title
        | FieldKey::Layer
        | FieldKey::Agent
        | FieldKey::Tester
        | FieldKey::Verify
        | FieldKey::Worktree => {
            let mut inside = nested.iter().take_while(|block| block.span.start < item.below.end);
            let first = inside.find(|block| matches!(block.kind, BlockKind::Item { depth: 1 }));
            first.map_or(item.below.end, |block| line_start(text, block.span.start).max(item.below.start))
        }
        FieldKey::Id
        | FieldKey::Complexity
        | FieldKey::Phase
        | FieldKey::Timeout
        | FieldKey::Priority
        | FieldKey::Budget
        | FieldKey::Status
        | FieldKey::Optional
        | FieldKey::After
        | FieldKey::Number => item.below.start,
    }
}

/// Parses acceptance criteria from the key's own line and what is below it: each nested item, and each text between
/// items, is a criterion.
fn parse_criteria(text: &str, inline: &str, item: &ListItem<'_>, nested: &[Block]) -> Vec<String> {
    let mut criteria = Vec::new();
    let mut own = format!("{inline}\n");
    let mut start = item.below.start;
    let inside = nested.iter().take_while(|block| block.span.start < item.below.end);
    let mut is_first = true;
    for block in inside.filter(|block| matches!(block.kind, BlockKind::Item { depth: 1 })) {
        item.push_dedented(text, start..block.span.start.max(start), &mut own);
        push_own_criteria(&own, is_first, &mut criteria);
        (is_first, start) = (false, block.span.end.min(item.below.end));
        own.clear();
        let nested = ListItem::new(text, block.span.start..start);
        criteria.extend(normalize_criterion(&item_text(text, &nested)));
    }
    if start < item.below.end {
        item.push_dedented(text, start..item.below.end, &mut own);
    }
    push_own_criteria(&own, is_first, &mut criteria);
    criteria
}

/// Adds a text outside of nested items; beside the key, `<br>` separates criteria.
fn push_own_criteria(own: &str, is_beside_key: bool, criteria: &mut Vec<String>) {
    if is_beside_key {
        criteria.extend(own.split("<br>").filter_map(normalize_criterion));
    } else {
        criteria.extend(normalize_criterion(own));
    }
}

/// Returns the full text of an item, without its check box.
fn item_text(text: &str, item: &ListItem<'_>) -> String {
    let first = parse_checkbox(item.first_line).map_or(item.first_line, |(_, _, rest)| rest.trim_start());
    let mut whole = format!("{first}\n");
    item.push_dedented(text, item.below.clone(), &mut whole);
    whole
}
