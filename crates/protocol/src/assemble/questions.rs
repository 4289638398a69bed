//! NEED_HUMAN questions inside other output: they may occur anywhere on a line and end the open message.

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
    /// Opens a question, after ending the open message with the text before the question.
    pub(super) fn open_question(
        &mut self,
        line: &Line<'_>,
        scanner: &mut QuestionScanner<'_>,
        start: QuestionStart,
    ) {
        let before = line.part_before(start.at);
        let LineHead { prefix, kind } = LineHead::parse(before.text, &self.options);
        let is_at_line_start = prefix.end == before.text.len();
        match kind {
            LineKind::OpenTag { name, target, rest, key_check } => {
                self.finish_open_message();
                if key_check.is_accepted() {
                    self.open_tag(&before, prefix.clone(), name, target, rest);
                }
            }
            _ if is_at_line_start => {}
            LineKind::Text
            | LineKind::Blank
            | LineKind::BlockTag { .. }
            | LineKind::ClosingTag { .. }
            | LineKind::PhaseMarker { .. }
            | LineKind::Message { .. }
            | LineKind::TaskStart { .. }
            | LineKind::Fence(_)
            | LineKind::NearMiss(_) => match &mut self.open {
                OpenMessage::Tag(tag) => {
                    let text = tag.prefix.strip_frame(before.text);
                    tag.push_line(text, &before);
                }
                OpenMessage::None
                | OpenMessage::Block(_)
                | OpenMessage::Marker(_)
                | OpenMessage::Task(_)
                | OpenMessage::Question(_) => self.output.mark_fence_as_quotation(),
            },
        }
        self.finish_open_message();
        if self.output.fence_position() != FencePosition::InQuotation {
            self.read_questions_on_line(
                line,
                scanner,
                start,
                if is_at_line_start { prefix } else { LinePrefix::default() },
            );
        }
    }

    /// Reads a question and the following ones on the same line.
    fn read_questions_on_line(
        &mut self,
        line: &Line<'_>,
        scanner: &mut QuestionScanner<'_>,
        start: QuestionStart,
        prefix: LinePrefix,
    ) {
        let text_end = prefix.strip_right_border(line.text).len();
        let mut next = Some(start);
        while let Some(QuestionStart { at, inside, .. }) = next {
            let mut question = NeedHumanQuestion::new();
            let end = inside.max(text_end);
            match question.push_line(line, inside, &line.text[inside..end]) {
                QuestionProgress::Open => {
                    let span = SpanBuilder::new(line, at);
                    self.open = OpenMessage::Question(Box::new(OpenQuestion { question, prefix, span }));
                    return;
                }
                QuestionProgress::Closed(end) => {
                    let span = SpanBuilder::new(&line.part_before(end + 1), at);
                    self.output.push_finished_message(finish_question(question, span));
                    next = self.find_next_question(line, scanner, end + 1);
                }
            }
        }
    }

    fn find_next_question(
        &mut self,
        line: &Line<'_>,
        scanner: &mut QuestionScanner<'_>,
        from: usize,
    ) -> Option<QuestionStart> {
        let next = scanner.next(from, &self.options).filter(|start| self.accepts_need_human(start.key_check));
        let between = &line.text[from..next.as_ref().map_or(line.text.len(), |start| start.at)];
        if LinePrefix::parse(between).end < between.len() {
            self.output.mark_fence_as_quotation();
        }
        next
    }

    pub(super) fn push_question_line(&mut self, line: &Line<'_>) {
        let LineHead { prefix, kind } = LineHead::parse(line.text, &self.options);
        let mut scanner = QuestionScanner::new(line.text);
        let OpenMessage::Question(open) = &mut self.open else { return };
        let Range { start, end } = open.prefix.range_inside_frame(line.text);
        let ends_question = match kind {
            LineKind::Blank | LineKind::OpenTag { .. } | LineKind::BlockTag { .. } => true,
            // A complete message is never part of a question.
            LineKind::PhaseMarker { key_check, .. }
            | LineKind::Message { key_check, .. }
            | LineKind::TaskStart { key_check, .. }
                if key_check.is_accepted() =>
            {
                true
            }
            _ if line.text[start..end].trim().is_empty() => true,
            LineKind::Text
            | LineKind::ClosingTag { .. }
            | LineKind::PhaseMarker { .. }
            | LineKind::Message { .. }
            | LineKind::TaskStart { .. }
            | LineKind::Fence(_)
            | LineKind::NearMiss(_) => {
                scanner.next(0, &self.options).is_some_and(|start| start.at == prefix.end)
            }
        };
        if ends_question {
            self.finish_open_message();
            self.dispatch_line(line);
            return;
        }
        match open.question.push_line(line, start, &line.text[start..end]) {
            QuestionProgress::Open => open.span.push_line(line),
            QuestionProgress::Closed(at) => {
                open.span.push_line(&line.part_before(at + 1));
                self.finish_open_message();
                if let Some(next) = self.find_next_question(line, &mut scanner, at + 1) {
                    self.read_questions_on_line(line, &mut scanner, next, LinePrefix::default());
                }
            }
        }
    }
}
