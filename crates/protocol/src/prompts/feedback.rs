//! Test results of an agent's work.

use domain::{AgentName, Locale, TaskId};
use serde::Serialize;

use super::templates::{PromptTemplate, TemplateValues, render_template};

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestFeedbackPrompt {
    pub task_id: TaskId,
    /// The tester, if it was an agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<AgentName>,
    /// Empty if no test failed.
    pub failures: Vec<TestFailure>,
    /// Failures that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub n_unlisted: u32,
    /// What the tester said in prose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    pub suggestions: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metrics: Option<TestCounts>,
    /// The message that reports the task as done again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestFailure {
    pub name: String,
    /// `path:line`, or the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// A stack trace or log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggested_fix: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestCounts {
    pub total: u32,
    pub passed: u32,
    pub failed: u32,
    pub skipped: u32,
    pub seconds: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's skip_serializing_if passes a reference")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

impl TestFeedbackPrompt {
    pub(super) fn render(&self, locale: Locale) -> String {
        let Self { task_id, from, failures, n_unlisted, text, suggestions, metrics, form } = self;
        let failures: Vec<String> = match failures.as_slice() {
            [] if text.is_some() => Vec::new(),
            [] => vec![render_template(PromptTemplate::FeedbackNothing, locale, &TemplateValues::new())],
            failures => failures.iter().map(|failure| failure.render(locale)).collect(),
        };
        let values = TemplateValues::new()
            .optional("sender", from.as_ref().map(|from| format!(" from {from}")))
            .text("task", task_id)
            .optional("counts", metrics.as_ref().map(|metrics| metrics.render(locale)))
            .text("failures", failures.join("\n\n"))
            .optional("unlisted", Some(n_unlisted).filter(|number| **number > 0))
            .optional("text", text.as_ref())
            .items("suggestions", suggestions)
            .optional("form", form.as_ref());
        render_template(PromptTemplate::Feedback, locale, &values)
    }
}

impl TestFailure {
    fn render(&self, locale: Locale) -> String {
        let Self { name, location, message, expected, actual, trace, suggested_fix } = self;
        let values = TemplateValues::new()
            .text("name", name)
            .optional("location", location.as_ref().map(|location| format!(" ({location})")))
            .optional("message", message.as_ref())
            .optional("expected", expected.as_ref())
            .optional("actual", actual.as_ref())
            .optional("trace", trace.as_ref())
            .optional("fix", suggested_fix.as_ref());
        render_template(PromptTemplate::FeedbackFailure, locale, &values)
    }
}

impl TestCounts {
    fn render(&self, locale: Locale) -> String {
        let Self { total, passed, failed, skipped, seconds } = self;
        let values = TemplateValues::new()
            .text("total", total)
            .text("passed", passed)
            .text("failed", failed)
            .text("skipped", skipped)
            .text("seconds", seconds);
        render_template(PromptTemplate::FeedbackCounts, locale, &values)
    }
}
