//! Property: in any mixture of lines of all formats, nested in each other, each line that looks like a task is read or
//! reported.

#![expect(clippy::unwrap_used, reason = "a failed setup must fail the test")]

use plan::{Diagnostic, ParseOptions, ParsedPlan, PlanFormat, PlanReport, Problem, parse};
use proptest::{collection::vec, prelude::*, sample::select};

const TASKS_MD: ParseOptions<'static> = ParseOptions { format: Some(PlanFormat::TasksMd), tag: None };
const CHECKLIST: ParseOptions<'static> = ParseOptions { format: Some(PlanFormat::Checklist), tag: None };

/// Lines of plans. `{n}` is a number and `{w}` a word that no other line has.
const LINES: [&str; 101] = [
    "# {w}",
    "## Phase {n}: {w}",
    "## {n}단계: {w}",
    "## {n}. {w}",
    "## {w}",
    "## Dependencies",
    "## Definition of done",
    "## Notes",
    "## Examples",
    "### T{n}: {w}",
    "### [ ] T{n} - {w}",
    "### [x] Phase 0, T0.{n}: {w}",
    "### P1-R{n}-T1: {w}",
    "### Task {n}.1: {w}",
    "#### 1.{n}: {w}",
    "#### {w}",
    "- [ ] T{n} {w}",
    "- [x] T{n}: [P] {w}",
    "* [ ] **T{n}** [US1] {w} (depends on T1)",
    "- [ ] {n}. {w}",
    "- [-] {n}.1 {w}",
    "- [ ]* {n}.2 {w}",
    "- [ ]\\* {n}.3 {w}",
    "- [ ] ST-{n} {w}",
    "### FE/T{n}: {w}",
    "- [ ] FE/T{n} {w}",
    "- BE/ST-{n}: {w}",
    "| FE/T{n} | {w} | T1/T2 |",
    "- **Depends on**: FE/T{n}",
    "- [ ] {w}",
    "* [x] {w}",
    "1. [ ] {w}",
    "- T{n}: {w}",
    "- **T{n}**: {w}",
    "{n}. {w}",
    "- {w}",
    "T{n} {w}",
    "{w}",
    "- **ID**: T{n}",
    "- **Title**: {w}",
    "- **Status**: done",
    "- **Status**:",
    "- **상태**: 진행 중",
    "- **Dependencies**: T1",
    "- **의존성**: 없음",
    "- **Depends on**: Epic {n}",
    "- **Description**: {w}",
    "- **설명**:",
    "- **Acceptance Criteria**: {w}",
    "- **완료 조건**:",
    "- **Verify**: test {w}",
    "- **Verify**:",
    "- **Touches**: src/{w}.rs",
    "- **Files**: src/{w}.rs",
    "- **산출물**:",
    "- **Agent**: codex",
    "- **Tester**: codex",
    "- **검증**: {w} 확인",
    "- **Phase**: 2",
    "- **Layer**: API",
    "- **Complexity**: L",
    "- **Priority**: high",
    "- **Timeout**: 30m",
    "- **Budget**: $2",
    "- **Worktree**: {w}",
    "- **Optional**: yes",
    "- **References**: {w}",
    "- **After**: 1",
    "- **Notes**: {w}",
    "**Status**: todo",
    "**Acceptance Criteria**:",
    "**Files**:",
    "**Notes**:",
    "**Depends**: T1",
    "- _Requirements: {n}.1_",
    "- _Depends: {n}_",
    "- _Files: src/{w}.rs_",
    "| ID | Task | Dependencies |\n|---|---|---|",
    "| ID | Status |\n|---|---|",
    "| Task | Notes |\n|---|---|",
    "| # | Task | Status |\n|---|---|---|",
    "| T{n} | {w} | - |",
    "| T{n} | {w} |",
    "| ✅ T{n} | {w} | T1 |",
    "| ST-{n} | [x] {w} | |",
    "| {n} | {w} | |",
    "| {w} | {w} | {w} |",
    "> - [ ] {w}",
    "> ### T{n}: {w}",
    "> {w}",
    "```",
    "~~~",
    "<!--",
    "-->",
    "<div>",
    "</div>",
    "---",
    "===",
    "",
    "",
    "",
];

/// Which lines of a file must be in its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CheckedLines {
    LookingLikeTasks,
    All,
}

#[derive(Debug, Clone)]
struct PlacedLine {
    template: &'static str,
    indentation: usize,
    /// Numbers below 2 repeat ids.
    number: usize,
}

fn any_lines() -> impl Strategy<Value = Vec<PlacedLine>> {
    let indentation =
        prop_oneof![4 => Just(0_usize), 3 => Just(2), 2 => Just(4), 1 => Just(6), 1 => Just(3), 1 => Just(1)];
    let line = (select(&LINES[..]), indentation, 0..24_usize)
        .prop_map(|(template, indentation, number)| PlacedLine { template, indentation, number });
    vec(line, 1..14)
}

/// Lines that do not end a section.
fn any_lines_without_headings() -> impl Strategy<Value = Vec<PlacedLine>> {
    let is_heading = |line: &PlacedLine| line.template.starts_with(['#', '=']) || line.template == "---";
    any_lines().prop_map(move |lines| lines.into_iter().filter(|line| !is_heading(line)).collect())
}

/// Returns the file, and for each line of it its word, if any.
fn write_file(lines: &[PlacedLine]) -> (String, Vec<String>) {
    let mut text = String::new();
    let mut words = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let number = if line.number < 2 { line.number } else { 10 + at };
        let word = format!("w{at}ord");
        let written = line.template.replace("{n}", &number.to_string()).replace("{w}", &word);
        for part in written.split('\n') {
            text.push_str(&" ".repeat(line.indentation));
            text.push_str(part);
            text.push('\n');
            words.push(word.clone());
        }
    }
    (text, words)
}

/// Tells whether a line looks like a task, without the parser: a check box, or an id at its start.
fn looks_like_task(line: &str) -> bool {
    let content = line.trim_start_matches([' ', '>']);
    let Some(mark) = content.chars().next().filter(|mark| "#-*|1".contains(*mark)) else { return false };
    let rest = content.trim_start_matches(['#', '-', '*', '|', ' ']);
    let rest = if mark == '1' { rest.strip_prefix("1. [").map_or("", |_| &rest[3..]) } else { rest };
    let after_box = ["[ ]", "[x]", "[-]"].iter().find_map(|mark| rest.strip_prefix(mark));
    if after_box.is_some() && mark != '|' {
        return true;
    }
    let word = after_box.unwrap_or(rest).trim_start_matches([' ', '*', '✅']);
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    word.strip_prefix('T').is_some_and(is_number)
        || word.strip_prefix("ST-").is_some_and(is_number)
        || word.strip_prefix("P1-R").is_some_and(is_number)
}

/// Returns the first line that is neither in the plan nor reported.
fn find_lost_line(
    text: &str,
    words: &[String],
    parsed: &ParsedPlan,
    checked: CheckedLines,
) -> Option<String> {
    // A file without tasks is refused; the text of a repeated task is reported with its id.
    let is_repeated = |found: &Diagnostic| matches!(found.problem, Problem::DuplicateId { .. });
    if parsed.plan.tasks.is_empty() || parsed.diagnostics.iter().any(is_repeated) {
        return None;
    }
    let report = PlanReport::new(parsed, text.as_bytes(), domain::Locale::En);
    let mut json = serde_json::to_value(report).unwrap();
    // A message alone is not a reading.
    json.as_object_mut().unwrap().remove("diagnostics");
    let plan = json.to_string();
    let mut start = 0;
    for (line, word) in text.split_inclusive('\n').zip(words) {
        let span = start..start + line.len();
        start = span.end;
        let is_checked = checked == CheckedLines::All || looks_like_task(line);
        if !is_checked || !line.contains(word.as_str()) {
            continue;
        }
        let is_reported = parsed
            .diagnostics
            .iter()
            .any(|found| found.span.start < span.end && span.start <= found.span.end || found.span == (0..0));
        // Words around the id of a dependency do not matter.
        let names = |id: &str, word: &str| {
            id == word || id.strip_prefix(word).is_some_and(|rest| rest.starts_with('.'))
        };
        let is_id = |word: &str| parsed.plan.tasks.iter().any(|task| names(task.id.as_str(), word));
        let is_dependency = (text.contains("Depend") || text.contains("의존"))
            && line.split([' ', ':', '*']).any(|word| is_id(word.trim_end_matches('.')));
        if !is_reported && !is_dependency && !plan.contains(word.as_str()) {
            return Some(line.to_owned());
        }
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_048))]

    #[test]
    fn each_line_that_looks_like_a_task_is_read_or_reported(lines in any_lines()) {
        let (text, words) = write_file(&lines);
        let parsed = parse(text.as_bytes(), ParseOptions::default());
        let lost = find_lost_line(&text, &words, &parsed, CheckedLines::LookingLikeTasks);
        prop_assert!(lost.is_none(), "lost: {}\n---\n{text}---\n{:?}", lost.unwrap(), parsed.diagnostics);
    }

    #[test]
    fn each_line_below_a_task_heading_is_read_or_reported(lines in any_lines_without_headings()) {
        let (below, words) = write_file(&lines);
        let text = format!("### T1: Task\n\n{below}");
        let words: Vec<_> = ["Task", "Task"].map(str::to_owned).into_iter().chain(words).collect();
        let parsed = parse(text.as_bytes(), TASKS_MD);
        let lost = find_lost_line(&text, &words, &parsed, CheckedLines::All);
        prop_assert!(lost.is_none(), "lost: {}\n---\n{text}---\n{:?}", lost.unwrap(), parsed.diagnostics);
    }

    #[test]
    fn each_line_nested_in_a_check_box_is_read_or_reported(lines in any_lines_without_headings(), id in select(&["T1 Task", "1. Task"][..])) {
        let (below, words) = write_file(&lines);
        let text = format!("- [ ] {id}\n{}", below.lines().map(|line| format!("  {line}\n")).collect::<String>());
        let words: Vec<_> = std::iter::once("Task".to_owned()).chain(words).collect();
        let parsed = parse(text.as_bytes(), CHECKLIST);
        let lost = find_lost_line(&text, &words, &parsed, CheckedLines::All);
        prop_assert!(lost.is_none(), "lost: {}\n---\n{text}---\n{:?}", lost.unwrap(), parsed.diagnostics);
    }
}
