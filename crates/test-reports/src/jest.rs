//! The JSON of vitest and jest, on standard output or in a file.

use domain::{TestCounts, TestFailure, TestTool};
use serde_json::Value;

use crate::{draft::ReportDraft, location::relative_path};

/// Reads the documents in an output; each is one line.
pub(crate) fn read(lines: &[&str], draft: &mut ReportDraft<'_>) {
    for line in lines {
        if line.starts_with('{') && line.contains("\"testResults\"") && line.contains("\"numTotalTests\"") {
            read_document(line, draft);
        }
    }
}

/// Reads a document, and returns whether it is one.
pub(crate) fn read_document(text: &str, draft: &mut ReportDraft<'_>) -> bool {
    if !text.trim_start().starts_with('{') {
        return false;
    }
    let Ok(document) = serde_json::from_str::<Value>(text) else { return false };
    let (Some(suites), Some(_)) =
        (document.get("testResults").and_then(Value::as_array), document.get("numTotalTests"))
    else {
        return false;
    };
    draft.recognize(TestTool::Jest);
    let number = |key: &str| document.get(key).and_then(Value::as_u64).unwrap_or(0);
    draft.count(TestCounts {
        passed: number("numPassedTests"),
        failed: number("numFailedTests"),
        skipped: number("numPendingTests").saturating_add(number("numTodoTests")),
    });
    suites.iter().for_each(|suite| read_suite(suite, draft));
    true
}

fn read_suite(suite: &Value, draft: &mut ReportDraft<'_>) {
    let text =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let file = relative_path(&text(suite, "name"), draft.directory).to_owned();
    let tests =
        suite.get("assertionResults").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut is_explained = false;
    for test in tests.iter().filter(|test| text(test, "status") == "failed") {
        is_explained = true;
        let messages =
            test.get("failureMessages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let full = messages.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n\n");
        let value =
            |key: &str| test.get("failureDetails")?.get(0)?.get("matcherResult")?.get(key).map(json_text);
        draft.add(TestFailure {
            name: text(test, "fullName"),
            file: Some(file.clone()),
            message: Some(without_stack(&full)),
            expected: value("expected"),
            actual: value("actual"),
            // The place is in the stack.
            trace: Some(own_frames(&full)),
            ..TestFailure::default()
        });
    }
    // A file that cannot be loaded has no tests.
    if !is_explained && text(suite, "status") == "failed" {
        let message = text(suite, "message");
        draft.add(TestFailure {
            name: file.clone(),
            file: Some(file),
            message: Some(message),
            ..TestFailure::default()
        });
    }
}

fn json_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn is_frame(line: &str) -> bool {
    line.starts_with("    at ")
}

fn without_stack(message: &str) -> String {
    message.lines().filter(|line| !is_frame(line)).collect::<Vec<_>>().join("\n")
}

/// Returns the frames of the stack that are not those of the test tool.
fn own_frames(message: &str) -> String {
    let is_own = |line: &&str| is_frame(line) && !line.contains("node_modules/") && line.contains(':');
    message.lines().filter(is_own).map(str::trim).collect::<Vec<_>>().join("\n")
}
