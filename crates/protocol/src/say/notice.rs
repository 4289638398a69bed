//! What is said to an agent and has no form of its own: a heading, and words below it.

use serde::Serialize;

use super::words::Words;

/// Words under a heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// What it is, in capitals: `CONFLICT`, `REWORK`.
    pub notice: &'static str,
    /// The same in the run's language, and what it is about.
    pub heading: String,
    /// The words.
    pub text: String,
}

impl Notice {
    pub(super) fn say(&self, words: &mut Words) {
        let Self { notice: _, heading, text } = self;
        words.line(&format!("[{heading}]"));
        if !text.trim().is_empty() {
            words.lines(text);
        }
    }
}
