//! What a hostile file can cost: every one of these was chosen to make a careless reader slow or large.

use std::fmt::Write;

use plan::{
    DIAGNOSTICS_MAX, FILE_BYTES_MAX, ParseOptions, ParsedPlan, PlanFormat, TaskGraph, parse, to_tasks_md,
};

const ANY: ParseOptions = ParseOptions { format: None };

fn lines(n_lines: usize, mut line: impl FnMut(usize) -> String) -> String {
    (1..=n_lines).fold(String::new(), |mut all, number| {
        all.push_str(&line(number));
        all
    })
}

fn edges(reading: &ParsedPlan) -> usize {
    reading.plan.tasks.iter().map(|task| task.depends_on.len()).sum()
}

#[test]
fn ranges_do_not_multiply_without_a_bound() {
    let source = lines(10_000, |number| format!("### T{number}: a\n- **Dependencies**: T1-T9999\n"));
    let reading = parse(source.as_bytes(), ANY);
    assert_eq!(reading.plan.tasks.len(), 10_000);
    assert!(edges(&reading) <= 1 << 18);
    let complaints =
        reading.diagnostics.iter().filter(|found| found.message.contains("more than 262144 dependencies"));
    assert_eq!(complaints.count(), 1);
}

#[test]
fn subtasks_do_not_multiply_without_a_bound() {
    let subtasks = lines(2_000, |number| format!("{{\"id\": {number}}},"));
    let source = format!(
        "{{\"tasks\": [{{\"id\": 1, \"subtasks\": [{subtasks}{{\"id\": 9999}}]}}, {{\"id\": 2, \"dependencies\": [1], \"subtasks\": [{subtasks}{{\"id\": 9999}}]}}]}}"
    );
    let reading = parse(source.as_bytes(), ANY);
    assert_eq!(reading.plan.tasks.len(), 4_002);
    assert!(edges(&reading) <= 1 << 18);
    assert!(reading.has_errors());
}

#[test]
fn a_phase_barrier_costs_a_line_for_each_task_and_no_more() {
    let source =
        lines(20_000, |number| format!("### T{}.{number}: a\n", if number <= 10_000 { 1 } else { 2 }));
    let reading = parse(source.as_bytes(), ANY);
    assert_eq!(edges(&reading), 0);
    assert_eq!(TaskGraph::new(&reading.plan).max_parallel_tasks(), 10_000);
    assert_eq!(TaskGraph::new(&reading.plan).critical_path().len(), 2);
}

#[test]
fn a_long_check_list_has_few_dependencies() {
    let reading = parse(lines(20_000, |number| format!("- [ ] T{number} a\n")).as_bytes(), ANY);
    assert!(edges(&reading) < 22_000);
    assert_eq!(TaskGraph::new(&reading.plan).critical_path().len(), 20_000);
}

#[test]
fn complaints_are_counted_where_there_are_too_many() {
    let reading = parse(lines(5_000, |_| "### T1: a\n".to_owned()).as_bytes(), ANY);
    assert_eq!(reading.diagnostics.len(), DIAGNOSTICS_MAX + 1);
    assert_eq!(reading.diagnostics[DIAGNOSTICS_MAX].message, "3999 more problems are not shown");
    let cycles = parse(
        lines(1_000, |number| format!("### T{number}: a\n- **Dependencies**: T{number}\n")).as_bytes(),
        ANY,
    );
    assert_eq!(cycles.diagnostics.len(), 100);
}

#[test]
fn many_warnings_are_still_no_error() {
    let source = lines(1_500, |n| format!("### T{n}: a\n- **Complexity**: huge\n"));
    let reading = parse(source.as_bytes(), ANY);
    assert_eq!(reading.diagnostics.len(), DIAGNOSTICS_MAX + 1);
    assert!(!reading.has_errors());
    let source = format!("{source}### T1501: b\n- **Priority**: huge\n");
    assert!(parse(source.as_bytes(), ANY).has_errors());
}

#[test]
fn nesting_of_any_depth_is_read() {
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
            let reading = parse(source.as_bytes(), ParseOptions { format });
            to_tasks_md(&reading.plan);
        }
    }
}

#[test]
fn the_largest_file_is_read_and_one_byte_more_is_not() {
    let mut source = b"### T1: a\n".to_vec();
    source.resize(FILE_BYTES_MAX, b' ');
    assert!(!parse(&source, ANY).has_errors());
    source.push(b' ');
    assert!(parse(&source, ANY).has_errors());
}
