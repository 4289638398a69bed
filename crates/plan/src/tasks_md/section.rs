//! One section `### T1.3: title`: its key lines, and the text around them.

use std::ops::Range;

use domain::PhaseNumber;

use crate::{
    heading::{self, TaskHeading},
    item::Item,
    keys::Key,
    markdown::{Block, Kind},
    text::{check_box, criterion, many_lines, one_line},
};

use super::{
    fields::{Gathered, Voice},
    value::{More, Value},
};

/// A section that is still open.
pub(super) struct Section {
    pub(super) level: u8,
    /// The task's place; nothing for a second section of the same task, which is only skipped.
    task: Option<usize>,
    /// The first byte that is neither text nor a key line yet.
    cursor: usize,
    prose: Vec<String>,
    last_rule: Option<Range<usize>>,
    /// The criteria below a line `**Acceptance Criteria**:`, as long as their list goes on.
    criteria: Option<Vec<String>>,
}

impl Section {
    /// Opens the section of a task's heading, given the bytes that the heading covers and the phase it is in.
    pub(super) fn open<'a>(
        level: u8,
        task: TaskHeading<'a>,
        span: Range<usize>,
        scope: Option<PhaseNumber>,
        tasks: &mut Gathered<'a, '_>,
    ) -> Self {
        let place = tasks.open(task.id, task.id_span, Voice::Section);
        if let Some(place) = place {
            tasks.phase(place, Voice::Section, task.phase, scope);
            if let Some((is_ticked, mark)) = task.check {
                tasks.check(place, Voice::Section, is_ticked, mark);
            }
            if !task.title.is_empty() {
                tasks.title(place, one_line(&heading::unescape(task.title)));
            }
        }
        Self { level, task: place, cursor: span.end, prose: Vec::new(), last_rule: None, criteria: None }
    }

    /// Reads a `- **Key**: value` line with what is nested below it.
    pub(super) fn item<'a>(
        &mut self,
        (key, value): (Key, &'a str),
        item: Item<'a>,
        span: Range<usize>,
        nested: &[Block],
        tasks: &mut Gathered<'a, '_>,
    ) {
        let text = tasks.source;
        self.end_criteria(tasks);
        let Some(place) = self.task.filter(|&place| is_key(key, place, tasks)) else { return };
        let item = Item { below: item.indented(text, item.below.start), ..item };
        let end = item.below.end;
        if key == Key::Acceptance {
            tasks.criteria(place, Voice::Section, criteria(text, value, &item, nested));
        } else {
            let goes_on = text.get(item.below.clone()).is_some_and(|below| !below.trim().is_empty());
            let more = if goes_on { More::Below(&item) } else { More::None };
            tasks.set(place, Voice::Section, key, Value::new(text, value, more));
        }
        self.consume(text, span.start..end);
    }

    /// Reads the lines of a paragraph that begin with a bold key.
    pub(super) fn paragraph(&mut self, span: Range<usize>, tasks: &mut Gathered<'_, '_>) {
        let text = tasks.source;
        let Some(place) = self.task else { return };
        let mut start = span.start;
        for line in text.get(span).unwrap_or_default().split_inclusive('\n') {
            let end = start + line.len();
            if let Some((key, value)) = Key::of_line(line.trim())
                && is_key(key, place, tasks)
            {
                self.end_criteria(tasks);
                if key == Key::Acceptance {
                    self.criteria = Some(value.split("<br>").filter_map(criterion).collect());
                } else {
                    tasks.set(place, Voice::Section, key, Value::new(text, value, More::None));
                }
                self.consume(text, start..end);
            } else {
                self.end_criteria(tasks);
            }
            start = end;
        }
    }

    /// Adds an item to the criteria, where it is in the list directly below their line.
    pub(super) fn criterion(&mut self, text: &str, item: &Item<'_>, span: Range<usize>) {
        if let Some(criteria) = &mut self.criteria {
            let item = Item { below: item.indented(text, item.below.start), ..item.clone() };
            criteria.extend(criterion(&item_text(text, &item)));
            self.consume(text, span.start..item.below.end);
        }
    }

    /// Ends the list of criteria below their line.
    pub(super) fn end_criteria(&mut self, tasks: &mut Gathered<'_, '_>) {
        if let (Some(list), Some(place)) = (self.criteria.take(), self.task) {
            tasks.criteria(place, Voice::Section, list);
        }
    }

    /// Remembers a line across the page, which at the section's end separates it from the next.
    pub(super) fn rule(&mut self, span: Range<usize>) {
        self.last_rule = Some(span);
    }

    /// Takes bytes out of the section's text.
    pub(super) fn consume(&mut self, text: &str, span: Range<usize>) {
        self.push_prose(text, span.start);
        self.cursor = span.end;
    }

    /// Ends the section.
    pub(super) fn close(mut self, end: usize, tasks: &mut Gathered<'_, '_>) {
        let text = tasks.source;
        self.end_criteria(tasks);
        let Some(place) = self.task else { return };
        let end = match self.last_rule.take() {
            Some(rule) if text.get(rule.end..end).is_some_and(|rest| rest.trim().is_empty()) => rule.start,
            _ => end,
        };
        self.push_prose(text, end);
        tasks
            .prose(place, if self.prose.len() == 1 { self.prose.remove(0) } else { self.prose.join("\n\n") });
    }

    fn push_prose(&mut self, text: &str, end: usize) {
        let prose = many_lines(text.get(self.cursor..end).unwrap_or_default());
        if !prose.is_empty() {
            self.prose.push(prose);
        }
    }
}

/// Tells whether a key line is one here: a heading with a title needs no key for it, so the line says something else.
fn is_key(key: Key, place: usize, tasks: &Gathered<'_, '_>) -> bool {
    match key {
        Key::Id | Key::After | Key::Artefacts => false,
        Key::Title => !tasks.has_title(place),
        _ => true,
    }
}

/// Reads a list of acceptance criteria: what is on the key's own line, and the nested items.
fn criteria(text: &str, inline: &str, item: &Item<'_>, nested: &[Block]) -> Vec<String> {
    let mut found = Vec::new();
    let mut own = format!("{inline}\n");
    let mut below = item.below.clone();
    let inside = nested.iter().take_while(|block| block.span.start < item.below.end);
    let items = inside.filter(|block| matches!(block.kind, Kind::Item { depth: 1 }));
    let mut criteria = Vec::new();
    for block in items {
        below.end = below.end.min(block.span.start);
        criteria.push(item_text(text, &Item::new(text, block.span.clone())));
    }
    if below.start < below.end {
        item.push_below(text, below, &mut own);
    }
    found.extend(own.split("<br>").filter_map(criterion));
    found.extend(criteria.iter().filter_map(|text| criterion(text)));
    found
}

/// Returns the whole text of an item, without its box.
fn item_text(text: &str, item: &Item<'_>) -> String {
    let first = check_box(item.first).map_or(item.first, |(_, _, rest)| rest.trim_start());
    let mut whole = format!("{first}\n");
    item.push_below(text, item.below.clone(), &mut whole);
    whole
}
