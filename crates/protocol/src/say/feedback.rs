//! What the tests say about an agent's work: typed failures, so that it knows what to change.

use domain::{AgentName, Locale, TaskId};
use serde::Serialize;

use super::{by, words::Words};

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
    pub metrics: Option<Metrics>,
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
pub struct Metrics {
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
    pub(super) fn say(&self, locale: Locale, words: &mut Words) {
        let Self { task_id, from, failures, suggestions, metrics } = self;
        let from = from.as_ref().map(|from| format!(" from {from}")).unwrap_or_default();
        words.line(&format!("[{}{from}] {task_id}", by(locale, "FEEDBACK", "테스트 피드백")));
        if let Some(metrics) = metrics {
            words.line(&metrics.sentence(locale));
        }
        for failure in failures {
            words.blank();
            failure.say(locale, words);
        }
        if failures.is_empty() {
            words.line(by(locale, "Nothing failed.", "실패한 테스트가 없습니다."));
        }
        if !suggestions.is_empty() {
            words.blank();
            words.line(by(locale, "Suggestions:", "제안:"));
            suggestions.iter().for_each(|suggestion| words.line(&format!("- {suggestion}")));
        }
    }
}

impl TestFailure {
    fn say(&self, locale: Locale, words: &mut Words) {
        let Self { name, expected, actual, trace, suggested_fix } = self;
        words.line(&format!("{} {name}", by(locale, "failed:", "실패:")));
        let fields = [
            (by(locale, "expected", "예상"), expected),
            (by(locale, "actual", "실제"), actual),
            (by(locale, "trace", "추적"), trace),
            (by(locale, "suggested fix", "수정 제안"), suggested_fix),
        ];
        for (label, value) in fields {
            if let Some(value) = value {
                words.field(label, value);
            }
        }
    }
}

impl Metrics {
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
