//! The orchestrator's question inside of other output: it may stand anywhere, and ends what is open.

use std::ops::Range;

use super::{
    MessageAssembler,
    item_output::FencePosition,
    open_message::{OpenMessage, OpenQuestion, finish_question},
};
use crate::{
    decoration::LinePrefix,
    line::Line,
    line_head::{LineHead, LineKind},
    need_human::{NeedHumanQuestion, QuestionProgress, QuestionScanner, QuestionStart},
    span_builder::SpanBuilder,
};

impl MessageAssembler {
    /// A question begins on a line: it ends what is open, and takes what stands before it with it.
    pub(super) fn open_question(
        &mut self,
        line: &Line<'_>,
        scan: &mut QuestionScanner<'_>,
        opening: QuestionStart,
    ) {
        let before = line.before(opening.at);
        let LineHead { prefix, kind } = LineHead::parse(before.text, &self.options);
        let stands_at_head = prefix.end == before.text.len();
        match kind {
            LineKind::OpenTag { name, target, rest, key_check } => {
                self.finish();
                if key_check.is_accepted() {
                    self.open_tag(&before, prefix.clone(), name, target, rest);
                }
            }
            _ if stands_at_head => {}
            _ => match &mut self.open {
                OpenMessage::Tag(tag) => {
                    let text = tag.prefix.unframe(before.text);
                    tag.push(text, &before);
                }
                _ => self.output.mark_fence_as_quotation(),
            },
        }
        self.finish();
        if self.output.fence_position() != FencePosition::InQuotation {
            self.ask(line, scan, opening, if stands_at_head { prefix } else { LinePrefix::default() });
        }
    }

    /// Reads a question, and those after it on the same line.
    fn ask(
        &mut self,
        line: &Line<'_>,
        scan: &mut QuestionScanner<'_>,
        opening: QuestionStart,
        prefix: LinePrefix,
    ) {
        let text_end = prefix.without_border(line.text).len();
        let mut next = Some(opening);
        while let Some(QuestionStart { at, inside, .. }) = next {
            let mut question = NeedHumanQuestion::new();
            let end = inside.max(text_end);
            match question.line(line, inside, &line.text[inside..end]) {
                QuestionProgress::Open => {
                    let raw = SpanBuilder::new(line, at);
                    self.open = OpenMessage::Question(Box::new(OpenQuestion { question, prefix, raw }));
                    return;
                }
                QuestionProgress::Closed(end) => {
                    let raw = SpanBuilder::new(&line.before(end + 1), at);
                    self.output.finished(finish_question(question, raw));
                    next = self.next_question(line, scan, end + 1);
                }
            }
        }
    }

    fn next_question(
        &mut self,
        line: &Line<'_>,
        scan: &mut QuestionScanner<'_>,
        from: usize,
    ) -> Option<QuestionStart> {
        let next = scan.next(from, &self.options).filter(|opening| self.may_ask(opening.key_check));
        let between = &line.text[from..next.as_ref().map_or(line.text.len(), |opening| opening.at)];
        if LinePrefix::parse(between).end < between.len() {
            self.output.mark_fence_as_quotation();
        }
        next
    }

    pub(super) fn question_line(&mut self, line: &Line<'_>) {
        let LineHead { prefix, kind } = LineHead::parse(line.text, &self.options);
        let mut scan = QuestionScanner::new(line.text);
        let OpenMessage::Question(open) = &mut self.open else { return };
        let Range { start, end } = open.prefix.inside(line.text);
        let ends = match kind {
            LineKind::Blank | LineKind::OpenTag { .. } | LineKind::BlockTag { .. } => true,
            // No question goes on with a whole message.
            LineKind::PhaseMarker { key_check, .. }
            | LineKind::Message { key_check, .. }
            | LineKind::TaskStart { key_check, .. }
                if key_check.is_accepted() =>
            {
                true
            }
            _ if line.text[start..end].trim().is_empty() => true,
            _ => scan.next(0, &self.options).is_some_and(|opening| opening.at == prefix.end),
        };
        if ends {
            self.finish();
            self.dispatch(line);
            return;
        }
        match open.question.line(line, start, &line.text[start..end]) {
            QuestionProgress::Open => open.raw.push(line),
            QuestionProgress::Closed(at) => {
                open.raw.push(&line.before(at + 1));
                self.finish();
                if let Some(next) = self.next_question(line, &mut scan, at + 1) {
                    self.ask(line, &mut scan, next, LinePrefix::default());
                }
            }
        }
    }
}
