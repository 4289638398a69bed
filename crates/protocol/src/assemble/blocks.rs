//! Blocks: a tag, confirmed by the next line, and the lines up to its closing tag.

use domain::Role;

use super::{
    MessageAssembler,
    open_message::{BodyText, OpenBlock, OpenMessage},
};
use crate::{
    decoration::LinePrefix,
    line::Line,
    line_head::{LineHead, LineKind},
    need_human::QuestionScanner,
    options::KeyCheck,
    span_builder::SpanBuilder,
    tag::TagName,
};

/// A block tag that may turn out to be text.
#[derive(Debug)]
pub(super) struct TentativeBlock {
    pub(super) name: TagName,
    pub(super) key_check: KeyCheck,
    pub(super) prefix: LinePrefix,
    pub(super) span: SpanBuilder,
    pub(super) text: String,
    pub(super) blank_lines: usize,
}

impl MessageAssembler {
    pub(super) fn open_tentative_block(
        &mut self,
        line: &Line<'_>,
        prefix: LinePrefix,
        name: TagName,
        key_check: KeyCheck,
    ) {
        let span = SpanBuilder::new(line, prefix.end);
        self.tentative = Some(TentativeBlock {
            name,
            key_check,
            span,
            prefix,
            text: line.text.to_owned(),
            blank_lines: 0,
        });
    }

    /// Opens the block: the line after its tag is one of its keys.
    pub(super) fn confirm_block(&mut self, tentative: TentativeBlock) {
        self.finish_open_message();
        let TentativeBlock { name, key_check, prefix, mut span, blank_lines, .. } = tentative;
        if !key_check.is_accepted() {
            self.output.push_near_miss(name.text(), span.finish());
            return;
        }
        (0..blank_lines).for_each(|_| span.push_blank(""));
        self.open = OpenMessage::Block(Box::new(OpenBlock {
            name,
            prefix,
            body: BodyText::default(),
            span,
            is_closed: false,
        }));
    }

    /// Treats the tag as text: the line after it is not one of the block's keys.
    pub(super) fn reject_block(&mut self, tentative: TentativeBlock) {
        let TentativeBlock { name, span, text, blank_lines, .. } = tentative;
        if let OpenMessage::Tag(tag) = &mut self.open {
            let text = tag.prefix.strip_frame(&text).to_owned();
            tag.push_held_back_line(&text, &span.finish());
            (0..blank_lines).for_each(|_| tag.push_blank(""));
            return;
        }
        match name {
            // Common in logs of other programs.
            TagName::Error => self.output.mark_fence_as_quotation(),
            TagName::AskUser
            | TagName::Invoke
            | TagName::DeliverResult
            | TagName::StepComplete
            | TagName::Progress
            | TagName::Direct
            | TagName::DependencyRequest
            | TagName::UserQuestion => self.output.push_near_miss(name.text(), span.finish()),
        }
    }

    pub(super) fn push_block_line(&mut self, line: &Line<'_>) {
        let OpenMessage::Block(block) = &mut self.open else { return };
        if line.is_blank() {
            block.span.push_blank(line.text);
            block.body.push_line("");
            return;
        }
        let LineHead { prefix, kind } = LineHead::parse(line.text, &self.options);
        let is_deeper = prefix.indent > block.prefix.column;
        let has_question = self.options.role == Role::Orchestrator
            && QuestionScanner::new(line.text)
                .next(0, &self.options)
                .is_some_and(|start| start.at == prefix.end && start.key_check.is_accepted());
        match kind {
            LineKind::ClosingTag { name, key_check: KeyCheck::Accepted }
                if name == block.name && !is_deeper =>
            {
                block.span.push_line(line);
                block.is_closed = true;
                self.finish_open_message();
            }
            LineKind::OpenTag { .. } | LineKind::BlockTag { .. } if !is_deeper => {
                self.finish_open_message();
                self.push_line_outside_message(line);
            }
            _ if has_question && !is_deeper => {
                self.finish_open_message();
                self.push_line_outside_message(line);
            }
            LineKind::Text
            | LineKind::Blank
            | LineKind::OpenTag { .. }
            | LineKind::BlockTag { .. }
            | LineKind::ClosingTag { .. }
            | LineKind::PhaseMarker { .. }
            | LineKind::Message { .. }
            | LineKind::TaskStart { .. }
            | LineKind::Fence(_)
            | LineKind::NearMiss(_) => {
                block.body.too_long |= line.too_long;
                let text = block.prefix.strip_frame(line.text);
                block.body.push_line(text);
                block.span.push_line(line);
            }
        }
    }
}
