//! One section `### T1.3: title`: its key lines, and the text around them.

use std::ops::Range;

use crate::{
    heading::{self, TaskHeading},
    item::Item,
    keys::Key,
    markdown::{Block, Kind},
    text::{check_box, criterion, many_lines, one_line, span_in},
};

use super::fields::{Fields, Value};

/// A section that is still open.
pub(super) struct Section<'a> {
    pub(super) level: u8,
    fields: Fields<'a>,
    /// The first byte that is neither text nor a key line yet.
    cursor: usize,
    prose: Vec<String>,
    last_rule: Option<Range<usize>>,
}

impl<'a> Section<'a> {
    /// Opens the section of a task's heading, given the bytes that the heading covers.
    pub(super) fn open(level: u8, task: TaskHeading<'a>, span: Range<usize>) -> Option<Self> {
        let id = task.reference.task_id()?;
        let mut fields = Fields::new(id, task.id_span);
        fields.phase = task.reference.phase;
        fields.title = one_line(&heading::unescape(task.title));
        fields.check = task.check;
        Some(Self { level, fields, cursor: span.end, prose: Vec::new(), last_rule: None })
    }

    /// Reads a `- **Key**: value` line with what is nested below it.
    pub(super) fn item(
        &mut self,
        text: &'a str,
        key: Key,
        value: &'a str,
        item: &Item<'a>,
        span: Range<usize>,
        nested: &[Block],
    ) {
        // A heading with a title needs no key for it; the line then says something else.
        if matches!(key, Key::Id | Key::After) || key == Key::Title && !self.fields.title.is_empty() {
            return;
        }
        let item = Item { below: item.indented(text, item.below.start), ..item.clone() };
        let start = span_in(text, value, 0).start;
        let mut value = Value::inline(value, start);
        if key == Key::Acceptance {
            value.list = criteria(text, value.text, &item, nested);
        } else if text.get(item.below.clone()).is_some_and(|below| !below.trim().is_empty()) {
            value.below = Some(item.clone());
        }
        self.fields.set(key, value);
        self.consume(text, span.start..item.below.end);
    }

    /// Reads the lines of a paragraph that begin with a bold key.
    pub(super) fn paragraph(&mut self, text: &'a str, span: Range<usize>) {
        let paragraph = text.get(span.clone()).unwrap_or_default();
        let mut start = span.start;
        for line in paragraph.split_inclusive('\n') {
            if let Some((key, value)) = Key::of_line(line.trim())
                && !matches!(key, Key::Id | Key::After | Key::Acceptance)
                && !(key == Key::Title && !self.fields.title.is_empty())
            {
                self.fields.set(key, Value::inline(value, span_in(text, value, 0).start));
                self.consume(text, start..start + line.len());
            }
            start += line.len();
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

    /// Returns what the section says, given where it ends.
    pub(super) fn close(mut self, text: &'a str, end: usize) -> Fields<'a> {
        let end = match self.last_rule.take() {
            Some(rule) if text.get(rule.end..end).is_some_and(|rest| rest.trim().is_empty()) => rule.start,
            _ => end,
        };
        self.push_prose(text, end);
        self.fields.prose = self.prose.join("\n\n");
        self.fields
    }

    fn push_prose(&mut self, text: &str, end: usize) {
        let prose = many_lines(text.get(self.cursor..end).unwrap_or_default());
        if !prose.is_empty() {
            self.prose.push(prose);
        }
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
        let item = Item::new(text, block.span.clone());
        let first = check_box(item.first).map_or(item.first, |(_, _, rest)| rest.trim_start());
        let mut whole = format!("{first}\n");
        item.push_below(text, item.below.clone(), &mut whole);
        criteria.push(whole);
    }
    if below.start < below.end {
        item.push_below(text, below, &mut own);
    }
    found.extend(own.split("<br>").filter_map(criterion));
    found.extend(criteria.iter().filter_map(|text| criterion(text)));
    found
}
