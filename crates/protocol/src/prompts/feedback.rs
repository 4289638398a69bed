//! Test results of an agent's work.

use domain::{AgentName, EarlierFailure, Locale, TaskId};
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
    /// What failed before, the oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<String>,
    /// Names of tests that failed before and still fail.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub still_failing: Vec<String>,
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
        let Self { task_id, from, failures, n_unlisted, text, suggestions, metrics, form, .. } = self;
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
            .optional("earlier", render_earlier_failures(&self.earlier, &self.still_failing, locale))
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

/// Renders what failed before: for the prompt of another attempt, and beside feedback.
pub fn render_earlier_failures(
    earlier: &[String],
    still_failing: &[String],
    locale: Locale,
) -> Option<String> {
    let values = TemplateValues::new().items("earlier", earlier).items("still", still_failing);
    (!earlier.is_empty()).then(|| render_template(PromptTemplate::Earlier, locale, &values))
}

/// Describes a failure that came before, in a line.
pub fn describe_earlier_failure(failure: &EarlierFailure, locale: Locale) -> String {
    let EarlierFailure { attempt, round, failed, n_failed, reason, tried } = failure;
    let mut names = failed.join(", ");
    let listed = u32::try_from(failed.len()).unwrap_or(u32::MAX);
    if *n_failed > listed {
        names.push_str(&format!(" (+{})", n_failed - listed));
    }
    let of_round = round.map(|_| if names.is_empty() { reason.clone().unwrap_or_default() } else { names });
    let of_attempt = round.is_none();
    let values = TemplateValues::new()
        .optional("attempt", of_round.as_ref().map(|_| attempt))
        .optional("round", *round)
        .optional("failed", of_round)
        .optional("number", of_attempt.then_some(attempt))
        .optional("reason", reason.as_ref().filter(|_| of_attempt))
        .optional("tried", tried.as_ref());
    let text = render_template(PromptTemplate::EarlierFailure, locale, &values);
    text.lines().collect::<Vec<_>>().join("; ")
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
