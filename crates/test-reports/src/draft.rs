//! Collects failures within bounds.

use domain::{TestCounts, TestFailure, TestReport, TestTool};

use crate::location::{Location, find_location, relative_path};

/// Failures that a report lists; the others are counted.
pub const FAILURES_MAX: usize = 40;
/// Bytes of all texts of a report. Failures that come later have a name and a place only.
pub const TEXT_BYTES_MAX: usize = 24 * 1024;

const NAME_BYTES_MAX: usize = 300;
const MESSAGE_BYTES_MAX: usize = 1200;
const VALUE_BYTES_MAX: usize = 600;
const TRACE_BYTES_MAX: usize = 1600;

/// A report that is being read.
pub(crate) struct ReportDraft<'a> {
    /// Directory in which the check ran.
    pub(crate) directory: &'a str,
    report: TestReport,
    text_bytes: usize,
}

impl<'a> ReportDraft<'a> {
    pub(crate) fn new(directory: &'a str) -> Self {
        Self { directory, report: TestReport::default(), text_bytes: 0 }
    }

    /// Continues a report.
    pub(crate) fn of_report(report: TestReport) -> Self {
        let text_bytes = report.failures.iter().map(text_bytes).sum();
        Self { directory: "", report, text_bytes }
    }

    /// Adds a number of failures that are not listed.
    pub(crate) fn add_unlisted(&mut self, n_unlisted: u32) {
        self.report.n_unlisted = self.report.n_unlisted.saturating_add(n_unlisted);
    }

    /// Notes that the output has a report of a tool.
    pub(crate) fn recognize(&mut self, tool: TestTool) {
        if !self.report.tools.contains(&tool) {
            self.report.tools.push(tool);
        }
    }

    /// Adds numbers of tests.
    pub(crate) fn count(&mut self, counts: TestCounts) {
        let sum = &mut self.report.counts;
        sum.passed = sum.passed.saturating_add(counts.passed);
        sum.failed = sum.failed.saturating_add(counts.failed);
        sum.skipped = sum.skipped.saturating_add(counts.skipped);
    }

    /// Adds a failure. The place is the one that its texts name, unless the tool names it.
    pub(crate) fn add(&mut self, mut failure: TestFailure) {
        if failure.line.is_none() {
            let texts = [&failure.message, &failure.trace].into_iter().flatten();
            let found = texts.filter_map(|text| find_location(text, self.directory)).find(|found| {
                failure.file.as_deref().is_none_or(|file| relative_path(file, self.directory) == found.file)
            });
            if let Some(Location { file, line }) = found {
                (failure.file, failure.line) = (Some(file), Some(line));
            }
        }
        failure.file = failure.file.map(|file| relative_path(&file, self.directory).to_owned());
        if self.report.failures.len() >= FAILURES_MAX {
            self.report.n_unlisted = self.report.n_unlisted.saturating_add(1);
            return;
        }
        let failure = bound_failure(failure, TEXT_BYTES_MAX.saturating_sub(self.text_bytes));
        self.text_bytes = self.text_bytes.saturating_add(text_bytes(&failure));
        self.report.failures.push(failure);
    }

    /// Returns the report, or `None` if no tool was recognized.
    pub(crate) fn finish(self) -> Option<TestReport> {
        (!self.report.tools.is_empty()).then_some(self.report)
    }
}

/// Shortens the texts of a failure, and drops what does not fit into the bytes that are left.
pub(crate) fn bound_failure(failure: TestFailure, bytes_left: usize) -> TestFailure {
    let TestFailure { name, file, line, message, expected, actual, trace, suggested_fix } = failure;
    let text = |text: Option<String>, max: usize| {
        text.map(|text| shorten(text.trim_end(), max)).filter(|text| !text.trim().is_empty())
    };
    let mut bounded = TestFailure {
        name: shorten(name.trim(), NAME_BYTES_MAX).replace('\n', " "),
        file: text(file, NAME_BYTES_MAX).map(|file| file.replace('\n', " ")),
        line,
        message: text(message, MESSAGE_BYTES_MAX),
        expected: text(expected, VALUE_BYTES_MAX),
        actual: text(actual, VALUE_BYTES_MAX),
        trace: text(trace, TRACE_BYTES_MAX),
        suggested_fix: text(suggested_fix, MESSAGE_BYTES_MAX),
    };
    if bounded.trace == bounded.message || text_bytes(&bounded) > bytes_left {
        bounded.trace = None;
    }
    if text_bytes(&bounded) > bytes_left {
        (bounded.message, bounded.expected, bounded.actual) = (None, None, None);
        bounded.suggested_fix = None;
    }
    bounded
}

/// Returns the bytes of the texts of a failure that can be dropped.
pub(crate) fn text_bytes(failure: &TestFailure) -> usize {
    let TestFailure { message, expected, actual, trace, suggested_fix, .. } = failure;
    let texts = [message, expected, actual, trace, suggested_fix];
    texts.into_iter().flatten().map(String::len).sum()
}

/// Cuts a text at a character, and marks the cut. Control characters other than newlines and tabs become spaces.
pub(crate) fn shorten(text: &str, bytes_max: usize) -> String {
    let is_control = |char: char| char.is_control() && char != '\n' && char != '\t';
    let cut = text.get(..text.floor_char_boundary(bytes_max)).unwrap_or_default();
    let mut shortened = cut.replace(is_control, " ");
    if cut.len() < text.len() {
        shortened.push('…');
    }
    shortened
}
