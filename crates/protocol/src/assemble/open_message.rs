//! The open message: the lines so far and the result when it ends.

use domain::AgentMessage;

use super::{BODY_BYTES_MAX, LINE_BYTES_MAX, too_long_error};
use crate::{
    block,
    decoration::{self, LinePrefix},
    fence::Fence,
    item::Span,
    line::Line,
    line_head::TagTarget,
    need_human::{self, NeedHumanQuestion},
    options::{DecoderOptions, KeyCheck},
    phase_marker::PhaseMarker,
    span_builder::SpanBuilder,
    tag::{Tag, TagName},
    tag_body,
    task_lines::TaskLines,
};

#[derive(Debug)]
pub(super) enum OpenMessage {
    None,
    Tag(Box<OpenTag>),
    Block(Box<OpenBlock>),
    Marker(Box<OpenMarker>),
    Task(Box<OpenTask>),
    Question(Box<OpenQuestion>),
}

/// A tag of dialect A and its body.
#[derive(Debug)]
pub(super) struct OpenTag {
    pub(super) name: TagName,
    pub(super) target: TagTarget,
    pub(super) prefix: LinePrefix,
    pub(super) body: BodyText,
    pub(super) span: SpanBuilder,
    /// A code fence inside the body, in which no line is parsed.
    pub(super) fence: Option<Fence>,
}

/// A block of dialect B.
#[derive(Debug)]
pub(super) struct OpenBlock {
    pub(super) name: TagName,
    pub(super) prefix: LinePrefix,
    pub(super) body: BodyText,
    pub(super) span: SpanBuilder,
    pub(super) is_closed: bool,
}

/// A phase marker and its details.
#[derive(Debug)]
pub(super) struct OpenMarker {
    pub(super) marker: PhaseMarker,
    pub(super) too_long: bool,
    pub(super) prefix: LinePrefix,
    pub(super) span: SpanBuilder,
}

/// A TASK and the lines after it.
#[derive(Debug)]
pub(super) struct OpenTask {
    pub(super) lines: TaskLines,
    pub(super) span: SpanBuilder,
}

/// A NEED_HUMAN question whose bracket is not closed yet.
#[derive(Debug)]
pub(super) struct OpenQuestion {
    pub(super) question: NeedHumanQuestion,
    pub(super) prefix: LinePrefix,
    pub(super) span: SpanBuilder,
}

/// A message that has ended. The error is the first broken rule.
pub(super) struct FinishedMessage {
    pub(super) message_name: &'static str,
    pub(super) result: Result<AgentMessage, String>,
    pub(super) span: Span,
}

impl OpenMessage {
    /// Returns the text limit of the next line.
    pub(super) fn line_bytes_max(&self) -> usize {
        match self {
            Self::Tag(_) | Self::Block(_) | Self::Question(_) => BODY_BYTES_MAX,
            Self::None | Self::Marker(_) | Self::Task(_) => LINE_BYTES_MAX,
        }
    }

    /// Returns whether silence must not end the message.
    pub(super) fn prevents_turn_end(&self) -> bool {
        match self {
            Self::Block(_) | Self::Question(_) => true,
            Self::Tag(tag) => tag.fence.is_some(),
            Self::None | Self::Marker(_) | Self::Task(_) => false,
        }
    }

    /// Returns the offset of the first byte of its first line.
    pub(super) fn line_begin(&self) -> Option<u64> {
        let span = match self {
            Self::None => return None,
            Self::Tag(tag) => &tag.span,
            Self::Block(block) => &block.span,
            Self::Marker(marker) => &marker.span,
            Self::Task(task) => &task.span,
            Self::Question(question) => &question.span,
        };
        Some(span.first_line_begin())
    }

    pub(super) fn finish(self) -> Option<FinishedMessage> {
        match self {
            Self::None => None,
            Self::Tag(tag) => Some(tag.finish()),
            Self::Block(block) => Some(block.finish()),
            Self::Marker(open) => {
                let OpenMarker { marker, too_long: is_too_long, span, .. } = *open;
                let result = if is_too_long {
                    Err(too_long_error())
                } else {
                    Ok(AgentMessage::PhaseComplete(marker.finish()))
                };
                Some(FinishedMessage { message_name: "PHASE_COMPLETE", result, span: span.finish() })
            }
            Self::Task(open) => {
                let OpenTask { lines, span } = *open;
                Some(FinishedMessage {
                    message_name: "TASK",
                    result: lines.finish().map(AgentMessage::Task),
                    span: span.finish(),
                })
            }
            Self::Question(open) => {
                let OpenQuestion { question, span, .. } = *open;
                Some(finish_question(question, span))
            }
        }
    }
}

impl OpenTag {
    /// Appends a line of the body; `text` is its part inside the tag's frame.
    pub(super) fn push_line(&mut self, text: &str, line: &Line<'_>) {
        self.body.too_long |= line.too_long;
        self.body.push_line(text);
        self.span.push_line(line);
    }

    /// Appends a line that was held back as a tentative block tag.
    pub(super) fn push_held_back_line(&mut self, text: &str, span: &Span) {
        self.body.push_line(text);
        self.span.push_line_text(&span.raw, span.end);
    }

    pub(super) fn push_blank(&mut self, text: &str) {
        self.body.push_line("");
        self.span.push_blank(text);
    }

    fn finish(self) -> FinishedMessage {
        let Self { name, target, body, span, .. } = self;
        let result = match target {
            _ if body.too_long => Err(too_long_error()),
            TagTarget::Invalid(error) => Err(error),
            TagTarget::None => tag_body::parse_tag_body(name, None, &body.text),
            TagTarget::Agent(agent) => tag_body::parse_tag_body(name, Some(&agent), &body.text),
        };
        FinishedMessage { message_name: name.text(), result, span: span.finish() }
    }
}

impl OpenBlock {
    fn finish(self) -> FinishedMessage {
        let Self { name, body, span, is_closed, .. } = self;
        let result = if !is_closed {
            Err(format!("missing closing tag '[/{}]'", name.text()))
        } else if body.too_long {
            Err(too_long_error())
        } else {
            block::parse_block(name, &body.text)
        };
        FinishedMessage { message_name: name.text(), result, span: span.finish() }
    }
}

/// Ends a question at its last closing bracket.
pub(super) fn finish_question(question: NeedHumanQuestion, span: SpanBuilder) -> FinishedMessage {
    let (result, end) = question.finish();
    let mut span = span.finish();
    if let Some(end) = end {
        span.end = end;
        // Text after the bracket is not part of the question.
        span.raw.truncate(span.raw.rfind(']').map_or(span.raw.len(), |at| at + 1));
    }
    FinishedMessage { message_name: need_human::NAME, result, span }
}

/// The text of a body, up to `BODY_BYTES_MAX`.
#[derive(Debug, Default)]
pub(super) struct BodyText {
    text: String,
    has_line: bool,
    pub(super) too_long: bool,
}

impl BodyText {
    pub(super) fn push_line(&mut self, line: &str) {
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

/// Removes the tag's own closing tag from the end of a body line; returns whether it had one.
pub(super) fn split_closing_tag<'t>(
    text: &'t str,
    name: TagName,
    options: &DecoderOptions,
) -> (&'t str, bool) {
    let end = decoration::trim_end_decoration(text);
    let Some(at) = end.ends_with(']').then(|| end.rfind("[/")).flatten() else { return (text, false) };
    let is_closing = Tag::parse(&end[at..], options).is_some_and(|tag| {
        tag.is_closing
            && tag.name == name
            && tag.after.is_empty()
            && options.check_key(tag.word) != KeyCheck::Wrong
    });
    if is_closing { (text[..at].trim_end(), true) } else { (text, false) }
}
