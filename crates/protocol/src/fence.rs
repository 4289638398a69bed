//! Code fences, as CommonMark has them.

use crate::decoration::{self, Lead};

/// A fence of tildes that is further in is none.
const INDENT_MAX: usize = 3;

/// A line of three or more backticks or tildes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fence {
    sign: char,
    length: usize,
    has_info: bool,
}

impl Fence {
    /// Reads a line that may have decoration around its fence.
    pub(crate) fn on_line(text: &str) -> Option<Self> {
        let lead = Lead::of(text);
        Self::behind(text, &lead)
    }

    /// Reads a line behind what it begins with.
    pub(crate) fn behind(text: &str, lead: &Lead) -> Option<Self> {
        let fence = Self::of(decoration::trim_end(&text[lead.at..]))?;
        // Compilers and interpreters underline with tildes, deep inside their line.
        let is_underline = fence.sign == '~' && lead.indent > INDENT_MAX;
        (!is_underline).then_some(fence)
    }

    /// Reads a line from its first backtick or tilde on.
    fn of(text: &str) -> Option<Self> {
        let sign = text.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
        let info = text.trim_start_matches(sign);
        let length = text.len() - info.len();
        // A backtick behind the opening ones makes inline code of it.
        let is_inline = sign == '`' && info.contains('`');
        // `~~~~^~~` underlines a place.
        let is_underline = sign == '~' && info.contains(['^', '~']);
        (length >= 3 && !is_inline && !is_underline).then_some(Self {
            sign,
            length,
            has_info: !info.trim().is_empty(),
        })
    }

    /// Tells whether this line closes the block that `opening` began.
    pub(crate) fn closes(&self, opening: &Self) -> bool {
        self.sign == opening.sign && self.length >= opening.length && !self.has_info
    }
}
