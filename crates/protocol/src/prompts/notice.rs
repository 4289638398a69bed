//! Prompts without a type of their own: a heading and free text.

use domain::Locale;
use serde::Serialize;

use super::templates::{PromptTemplate, TemplateValues, render_template};

/// Text under a heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// The kind in capitals, the same in every language: `CONFLICT`, `REWORK`.
    #[serde(rename = "notice")]
    kind: &'static str,
    /// The kind in the run's language, and its subject.
    heading: String,
    #[serde(rename = "text")]
    body: String,
}

impl Notice {
    /// Renders a template whose first line is the heading, in brackets.
    pub fn new(
        kind: &'static str,
        template: PromptTemplate,
        locale: Locale,
        values: &TemplateValues,
    ) -> Self {
        let text = render_template(template, locale, values);
        let (heading, body) = text.split_once('\n').unwrap_or((&text, ""));
        let heading = heading.strip_prefix('[').unwrap_or(heading);
        let heading = heading.strip_suffix(']').unwrap_or(heading).to_owned();
        Self { kind, heading, body: body.to_owned() }
    }

    pub(super) fn render(&self) -> String {
        let Self { kind: _, heading, body } = self;
        let separator = if body.is_empty() { "" } else { "\n" };
        format!("[{heading}]{separator}{body}")
    }
}
