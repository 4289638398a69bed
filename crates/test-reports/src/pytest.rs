//! The text of pytest.

use std::collections::BTreeMap;

use domain::{TestCounts, TestFailure, TestTool};

use crate::{
    draft::ReportDraft,
    location::{Location, parse_location},
    text_lines::dedented,
};

/// A failed test, as its section shows it.
#[derive(Default)]
struct FailureSection {
    location: Option<Location>,
    message: String,
    trace: String,
}

/// Reads the results of a run.
pub(crate) fn read(lines: &[&str], draft: &mut ReportDraft<'_>) {
    let Some(end) = lines.iter().rposition(|line| final_counts(line).is_some()) else { return };
    draft.recognize(TestTool::Pytest);
    let lines = lines.get(..=end).unwrap_or_default();
    // A check may run pytest more than once.
    lines.iter().filter_map(|line| final_counts(line)).for_each(|counts| draft.count(counts));
    let mut sections = read_sections(lines, draft.directory);
    for line in lines {
        let Some((node, message)) = summary_entry(line) else { continue };
        let title = section_title(node);
        let found = sections.get_mut(&title).filter(|found| !found.is_empty());
        let FailureSection { location, message: full, trace } =
            found.map(|found| found.remove(0)).unwrap_or_default();
        let file = node.split("::").next().unwrap_or(node);
        let own = location.filter(|location| location.file == file);
        draft.add(TestFailure {
            name: node.to_owned(),
            file: Some(file.to_owned()),
            line: own.map(|location| location.line),
            message: if full.is_empty() { message.map(str::to_owned) } else { Some(full) },
            trace: Some(trace),
            ..TestFailure::default()
        });
    }
    // Sections that the summary does not list, if it is switched off.
    for (title, rest) in sections {
        for FailureSection { location, message, trace } in rest {
            let (file, line) = location.map(|Location { file, line }| (file, line)).unzip();
            let (message, trace) = (Some(message), Some(trace));
            draft.add(TestFailure {
                name: title.clone(),
                file,
                line,
                message,
                trace,
                ..TestFailure::default()
            });
        }
    }
}

/// Reads the sections below the headings FAILURES and ERRORS, by title.
fn read_sections(lines: &[&str], directory: &str) -> BTreeMap<String, Vec<FailureSection>> {
    let mut sections: BTreeMap<String, Vec<FailureSection>> = BTreeMap::new();
    let (mut is_inside, mut title, mut body) = (false, None, Vec::new());
    let mut close = |title: &mut Option<&str>, body: &mut Vec<&str>| {
        if let Some(title) = title.take() {
            sections.entry(title.to_owned()).or_default().push(read_section(body, directory));
        }
        body.clear();
    };
    for line in lines {
        match heading(line, '=') {
            Some(name) => {
                close(&mut title, &mut body);
                is_inside = matches!(name, "FAILURES" | "ERRORS");
            }
            None if !is_inside => {}
            None => match heading(line, '_') {
                // Between the frames of a traceback are underscores with spaces.
                Some(name) if name != "_" && !name.starts_with("_ ") => {
                    close(&mut title, &mut body);
                    title = Some(name);
                }
                Some(_) | None => body.push(*line),
            },
        }
    }
    close(&mut title, &mut body);
    sections
}

fn read_section(lines: &[&str], directory: &str) -> FailureSection {
    // What the test printed follows the traceback.
    let is_captured = |line: &&str| heading(line, '-').is_some_and(|name| name.starts_with("Captured "));
    // Plugins print below headings of their own.
    let is_foreign = |line: &&str| heading(line, '-').is_some_and(|name| !name.starts_with("Captured "));
    let traceback: Vec<&str> = lines.iter().copied().take_while(|line| !is_captured(line)).collect();
    let message: Vec<&str> = traceback.iter().filter_map(|line| line.strip_prefix("E  ")).collect();
    let location = |line: &&str| {
        let word = line.split_whitespace().next().filter(|_| !line.starts_with([' ', '>', 'E']))?;
        parse_location(word, directory)
    };
    FailureSection {
        location: traceback.iter().rev().find_map(location),
        message: dedented(&message),
        trace: dedented(&lines.iter().copied().take_while(|line| !is_foreign(line)).collect::<Vec<_>>()),
    }
}

/// Returns the title that the section of a test has: `TestReceipt.test_lines`, `ERROR at setup of …` by its test.
fn section_title(node: &str) -> String {
    match node.split_once("::") {
        Some((_, test)) => test.replace("::", "."),
        None => format!("ERROR collecting {node}"),
    }
}

/// Parses `FAILED tests/test_till.py::test_tax[19] - KeyError: …`.
fn summary_entry(line: &str) -> Option<(&str, Option<&str>)> {
    let rest = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR "))?;
    // Parameters may have a dash too; messages have none before the first blank of a name without brackets.
    let from = rest.rfind("] - ").map_or(0, |bracket| bracket + 1);
    let (node, message) = match rest.get(from..)?.split_once(" - ") {
        Some((head, message)) => (rest.get(..from + head.len())?, Some(message)),
        None => (rest, None),
    };
    let is_node = node.split("::").next().is_some_and(|file| file.contains('.') && !file.contains(": "));
    is_node.then_some((node, message))
}

/// Returns the text of a heading: `===== FAILURES =====`, `_____ test_tax[19] _____`.
fn heading(line: &str, fill: char) -> Option<&str> {
    let inner = line.trim_end().trim_start_matches(fill).trim_end_matches(fill);
    let is_heading = line.starts_with(fill) && line.trim_end().ends_with(fill);
    let name = inner.strip_prefix(' ')?.strip_suffix(' ')?;
    let name = match name.split_once(" of ") {
        Some((kind, test)) if kind.starts_with("ERROR at ") => test,
        Some(_) | None => name,
    };
    is_heading.then_some(name)
}

/// Parses the last line, `3 failed, 2 passed, 1 skipped in 0.09s`, with or without `=` around it.
fn final_counts(line: &str) -> Option<TestCounts> {
    let line = line.trim().trim_matches('=').trim();
    let (numbers, time) = line.rsplit_once(" in ")?;
    let seconds = time.split(' ').next()?.strip_suffix('s')?;
    seconds.parse::<f64>().ok()?;
    let mut counts = TestCounts::default();
    for part in numbers.split(", ") {
        let (number, kind) = part.split_once(' ')?;
        let number: u64 = number.parse().ok()?;
        match kind {
            "passed" | "xpassed" => counts.passed = counts.passed.saturating_add(number),
            "failed" | "error" | "errors" => counts.failed = counts.failed.saturating_add(number),
            "skipped" | "xfailed" => counts.skipped = counts.skipped.saturating_add(number),
            "deselected" | "warning" | "warnings" | "rerun" => {}
            _ => return None,
        }
    }
    Some(counts)
}
