//! Blocks: a tag that the next line must confirm, and the lines up to its closing tag.

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

/// A block's tag that may turn out to be text.
#[derive(Debug)]
pub(super) struct TentativeBlock {
    pub(super) name: TagName,
    pub(super) key_check: KeyCheck,
    pub(super) prefix: LinePrefix,
    pub(super) raw: SpanBuilder,
    pub(super) text: String,
    /// How many blank lines have followed.
    pub(super) blank_lines: usize,
}

impl MessageAssembler {
    pub(super) fn try_block(
        &mut self,
        line: &Line<'_>,
        prefix: LinePrefix,
        name: TagName,
        key_check: KeyCheck,
    ) {
        let raw = SpanBuilder::new(line, prefix.end);
        self.tentative =
            Some(TentativeBlock { name, key_check, raw, prefix, text: line.text.to_owned(), blank_lines: 0 });
    }

    /// The line after a block's tag is one of its keys: the block is open.
    pub(super) fn confirm(&mut self, tentative: TentativeBlock) {
        self.finish();
        let TentativeBlock { name, key_check, prefix, mut raw, blank_lines, .. } = tentative;
        if !key_check.is_accepted() {
            self.output.near(name.text(), raw.finish());
            return;
        }
        (0..blank_lines).for_each(|_| raw.push_blank(""));
        self.open = OpenMessage::Block(Box::new(OpenBlock {
            name,
            prefix,
            body: BodyText::default(),
            raw,
            is_closed: false,
        }));
    }

    /// The line after a block's tag is something else: the tag was text.
    pub(super) fn deny(&mut self, tentative: TentativeBlock) {
        let TentativeBlock { name, raw, text, blank_lines, .. } = tentative;
        if let OpenMessage::Tag(tag) = &mut self.open {
            let text = tag.prefix.unframe(&text).to_owned();
            tag.push_span(&text, &raw.finish());
            (0..blank_lines).for_each(|_| tag.push_blank(""));
            return;
        }
        match name {
            // Everybody's log has lines like this.
            TagName::Error => self.output.mark_fence_as_quotation(),
            _ => self.output.near(name.text(), raw.finish()),
        }
    }

    pub(super) fn block_line(&mut self, line: &Line<'_>) {
        let OpenMessage::Block(block) = &mut self.open else { return };
        if line.is_blank() {
            block.raw.push_blank(line.text);
            block.body.push("");
            return;
        }
        let LineHead { prefix, kind } = LineHead::parse(line.text, &self.options);
        let is_deeper = prefix.indent > block.prefix.column;
        let asks = self.options.role == Role::Orchestrator
            && QuestionScanner::new(line.text)
                .next(0, &self.options)
                .is_some_and(|opening| opening.at == prefix.end && opening.key_check.is_accepted());
        match kind {
            LineKind::ClosingTag { name, key_check: KeyCheck::Accepted }
                if name == block.name && !is_deeper =>
            {
                block.raw.push(line);
                block.is_closed = true;
                self.finish();
            }
            LineKind::OpenTag { .. } | LineKind::BlockTag { .. } if !is_deeper => {
                self.finish();
                self.fresh_line(line);
            }
            _ if asks && !is_deeper => {
                self.finish();
                self.fresh_line(line);
            }
            _ => {
                block.body.too_long |= line.too_long;
                let text = block.prefix.unframe(line.text);
                block.body.push(text);
                block.raw.push(line);
            }
        }
    }
}
