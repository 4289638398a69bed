//! What a tester agent says about the work that it tested.

use domain::{TestFailure, TestFeedback};
use serde_json::Value;

use crate::draft::{FAILURES_MAX, TEXT_BYTES_MAX, bound_failure, shorten, text_bytes};

/// Suggestions that are kept of a tester.
const SUGGESTIONS_MAX: usize = 20;
const SUGGESTION_BYTES_MAX: usize = 600;
/// Bytes that are kept of what a tester says in prose.
const PROSE_BYTES_MAX: usize = 8 * 1024;
/// Keys of which a tester's JSON has at least one.
const KEYS: [&str; 4] = ["success", "failures", "suggestions", "metrics"];

/// Reads a tester's feedback: JSON, perhaps in a fence or between sentences. Other text stays text.
///
/// ```
/// let feedback = test_reports::parse_feedback("The login page has no title.");
/// assert_eq!(feedback.text.as_deref(), Some("The login page has no title."));
/// assert!(feedback.failures.is_empty() && !feedback.success);
/// ```
pub fn parse_feedback(content: &str) -> TestFeedback {
    let content = content.trim();
    let inner = content.find('{').zip(content.rfind('}')).and_then(|(from, to)| content.get(from..=to));
    let parsed = [Some(content), inner].into_iter().flatten().find_map(parse_json);
    bound_feedback(
        parsed.unwrap_or_else(|| TestFeedback { text: Some(content.to_owned()), ..TestFeedback::default() }),
    )
}

fn parse_json(text: &str) -> Option<TestFeedback> {
    let mut value: Value = serde_json::from_str(text).ok()?;
    let object = value.as_object_mut()?;
    if !KEYS.iter().any(|key| object.contains_key(*key)) {
        return None;
    }
    // A failure may be its name alone.
    if let Some(failures) = object.get_mut("failures").and_then(Value::as_array_mut) {
        for failure in failures {
            if let Value::String(name) = failure {
                *failure = serde_json::json!({ "name": name });
            }
        }
    }
    serde_json::from_value(value).ok()
}

/// Limits what is kept of a tester's feedback.
pub fn bound_feedback(feedback: TestFeedback) -> TestFeedback {
    let TestFeedback { success, failures, n_unlisted, suggestions, metrics, text } = feedback;
    let n_failures = failures.len();
    let mut bytes_left = TEXT_BYTES_MAX;
    let bounded = failures.into_iter().take(FAILURES_MAX).map(|failure| {
        let failure: TestFailure = bound_failure(failure, bytes_left);
        bytes_left = bytes_left.saturating_sub(text_bytes(&failure));
        failure
    });
    let failures: Vec<TestFailure> = bounded.collect();
    let n_dropped = u32::try_from(n_failures - failures.len()).unwrap_or(u32::MAX);
    let suggestions = suggestions.into_iter().take(SUGGESTIONS_MAX);
    TestFeedback {
        success,
        failures,
        n_unlisted: n_unlisted.saturating_add(n_dropped),
        suggestions: suggestions.map(|text| shorten(&text, SUGGESTION_BYTES_MAX)).collect(),
        metrics,
        text: text.map(|text| shorten(&text, PROSE_BYTES_MAX)).filter(|text| !text.trim().is_empty()),
    }
}
