//! TASKS.md: headings `### T1.3: title`, a table with an `ID` column, or both.
//!
//! Walks the blocks of the file once, and keeps what tables and sections say apart until both are known, because
//! the section wins. Says nothing about whether dependencies exist.

use std::ops::Range;

use domain::PhaseNumber;

use crate::{
    dependencies,
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    draft::{DraftPhase, DraftPlan},
    heading::{self, Heading, HeadingNumber},
    item::Item,
    keys::Key,
    markdown::{Block, Kind, Outline},
    text::{one_line, scalar, shorten, values},
};

mod fields;
mod notes;
mod section;
mod table;
mod value;

use fields::Gathered;
use section::Section;
use value::{More, Value};

/// Tells whether a file has a heading or a row that names a task.
pub(crate) fn fits(text: &str, outline: &Outline) -> bool {
    outline.blocks.iter().any(|block| match &block.kind {
        Kind::Heading { .. } => heading::task(&Heading::new(text, block.span.clone())).is_some(),
        Kind::Table(table) => {
            table::Columns::new(text, &table.head).is_some_and(|columns| columns.fits(text, &table.rows))
        }
        Kind::Item { .. } | Kind::Paragraph | Kind::Rule => false,
    })
}

/// Tells whether a file has a table with an `ID` column, or something that wants to be one.
pub(crate) fn has_table(text: &str, outline: &Outline) -> bool {
    outline.blocks.iter().any(|block| match &block.kind {
        Kind::Table(table) => table::Columns::new(text, &table.head).is_some(),
        Kind::Paragraph => table::is_broken(text, &block.span),
        Kind::Heading { .. } | Kind::Item { .. } | Kind::Rule => false,
    })
}

/// Reads a file.
pub(crate) fn read<'a>(text: &'a str, outline: &Outline, diagnostics: &mut Diagnostics) -> DraftPlan<'a> {
    let mut reader = Reader {
        text,
        title: None,
        phases: Vec::new(),
        scopes: Vec::new(),
        tasks: Gathered::new(text, diagnostics),
        section: None,
        has_tasks: fits(text, outline),
    };
    reader
        .tasks
        .reserve(outline.blocks.iter().filter(|block| matches!(block.kind, Kind::Heading { .. })).count());
    for (at, block) in outline.blocks.iter().enumerate() {
        let nested = outline.blocks.get(at + 1..).unwrap_or_default();
        reader.block(block, nested);
    }
    reader.close_section(text.len());
    reader.finish()
}

struct Reader<'a, 'd> {
    text: &'a str,
    title: Option<String>,
    phases: Vec<DraftPhase>,
    /// The phase headings that we are below, with their levels.
    scopes: Vec<(u8, PhaseNumber)>,
    tasks: Gathered<'a, 'd>,
    section: Option<Section>,
    /// Whether a heading or a row anywhere in the file names a task.
    has_tasks: bool,
}

impl<'a> Reader<'a, '_> {
    fn block(&mut self, block: &Block, nested: &[Block]) {
        match &block.kind {
            Kind::Item { depth: 0 } => return self.item(block.span.clone(), nested),
            Kind::Item { .. } => return,
            Kind::Heading { .. } | Kind::Paragraph | Kind::Table(_) | Kind::Rule => {}
        }
        // Whatever is no item ends a list.
        if let Some(section) = &mut self.section {
            section.end_criteria(&mut self.tasks);
        }
        match &block.kind {
            Kind::Heading { level } => self.heading(*level, block.span.clone()),
            Kind::Item { .. } => {}
            Kind::Paragraph => self.paragraph(block.span.clone()),
            Kind::Table(table) => self.table(block.span.clone(), &table.head, &table.rows),
            Kind::Rule => {
                if let Some(section) = &mut self.section {
                    section.rule(block.span.clone());
                }
            }
        }
    }

    fn heading(&mut self, level: u8, span: Range<usize>) {
        let heading = Heading::new(self.text, span.clone());
        if let Some(task) = heading::task(&heading) {
            self.close_section(span.start);
            self.leave_scopes(level);
            let scope = self.scope();
            self.section = Some(Section::open(level, task, span, scope, &mut self.tasks));
            return;
        }
        if self.section.as_ref().is_some_and(|section| level > section.level) {
            return;
        }
        self.close_section(span.start);
        self.leave_scopes(level);
        match heading::phase(heading.words) {
            Some(phase) => {
                // A phase 3.1 is a part of phase 3.
                let (HeadingNumber::Whole(number) | HeadingNumber::Dotted(number)) = phase.number else {
                    return;
                };
                self.scopes.push((level, number));
                self.declare(number, &heading::unescape(phase.name));
            }
            None if level == 1 && self.title.is_none() => {
                self.title = Some(one_line(&heading::unescape(heading.words)));
            }
            None => {}
        }
    }

    /// Returns the phase whose heading we are below.
    fn scope(&self) -> Option<PhaseNumber> {
        self.scopes.last().map(|&(_, number)| number)
    }

    fn leave_scopes(&mut self, level: u8) {
        while self.scopes.last().is_some_and(|&(scope, _)| scope >= level) {
            self.scopes.pop();
        }
    }

    fn declare(&mut self, number: PhaseNumber, name: &str) {
        self.phases.push(DraftPhase { number, name: one_line(name), ..DraftPhase::default() });
    }

    fn item(&mut self, span: Range<usize>, nested: &[Block]) {
        let item = Item::new(self.text, span.clone());
        let Some((key, value)) = Key::of_line(item.first) else {
            if let Some(section) = &mut self.section {
                section.criterion(self.text, &item, span);
            }
            return;
        };
        if let Some(section) = &mut self.section {
            section.item((key, value), item, span, nested, &mut self.tasks);
        } else if let Some(phase) = self.phases.last_mut().filter(|_| !self.scopes.is_empty()) {
            phase_key(phase, (key, value), &item, self.text, self.tasks.diagnostics);
        } else if key == Key::Title && self.title.is_none() && self.tasks.is_empty() {
            self.title = scalar(value);
        }
    }

    fn paragraph(&mut self, span: Range<usize>) {
        if table::is_broken(self.text, &span) {
            self.tasks.diagnostics.push(table::broken(self.text, &span));
        } else if let Some(section) = &mut self.section {
            section.paragraph(span, &mut self.tasks);
        }
    }

    fn table(&mut self, span: Range<usize>, head: &Range<usize>, rows: &[Range<usize>]) {
        let Some(columns) = table::Columns::new(self.text, head) else { return };
        // A table of risks or requirements may have ids too, but not one of a task.
        if self.has_tasks && !columns.fits(self.text, rows) {
            return;
        }
        if let Some(section) = &mut self.section {
            section.consume(self.text, span);
        }
        let scope = self.scope();
        self.tasks.reserve(rows.len());
        columns.rows(rows, scope, &mut self.tasks);
    }

    fn close_section(&mut self, end: usize) {
        if let Some(section) = self.section.take() {
            section.close(end, &mut self.tasks);
        }
    }

    fn finish(self) -> DraftPlan<'a> {
        let Self { title, mut phases, tasks, .. } = self;
        let mut plan = tasks.finish();
        phases.append(&mut plan.phases);
        DraftPlan { title: title.unwrap_or_default(), phases, ..plan }
    }
}

/// Takes a leading `[…]` that holds the layer from a title.
pub(crate) fn without_layer<'a>(title: &'a str, layer: Option<&str>) -> Option<&'a str> {
    let (inside, rest) = title.strip_prefix('[')?.split_once(']')?;
    inside.trim().eq_ignore_ascii_case(layer?).then(|| rest.trim())
}

/// Reads a key line below a phase's heading. What is said first counts.
fn phase_key(
    phase: &mut DraftPhase,
    (key, value): (Key, &str),
    item: &Item<'_>,
    text: &str,
    diagnostics: &mut Diagnostics,
) {
    let below = Item { below: item.indented(text, item.below.start), ..item.clone() };
    let value = Value::new(text, value, More::Below(&below));
    match key {
        Key::After => phase.after = Some(after(value.text, text, diagnostics)),
        Key::Verify if phase.verify.is_none() => phase.verify = scalar(&value.whole(text)),
        Key::Artefacts if phase.artefacts.is_empty() => phase.artefacts = values(&value.whole(text)),
        Key::Budget if phase.budgets.is_empty() => {
            for part in values(value.text) {
                match part.parse() {
                    Ok(budget) => phase.budgets.push(budget),
                    Err(_) => diagnostics.push(value::wrong(&value, "budget", value::BUDGET_HINT)),
                }
            }
        }
        _ => {}
    }
}

/// Reads the phases that a phase waits for: `- **After**: 1, 2`.
fn after(value: &str, text: &str, diagnostics: &mut Diagnostics) -> Vec<(PhaseNumber, Range<usize>)> {
    let start = crate::text::span_in(text, value, 0).start;
    let mut phases = Vec::new();
    let mut mentions = Vec::new();
    dependencies::parse(value, start, &mut mentions);
    for mention in mentions {
        let words = text.get(mention.span.clone()).unwrap_or_default();
        match heading::phase_value(words).map(|phase| phase.number) {
            Some(HeadingNumber::Whole(number)) => phases.push((number, mention.span)),
            Some(HeadingNumber::Dotted(_) | HeadingNumber::Letter) | None => {
                let message = format!("'{}' is no phase", shorten(words));
                diagnostics.push(
                    Diagnostic::error(DiagnosticCode::ParseFail, mention.span, message)
                        .hint("write a phase's number"),
                );
            }
        }
    }
    phases
}
