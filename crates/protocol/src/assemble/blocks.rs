//! Blocks: a tag that the next line must confirm, and the lines up to its closing tag.

use domain::Role;

use super::{
    Assembler,
    open::{BodyText, Open, OpenBlock},
};
use crate::{
    decoration::Lead,
    head::{Head, What},
    human::Scan,
    line::Line,
    options::Pass,
    raw::Raw,
    tag::TagName,
};

/// A block's tag that may turn out to be text.
#[derive(Debug)]
pub(super) struct Tentative {
    pub(super) name: TagName,
    pub(super) pass: Pass,
    pub(super) lead: Lead,
    pub(super) raw: Raw,
    pub(super) text: String,
    /// How many blank lines have followed.
    pub(super) blank_lines: usize,
}

impl Assembler {
    pub(super) fn try_block(&mut self, line: &Line<'_>, lead: Lead, name: TagName, pass: Pass) {
        let raw = Raw::new(line, lead.at);
        self.tentative =
            Some(Tentative { name, pass, raw, lead, text: line.text.to_owned(), blank_lines: 0 });
    }

    /// The line behind a block's tag is one of its keys: the block is open.
    pub(super) fn confirm(&mut self, tentative: Tentative) {
        self.finish();
        let Tentative { name, pass, lead, mut raw, blank_lines, .. } = tentative;
        if !pass.counts() {
            self.output.near(name.text(), raw.into_span());
            return;
        }
        (0..blank_lines).for_each(|_| raw.push_blank(""));
        self.open =
            Open::Block(Box::new(OpenBlock { name, lead, body: BodyText::default(), raw, is_closed: false }));
    }

    /// The line behind a block's tag is something else: the tag was text.
    pub(super) fn deny(&mut self, tentative: Tentative) {
        let Tentative { name, raw, text, blank_lines, .. } = tentative;
        if let Open::Tag(tag) = &mut self.open {
            let text = tag.lead.unframe(&text).to_owned();
            tag.push_span(&text, &raw.into_span());
            (0..blank_lines).for_each(|_| tag.push_blank(""));
            return;
        }
        match name {
            // Everybody's log has lines like this.
            TagName::Error => self.output.spoil_fence(),
            _ => self.output.near(name.text(), raw.into_span()),
        }
    }

    pub(super) fn block_line(&mut self, line: &Line<'_>) {
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
                block.is_closed = true;
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
}
