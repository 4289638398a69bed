//! Lines → messages: what opens one, what belongs to it, what ends it.
//!
//! Sees finished lines only; knows nothing of bytes, escape sequences or screens.
//! Invariant: at most one message is open, and at most one code fence around it.

use std::ops::Range;

use domain::{Role, Said};

use crate::{
    block, body,
    decoration::Lead,
    fence::Fence,
    head::{Head, Refusal, Target, What},
    human::{Human, Opening, Scan, Step},
    item::{Invalid, Item, Message, Near, Span},
    line::Line,
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
    fence: Option<OpenFence>,
    items: Vec<Item>,
    /// Where the last item ends.
    last_end: u64,
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

/// The message that is open.
#[derive(Debug)]
enum Open {
    Nothing,
    Tag(Box<OpenTag>),
    Block(Box<OpenBlock>),
    Marker(Box<OpenMarker>),
    Task(Box<OpenTask>),
    Human(Box<OpenHuman>),
}

#[derive(Debug)]
struct OpenTag {
    name: TagName,
    target: Target,
    lead: Lead,
    body: BodyText,
    raw: Raw,
    /// A code fence inside the body, in which nothing is parsed.
    fence: Option<Fence>,
}

#[derive(Debug)]
struct OpenBlock {
    name: TagName,
    lead: Lead,
    body: BodyText,
    raw: Raw,
}

#[derive(Debug)]
struct OpenMarker {
    marker: Marker,
    too_long: bool,
    lead: Lead,
    raw: Raw,
}

#[derive(Debug)]
struct OpenTask {
    lines: TaskLines,
    raw: Raw,
}

#[derive(Debug)]
struct OpenHuman {
    human: Human,
    lead: Lead,
    raw: Raw,
}

#[derive(Debug)]
struct Tentative {
    name: TagName,
    pass: Pass,
    lead: Lead,
    raw: Raw,
    text: String,
    /// Blank lines since; the end of the last of them.
    blank_lines: usize,
}

/// A code fence outside of a message. What stands in it counts only if it holds nothing but messages.
#[derive(Debug)]
struct OpenFence {
    fence: Fence,
    begin: u64,
    /// The messages so far; `None` once something else stood in it.
    held: Option<Vec<Item>>,
    held_bytes: usize,
}

impl Assembler {
    pub(crate) fn new(options: Options) -> Self {
        Self { options, open: Open::Nothing, tentative: None, fence: None, items: Vec::new(), last_end: 0 }
    }

    /// Takes the items that are finished.
    pub(crate) fn take_items(&mut self) -> Vec<Item> {
        std::mem::take(&mut self.items)
    }

    /// Tells which lines matter now.
    pub(crate) fn wants(&self) -> Wants {
        match (&self.fence, &self.open) {
            (Some(OpenFence { held: None, .. }), _) => Wants::EndOfFence,
            _ if self.tentative.is_some() => Wants::Everything,
            (None, Open::Nothing) => Wants::Messages,
            (Some(_), Open::Nothing) => Wants::MessagesInFence,
            _ => Wants::Everything,
        }
    }

    fn waits_for_fence(&self) -> bool {
        self.wants() == Wants::EndOfFence
    }

    /// Returns how much text the next line may have.
    pub(crate) fn line_bytes_max(&self) -> usize {
        match self.open {
            Open::Tag(_) | Open::Block(_) | Open::Human(_) => BODY_BYTES_MAX,
            Open::Nothing | Open::Marker(_) | Open::Task(_) => LINE_BYTES_MAX,
        }
    }

    /// Tells whether a turn can't end here for want of output alone: inside a block, a fence or an open bracket.
    pub(crate) fn holds_turn(&self) -> bool {
        self.fence.is_some()
            || match &self.open {
                Open::Block(_) | Open::Human(_) => true,
                Open::Tag(tag) => tag.fence.is_some(),
                Open::Nothing | Open::Marker(_) | Open::Task(_) => false,
            }
    }

    /// Returns the offset of the first line that is still needed, if there is one.
    pub(crate) fn first_needed(&self) -> Option<u64> {
        let open = match &self.open {
            Open::Nothing => None,
            Open::Tag(tag) => Some(tag.raw.line_begin()),
            Open::Block(block) => Some(block.raw.line_begin()),
            Open::Marker(marker) => Some(marker.raw.line_begin()),
            Open::Task(task) => Some(task.raw.line_begin()),
            Open::Human(human) => Some(human.raw.line_begin()),
        };
        let tentative = self.tentative.as_ref().map(|tentative| tentative.raw.line_begin());
        let fence = self.fence.as_ref().map(|fence| fence.begin);
        [open, tentative, fence].into_iter().flatten().min()
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
        self.close_fence();
    }

    fn dispatch(&mut self, line: &Line<'_>) {
        if self.closes_fence(line) {
            self.finish();
            self.close_fence();
            return;
        }
        if self.waits_for_fence() {
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
            What::Fence(fence) if self.fence.is_none() => {
                self.fence =
                    Some(OpenFence { fence, begin: line.begin, held: Some(Vec::new()), held_bytes: 0 });
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
            What::Thin { said, pass: Pass::Counts } => self.emit_thin(said, line, lead.at),
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
            What::Near(name) if line.too_long => {
                self.emit(name, Err(too_long()), Raw::new(line, lead.at).into_span());
            }
            What::Near(name) => self.near(name, line, lead.at),
            What::Text | What::Close { .. } | What::Fence(_) | What::Block { .. } => match question {
                Some(opening) => self.near("NEED_HUMAN", line, opening.at),
                None => self.spoil_fence(),
            },
        }
    }

    fn may_ask(&self, pass: Pass) -> bool {
        self.options.role == Role::Orchestrator && pass.counts()
    }

    // Dialect A.

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
            let closing = Fence::of(text.trim()).is_some_and(|line_fence| line_fence.closes(&fence));
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

    // Dialect B.

    fn try_block(&mut self, line: &Line<'_>, lead: Lead, name: TagName, pass: Pass) {
        let raw = Raw::new(line, lead.at);
        self.tentative =
            Some(Tentative { name, pass, raw, lead, text: line.text.to_owned(), blank_lines: 0 });
    }

    /// The line behind a block's tag is one of its keys: the block is open.
    fn confirm(&mut self, tentative: Tentative) {
        self.finish();
        let Tentative { name, pass, lead, mut raw, blank_lines, .. } = tentative;
        if !pass.counts() {
            self.emit_near(name.text(), raw.into_span());
            return;
        }
        (0..blank_lines).for_each(|_| raw.push_blank(""));
        self.open = Open::Block(Box::new(OpenBlock { name, lead, body: BodyText::default(), raw }));
    }

    /// The line behind a block's tag is something else: the tag was text.
    fn deny(&mut self, tentative: Tentative) {
        let Tentative { name, raw, text, blank_lines, .. } = tentative;
        if let Open::Tag(tag) = &mut self.open {
            let text = tag.lead.unframe(&text).to_owned();
            tag.push_span(&text, &raw.into_span());
            (0..blank_lines).for_each(|_| tag.push_blank(""));
            return;
        }
        match name {
            // Everybody's log has lines like this.
            TagName::Error => self.spoil_fence(),
            _ => self.emit_near(name.text(), raw.into_span()),
        }
    }

    fn block_line(&mut self, line: &Line<'_>) {
        let Open::Block(block) = &mut self.open else { return };
        if line.is_blank() {
            block.raw.push_blank(line.text);
            block.body.push("");
            return;
        }
        let Head { lead, what } = Head::of(line.text, &self.options);
        let is_deeper = lead.indent > block.lead.column;
        let asks = self.options.role == Role::Orchestrator
            && Scan::of(line.text)
                .next(0, &self.options)
                .is_some_and(|opening| opening.at == lead.at && opening.pass.counts());
        match what {
            What::Close { name, pass: Pass::Counts } if name == block.name && !is_deeper => {
                block.raw.push(line);
                block.body.is_closed = true;
                self.finish();
            }
            What::Open { .. } | What::Block { .. } if !is_deeper => {
                self.finish();
                self.fresh_line(line);
            }
            _ if asks && !is_deeper => {
                self.finish();
                self.fresh_line(line);
            }
            _ => {
                block.body.too_long |= line.too_long;
                let text = block.lead.unframe(line.text);
                block.body.push(text);
                block.raw.push(line);
            }
        }
    }

    // The phase marker, TASK and NEED_HUMAN.

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

    /// A question begins on a line: it ends what is open, and takes what stands before it with it.
    fn open_human(&mut self, line: &Line<'_>, scan: &mut Scan<'_>, opening: Opening) {
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
                _ => self.spoil_fence(),
            },
        }
        self.finish();
        if !self.waits_for_fence() {
            self.ask(line, scan, opening, if stands_at_head { lead } else { Lead::default() });
        }
    }

    /// Reads a question, and those behind it on the same line.
    fn ask(&mut self, line: &Line<'_>, scan: &mut Scan<'_>, opening: Opening, lead: Lead) {
        let mut next = Some(opening);
        while let Some(Opening { at, inside, .. }) = next {
            let mut human = Human::new();
            let end = inside.max(lead.without_border(line.text).len());
            match human.line(line, inside, &line.text[inside..end]) {
                Step::Open => {
                    let raw = Raw::new(line, at);
                    self.open = Open::Human(Box::new(OpenHuman { human, lead, raw }));
                    return;
                }
                Step::Closed(end) => {
                    self.emit_human(human, Raw::new(&line.before(end + 1), at));
                    next = self.next_question(line, scan, end + 1);
                }
            }
        }
    }

    fn next_question(&mut self, line: &Line<'_>, scan: &mut Scan<'_>, from: usize) -> Option<Opening> {
        let next = scan.next(from, &self.options).filter(|opening| self.may_ask(opening.pass));
        let between = &line.text[from..next.as_ref().map_or(line.text.len(), |opening| opening.at)];
        if Lead::of(between).at < between.len() {
            self.spoil_fence();
        }
        next
    }

    fn human_line(&mut self, line: &Line<'_>) {
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

    // Ends.

    /// Ends the message that is open.
    fn finish(&mut self) {
        match std::mem::replace(&mut self.open, Open::Nothing) {
            Open::Nothing => {}
            Open::Tag(tag) => {
                let OpenTag { name, target, body, raw, .. } = *tag;
                let said = match target {
                    _ if body.too_long => Err(too_long()),
                    Target::Broken(error) => Err(error),
                    Target::None => body::read(name, None, &body.text),
                    Target::Agent(agent) => body::read(name, Some(&agent), &body.text),
                };
                self.emit(name.text(), said, raw.into_span());
            }
            Open::Block(block) => {
                let OpenBlock { name, body, raw, .. } = *block;
                let said = if !body.is_closed {
                    Err(format!("missing closing tag '[/{}]'", name.text()))
                } else if body.too_long {
                    Err(too_long())
                } else {
                    block::read(name, &body.text)
                };
                self.emit(name.text(), said, raw.into_span());
            }
            Open::Marker(open) => {
                let OpenMarker { marker, too_long: is_too_long, raw, .. } = *open;
                let said =
                    if is_too_long { Err(too_long()) } else { Ok(Said::PhaseComplete(marker.finish())) };
                self.emit("PHASE_COMPLETE", said, raw.into_span());
            }
            Open::Task(open) => {
                let said = open.lines.finish().map(Said::Task);
                self.emit("TASK", said, open.raw.into_span());
            }
            Open::Human(open) => {
                let OpenHuman { human, raw, .. } = *open;
                self.emit_human(human, raw);
            }
        }
    }

    fn emit_human(&mut self, human: Human, raw: Raw) {
        let (said, end) = human.finish();
        let mut span = raw.into_span();
        if let Some(end) = end {
            span.end = end;
            // What follows the bracket on its line is not the question's.
            span.raw.truncate(span.raw.rfind(']').map_or(span.raw.len(), |at| at + 1));
        }
        self.emit("NEED_HUMAN", said, span);
    }

    fn closes_fence(&self, line: &Line<'_>) -> bool {
        let Some(open) = &self.fence else { return false };
        if let Open::Tag(tag) = &self.open
            && tag.fence.is_some()
        {
            return false;
        }
        matches!(Head::of(line.text, &self.options).what, What::Fence(fence) if fence.closes(&open.fence))
    }

    fn close_fence(&mut self) {
        if let Some(OpenFence { held: Some(held), .. }) = self.fence.take() {
            self.items.extend(held);
        }
    }

    /// Something that is no message stands in the fence: it is an example or a file.
    pub(crate) fn spoil_fence(&mut self) {
        if let Some(fence) = &mut self.fence {
            fence.held = None;
        }
    }

    fn emit_thin(&mut self, said: Result<Said, Refusal>, line: &Line<'_>, at: usize) {
        let span = Raw::new(line, at).into_span();
        let (name, said) = match said {
            Ok(said) if line.too_long => (said.name(), Err(too_long())),
            Ok(said) => (said.name(), Ok(said)),
            Err(Refusal { protocol, error }) => (protocol, Err(error)),
        };
        self.emit(name, said, span);
    }

    /// Keeps ranges in order and apart where a line was not drawn from left to right.
    fn place(&mut self, span: Span) -> Span {
        let start = span.start.max(self.last_end);
        // One byte at least, so that no two begin at the same place.
        let end = if span.end < span.start { start + 1 } else { span.end.max(start) };
        self.last_end = end;
        Span { start, end, ..span }
    }

    fn emit(&mut self, protocol: &'static str, said: Result<Said, String>, span: Span) {
        let span = self.place(span);
        let item = match said {
            Ok(said) => Item::Message(Message { said, span }),
            Err(error) => Item::Invalid(Invalid { protocol, error, span }),
        };
        match &mut self.fence {
            None => self.items.push(item),
            Some(OpenFence { held: None, .. }) => {}
            Some(OpenFence { held: held @ Some(_), held_bytes, .. }) => {
                *held_bytes += item_bytes(&item);
                if *held_bytes > BODY_BYTES_MAX {
                    // What is held has a bound; what is refused is said.
                    let error = "stands in a code fence with more than 1 MiB of messages".to_owned();
                    let first = held.take().and_then(|held| held.into_iter().next()).unwrap_or(item);
                    let span = first.span().clone();
                    self.items.push(Item::Invalid(Invalid { protocol, error, span }));
                } else if let Some(held) = held {
                    held.push(item);
                }
            }
        }
    }

    fn near(&mut self, near: &'static str, line: &Line<'_>, at: usize) {
        self.emit_near(near, Raw::new(line, at).into_span());
    }

    fn emit_near(&mut self, near: &'static str, span: Span) {
        if self.fence.is_some() {
            self.spoil_fence();
        } else {
            let span = self.place(span);
            self.items.push(Item::Near(Near { near, span }));
        }
    }
}

impl OpenTag {
    fn push(&mut self, text: &str, line: &Line<'_>) {
        self.body.too_long |= line.too_long;
        self.body.push(text);
        self.raw.push(line);
    }

    fn push_span(&mut self, text: &str, span: &Span) {
        self.body.push(text);
        self.raw.push_text(&span.raw, span.end);
    }

    fn push_blank(&mut self, text: &str) {
        self.body.push("");
        self.raw.push_blank(text);
    }
}

/// The text of a body, up to its bound.
#[derive(Debug, Default)]
struct BodyText {
    text: String,
    has_line: bool,
    too_long: bool,
    is_closed: bool,
}

impl BodyText {
    fn push(&mut self, line: &str) {
        if self.text.len() + line.len() + 1 > BODY_BYTES_MAX {
            self.too_long = true;
        }
        if self.too_long {
            return;
        }
        if self.has_line {
            self.text.push('\n');
        }
        self.has_line = true;
        self.text.push_str(line);
    }
}

/// Takes a tag's own closing tag off the end of a line of its body.
fn split_closing<'t>(text: &'t str, name: TagName, options: &Options) -> (&'t str, bool) {
    let end = crate::decoration::trim_end(text);
    let closing = end.ends_with(']').then(|| end.rfind("[/")).flatten();
    let Some(at) = closing else { return (text, false) };
    match crate::tag::Tag::of(&end[at..], options) {
        Some(tag)
            if tag.is_closing
                && tag.name == name
                && tag.behind.is_empty()
                && options.pass(tag.word) != Pass::WrongKey =>
        {
            (text[..at].trim_end(), true)
        }
        _ => (text, false),
    }
}

fn too_long() -> String {
    "body longer than 1 MiB, or a line longer than 64 KiB (1 MiB in a body)".to_owned()
}

/// Returns about how much memory an item takes.
fn item_bytes(item: &Item) -> usize {
    // The payload repeats what the raw text shows, and a body can be longer than the raw text that is kept.
    let span = item.span();
    256 + span.raw.len() + usize::try_from(span.end.saturating_sub(span.start)).unwrap_or(usize::MAX / 2)
}
