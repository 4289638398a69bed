//! The output of `go test -json`.

use std::collections::BTreeMap;

use domain::{TestCounts, TestFailure, TestTool};
use serde::Deserialize;

use crate::{draft::ReportDraft, location::parse_location, text_lines::dedented};

/// Lines that are kept of a test.
const LINES_MAX: usize = 200;
/// Tests whose output is kept at a time.
const TESTS_MAX: usize = 4096;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct TestEvent {
    action: String,
    #[serde(default)]
    package: Option<String>,
    #[serde(default)]
    import_path: Option<String>,
    #[serde(default)]
    test: Option<String>,
    #[serde(default)]
    output: Option<String>,
}

/// Reads the events of a run.
pub(crate) fn read(lines: &[&str], draft: &mut ReportDraft<'_>) {
    let mut printed: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    let mut failed: Vec<(String, String)> = Vec::new();
    let mut built: Vec<String> = Vec::new();
    let mut is_recognized = false;
    for line in lines {
        let event = Some(*line).filter(|line| line.starts_with('{') && line.contains("\"Action\""));
        let Some(event) = event.and_then(|line| serde_json::from_str::<TestEvent>(line).ok()) else {
            if is_build_line(line) && built.len() < LINES_MAX {
                built.push((*line).to_owned());
            }
            continue;
        };
        let Some(package) = event.package.or(event.import_path) else { continue };
        is_recognized = true;
        let test = event.test.unwrap_or_default();
        let is_test = !test.is_empty();
        match event.action.as_str() {
            "output" => {
                let is_known = printed.len() < TESTS_MAX;
                let text = event.output.unwrap_or_default();
                if is_known && !is_frame(&text) {
                    let kept = printed.entry((package, test)).or_default();
                    if kept.len() < LINES_MAX {
                        kept.push(text.trim_end_matches('\n').to_owned());
                    }
                }
            }
            "build-output" if built.len() < LINES_MAX => {
                built.push(event.output.unwrap_or_default().trim_end_matches('\n').to_owned());
            }
            "pass" if is_test => {
                draft.count(TestCounts { passed: 1, ..TestCounts::default() });
                printed.remove(&(package, test));
            }
            "skip" if is_test => {
                draft.count(TestCounts { skipped: 1, ..TestCounts::default() });
                printed.remove(&(package, test));
            }
            "fail" => {
                if is_test {
                    draft.count(TestCounts { failed: 1, ..TestCounts::default() });
                }
                failed.push((package, test));
            }
            _ => {}
        }
    }
    if !is_recognized {
        return;
    }
    draft.recognize(TestTool::GoTest);
    add_build_errors(&built, draft);
    add_failed_tests(&failed, &printed, draft);
}

fn add_failed_tests(
    failed: &[(String, String)],
    printed: &BTreeMap<(String, String), Vec<String>>,
    draft: &mut ReportDraft<'_>,
) {
    let mut explained = std::collections::BTreeSet::new();
    for (package, test) in failed {
        let text = printed.get(&(package.clone(), test.clone())).map(Vec::as_slice).unwrap_or_default();
        let text = dedented(&text.iter().map(String::as_str).collect::<Vec<_>>());
        let name = if test.is_empty() { package.clone() } else { format!("{package}.{test}") };
        // A test fails with each of its subtests, and a package with each of its tests; subtests end first.
        let is_explained = explained.contains(&name) && (test.is_empty() || text.is_empty());
        let parents = name.match_indices('/').filter_map(|(at, _)| name.get(..at)).map(str::to_owned);
        explained.extend(parents.collect::<Vec<_>>());
        explained.insert(package.clone());
        if is_explained {
            continue;
        }
        let message = message_of(&text);
        let trace = Some(text.clone()).filter(|text| message.as_ref() != Some(text));
        // What a test logs comes before its last message.
        let own = |line: &str| parse_location(line.split_whitespace().next()?, draft.directory);
        let place = text.lines().rev().filter(|_| trace.is_none()).find_map(own);
        let (file, line) = place.map(|place| (place.file, place.line)).unzip();
        draft.add(TestFailure { name, file, line, message, trace, ..TestFailure::default() });
    }
}

/// Returns the first line of a panic, or the whole text of a test that did not panic.
fn message_of(text: &str) -> Option<String> {
    let panic: Vec<&str> =
        text.lines().filter(|line| line.trim_start().starts_with("panic: ")).take(1).collect();
    let message = if panic.is_empty() { text.to_owned() } else { panic.join("\n") };
    Some(message).filter(|message| !message.is_empty())
}

/// Returns whether a line tells the state of a test, which other events have.
fn is_frame(line: &str) -> bool {
    let line = line.trim_start();
    let frames = [
        "=== RUN",
        "=== PAUSE",
        "=== CONT",
        "=== NAME",
        "--- FAIL: ",
        "--- PASS: ",
        "--- SKIP: ",
        "FAIL\t",
        "ok  \t",
    ];
    frames.iter().any(|frame| line.starts_with(frame)) || matches!(line.trim_end(), "FAIL" | "PASS")
}

/// Returns whether a line is `file.go:5:33: undefined: nothing`, or the package before such lines.
fn is_build_line(line: &str) -> bool {
    line.starts_with("# ") || build_error(line).is_some()
}

fn build_error(line: &str) -> Option<(&str, u32, &str)> {
    let (place, message) = line.split_once(": ")?;
    let mut parts = place.trim_start_matches("./").split(':');
    let (file, number) = (parts.next()?, parts.next()?);
    (file.ends_with(".go") && !file.contains(' ')).then_some((file, number.parse().ok()?, message))
}

fn add_build_errors(built: &[String], draft: &mut ReportDraft<'_>) {
    for (file, line, message) in built.iter().filter_map(|line| build_error(line)) {
        draft.add(TestFailure {
            name: message.to_owned(),
            file: Some(file.to_owned()),
            line: Some(line),
            ..TestFailure::default()
        });
    }
}
