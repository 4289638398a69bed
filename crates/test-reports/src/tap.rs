//! TAP, the Test Anything Protocol: `ok 1 - adds prices`, `not ok 2 - …`, with diagnostics below.

use domain::{TestCounts, TestFailure, TestTool};

use crate::{draft::ReportDraft, text_lines::dedented};

/// Columns of one level of subtests.
const LEVEL_COLUMNS: usize = 4;
/// Levels of subtests; deeper ones count as the last.
const LEVELS_MAX: usize = 16;

/// A line `ok` or `not ok`.
struct TestLine<'a> {
    passed: bool,
    description: &'a str,
    /// Whether it has a directive: a skipped test, or one that may fail.
    is_excused: bool,
}

/// Reads the results of a run.
pub(crate) fn read(lines: &[&str], draft: &mut ReportDraft<'_>) {
    let is_version = |line: &&str| line.starts_with("TAP version 1");
    let has_plan =
        || lines.iter().any(|line| is_plan(line)) && lines.iter().any(|line| TestLine::parse(line).is_some());
    if !(lines.iter().any(is_version) || has_plan()) {
        return;
    }
    draft.recognize(TestTool::Tap);
    // Names of the open subtests, and failed tests inside of them.
    let (mut titles, mut n_failed): (Vec<&str>, [u32; LEVELS_MAX + 1]) = (Vec::new(), [0; LEVELS_MAX + 1]);
    for (index, line) in lines.iter().enumerate() {
        let text = line.trim_start_matches(' ');
        let level = ((line.len() - text.len()) / LEVEL_COLUMNS).min(LEVELS_MAX - 1);
        if let Some(title) = text.strip_prefix("# Subtest: ") {
            titles.truncate(level);
            titles.resize(level, "");
            titles.push(title);
            continue;
        }
        let Some(test) = TestLine::parse(text) else { continue };
        let n_failed_inside = n_failed.get_mut(level + 1).map(std::mem::take).unwrap_or(0);
        let is_parent = is_suite(lines.get(index + 1..).unwrap_or_default()) || n_failed_inside > 0;
        if test.is_excused {
            draft.count(TestCounts { skipped: 1, ..TestCounts::default() });
        } else if test.passed && !is_parent {
            draft.count(TestCounts { passed: 1, ..TestCounts::default() });
        } else if !test.passed {
            if let Some(count) = n_failed.get_mut(level) {
                *count = count.saturating_add(1);
            }
            // A test with subtests fails with each of them.
            if n_failed_inside == 0 {
                draft.count(TestCounts { failed: 1, ..TestCounts::default() });
                let parents = titles.iter().take(level).filter(|title| !title.is_empty());
                let name = parents.chain([&test.description]).copied().collect::<Vec<_>>().join(" > ");
                draft.add(describe(name, lines.get(index + 1..).unwrap_or_default()));
            }
        }
    }
}

impl<'a> TestLine<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let (passed, rest) = match line.strip_prefix("not ok") {
            Some(rest) => (false, rest),
            None => (true, line.strip_prefix("ok")?),
        };
        if !rest.is_empty() && !rest.starts_with(' ') {
            return None;
        }
        let rest = rest.trim_start();
        let number = rest.len() - rest.trim_start_matches(|char: char| char.is_ascii_digit()).len();
        let rest = rest.get(number..).unwrap_or_default();
        if number == 0 && !rest.starts_with("- ") {
            return None;
        }
        let (description, directive) = rest.split_once(" # ").unwrap_or((rest, ""));
        let directive = directive.trim_start().to_ascii_uppercase();
        Some(Self {
            passed,
            description: description.trim().trim_start_matches("- ").trim(),
            is_excused: directive.starts_with("SKIP") || directive.starts_with("TODO"),
        })
    }
}

/// Returns whether a line is the plan, `1..4`.
fn is_plan(line: &str) -> bool {
    let number = line.strip_prefix("1..").map(|rest| rest.split(' ').next().unwrap_or_default());
    number.is_some_and(|number| !number.is_empty() && number.chars().all(|char| char.is_ascii_digit()))
}

/// Returns whether the diagnostics below a result say that it is the result of a suite.
fn is_suite(below: &[&str]) -> bool {
    below.first().is_some_and(|line| line.trim() == "---")
        && below
            .iter()
            .take(8)
            .take_while(|line| line.trim() != "...")
            .any(|line| line.trim() == "type: 'suite'")
}

fn describe(name: String, below: &[&str]) -> TestFailure {
    let mut failure = TestFailure { name, ..TestFailure::default() };
    if below.first().is_some_and(|line| line.trim() == "---") {
        let block: Vec<&str> =
            below.iter().skip(1).copied().take_while(|line| line.trim() != "...").take(200).collect();
        read_block(&block, &mut failure);
    } else {
        // Perl prints comments.
        let comments: Vec<&str> = below
            .iter()
            .copied()
            .take_while(|line| line.starts_with('#'))
            .take(60)
            .map(|line| &line[1..])
            .collect();
        read_comments(&comments, &mut failure);
    }
    failure
}

/// Reads the diagnostics: keys with a value on the line, or with an indented text below.
fn read_block(block: &[&str], failure: &mut TestFailure) {
    let text = dedented(block);
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((key, value)) = line.split_once(':').filter(|(key, _)| !key.contains(' ')) else { continue };
        let value = match value.trim() {
            "|-" | "|" | ">-" | ">" => {
                let mut indented = Vec::new();
                while let Some(next) = lines.next_if(|line| line.is_empty() || line.starts_with(' ')) {
                    indented.push(next);
                }
                dedented(&indented)
            }
            plain => unquoted(plain).to_owned(),
        };
        match key {
            "error" | "message" => failure.message = Some(value),
            "expected" | "wanted" => failure.expected = Some(value),
            "actual" | "found" | "got" => failure.actual = Some(value),
            // The place of the failure is more useful than that of the test.
            "stack" => {
                let own = value.lines().filter(|line| !line.contains("node:"));
                failure.trace = Some(own.collect::<Vec<_>>().join("\n"));
            }
            "location" | "at" if failure.trace.is_none() => failure.trace = Some(value),
            _ => {}
        }
    }
}

fn read_comments(comments: &[&str], failure: &mut TestFailure) {
    for line in comments.iter().map(|line| line.trim()) {
        if let Some(place) = line.strip_prefix("at ") {
            let place = place.trim_end_matches('.');
            if let Some((file, number)) = place.rsplit_once(" line ") {
                failure.file = Some(file.to_owned());
                failure.line = number.parse().ok();
            }
        } else if let Some(value) = line.strip_prefix("got: ") {
            failure.actual = Some(unquoted(value).to_owned());
        } else if let Some(value) = line.strip_prefix("expected: ") {
            failure.expected = Some(unquoted(value).to_owned());
        }
    }
    failure.message = Some(dedented(comments)).filter(|text| !text.is_empty());
}

fn unquoted(value: &str) -> &str {
    let inner = |quote: char| value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    inner('\'').or_else(|| inner('"')).unwrap_or(value)
}
