//! What the tests say about an agent's work: typed failures, so that it knows what to change.

use domain::{AgentName, Locale, TaskId};
use serde::Serialize;

use super::{localized, prompt_text::PromptText};

/// What the tests say about the agent's work.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Feedback {
    /// The task that was tested.
    pub task_id: TaskId,
    /// Who tested, where it was an agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<AgentName>,
    /// What failed; empty where nothing did.
    pub failures: Vec<TestFailure>,
    /// What the tester would change.
    pub suggestions: Vec<String>,
    /// How many there were, where it was counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metrics: Option<TestCounts>,
}

/// One test that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestFailure {
    /// The test's name.
    pub name: String,
    /// What should have been.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// The stack trace or log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// What the tester would do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggested_fix: Option<String>,
}

/// How many tests there were, and how long they took.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestCounts {
    /// All tests.
    pub total: u32,
    /// Those that passed.
    pub passed: u32,
    /// Those that failed.
    pub failed: u32,
    /// Those that were not run.
    pub skipped: u32,
    /// The time they took.
    pub seconds: f64,
}

impl Feedback {
    pub(super) fn write(&self, locale: Locale, text: &mut PromptText) {
        let Self { task_id, from, failures, suggestions, metrics } = self;
        let from = from.as_ref().map(|from| format!(" from {from}")).unwrap_or_default();
        text.push_line(&format!("[{}{from}] {task_id}", localized(locale, "FEEDBACK", "테스트 피드백")));
        if let Some(metrics) = metrics {
            text.push_line(&metrics.sentence(locale));
        }
        for failure in failures {
            text.push_blank();
            failure.write(locale, text);
        }
        if failures.is_empty() {
            text.push_line(localized(locale, "Nothing failed.", "실패한 테스트가 없습니다."));
        }
        if !suggestions.is_empty() {
            text.push_blank();
            text.push_line(localized(locale, "Suggestions:", "제안:"));
            suggestions.iter().for_each(|suggestion| text.push_line(&format!("- {suggestion}")));
        }
    }
}

impl TestFailure {
    fn write(&self, locale: Locale, text: &mut PromptText) {
        let Self { name, expected, actual, trace, suggested_fix } = self;
        text.push_line(&format!("{} {name}", localized(locale, "failed:", "실패:")));
        let fields = [
            (localized(locale, "expected", "예상"), expected),
            (localized(locale, "actual", "실제"), actual),
            (localized(locale, "trace", "추적"), trace),
            (localized(locale, "suggested fix", "수정 제안"), suggested_fix),
        ];
        for (label, value) in fields {
            if let Some(value) = value {
                text.push_field(label, value);
            }
        }
    }
}

impl TestCounts {
    fn sentence(&self, locale: Locale) -> String {
        let Self { total, passed, failed, skipped, seconds } = self;
        match locale {
            Locale::En => {
                format!("{total} tests: {passed} passed, {failed} failed, {skipped} skipped, {seconds} s")
            }
            Locale::Ko => {
                format!("테스트 {total}개: 통과 {passed}, 실패 {failed}, 건너뜀 {skipped}, {seconds}초")
            }
        }
    }
}
