//! Whatever an agent's code prints: reading it never fails, and the report keeps its bounds.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the outputs are files; failures in tests"
)]

use std::fs;

use domain::{TestFeedback, TestReport};
use proptest::prelude::*;
use test_reports::{FAILURES_MAX, TEXT_BYTES_MAX, parse_feedback, parse_output, parse_report_file};

/// Bytes of a report as JSON: its texts, escaped in the worst case, and 40 names with places.
const JSON_BYTES_MAX: usize = 6 * TEXT_BYTES_MAX + FAILURES_MAX * 6 * 1000;

fn outputs() -> Vec<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/outputs");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

fn check_bounds(report: Option<TestReport>) {
    let Some(report) = report else { return };
    assert!(report.failures.len() <= FAILURES_MAX);
    assert!(report.n_unlisted == 0 || report.failures.len() == FAILURES_MAX);
    let texts = report.failures.iter().flat_map(|failure| {
        [&failure.message, &failure.expected, &failure.actual, &failure.trace, &failure.suggested_fix]
    });
    assert!(texts.flatten().map(String::len).sum::<usize>() <= TEXT_BYTES_MAX);
    let names = report.failures.iter().flat_map(|failure| [Some(&failure.name), failure.file.as_ref()]);
    assert!(names.flatten().all(|name| name.len() <= 310 && !name.contains(['\x1b', '\n'])));
    assert!(serde_json::to_vec(&report).unwrap().len() <= JSON_BYTES_MAX);
}

fn read_all(bytes: &[u8]) {
    check_bounds(parse_output(bytes, "/home/dev/till"));
    check_bounds(parse_report_file(bytes, ""));
    let TestFeedback { failures, text, .. } = parse_feedback(&String::from_utf8_lossy(bytes));
    assert!(failures.len() <= FAILURES_MAX && text.is_none_or(|text| text.len() <= 8 * 1024 + 3));
}

#[test]
fn outputs_that_are_cut_anywhere_are_read() {
    for output in outputs() {
        let step = (output.len() / 40).max(1);
        for at in (0..output.len()).step_by(step) {
            read_all(&output[at..]);
            read_all(&output[..at]);
        }
    }
}

#[test]
fn failures_beyond_the_bound_are_counted() {
    let lines = (0..1000).map(|n| format!("test tests::number_{n} ... FAILED\n"));
    let output: String =
        lines.chain(["test result: FAILED. 0 passed; 1000 failed; 0 ignored\n".to_owned()]).collect();
    let report = parse_output(output.as_bytes(), "").unwrap();
    assert_eq!((report.failures.len(), report.n_unlisted, report.counts.failed), (40, 960, 1000));
}

#[test]
fn long_texts_are_shortened() {
    let long = "가".repeat(20_000);
    let panics = (0..60)
        .map(|n| format!("---- tests::t{n} stdout ----\nthread 't' panicked at src/lib.rs:1:1:\n{long}\n\n"));
    let output: String = panics.chain(["test result: FAILED. 0 passed; 60 failed\n".to_owned()]).collect();
    let report = parse_output(output.as_bytes(), "").unwrap();
    assert_eq!(report.failures.len(), FAILURES_MAX);
    assert!(
        report.failures.last().is_some_and(|failure| failure.message.is_none() && failure.line == Some(1))
    );
    check_bounds(Some(report));
}

/// Entities are resolved once and never defined by the document.
#[test]
fn entities_of_a_document_do_not_grow() {
    let document = "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]>\
                    <testsuites><testcase name='n'><failure message='&b;'>&b;&lt;&#xAC00;</failure></testcase></testsuites>";
    let report = parse_report_file(document.as_bytes(), "").unwrap();
    assert_eq!(report.failures[0].message.as_deref(), Some("&b;<가"));
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        read_all(&bytes);
    }

    #[test]
    fn damaged_outputs_are_read(
        pick in any::<prop::sample::Index>(),
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..30),
        copies in 1_usize..4,
    ) {
        let outputs = outputs();
        let mut output = pick.get(&outputs).repeat(copies);
        for (at, byte) in damage {
            let at = at.index(output.len());
            match byte % 3 {
                0 => output[at] = byte,
                1 => drop(output.remove(at)),
                _ => output.insert(at, byte),
            }
        }
        read_all(&output);
    }

    #[test]
    fn lines_that_look_like_results_are_read(lines in proptest::collection::vec(result_line(), 0..60)) {
        read_all(lines.join("\n").as_bytes());
    }
}

fn result_line() -> impl Strategy<Value = String> {
    let words = [
        "not ok 1 - ",
        "ok",
        "1..",
        "# Subtest: ",
        "    ",
        "---",
        "...",
        "TAP version 13",
        "FAILED a.py::b",
        " - ",
        "ERROR ",
        "=== FAILURES ===",
        "___ x ___",
        "1 failed in 0.1s",
        "test ",
        " ... FAILED",
        "failures:",
        "---- x stdout ----",
        "test result: FAILED. ",
        "1 passed; ",
        "FAIL [   0.1s] ",
        "Summary [ 0.1s] 1 tests run: ",
        "thread 'x' panicked at ",
        "a.rs:1:2:",
        "{\"Action\":\"fail\",\"Package\":\"p\",\"Test\":\"",
        "\"}",
        "<testsuites>",
        "<testcase name='a'>",
        "<failure>",
        "</failure>",
        "</testcase>",
        "</testsuites>",
        "&lt;",
        "<![CDATA[",
        "{\"numTotalTests\":1,\"testResults\":[",
        "]}",
        "error: could not compile ",
        "  --> a:1",
        "가",
        "18446744073709551616",
    ];
    proptest::collection::vec(proptest::sample::select(words.to_vec()), 0..5).prop_map(|words| words.concat())
}
