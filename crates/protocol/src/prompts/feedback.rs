//! Test results of an agent's work.

use domain::{AgentName, Locale, TaskId};
use serde::Serialize;

use super::{localized, prompt_text::PromptText};

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestFeedbackPrompt {
    pub task_id: TaskId,
    /// The tester, if it was an agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<AgentName>,
    /// Empty if no test failed.
    pub failures: Vec<TestFailure>,
    pub suggestions: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metrics: Option<TestCounts>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestFailure {
    pub name: String,
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

impl TestFeedbackPrompt {
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
            text.push_line(localized(locale, "No test failed.", "실패한 테스트가 없습니다."));
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
