//! Parses how a line begins: a tag, a phase marker, a keyword line, a fence, a near miss, or text.
//!
//! Considers one line alone; `assemble` decides whether it counts in its context.

use domain::AgentMessage;

use crate::{
    decoration::{self, LinePrefix},
    fence::Fence,
    keyword_line::{self, KeywordLine},
    line_start::LineStart,
    near_miss,
    options::{DecoderOptions, KeyCheck},
    tag::{self, Tag, TagName},
};

/// The kind of a line, and the decoration before it.
#[derive(Debug)]
pub(crate) struct LineHead<'t> {
    pub(crate) prefix: LinePrefix,
    pub(crate) kind: LineKind<'t>,
}

#[derive(Debug)]
pub(crate) enum LineKind<'t> {
    Text,
    Blank,
    /// A tag of dialect A, and the text after it.
    OpenTag {
        name: TagName,
        target: TagTarget,
        rest: &'t str,
        key_check: KeyCheck,
    },
    /// A tag of dialect B, alone on its line.
    BlockTag {
        name: TagName,
        key_check: KeyCheck,
    },
    /// A closing tag, alone on its line.
    ClosingTag {
        name: TagName,
        key_check: KeyCheck,
    },
    /// `=== PHASE N COMPLETE ===`
    PhaseMarker {
        phase: domain::PhaseNumber,
        key_check: KeyCheck,
    },
    /// A keyword line that is a whole message.
    Message {
        result: Result<AgentMessage, MessageError>,
        key_check: KeyCheck,
    },
    /// The first line of a TASK.
    TaskStart {
        request: domain::StartTaskMessage,
        key_check: KeyCheck,
    },
    /// A code fence: opens one, or closes the open one.
    Fence(Fence),
    /// A line that resembles a message; the value is the message's name.
    NearMiss(&'static str),
}

/// The agent to which a tag is addressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TagTarget {
    None,
    Agent(domain::AgentName),
    /// The tag requires a name and has none, or an invalid one.
    Invalid(String),
}

/// The first rule that a message breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MessageError {
    pub(crate) message_name: &'static str,
    pub(crate) error: String,
}

impl<'t> LineHead<'t> {
    pub(crate) fn parse(text: &'t str, options: &DecoderOptions) -> Self {
        let prefix = LinePrefix::parse(text);
        let kind = line_kind(text, &prefix, options);
        Self { prefix, kind }
    }
}

fn line_kind<'t>(text: &'t str, prefix: &LinePrefix, options: &DecoderOptions) -> LineKind<'t> {
    let rest = &text[prefix.end..];
    match LineStart::classify(rest.as_bytes()) {
        LineStart::Empty if text.trim().is_empty() => LineKind::Blank,
        LineStart::Empty | LineStart::Text => LineKind::Text,
        LineStart::Fence => Fence::parse_after_prefix(text, prefix).map_or(LineKind::Text, LineKind::Fence),
        // An added or removed line of a diff is a quotation.
        LineStart::Tag | LineStart::Marker | LineStart::Keyword if prefix.is_diff => LineKind::Text,
        LineStart::Tag => bracket_line_kind(prefix.strip_right_border(rest), prefix, options),
        LineStart::Marker => marker_line_kind(decoration::trim_end_decoration(rest), options),
        LineStart::Keyword => {
            keyword_line_kind(decoration::trim_end_decoration(prefix.strip_right_border(rest)), options)
        }
    }
}

fn bracket_line_kind<'t>(rest: &'t str, prefix: &LinePrefix, options: &DecoderOptions) -> LineKind<'t> {
    let Some(Tag { name, is_closing, target, word, after }) = Tag::parse(rest, options) else {
        return near_miss::bracket_near_miss(rest).map_or(LineKind::Text, LineKind::NearMiss);
    };
    let key_check = options.check_key(word);
    let after = if prefix.is_bold { after.strip_prefix("**").unwrap_or(after) } else { after };
    let is_alone = decoration::trim_end_decoration(after).is_empty();
    match (is_closing, name.is_block()) {
        (true, _) if is_alone => LineKind::ClosingTag { name, key_check },
        (true, _) => LineKind::Text,
        (false, true) if is_alone => LineKind::BlockTag { name, key_check },
        (false, true) => near_miss::block_tag_near_miss(name).map_or(LineKind::Text, LineKind::NearMiss),
        (false, false) => {
            let rest = if is_alone { "" } else { after.trim() };
            // The closing `**` of a line that is all bold.
            let inner = rest.strip_suffix("**").filter(|inner| prefix.is_bold && !inner.contains("**"));
            let rest = inner.map_or(rest, str::trim_end);
            LineKind::OpenTag { name, target, rest, key_check }
        }
    }
}

fn marker_line_kind<'t>(rest: &str, options: &DecoderOptions) -> LineKind<'t> {
    match tag::parse_phase_marker(rest) {
        Some((phase, word)) => LineKind::PhaseMarker { phase, key_check: options.check_key(word) },
        None => near_miss::marker_near_miss(rest).map_or(LineKind::Text, LineKind::NearMiss),
    }
}

fn keyword_line_kind<'t>(rest: &str, options: &DecoderOptions) -> LineKind<'t> {
    match keyword_line::parse_keyword_line(rest, options) {
        Some((KeywordLine::Message(result), key_check)) => LineKind::Message { result, key_check },
        Some((KeywordLine::TaskStart(request), key_check)) => LineKind::TaskStart { request, key_check },
        None => near_miss::keyword_near_miss(rest).map_or(LineKind::Text, LineKind::NearMiss),
    }
}
