//! Classifies how a line begins: the first step of the grammar, before a line is rendered or parsed.
//!
//! `line_head` parses only lines that pass this step, and all names come from the parsers' tables, so a line
//! classified as text cannot be a message. Works on bytes, rendered or not.

use crate::{escape::ESC, keyword_line::LineKeyword, need_human, tag::TagName};

/// The classification of a line's first characters after white space and decoration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineStart {
    /// Only white space and decoration.
    Empty,
    Text,
    /// Three backticks or tildes.
    Fence,
    /// A bracket with the name of a tag, or something close to it.
    Tag,
    Marker,
    /// The keyword of a keyword line, in upper or lower case.
    Keyword,
}

impl LineStart {
    /// Classifies a line, given from its first character after white space and decoration.
    ///
    /// An escape sequence inside a name counts as the rest of the name: only the rendered line can tell.
    pub(crate) fn classify(line: &[u8]) -> Self {
        match line {
            [] => Self::Empty,
            [b'[', inner @ ..] if may_be_tag(inner) => Self::Tag,
            [b'A'..=b'Z' | b'a'..=b'z', ..] if may_be_keyword(line) => Self::Keyword,
            [b'=', ..] if may_begin_with(line, "==") => Self::Marker,
            [b'`', ..] if may_begin_with(line, "```") => Self::Fence,
            [b'~', ..] if may_begin_with(line, "~~~") => Self::Fence,
            _ => Self::Text,
        }
    }

    /// Classifies a line of which only the beginning is known; `None` if the rest could change the result.
    pub(crate) fn classify_beginning(text: &[u8]) -> Option<Self> {
        let beginning = text.get(..keywords().map(str::len).max()?)?;
        let is_open = beginning.starts_with(b"[") || beginning.contains(&ESC);
        (!is_open).then(|| Self::classify(beginning))
    }
}

/// Returns whether the name of a tag may follow a bracket, or the slash of a closing tag.
fn may_be_tag(inner: &[u8]) -> bool {
    let name =
        inner.iter().position(|byte| !matches!(byte, b'\t'..=b'\r' | b' ' | b'/')).unwrap_or(inner.len());
    let inner = &inner[name..];
    // A first byte outside ASCII may be white space before the name.
    let is_unclear = inner.first().is_some_and(|byte| !byte.is_ascii());
    is_unclear || TagName::bracket_names().any(|name| may_begin_with(inner, name))
}

fn may_be_keyword(line: &[u8]) -> bool {
    keywords().any(|keyword| may_begin_with(line, keyword))
}

/// Returns the words that begin a keyword line or a near miss of one.
fn keywords() -> impl Iterator<Item = &'static str> {
    LineKeyword::ALL.into_iter().map(LineKeyword::text).chain([need_human::NAME])
}

/// Compares without case, and accepts `-` and a space for `_`, as near misses do.
fn may_begin_with(line: &[u8], name: &str) -> bool {
    for (index, expected) in name.bytes().enumerate() {
        match line.get(index) {
            Some(&ESC) => return true,
            Some(b'-' | b' ') if expected == b'_' => {}
            Some(byte) if byte.eq_ignore_ascii_case(&expected) => {}
            Some(_) | None => return false,
        }
    }
    true
}
