//! Code fences as in CommonMark.

use crate::decoration::{self, LinePrefix};

/// The deepest indentation of a fence of tildes.
const INDENT_MAX: usize = 3;

/// A line of three or more backticks or tildes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fence {
    character: char,
    length: usize,
    has_info: bool,
}

impl Fence {
    /// Parses a line that may have decoration around its fence.
    pub(crate) fn parse_line(text: &str) -> Option<Self> {
        let prefix = LinePrefix::parse(text);
        Self::parse_after_prefix(text, &prefix)
    }

    /// Parses a line after its prefix.
    pub(crate) fn parse_after_prefix(text: &str, prefix: &LinePrefix) -> Option<Self> {
        let fence = Self::parse_undecorated(decoration::trim_end_decoration(&text[prefix.end..]))?;
        // Compilers and interpreters underline with tildes, deep inside their line.
        let is_underline = fence.character == '~' && prefix.indent > INDENT_MAX;
        (!is_underline).then_some(fence)
    }

    /// Parses a line from its first backtick or tilde on.
    fn parse_undecorated(text: &str) -> Option<Self> {
        let character = text.chars().next().filter(|character| matches!(character, '`' | '~'))?;
        let info = text.trim_start_matches(character);
        let length = text.len() - info.len();
        // A further backtick makes it inline code.
        let is_inline = character == '`' && info.contains('`');
        // `~~~~^~~` is an underline of a compiler.
        let is_underline = character == '~' && info.contains(['^', '~']);
        (length >= 3 && !is_inline && !is_underline).then_some(Self {
            character,
            length,
            has_info: !info.trim().is_empty(),
        })
    }

    /// Returns whether this line closes the fence that `opening` began.
    pub(crate) fn closes(&self, opening: &Self) -> bool {
        self.character == opening.character && self.length >= opening.length && !self.has_info
    }
}
