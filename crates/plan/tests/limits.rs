//! Bounds on the cost of malicious files: each case would make an unbounded parser slow or large.

use std::fmt::Write;

use plan::{
    DIAGNOSTICS_MAX, FILE_BYTES_MAX, ParseOptions, ParsedPlan, PlanFormat, Problem, TaskGraph, parse,
    to_tasks_md,
};

const ANY: ParseOptions<'static> = ParseOptions { format: None, tag: None };

fn repeat_numbered_line(n_lines: usize, mut line: impl FnMut(usize) -> String) -> String {
    (1..=n_lines).fold(String::new(), |mut all, number| {
        all.push_str(&line(number));
        all
    })
}

fn count_dependencies(parsed: &ParsedPlan) -> usize {
    parsed.plan.tasks.iter().map(|task| task.depends_on.len()).sum()
}

#[test]
fn expansion_of_ranges_is_bounded() {
    let source =
        repeat_numbered_line(10_000, |number| format!("### T{number}: a\n- **Dependencies**: T1-T9999\n"));
    let parsed = parse(source.as_bytes(), ANY);
    assert_eq!(parsed.plan.tasks.len(), 10_000);
    assert!(count_dependencies(&parsed) <= 1 << 18);
    let reports = parsed
        .diagnostics
        .iter()
        .filter(|diagnostic| matches!(diagnostic.problem, Problem::TooManyDependencies { limit: 262_144 }));
    assert_eq!(reports.count(), 1);
}

#[test]
fn expansion_of_subtask_groups_is_bounded() {
    let subtasks = repeat_numbered_line(2_000, |number| format!("{{\"id\": {number}}},"));
    let source = format!(
        "{{\"tasks\": [{{\"id\": 1, \"subtasks\": [{subtasks}{{\"id\": 9999}}]}}, {{\"id\": 2, \"dependencies\": [1], \"subtasks\": [{subtasks}{{\"id\": 9999}}]}}]}}"
    );
    let parsed = parse(source.as_bytes(), ANY);
    assert_eq!(parsed.plan.tasks.len(), 4_002);
    assert!(count_dependencies(&parsed) <= 1 << 18);
    assert!(parsed.has_errors());
}

#[test]
fn copies_of_a_parents_text_are_bounded() {
    let children = repeat_numbered_line(2_000, |number| format!("  - [ ] 1.{number} word\n"));
    let checklist = format!("- [ ] 1. a\n  - {}\n{children}", "word ".repeat(200_000));
    let subtasks = repeat_numbered_line(2_000, |number| format!("{{\"id\": {number}}},"));
    let details = "word ".repeat(200_000);
    let json = format!(
        "{{\"tasks\": [{{\"id\": 1, \"details\": \"{details}\", \"subtasks\": [{subtasks}{{\"id\": 9999}}]}}]}}"
    );
    for source in [checklist, json] {
        let parsed = parse(source.as_bytes(), ANY);
        assert!(parsed.plan.tasks.len() >= 2_000);
        let n_bytes: usize = parsed.plan.tasks.iter().map(|task| task.text.len()).sum();
        assert!(n_bytes < 64 * 1024 * 1024, "{n_bytes}");
    }
}

#[test]
fn a_phase_barrier_needs_no_edges_between_tasks() {
    let source = repeat_numbered_line(20_000, |number| {
        format!("### T{}.{number}: a\n", if number <= 10_000 { 1 } else { 2 })
    });
    let parsed = parse(source.as_bytes(), ANY);
    assert_eq!(count_dependencies(&parsed), 0);
    assert_eq!(TaskGraph::new(&parsed.plan).max_parallel_tasks(), 10_000);
    assert_eq!(TaskGraph::new(&parsed.plan).critical_path().len(), 2);
}

#[test]
fn a_long_checklist_has_few_dependencies() {
    let parsed = parse(repeat_numbered_line(20_000, |number| format!("- [ ] T{number} a\n")).as_bytes(), ANY);
    assert!(count_dependencies(&parsed) < 22_000);
    assert_eq!(TaskGraph::new(&parsed.plan).critical_path().len(), 20_000);
}

#[test]
fn excess_diagnostics_are_only_counted() {
    let parsed = parse(repeat_numbered_line(5_000, |_| "### T1: a\n".to_owned()).as_bytes(), ANY);
    assert_eq!(parsed.diagnostics.len(), DIAGNOSTICS_MAX + 1);
    assert_eq!(
        parsed.diagnostics[DIAGNOSTICS_MAX].problem,
        Problem::MoreProblems { n: 3999, has_error: true }
    );
    let cycles = parse(
        repeat_numbered_line(1_000, |number| format!("### T{number}: a\n- **Dependencies**: T{number}\n"))
            .as_bytes(),
        ANY,
    );
    assert_eq!(cycles.diagnostics.len(), 100);
}

#[test]
fn any_number_of_warnings_is_not_an_error() {
    let source = repeat_numbered_line(1_500, |n| format!("### T{n}: a\n- **Complexity**: huge\n"));
    let parsed = parse(source.as_bytes(), ANY);
    assert_eq!(parsed.diagnostics.len(), DIAGNOSTICS_MAX + 1);
    assert!(!parsed.has_errors());
    let source = format!("{source}### T1501: b\n- **Priority**: huge\n");
    assert!(parse(source.as_bytes(), ANY).has_errors());
}

#[test]
fn nesting_of_any_depth_is_parsed() {
    let mut nested = String::new();
    for depth in 0..1_000 {
        writeln!(nested, "{}- [ ] T{depth} a", "  ".repeat(depth)).unwrap();
    }
    for source in [
        nested,
        "- ".repeat(100_000),
        "> ".repeat(100_000),
        "[".repeat(100_000),
        format!("{{\"tasks\": {}", "[".repeat(100_000)),
        format!("- [ ] T1 {}", "`".repeat(100_000)),
        format!("- [ ] T1 {}", "(depends on ".repeat(100_000)),
        format!("### T1: a\n- **Dependencies**: {}", "\"x\\\" , and ".repeat(50_000)),
    ] {
        for format in
            [None, Some(PlanFormat::Taskmaster), Some(PlanFormat::TasksMd), Some(PlanFormat::Checklist)]
        {
            let parsed = parse(source.as_bytes(), ParseOptions { format, tag: None });
            to_tasks_md(&parsed.plan);
        }
    }
}

#[test]
fn the_largest_file_is_parsed_and_one_byte_more_is_rejected() {
    let mut source = b"### T1: a\n".to_vec();
    source.resize(FILE_BYTES_MAX, b' ');
    assert!(!parse(&source, ANY).has_errors());
    source.push(b' ');
    assert!(parse(&source, ANY).has_errors());
}

#[test]
fn too_many_markdown_marks_are_refused_before_they_take_memory() {
    for mark in ["[", "*", "_", "`a` ", "<a ", "&amp;", "\\[", "![", "~~a", "|a"] {
        let text = mark.repeat((15 << 20) / mark.len());
        let parsed = plan::parse(text.as_bytes(), plan::ParseOptions::default());
        assert!(parsed.has_errors() && parsed.diagnostics.len() == 1, "{mark}: {:?}", parsed.diagnostics);
        assert!(matches!(parsed.diagnostics[0].problem, plan::Problem::TooManyMarks { .. }), "{mark}");
    }
}
