//! Code fences, as CommonMark has them.

/// A line of three or more backticks or tildes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fence {
    sign: char,
    length: usize,
    has_info: bool,
}

impl Fence {
    /// Reads a line from its first backtick or tilde on.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let sign = text.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
        let info = text.trim_start_matches(sign);
        let length = text.len() - info.len();
        // A backtick behind the opening ones makes inline code of it.
        let is_inline = sign == '`' && info.contains('`');
        (length >= 3 && !is_inline).then_some(Self { sign, length, has_info: !info.trim().is_empty() })
    }

    /// Tells whether this line closes the block that `opening` began.
    pub(crate) fn closes(&self, opening: &Self) -> bool {
        self.sign == opening.sign && self.length >= opening.length && !self.has_info
    }
}
