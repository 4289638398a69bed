//! Code fences, as CommonMark has them.

use crate::decoration::{self, LinePrefix};

/// A fence of tildes that is further in is none.
const INDENT_MAX: usize = 3;

/// A line of three or more backticks or tildes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fence {
    character: char,
    length: usize,
    has_info: bool,
}

impl Fence {
    /// Reads a line that may have decoration around its fence.
    pub(crate) fn on_line(text: &str) -> Option<Self> {
        let prefix = LinePrefix::parse(text);
        Self::after_prefix(text, &prefix)
    }

    /// Reads a line after what it begins with.
    pub(crate) fn after_prefix(text: &str, prefix: &LinePrefix) -> Option<Self> {
        let fence = Self::of(decoration::trim_end(&text[prefix.end..]))?;
        // Compilers and interpreters underline with tildes, deep inside their line.
        let is_underline = fence.character == '~' && prefix.indent > INDENT_MAX;
        (!is_underline).then_some(fence)
    }

    /// Reads a line from its first backtick or tilde on.
    fn of(text: &str) -> Option<Self> {
        let character = text.chars().next().filter(|character| matches!(character, '`' | '~'))?;
        let info = text.trim_start_matches(character);
        let length = text.len() - info.len();
        // A backtick after the opening ones makes inline code of it.
        let is_inline = character == '`' && info.contains('`');
        // `~~~~^~~` underlines a place.
        let is_underline = character == '~' && info.contains(['^', '~']);
        (length >= 3 && !is_inline && !is_underline).then_some(Self {
            character,
            length,
            has_info: !info.trim().is_empty(),
        })
    }

    /// Tells whether this line closes the block that `opening` began.
    pub(crate) fn closes(&self, opening: &Self) -> bool {
        self.character == opening.character && self.length >= opening.length && !self.has_info
    }
}
