//! The text of cargo nextest.

use std::collections::BTreeSet;

use domain::{TestCounts, TestFailure, TestTool};

use crate::{draft::ReportDraft, panic_text::failure_from_output};

/// A line such as `FAIL [   0.009s] (2/7) till tests::adds`.
struct StatusLine<'a> {
    is_failure: bool,
    /// The status, if it is not that a test failed: `SIGABRT`, `TIMEOUT`.
    reason: Option<&'a str>,
    /// Binary and test, as nextest prints them.
    test: &'a str,
}

/// Reads the results of a run, and returns whether the output is one.
pub(crate) fn read(lines: &[&str], draft: &mut ReportDraft<'_>) -> bool {
    let summary = lines.iter().rposition(|line| summary_counts(line).is_some());
    if summary.is_none() && !lines.iter().any(|line| line.trim_start().starts_with("Nextest run ID ")) {
        return false;
    }
    draft.recognize(TestTool::Nextest);
    if let Some(counts) = summary.and_then(|index| summary_counts(lines.get(index)?)) {
        draft.count(counts);
    }
    let end = summary.unwrap_or(lines.len());
    let passed_later = passed_tests(lines.get(..end).unwrap_or_default());
    let mut described = BTreeSet::new();
    let mut index = 0;
    while let Some(line) = lines.get(index).filter(|_| index < end) {
        index += 1;
        let Some(status) = StatusLine::parse(line).filter(|status| status.is_failure) else { continue };
        let start = index;
        while index < end && lines.get(index).is_some_and(|line| StatusLine::parse(line).is_none()) {
            index += 1;
        }
        // A test that is repeated until it passes has not failed.
        if !passed_later.contains(status.test) && described.insert(status.test) {
            draft.add(describe(&status, lines.get(start..index).unwrap_or_default()));
        }
    }
    // Output of failed tests may be off; the list at the end has their names.
    for status in lines.iter().skip(end).filter_map(|line| StatusLine::parse(line)) {
        if status.is_failure && described.insert(status.test) {
            draft.add(describe(&status, &[]));
        }
    }
    true
}

fn passed_tests<'a>(lines: &[&'a str]) -> BTreeSet<&'a str> {
    let statuses = lines.iter().filter_map(|line| StatusLine::parse(line));
    statuses.filter(|status| !status.is_failure).map(|status| status.test).collect()
}

fn describe(status: &StatusLine<'_>, printed: &[&str]) -> TestFailure {
    // The harness prints the result of the only test of a process; what the test says is on its standard error, or
    // between the beginning and the result.
    let is_noise = |line: &&&str| {
        let line = line.trim();
        line.is_empty()
            || line == "failures:"
            || line == status.test.rsplit(' ').next().unwrap_or_default()
            || line.starts_with("stdout ─")
            || line.starts_with("stderr ─")
            || line.starts_with("running 1 test")
            || line.starts_with("test result: ")
            || line.starts_with("────")
            || (line.starts_with("---- ") && line.ends_with(" stdout ----"))
            || (line.starts_with("test ") && line.ends_with(" ... FAILED"))
            || line.starts_with("Cancelling due to ")
    };
    let printed: Vec<&str> = printed.iter().filter(|line| !is_noise(line)).copied().collect();
    let mut failure = failure_from_output(status.test, &printed);
    if let (Some(reason), None) = (status.reason, &failure.message) {
        failure.message = Some(reason.to_owned());
    }
    failure
}

impl<'a> StatusLine<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let (status, rest) = line.trim_start().split_once(" [")?;
        let (time, test) = rest.split_once("] ")?;
        if !time.trim_start_matches([' ', '>']).ends_with('s') || !time.contains('.') {
            return None;
        }
        // `TRY 2 FAIL` is the second try of a test that is repeated.
        let status = status
            .strip_prefix("TRY ")
            .and_then(|rest| rest.split_once(' '))
            .map_or(status, |(_, status)| status);
        let (is_failure, reason) = match status {
            "PASS" | "FLAKY" | "LEAK" => (false, None),
            "FAIL" | "FLKY-FL" => (true, None),
            "TIMEOUT" | "ABORT" | "XFAIL" | "LEAK-FAIL" | "LKFAIL" => (true, Some(status)),
            other if other.starts_with("SIG") => (true, Some(other)),
            _ => return None,
        };
        // `(2/7)` is missing in earlier versions.
        let test = test.trim();
        let test =
            test.strip_prefix('(').and_then(|rest| rest.split_once(") ")).map_or(test, |(_, test)| test);
        Some(Self { is_failure, reason, test: test.trim() })
    }
}

/// Parses `Summary [   0.499s] 7 tests run: 1 passed, 6 failed, 1 skipped`.
fn summary_counts(line: &str) -> Option<TestCounts> {
    let rest = line.trim_start().strip_prefix("Summary [")?;
    let (_, numbers) = rest.split_once(" run: ")?;
    let mut counts = TestCounts::default();
    for part in numbers.split(", ") {
        let mut words = part.split_whitespace();
        let (Some(number), Some(kind)) =
            (words.next().and_then(|word| word.parse::<u64>().ok()), words.next())
        else {
            continue;
        };
        match kind {
            "passed" => counts.passed = number,
            "skipped" => counts.skipped = number,
            // Failed, timed out, could not be executed.
            _ => counts.failed = counts.failed.saturating_add(number),
        }
    }
    Some(counts)
}
