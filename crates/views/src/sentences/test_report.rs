//! Describes what test tools reported, for users.

use domain::{Locale, TestCounts, TestFailure};

/// Returns a failed test on one line: its name, its place, and the first line of its message.
pub fn failure_title(failure: &TestFailure) -> String {
    let mut title = failure.name.clone();
    if let Some(location) = failure.location() {
        title.push_str(&format!(" ({location})"));
    }
    let message =
        failure.message.as_deref().and_then(|message| message.lines().find(|line| !line.trim().is_empty()));
    if let Some(message) = message {
        title.push_str(&format!(": {}", message.trim()));
    }
    title
}

/// Describes numbers of tests: "12 tests: 10 passed, 2 failed".
pub fn describe_test_counts(locale: Locale, counts: TestCounts) -> String {
    let TestCounts { passed, failed, skipped } = counts;
    let total = passed.saturating_add(failed).saturating_add(skipped);
    let (one, many, passed_text, failed_text, skipped_text) = match locale {
        Locale::En => (" test", " tests", " passed", " failed", " skipped"),
        Locale::Ko => ("개 테스트", "개 테스트", "개 통과", "개 실패", "개 건너뜀"),
    };
    let parts = [(passed, passed_text), (failed, failed_text), (skipped, skipped_text)];
    let parts =
        parts.iter().filter(|(number, _)| *number > 0).map(|(number, text)| format!("{number}{text}"));
    let parts = parts.collect::<Vec<_>>().join(", ");
    let heading = format!("{total}{}", if total == 1 { one } else { many });
    if parts.is_empty() { heading } else { format!("{heading}: {parts}") }
}
