//! The text of `cargo test`, and errors of the Rust compiler.

use domain::{TestCounts, TestFailure, TestTool};

use crate::{draft::ReportDraft, panic_text::failure_from_output};

/// Reads the results of test programs with the standard test harness.
pub(crate) fn read(lines: &[&str], draft: &mut ReportDraft<'_>) {
    let Some(first) = lines.iter().position(|line| result_counts(line).is_some()) else { return };
    draft.recognize(TestTool::CargoTest);
    let mut rest = lines;
    let mut end = Some(first);
    // Each program ends with its result.
    while let Some(index) = end {
        let (program, after) = rest.split_at(index.saturating_add(1).min(rest.len()));
        read_program(program, draft);
        rest = after;
        end = rest.iter().position(|line| result_counts(line).is_some());
    }
    // A program that a signal ended has no result.
    read_program(rest, draft);
}

fn read_program(lines: &[&str], draft: &mut ReportDraft<'_>) {
    if let Some(counts) = lines.last().and_then(|line| result_counts(line)) {
        draft.count(counts);
    }
    let mut sections: Vec<(&str, usize)> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if let Some(name) = section_name(line) {
            sections.push((name, index));
        }
    }
    let ends = sections.iter().skip(1).map(|(_, start)| *start).chain([lines.len()]);
    let mut described = std::collections::BTreeSet::new();
    for ((name, start), end) in sections.iter().zip(ends) {
        let printed = lines.get(start + 1..end).unwrap_or_default();
        // The list of names follows the last section.
        let printed = match printed.iter().position(|line| *line == "failures:") {
            Some(list) => printed.get(..list).unwrap_or_default(),
            None => printed,
        };
        if described.insert(*name) {
            let mut failure = failure_from_output(name, printed);
            if let Some((file, line)) = doctest_location(name) {
                (failure.file, failure.line) = (Some(file.to_owned()), Some(line));
            }
            draft.add(failure);
        }
    }
    for name in lines.iter().filter_map(|line| failed_test_name(line)) {
        if described.insert(name) {
            draft.add(TestFailure { name: name.to_owned(), ..TestFailure::default() });
        }
    }
}

/// Parses `---- tests::adds stdout ----`.
fn section_name(line: &str) -> Option<&str> {
    line.strip_prefix("---- ")?.strip_suffix(" stdout ----")
}

/// Parses `test tests::adds - should panic ... FAILED`.
fn failed_test_name(line: &str) -> Option<&str> {
    let name = line.strip_prefix("test ")?.strip_suffix(" ... FAILED")?;
    Some(name.strip_suffix(" - should panic").unwrap_or(name))
}

/// Parses the name of a documentation test, `src/lib.rs - total (line 5)`.
fn doctest_location(name: &str) -> Option<(&str, u32)> {
    let (file, rest) = name.split_once(" - ")?;
    let line = rest.split_once("(line ")?.1.split_once(')')?.0;
    Some((file, line.parse().ok()?))
}

/// Parses `test result: FAILED. 1 passed; 4 failed; 1 ignored; …`.
fn result_counts(line: &str) -> Option<TestCounts> {
    let (_, numbers) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let mut counts = TestCounts::default();
    for part in numbers.split("; ") {
        match part.split_once(' ') {
            Some((number, "passed")) => counts.passed = number.parse().ok()?,
            Some((number, "failed")) => counts.failed = number.parse().ok()?,
            Some((number, "ignored")) => counts.skipped = number.parse().ok()?,
            Some(_) | None => {}
        }
    }
    Some(counts)
}

/// Reads the errors of a program that could not be compiled: `error[E0308]: mismatched types`, and the place below.
pub(crate) fn read_compile_errors(lines: &[&str], draft: &mut ReportDraft<'_>) {
    if !lines.iter().any(|line| line.starts_with("error: could not compile ")) {
        return;
    }
    draft.recognize(TestTool::RustCompiler);
    for (index, line) in lines.iter().enumerate() {
        let is_error = line.starts_with("error[") || line.starts_with("error: ");
        let place = lines.get(index + 1).and_then(|next| next.trim_start().strip_prefix("--> "));
        let (true, Some(place)) = (is_error, place) else { continue };
        let block: Vec<&str> = lines
            .iter()
            .skip(index + 1)
            .copied()
            .take_while(|line| !line.trim().is_empty())
            .take(40)
            .collect();
        let mut parts = place.trim().split(':');
        draft.add(TestFailure {
            name: (*line).to_owned(),
            file: parts.next().map(str::to_owned),
            line: parts.next().and_then(|line| line.parse().ok()),
            trace: Some(block.join("\n")),
            ..TestFailure::default()
        });
    }
}
