//! Lines → messages: what opens one, what belongs to it, what ends it.
//!
//! Sees finished lines only; knows nothing of bytes, escape sequences or screens.
//! Invariant: at most one message is open, and at most one code fence around it.

mod blocks;
mod open;
mod output;
mod questions;

use domain::{AgentMessage, Role};

use self::{
    blocks::Tentative,
    open::{BodyText, Finished, Open, OpenMarker, OpenTag, OpenTask, split_closing},
    output::{Fenced, Output},
};
use crate::{
    block,
    decoration::Lead,
    fence::Fence,
    head::{Head, Refusal, Target, What},
    human::{self, Scan},
    item::Item,
    line::Line,
    line_start::LineStart,
    marker::Marker,
    options::{Options, Pass},
    raw::Raw,
    tag::TagName,
    task::{self, TaskLines},
};

/// A line outside of a body is given up after this much text.
pub(crate) const LINE_BYTES_MAX: usize = 64 * 1024;
/// A body, and a line inside of one, is given up after this much text.
pub(crate) const BODY_BYTES_MAX: usize = 1024 * 1024;

/// Puts messages together from lines.
#[derive(Debug)]
pub(crate) struct Assembler {
    options: Options,
    open: Open,
    /// A block's tag whose next line decides whether it opens a block.
    tentative: Option<Tentative>,
    output: Output,
}

/// Which lines matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wants {
    /// A message is open: every line.
    Everything,
    /// Those that may begin a message.
    Messages,
    /// The same, and whether there are others: they make the fence a quotation.
    MessagesInFence,
    /// Those that may end the fence.
    EndOfFence,
}

impl Assembler {
    pub(crate) fn new(options: Options) -> Self {
        Self { options, open: Open::Nothing, tentative: None, output: Output::default() }
    }

    /// Takes the items that are finished.
    pub(crate) fn take_items(&mut self) -> Vec<Item> {
        self.output.take_items()
    }

    /// Tells which lines matter now.
    pub(crate) fn wants(&self) -> Wants {
        match (self.output.fenced(), &self.open) {
            (Fenced::InQuotation, _) => Wants::EndOfFence,
            _ if self.tentative.is_some() => Wants::Everything,
            (Fenced::Outside, Open::Nothing) => Wants::Messages,
            (Fenced::Inside, Open::Nothing) => Wants::MessagesInFence,
            (Fenced::Outside | Fenced::Inside, _) => Wants::Everything,
        }
    }

    /// Takes a line of which only the start is known; returns `false` if its text is needed.
    pub(crate) fn try_skip(&mut self, start: LineStart) -> bool {
        match (self.wants(), start) {
            (Wants::Messages, LineStart::Empty | LineStart::Text) => true,
            (Wants::MessagesInFence, LineStart::Text) => {
                self.output.spoil_fence();
                true
            }
            (Wants::EndOfFence, start) => start != LineStart::Fence,
            (Wants::Everything | Wants::Messages | Wants::MessagesInFence, _) => false,
        }
    }

    /// Returns how much text the next line may have.
    pub(crate) fn line_bytes_max(&self) -> usize {
        self.open.line_bytes_max()
    }

    /// Tells whether a turn can't end here for want of output alone: inside a block, a fence or an open bracket.
    pub(crate) fn holds_turn(&self) -> bool {
        self.output.fenced() != Fenced::Outside || self.open.holds_turn()
    }

    /// Returns the offset of the first line that is still needed, if there is one.
    pub(crate) fn first_needed(&self) -> Option<u64> {
        let tentative = self.tentative.as_ref().map(|tentative| tentative.raw.line_begin());
        [self.open.line_begin(), tentative, self.output.fence_begin()].into_iter().flatten().min()
    }

    /// Takes the next line.
    pub(crate) fn line(&mut self, line: &Line<'_>) {
        if let Some(tentative) = self.tentative.take() {
            if line.is_blank() {
                self.tentative = Some(Tentative { blank_lines: tentative.blank_lines + 1, ..tentative });
                return;
            }
            if block::begins(tentative.name, tentative.lead.unframe(line.text)) {
                self.confirm(tentative);
            } else {
                self.deny(tentative);
            }
        }
        self.dispatch(line);
    }

    /// Ends the turn: whatever is open ends with it.
    pub(crate) fn end_turn(&mut self) {
        if let Some(tentative) = self.tentative.take() {
            self.deny(tentative);
        }
        self.finish();
        self.output.close_fence();
    }

    fn dispatch(&mut self, line: &Line<'_>) {
        if self.closes_fence(line) {
            self.finish();
            self.output.close_fence();
            return;
        }
        if self.output.fenced() == Fenced::InQuotation {
            return;
        }
        match &self.open {
            Open::Nothing => self.fresh_line(line),
            Open::Tag(_) => self.tag_line(line),
            Open::Block(_) => self.block_line(line),
            Open::Marker(_) => self.marker_line(line),
            Open::Task(_) => self.task_line(line),
            Open::Human(_) => self.human_line(line),
        }
    }

    /// A line while nothing is open.
    fn fresh_line(&mut self, line: &Line<'_>) {
        let mut scan = Scan::of(line.text);
        let question = scan.next(0, &self.options);
        if let Some(opening) = &question
            && self.may_ask(opening.pass)
        {
            let opening = *opening;
            self.open_human(line, &mut scan, opening);
            return;
        }
        let Head { lead, what } = Head::of(line.text, &self.options);
        match what {
            What::Blank => {}
            What::Fence(fence) if self.output.fenced() == Fenced::Outside => {
                self.output.open_fence(fence, line.begin);
            }
            What::Open { name, target, rest, pass: Pass::Counts } => {
                self.open_tag(line, lead, name, target, rest)
            }
            What::Block { name, pass } if !line.too_long => self.try_block(line, lead, name, pass),
            What::Marker { phase, pass: Pass::Counts } if !line.too_long => {
                let raw = Raw::new(line, lead.at);
                self.open = Open::Marker(Box::new(OpenMarker {
                    marker: Marker::new(phase),
                    too_long: false,
                    lead,
                    raw,
                }));
            }
            What::Thin { said, pass: Pass::Counts } => self.thin(said, line, lead.at),
            What::TaskStart { request, pass: Pass::Counts } if !line.too_long => {
                let raw = Raw::new(line, lead.at);
                self.open = Open::Task(Box::new(OpenTask { lines: TaskLines::new(request), raw }));
            }
            What::Open { name, .. } => self.near(name.text(), line, lead.at),
            What::Marker { .. } => self.near("PHASE_COMPLETE", line, lead.at),
            What::Thin { said: Ok(said), .. } => self.near(said.name(), line, lead.at),
            What::Thin { said: Err(refusal), .. } => self.near(refusal.protocol, line, lead.at),
            What::TaskStart { .. } => self.near("TASK", line, lead.at),
            // The line was cut before its grammar could hold.
            What::Near(protocol) if line.too_long => {
                let span = Raw::new(line, lead.at).into_span();
                self.output.finished(Finished { protocol, said: Err(too_long()), span });
            }
            What::Near(name) => self.near(name, line, lead.at),
            What::Text | What::Close { .. } | What::Fence(_) | What::Block { .. } => match question {
                Some(opening) => self.near(human::NAME, line, opening.at),
                None => self.output.spoil_fence(),
            },
        }
    }

    fn may_ask(&self, pass: Pass) -> bool {
        self.options.role == Role::Orchestrator && pass.counts()
    }

    fn open_tag(&mut self, line: &Line<'_>, lead: Lead, name: TagName, target: Target, rest: &str) {
        let mut tag = OpenTag {
            name,
            target,
            body: BodyText::default(),
            raw: Raw::new(line, lead.at),
            fence: None,
            lead,
        };
        tag.body.too_long |= line.too_long;
        let (rest, is_closed) = split_closing(rest, name, &self.options);
        if !rest.is_empty() {
            tag.body.push(rest);
        }
        self.open = Open::Tag(Box::new(tag));
        if is_closed {
            self.finish();
        }
    }

    fn tag_line(&mut self, line: &Line<'_>) {
        let Open::Tag(tag) = &mut self.open else { return };
        let text = tag.lead.unframe(line.text);
        if let Some(fence) = tag.fence {
            tag.push(text, line);
            let closing = Fence::on_line(text).is_some_and(|line_fence| line_fence.closes(&fence));
            if closing {
                tag.fence = None;
            }
            return;
        }
        let mut scan = Scan::of(line.text);
        let asks = self.options.role == Role::Orchestrator;
        if let Some(opening) = scan.next(0, &self.options).filter(|opening| asks && opening.pass.counts()) {
            self.open_human(line, &mut scan, opening);
            return;
        }
        match Head::of(line.text, &self.options).what {
            What::Blank => tag.push_blank(line.text),
            What::Fence(fence) => {
                tag.push(text, line);
                tag.fence = Some(fence);
            }
            What::Close { name, pass } if name == tag.name && pass != Pass::WrongKey => {
                tag.raw.push(line);
                self.finish();
            }
            What::Block { name, pass } => {
                let lead = Lead::of(line.text);
                self.try_block(line, lead, name, pass);
            }
            What::Open { .. }
            | What::Marker { pass: Pass::Counts, .. }
            | What::Thin { pass: Pass::Counts, .. }
            | What::TaskStart { pass: Pass::Counts, .. } => {
                self.finish();
                self.fresh_line(line);
            }
            What::Text
            | What::Near(_)
            | What::Close { .. }
            | What::Marker { .. }
            | What::Thin { .. }
            | What::TaskStart { .. } => {
                let (text, is_closed) = split_closing(text, tag.name, &self.options);
                tag.push(text, line);
                if is_closed {
                    self.finish();
                }
            }
        }
    }

    fn marker_line(&mut self, line: &Line<'_>) {
        let Open::Marker(open) = &mut self.open else { return };
        let text = open.lead.unframe(line.text);
        if !open.marker.takes(text) {
            self.finish();
            self.fresh_line(line);
        } else if !line.is_blank() {
            open.too_long |= line.too_long || open.marker.is_too_long();
            open.raw.push(line);
        } else {
            open.raw.push_blank(line.text);
        }
    }

    fn task_line(&mut self, line: &Line<'_>) {
        let Open::Task(open) = &mut self.open else { return };
        let lead = Lead::of(line.text);
        if open.lines.takes(task::content(line.text, &lead), line.too_long) {
            open.raw.push(line);
        } else {
            self.finish();
            self.fresh_line(line);
        }
    }

    /// Ends the message that is open.
    fn finish(&mut self) {
        if let Some(finished) = std::mem::replace(&mut self.open, Open::Nothing).finish() {
            self.output.finished(finished);
        }
    }

    fn closes_fence(&self, line: &Line<'_>) -> bool {
        let is_in_body_fence = matches!(&self.open, Open::Tag(tag) if tag.fence.is_some());
        self.output.fenced() != Fenced::Outside
            && !is_in_body_fence
            && matches!(Head::of(line.text, &self.options).what, What::Fence(fence) if self.output.closes_fence(fence))
    }

    fn thin(&mut self, said: Result<AgentMessage, Refusal>, line: &Line<'_>, at: usize) {
        let span = Raw::new(line, at).into_span();
        let (protocol, said) = match said {
            Ok(said) if line.too_long => (said.name(), Err(too_long())),
            Ok(said) => (said.name(), Ok(said)),
            Err(Refusal { protocol, error }) => (protocol, Err(error)),
        };
        self.output.finished(Finished { protocol, said, span });
    }

    fn near(&mut self, near: &'static str, line: &Line<'_>, at: usize) {
        self.output.near(near, Raw::new(line, at).into_span());
    }
}

fn too_long() -> String {
    "body longer than 1 MiB, or a line longer than 64 KiB (1 MiB in a body)".to_owned()
}
