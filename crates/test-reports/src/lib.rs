//! Reads what test tools print, and the report files that they write, into typed failures.
//!
//! Everything here is what the tool says about itself: whether a check passed is decided by its exit status alone. Input
//! is what an agent's code printed, so every text is bounded, and nothing fails: what is not understood is not a report.

mod cargo_test;
mod draft;
mod feedback;
mod go_test;
mod jest;
mod junit;
mod location;
mod nextest;
mod panic_text;
mod pytest;
mod tap;
mod text_lines;

use domain::TestReport;

use crate::{draft::ReportDraft, text_lines::TextLines};
pub use crate::{
    draft::{FAILURES_MAX, TEXT_BYTES_MAX},
    feedback::{bound_feedback, parse_feedback},
};

/// Bytes of an output or a report file that are worth reading; of an output these are the last.
pub const INPUT_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Reads the reports in the output of a check. Returns `None` if it has none.
///
/// Paths below `directory`, in which the check ran, become relative to it. An output may have the reports of several tools.
///
/// ```
/// let output = b"test tests::adds ... FAILED\n\ntest result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured\n";
/// let report = test_reports::parse_output(output, "/home/dev/till").expect("it is an output of cargo test");
/// assert_eq!(report.failures[0].name, "tests::adds");
/// assert_eq!(report.counts.passed, 2);
/// ```
pub fn parse_output(output: &[u8], directory: &str) -> Option<TestReport> {
    let output = output.get(output.len().saturating_sub(INPUT_BYTES_MAX)..).unwrap_or_default();
    let lines = TextLines::new(output);
    let lines = lines.as_slice();
    let mut draft = ReportDraft::new(directory);
    // Nextest prints what libtest prints for each failed test.
    if !nextest::read(&lines, &mut draft) {
        cargo_test::read(&lines, &mut draft);
    }
    cargo_test::read_compile_errors(&lines, &mut draft);
    pytest::read(&lines, &mut draft);
    go_test::read(&lines, &mut draft);
    jest::read(&lines, &mut draft);
    tap::read(&lines, &mut draft);
    junit::read_output(&lines, &mut draft);
    draft.finish()
}

/// Adds the failures and counts of another report, within the bound of one.
pub fn merge_reports(report: &mut TestReport, other: TestReport) {
    let TestReport { tools, counts, failures, n_unlisted } = other;
    let mut draft = ReportDraft::of_report(std::mem::take(report));
    tools.into_iter().for_each(|tool| draft.recognize(tool));
    draft.count(counts);
    failures.into_iter().for_each(|failure| draft.add(failure));
    draft.add_unlisted(n_unlisted);
    *report = draft.finish().unwrap_or_default();
}

/// Reads a report file that a check wrote: JUnit XML, or anything that a tool can also print. Returns `None` for other content.
pub fn parse_report_file(content: &[u8], directory: &str) -> Option<TestReport> {
    if content.len() > INPUT_BYTES_MAX {
        return None;
    }
    let text = String::from_utf8_lossy(content);
    let mut draft = ReportDraft::new(directory);
    if junit::read_document(&text, &mut draft) || jest::read_document(&text, &mut draft) {
        return draft.finish();
    }
    parse_output(content, directory)
}
