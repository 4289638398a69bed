//! Check lists as GitHub Spec Kit and Kiro write them: `- [ ] T001 …`, `- [ ] 1. …`.
//!
//! Finds the boxes, their text and their phases; the two dialects then say what waits for what.

use std::ops::Range;

use crate::{
    diagnostic::{Diagnostic, Diagnostics},
    draft::DraftPlan,
    heading::{self, Heading},
    item::Item,
    markdown::{Kind, Outline},
    text::{check_box, line_start, one_line},
};

mod entry;
mod kiro;
mod numbering;
mod spec_kit;
mod words;

use entry::{Dialect, Entry};
use numbering::FoundPhase;

/// Tells whether a file has a box with an id.
pub(crate) fn fits(text: &str, outline: &Outline) -> bool {
    dialect(text, outline).is_some()
}

/// Returns the dialect of the first box that has an id.
fn dialect(text: &str, outline: &Outline) -> Option<Dialect> {
    let mut items = outline.blocks.iter().filter(|block| matches!(block.kind, Kind::Item { .. }));
    items.find_map(|block| Entry::new(Item::new(text, block.span.clone())).map(|entry| entry.dialect()))
}

/// Reads a file.
pub(crate) fn read<'a>(text: &'a str, outline: &Outline, diagnostics: &mut Diagnostics) -> DraftPlan<'a> {
    let Some(dialect) = dialect(text, outline) else { return DraftPlan::default() };
    let mut reader = Reader::new(text, dialect);
    reader
        .entries
        .reserve(outline.blocks.iter().filter(|block| matches!(block.kind, Kind::Item { depth: 0 })).count());
    for block in &outline.blocks {
        match block.kind {
            Kind::Heading { level } => reader.heading(level, block.span.clone()),
            Kind::Item { depth } => reader.item(depth, block.span.clone()),
            Kind::Paragraph | Kind::Table(_) | Kind::Rule => {}
        }
    }
    reader.close(usize::MAX);
    reader.warn(diagnostics);
    let (phases, numbers) = numbering::number(reader.phases);
    let mut plan = DraftPlan { title: reader.title.unwrap_or_default(), phases, ..DraftPlan::default() };
    match dialect {
        Dialect::SpecKit => spec_kit::add(text, &reader.entries, &numbers, &mut plan),
        Dialect::Kiro => kiro::add(text, &reader.entries, &numbers, &mut plan),
    }
    plan
}

/// A box with an id, and where its text is.
struct Found<'a> {
    entry: Entry<'a>,
    /// The bytes below its first line that are its own, not a nested task's.
    own: Vec<Range<usize>>,
    /// Its phase, as a place in the list of phases.
    phase: usize,
    /// Where the item ends.
    end: usize,
    /// The task it is nested in, as a place in the list of entries.
    parent: Option<usize>,
}

struct Reader<'a> {
    text: &'a str,
    dialect: Dialect,
    title: Option<String>,
    phases: Vec<FoundPhase>,
    phase_level: u8,
    entries: Vec<Found<'a>>,
    /// The entries that we are inside of, each with the first byte that nobody has taken.
    open: Vec<(usize, usize)>,
    /// The level of the heading below which there are no tasks.
    taskless: Option<u8>,
    /// Boxes that look like tasks and are none.
    without_id: Vec<Range<usize>>,
    in_examples: Vec<Range<usize>>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, dialect: Dialect) -> Self {
        Self {
            text,
            dialect,
            title: None,
            phases: vec![FoundPhase::before_all()],
            phase_level: 6,
            entries: Vec::new(),
            open: Vec::new(),
            taskless: None,
            without_id: Vec::new(),
            in_examples: Vec::new(),
        }
    }

    fn heading(&mut self, level: u8, span: Range<usize>) {
        if self.taskless.is_some_and(|taskless| level > taskless) {
            return;
        }
        self.taskless = None;
        let words = Heading::new(self.text, span).words;
        if let Some(phase) = heading::phase(words) {
            self.phase_level = level;
            self.phases.push(FoundPhase::new(&phase, words));
        } else if level == 1 && self.title.is_none() {
            self.title = Some(one_line(&heading::unescape(words)));
        } else if level <= self.phase_level && !self.entries.is_empty() && holds_no_tasks(words) {
            self.taskless = Some(level);
        }
    }

    fn item(&mut self, depth: usize, span: Range<usize>) {
        self.close(span.start);
        let item = Item::new(self.text, span.clone());
        let is_box = depth == 0 && check_box(item.first).is_some();
        let Some(entry) = Entry::new(item).filter(|entry| entry.dialect() == self.dialect) else {
            if is_box && self.taskless.is_none() {
                self.without_id.push(span);
            }
            return;
        };
        if self.taskless.is_some() {
            self.in_examples.push(entry.id_span.clone());
            return;
        }
        let parent = self.open.last().map(|&(place, _)| place);
        if let Some((place, cursor)) = self.open.last_mut() {
            let line_start = line_start(self.text, span.start);
            if let Some(owner) = self.entries.get_mut(*place) {
                owner.own.push(*cursor..line_start.max(*cursor));
            }
            *cursor = span.end;
        }
        self.phases.last_mut().into_iter().for_each(FoundPhase::add_task);
        self.open.push((self.entries.len(), entry.item.below.start));
        let phase = self.phases.len().saturating_sub(1);
        self.entries.push(Found { entry, own: Vec::new(), phase, end: span.end, parent });
    }

    /// Closes the entries that end before a place.
    fn close(&mut self, start: usize) {
        while let Some(&(place, cursor)) = self.open.last()
            && let Some(found) = self.entries.get_mut(place)
            && found.end <= start
        {
            let rest = found.entry.item.indented(self.text, cursor);
            if !rest.is_empty() {
                found.own.push(rest);
            }
            self.open.pop();
        }
    }

    fn warn(&self, diagnostics: &mut Diagnostics) {
        let example = match self.dialect {
            Dialect::SpecKit => "- [ ] T001 …",
            Dialect::Kiro => "- [ ] 1. …",
        };
        if let Some(first) = self.without_id.first() {
            let line = self.text.get(first.clone()).unwrap_or_default().lines().next().unwrap_or_default();
            let message = match self.without_id.len() {
                1 => "this check box has no id, so it is no task".to_owned(),
                n => format!("this check box and {} more have no id, so they are no tasks", n - 1),
            };
            diagnostics.push(
                Diagnostic::warning(first.start..first.start + line.len(), message)
                    .hint(format!("write {example} if it is one")),
            );
        }
        if let Some(first) = self.in_examples.first() {
            let message = "tasks below a heading about dependencies or examples are not read";
            diagnostics.push(
                Diagnostic::warning(first.clone(), message)
                    .hint("rename the heading if these are real tasks"),
            );
        }
    }
}

/// Tells whether a section that is no phase explains the tasks, rather than holding some.
fn holds_no_tasks(words: &str) -> bool {
    let words = words.to_lowercase();
    ["dependenc", "execution order", "example", "의존", "예시", "예제"]
        .iter()
        .any(|sign| words.contains(sign))
}
