//! Assembles messages from lines: opens a message, appends its lines and ends it.
//!
//! Input is rendered lines; bytes, escape sequences and screens are handled before.
//! Invariant: at most one message is open, and at most one code fence around it.

mod blocks;
mod item_output;
mod open_message;
mod questions;

use domain::{AgentMessage, Role};

use self::{
    blocks::TentativeBlock,
    item_output::{FencePosition, ItemOutput},
    open_message::{
        BodyText, FinishedMessage, OpenMarker, OpenMessage, OpenTag, OpenTask, split_closing_tag,
    },
};
use crate::{
    block,
    decoration::LinePrefix,
    fence::Fence,
    item::DecodedItem,
    line::Line,
    line_head::{LineHead, LineKind, MessageError, TagTarget},
    line_start::LineStart,
    need_human::{self, QuestionScanner},
    options::{DecoderOptions, KeyCheck},
    phase_marker::PhaseMarker,
    span_builder::SpanBuilder,
    tag::TagName,
    task_lines::{self, TaskLines},
};

/// Longer lines outside a body are truncated and make their message invalid.
pub(crate) const LINE_BYTES_MAX: usize = 64 * 1024;
/// Longer bodies, and longer lines in a body, make their message invalid.
pub(crate) const BODY_BYTES_MAX: usize = 1024 * 1024;

#[derive(Debug)]
pub(crate) struct MessageAssembler {
    options: DecoderOptions,
    open: OpenMessage,
    /// A block tag whose next line decides whether it opens a block.
    tentative: Option<TentativeBlock>,
    output: ItemOutput,
}

/// The lines that can change the assembler's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RelevantLines {
    /// Every line: a message is open.
    AllLines,
    /// Lines that may begin a message.
    Messages,
    /// Lines that may begin a message; any other line makes the fence a quotation.
    MessagesInFence,
    /// Lines that may end the fence.
    EndOfFence,
}

impl MessageAssembler {
    pub(crate) fn new(options: DecoderOptions) -> Self {
        Self { options, open: OpenMessage::None, tentative: None, output: ItemOutput::default() }
    }

    /// Drains the finished items.
    pub(crate) fn take_items(&mut self) -> Vec<DecodedItem> {
        self.output.take_items()
    }

    pub(crate) fn relevant_lines(&self) -> RelevantLines {
        match (self.output.fence_position(), &self.open) {
            (FencePosition::InQuotation, _) => RelevantLines::EndOfFence,
            _ if self.tentative.is_some() => RelevantLines::AllLines,
            (FencePosition::Outside, OpenMessage::None) => RelevantLines::Messages,
            (FencePosition::Inside, OpenMessage::None) => RelevantLines::MessagesInFence,
            (FencePosition::Outside | FencePosition::Inside, _) => RelevantLines::AllLines,
        }
    }

    /// Processes a line from its start alone; returns `false` if its text is needed.
    pub(crate) fn try_skip_line(&mut self, start: LineStart) -> bool {
        match (self.relevant_lines(), start) {
            (RelevantLines::Messages, LineStart::Empty | LineStart::Text) => true,
            (RelevantLines::MessagesInFence, LineStart::Text) => {
                self.output.mark_fence_as_quotation();
                true
            }
            (RelevantLines::EndOfFence, start) => start != LineStart::Fence,
            (RelevantLines::AllLines | RelevantLines::Messages | RelevantLines::MessagesInFence, _) => false,
        }
    }

    /// Returns the text limit of the next line.
    pub(crate) fn line_bytes_max(&self) -> usize {
        self.open.line_bytes_max()
    }

    /// Returns whether silence must not end the turn here: inside a block, a fence or an open bracket.
    pub(crate) fn prevents_turn_end(&self) -> bool {
        self.output.fence_position() != FencePosition::Outside || self.open.prevents_turn_end()
    }

    /// Returns the offset of the first line that is still needed.
    pub(crate) fn first_needed_offset(&self) -> Option<u64> {
        let tentative = self.tentative.as_ref().map(|tentative| tentative.span.first_line_begin());
        [self.open.line_begin(), tentative, self.output.fence_begin()].into_iter().flatten().min()
    }

    pub(crate) fn push_line(&mut self, line: &Line<'_>) {
        if let Some(tentative) = self.tentative.take() {
            if line.is_blank() {
                self.tentative = Some(TentativeBlock { blank_lines: tentative.blank_lines + 1, ..tentative });
                return;
            }
            if block::is_block_key_line(tentative.name, tentative.prefix.strip_frame(line.text)) {
                self.confirm_block(tentative);
            } else {
                self.reject_block(tentative);
            }
        }
        self.dispatch_line(line);
    }

    /// Ends the turn and with it the open message.
    pub(crate) fn end_turn(&mut self) {
        if let Some(tentative) = self.tentative.take() {
            self.reject_block(tentative);
        }
        self.finish_open_message();
        self.output.close_fence();
    }

    fn dispatch_line(&mut self, line: &Line<'_>) {
        if self.closes_fence(line) {
            self.finish_open_message();
            self.output.close_fence();
            return;
        }
        if self.output.fence_position() == FencePosition::InQuotation {
            return;
        }
        match &self.open {
            OpenMessage::None => self.push_line_outside_message(line),
            OpenMessage::Tag(_) => self.push_tag_line(line),
            OpenMessage::Block(_) => self.push_block_line(line),
            OpenMessage::Marker(_) => self.push_marker_line(line),
            OpenMessage::Task(_) => self.push_task_line(line),
            OpenMessage::Question(_) => self.push_question_line(line),
        }
    }

    /// Processes a line while no message is open.
    fn push_line_outside_message(&mut self, line: &Line<'_>) {
        let mut scanner = QuestionScanner::new(line.text);
        let question = scanner.next(0, &self.options);
        if let Some(start) = &question
            && self.accepts_need_human(start.key_check)
        {
            let start = *start;
            self.open_question(line, &mut scanner, start);
            return;
        }
        let LineHead { prefix, kind } = LineHead::parse(line.text, &self.options);
        match kind {
            LineKind::Blank => {}
            LineKind::Fence(fence) if self.output.fence_position() == FencePosition::Outside => {
                self.output.open_fence(fence, line.begin);
            }
            LineKind::OpenTag { name, target, rest, key_check: KeyCheck::Accepted } => {
                self.open_tag(line, prefix, name, target, rest)
            }
            LineKind::BlockTag { name, key_check } if !line.too_long => {
                self.open_tentative_block(line, prefix, name, key_check)
            }
            LineKind::PhaseMarker { phase, key_check: KeyCheck::Accepted } if !line.too_long => {
                let span = SpanBuilder::new(line, prefix.end);
                self.open = OpenMessage::Marker(Box::new(OpenMarker {
                    marker: PhaseMarker::new(phase),
                    too_long: false,
                    prefix,
                    span,
                }));
            }
            LineKind::Message { result, key_check: KeyCheck::Accepted } => {
                self.push_one_line_message(result, line, prefix.end)
            }
            LineKind::TaskStart { request, key_check: KeyCheck::Accepted } if !line.too_long => {
                let span = SpanBuilder::new(line, prefix.end);
                self.open = OpenMessage::Task(Box::new(OpenTask { lines: TaskLines::new(request), span }));
            }
            LineKind::OpenTag { name, .. } => self.push_near_miss(name.text(), line, prefix.end),
            LineKind::PhaseMarker { .. } => self.push_near_miss("PHASE_COMPLETE", line, prefix.end),
            LineKind::Message { result: Ok(message), .. } => {
                self.push_near_miss(message.name(), line, prefix.end)
            }
            LineKind::Message { result: Err(error), .. } => {
                self.push_near_miss(error.message_name, line, prefix.end)
            }
            LineKind::TaskStart { .. } => self.push_near_miss("TASK", line, prefix.end),
            // The truncated line cannot match its grammar.
            LineKind::NearMiss(message_name) if line.too_long => {
                let span = SpanBuilder::new(line, prefix.end).finish();
                self.output.push_finished_message(FinishedMessage {
                    message_name,
                    result: Err(too_long_error()),
                    span,
                });
            }
            LineKind::NearMiss(name) => self.push_near_miss(name, line, prefix.end),
            LineKind::Text | LineKind::ClosingTag { .. } | LineKind::Fence(_) | LineKind::BlockTag { .. } => {
                match question {
                    Some(start) => self.push_near_miss(need_human::NAME, line, start.at),
                    None => self.output.mark_fence_as_quotation(),
                }
            }
        }
    }

    fn accepts_need_human(&self, key_check: KeyCheck) -> bool {
        self.options.role == Role::Orchestrator && key_check.is_accepted()
    }

    fn open_tag(
        &mut self,
        line: &Line<'_>,
        prefix: LinePrefix,
        name: TagName,
        target: TagTarget,
        rest: &str,
    ) {
        let mut tag = OpenTag {
            name,
            target,
            body: BodyText::default(),
            span: SpanBuilder::new(line, prefix.end),
            fence: None,
            prefix,
        };
        tag.body.too_long |= line.too_long;
        let (rest, is_closed) = split_closing_tag(rest, name, &self.options);
        if !rest.is_empty() {
            tag.body.push_line(rest);
        }
        self.open = OpenMessage::Tag(Box::new(tag));
        if is_closed {
            self.finish_open_message();
        }
    }

    fn push_tag_line(&mut self, line: &Line<'_>) {
        let OpenMessage::Tag(tag) = &mut self.open else { return };
        let text = tag.prefix.strip_frame(line.text);
        if let Some(fence) = tag.fence {
            tag.push_line(text, line);
            let closing = Fence::parse_line(text).is_some_and(|line_fence| line_fence.closes(&fence));
            if closing {
                tag.fence = None;
            }
            return;
        }
        let mut scanner = QuestionScanner::new(line.text);
        let is_orchestrator = self.options.role == Role::Orchestrator;
        if let Some(start) =
            scanner.next(0, &self.options).filter(|start| is_orchestrator && start.key_check.is_accepted())
        {
            self.open_question(line, &mut scanner, start);
            return;
        }
        match LineHead::parse(line.text, &self.options).kind {
            LineKind::Blank => tag.push_blank(line.text),
            LineKind::Fence(fence) => {
                tag.push_line(text, line);
                tag.fence = Some(fence);
            }
            LineKind::ClosingTag { name, key_check } if name == tag.name && key_check != KeyCheck::Wrong => {
                tag.span.push_line(line);
                self.finish_open_message();
            }
            LineKind::BlockTag { name, key_check } => {
                let prefix = LinePrefix::parse(line.text);
                self.open_tentative_block(line, prefix, name, key_check);
            }
            LineKind::OpenTag { .. }
            | LineKind::PhaseMarker { key_check: KeyCheck::Accepted, .. }
            | LineKind::Message { key_check: KeyCheck::Accepted, .. }
            | LineKind::TaskStart { key_check: KeyCheck::Accepted, .. } => {
                self.finish_open_message();
                self.push_line_outside_message(line);
            }
            LineKind::Text
            | LineKind::NearMiss(_)
            | LineKind::ClosingTag { .. }
            | LineKind::PhaseMarker { .. }
            | LineKind::Message { .. }
            | LineKind::TaskStart { .. } => {
                let (text, is_closed) = split_closing_tag(text, tag.name, &self.options);
                tag.push_line(text, line);
                if is_closed {
                    self.finish_open_message();
                }
            }
        }
    }

    fn push_marker_line(&mut self, line: &Line<'_>) {
        let OpenMessage::Marker(open) = &mut self.open else { return };
        let text = open.prefix.strip_frame(line.text);
        if !open.marker.accept_line(text) {
            self.finish_open_message();
            self.push_line_outside_message(line);
        } else if !line.is_blank() {
            open.too_long |= line.too_long || open.marker.is_too_long();
            open.span.push_line(line);
        } else {
            open.span.push_blank(line.text);
        }
    }

    fn push_task_line(&mut self, line: &Line<'_>) {
        let OpenMessage::Task(open) = &mut self.open else { return };
        let prefix = LinePrefix::parse(line.text);
        if open.lines.accept_line(task_lines::without_decoration(line.text, &prefix), line.too_long) {
            open.span.push_line(line);
        } else {
            self.finish_open_message();
            self.push_line_outside_message(line);
        }
    }

    /// Ends the open message.
    fn finish_open_message(&mut self) {
        if let Some(finished) = std::mem::replace(&mut self.open, OpenMessage::None).finish() {
            self.output.push_finished_message(finished);
        }
    }

    fn closes_fence(&self, line: &Line<'_>) -> bool {
        let is_in_body_fence = matches!(&self.open, OpenMessage::Tag(tag) if tag.fence.is_some());
        self.output.fence_position() != FencePosition::Outside
            && !is_in_body_fence
            && matches!(LineHead::parse(line.text, &self.options).kind, LineKind::Fence(fence) if self.output.closes_fence(fence))
    }

    fn push_one_line_message(
        &mut self,
        result: Result<AgentMessage, MessageError>,
        line: &Line<'_>,
        at: usize,
    ) {
        let span = SpanBuilder::new(line, at).finish();
        let (message_name, result) = match result {
            Ok(message) if line.too_long => (message.name(), Err(too_long_error())),
            Ok(message) => (message.name(), Ok(message)),
            Err(MessageError { message_name, error }) => (message_name, Err(error)),
        };
        self.output.push_finished_message(FinishedMessage { message_name, result, span });
    }

    fn push_near_miss(&mut self, message_name: &'static str, line: &Line<'_>, at: usize) {
        self.output.push_near_miss(message_name, SpanBuilder::new(line, at).finish());
    }
}

fn too_long_error() -> String {
    "body longer than 1 MiB, or a line longer than 64 KiB (1 MiB in a body)".to_owned()
}
