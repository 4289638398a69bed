//! Prompts without a type of their own: a heading and free text.

use serde::Serialize;

use super::prompt_text::PromptText;

/// Text under a heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// The kind in capitals, the same in every language: `CONFLICT`, `REWORK`.
    #[serde(rename = "notice")]
    pub kind: &'static str,
    /// The kind in the run's language, and its subject.
    pub heading: String,
    #[serde(rename = "text")]
    pub body: String,
}

impl Notice {
    pub(super) fn write(&self, text: &mut PromptText) {
        let Self { kind: _, heading, body } = self;
        text.push_line(&format!("[{heading}]"));
        if !body.trim().is_empty() {
            text.push_lines(body);
        }
    }
}
