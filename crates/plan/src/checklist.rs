//! Check lists as GitHub Spec Kit and Kiro write them: `- [ ] T001 …`, `- [ ] 1. …`.
//!
//! Finds the boxes, their text and their phases; the two dialects then say what waits for what.

use std::ops::Range;

use domain::PhaseNumber;

use crate::{
    diagnostic::{Diagnostic, Diagnostics},
    draft::{Draft, DraftPlan, Mark},
    heading::{self, Heading},
    item::Item,
    markdown::{Block, Kind, Outline},
    plan::Task,
    text::{check_box, line_start, one_line},
};

mod entry;
mod kiro;
mod numbering;
mod spec_kit;
mod words;

use entry::{Dialect, Entry};
use numbering::FoundPhase;
use spec_kit::Order;

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
    let is_outermost = |block: &&Block| matches!(block.kind, Kind::Item { depth: 0 });
    let n_items = outline.blocks.iter().filter(is_outermost).count();
    reader.plan.reserve(n_items);
    reader.plan.implied.reserve(4 * n_items);
    for block in &outline.blocks {
        match block.kind {
            Kind::Heading { level } => reader.heading(level, block.span.clone()),
            Kind::Item { depth } => reader.item(depth, block.span.clone()),
            Kind::Paragraph | Kind::Table(_) | Kind::Rule => {}
        }
    }
    reader.close(usize::MAX);
    reader.warn(diagnostics);
    reader.finish()
}

/// A task while its text goes on.
struct Open<'a> {
    /// Its place among the tasks.
    place: usize,
    item: Item<'a>,
    /// The bytes below its first line that are its own, not a nested task's.
    own: Vec<Range<usize>>,
    /// The first byte that nobody has taken.
    cursor: usize,
    /// Where the item ends.
    end: usize,
}

struct Reader<'a> {
    text: &'a str,
    dialect: Dialect,
    /// What was found. The phase of a task is its place in `phases`, until all are known.
    plan: DraftPlan<'a>,
    /// The task that each is nested in.
    parents: Vec<Option<usize>>,
    title: Option<String>,
    phases: Vec<FoundPhase>,
    phase_level: u8,
    /// The order of the tasks in the phase that we are in.
    order: Order,
    /// The tasks that we are inside of.
    open: Vec<Open<'a>>,
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
            plan: DraftPlan::default(),
            parents: Vec::new(),
            title: None,
            phases: vec![FoundPhase::before_all()],
            phase_level: 6,
            order: Order::default(),
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
            self.order = Order::default();
        } else if level == 1 && self.title.is_none() {
            self.title = Some(one_line(&heading::unescape(words)));
        } else if level <= self.phase_level && !self.plan.tasks.is_empty() && holds_no_tasks(words) {
            self.taskless = Some(level);
        }
    }

    fn item(&mut self, depth: usize, span: Range<usize>) {
        self.close(span.start);
        let item = Item::new(self.text, span.clone());
        let is_box = depth == 0 && check_box(item.first).is_some();
        let entry = match Entry::new(item) {
            Some(entry) if entry.dialect() == self.dialect => entry,
            Some(_) | None => {
                if is_box && self.taskless.is_none() {
                    self.without_id.push(span);
                }
                return;
            }
        };
        if self.taskless.is_some() {
            self.in_examples.push(entry.id_span.clone());
            return;
        }
        if let Some(parent) = self.open.last_mut() {
            let line_start = line_start(self.text, span.start);
            parent.own.push(parent.cursor..line_start.max(parent.cursor));
            parent.cursor = span.end;
        }
        self.open(entry, span.end);
    }

    /// Adds a task, whose text is still to come.
    fn open(&mut self, entry: Entry<'a>, end: usize) {
        let Ok(id) = entry.id.parse() else { return };
        let place = self.plan.tasks.len();
        self.parents.push(self.open.last().map(|parent| parent.place));
        self.phases.last_mut().into_iter().for_each(FoundPhase::add_task);
        let mut draft = Draft::new(entry.id_span.clone());
        draft.mark = Some(Mark::Box(entry.mark.clone()));
        if self.dialect == Dialect::SpecKit {
            let start = self.plan.implied.len();
            self.order.next(place, entry.is_parallel, &mut self.plan.implied);
            draft.implied = start..self.plan.implied.len();
        }
        let mut task = Task::new(id, one_line(&entry.title));
        task.phase = PhaseNumber::try_from(self.phases.len() - 1).unwrap_or_default();
        task.done = entry.is_done;
        task.optional = entry.is_optional;
        task.references = entry.stories.iter().map(|story| (*story).to_owned()).collect();
        self.plan.push(task, draft);
        let Entry { item, .. } = entry;
        let cursor = item.below.start;
        self.open.push(Open { place, item, own: Vec::new(), cursor, end });
    }

    /// Closes the tasks that end before a place.
    fn close(&mut self, start: usize) {
        while let Some(mut open) = self.open.pop_if(|open| open.end <= start) {
            let rest = open.item.indented(self.text, open.cursor);
            if !rest.is_empty() {
                open.own.push(rest);
            }
            match self.dialect {
                Dialect::SpecKit => spec_kit::close(self.text, &open, &mut self.plan),
                Dialect::Kiro => kiro::close(self.text, &open, &mut self.plan),
            }
        }
    }

    fn finish(self) -> DraftPlan<'a> {
        let Self { dialect, mut plan, parents, title, phases, .. } = self;
        let (phases, numbers) = numbering::number(phases);
        for task in &mut plan.tasks {
            task.phase = numbers.get(task.phase as usize).copied().unwrap_or(1);
        }
        if dialect == Dialect::Kiro {
            kiro::chain(&mut plan, &parents);
        }
        DraftPlan { title: title.unwrap_or_default(), phases, ..plan }
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
