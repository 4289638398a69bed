//! The orchestrator's question inside of other output: it may stand anywhere, and ends what is open.

use std::ops::Range;

use super::{
    Assembler,
    open::{Open, OpenHuman, finish_human},
    output::Fenced,
};
use crate::{
    decoration::Lead,
    head::{Head, What},
    human::{Human, Opening, Scan, Step},
    line::Line,
    raw::Raw,
};

impl Assembler {
    /// A question begins on a line: it ends what is open, and takes what stands before it with it.
    pub(super) fn open_human(&mut self, line: &Line<'_>, scan: &mut Scan<'_>, opening: Opening) {
        let before = line.before(opening.at);
        let Head { lead, what } = Head::of(before.text, &self.options);
        let stands_at_head = lead.at == before.text.len();
        match what {
            What::Open { name, target, rest, pass } => {
                self.finish();
                if pass.counts() {
                    self.open_tag(&before, lead.clone(), name, target, rest);
                }
            }
            _ if stands_at_head => {}
            _ => match &mut self.open {
                Open::Tag(tag) => {
                    let text = tag.lead.unframe(before.text);
                    tag.push(text, &before);
                }
                _ => self.output.spoil_fence(),
            },
        }
        self.finish();
        if self.output.fenced() != Fenced::InQuotation {
            self.ask(line, scan, opening, if stands_at_head { lead } else { Lead::default() });
        }
    }

    /// Reads a question, and those behind it on the same line.
    fn ask(&mut self, line: &Line<'_>, scan: &mut Scan<'_>, opening: Opening, lead: Lead) {
        let text_end = lead.without_border(line.text).len();
        let mut next = Some(opening);
        while let Some(Opening { at, inside, .. }) = next {
            let mut human = Human::new();
            let end = inside.max(text_end);
            match human.line(line, inside, &line.text[inside..end]) {
                Step::Open => {
                    let raw = Raw::new(line, at);
                    self.open = Open::Human(Box::new(OpenHuman { human, lead, raw }));
                    return;
                }
                Step::Closed(end) => {
                    let raw = Raw::new(&line.before(end + 1), at);
                    self.output.finished(finish_human(human, raw));
                    next = self.next_question(line, scan, end + 1);
                }
            }
        }
    }

    fn next_question(&mut self, line: &Line<'_>, scan: &mut Scan<'_>, from: usize) -> Option<Opening> {
        let next = scan.next(from, &self.options).filter(|opening| self.may_ask(opening.pass));
        let between = &line.text[from..next.as_ref().map_or(line.text.len(), |opening| opening.at)];
        if Lead::of(between).at < between.len() {
            self.output.spoil_fence();
        }
        next
    }

    pub(super) fn human_line(&mut self, line: &Line<'_>) {
        let Head { lead, what } = Head::of(line.text, &self.options);
        let mut scan = Scan::of(line.text);
        let Open::Human(open) = &mut self.open else { return };
        let Range { start, end } = open.lead.inside(line.text);
        let ends = match what {
            What::Blank | What::Open { .. } | What::Block { .. } => true,
            // No question goes on with a whole message.
            What::Marker { pass, .. } | What::Thin { pass, .. } | What::TaskStart { pass, .. }
                if pass.counts() =>
            {
                true
            }
            _ if line.text[start..end].trim().is_empty() => true,
            _ => scan.next(0, &self.options).is_some_and(|opening| opening.at == lead.at),
        };
        if ends {
            self.finish();
            self.dispatch(line);
            return;
        }
        match open.human.line(line, start, &line.text[start..end]) {
            Step::Open => open.raw.push(line),
            Step::Closed(at) => {
                open.raw.push(&line.before(at + 1));
                self.finish();
                if let Some(next) = self.next_question(line, &mut scan, at + 1) {
                    self.ask(line, &mut scan, next, Lead::default());
                }
            }
        }
    }
}
