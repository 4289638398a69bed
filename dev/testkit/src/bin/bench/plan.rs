//! The plan parser against general parsers of the same text.
//!
//! Reading a plan includes interpreting it, checking it (ids, dependencies, cycles) and sorting its tasks.

use anyhow::{Result, ensure};
use plan::{ParseOptions, PlanFormat, TaskGraph};
use pulldown_cmark::Parser;
use testkit::{
    bench::{Goal, Report, Variant, measure_variants},
    plans, progress,
};

const N_TASKS: usize = 10_000;
const ROUNDS: usize = 9;

/// Runs the bench.
pub(crate) fn run() -> Result<Report> {
    progress::begin("plans of 10,000 tasks are generated and checked");
    let tasks_md = plans::tasks_md_plan(N_TASKS);
    let table = plans::table_plan(N_TASKS);
    let checklist = plans::checklist_plan(N_TASKS);
    let taskmaster = plans::taskmaster_plan(N_TASKS);
    check_generated_plan(&tasks_md, PlanFormat::TasksMd)?;
    check_generated_plan(&table, PlanFormat::TasksMd)?;
    check_generated_plan(&checklist, PlanFormat::Checklist)?;
    check_generated_plan(&taskmaster, PlanFormat::Taskmaster)?;

    let timings = measure_variants(
        ROUNDS,
        vec![
            Variant::new("tasks-md", || parse_and_sort_plan(&tasks_md)),
            Variant::new("tasks-md, pulldown-cmark", || iterate_markdown_events(&tasks_md)),
            Variant::new("table", || parse_and_sort_plan(&table)),
            Variant::new("table, pulldown-cmark", || iterate_markdown_events(&table)),
            Variant::new("checklist", || parse_and_sort_plan(&checklist)),
            Variant::new("checklist, pulldown-cmark", || iterate_markdown_events(&checklist)),
            Variant::new("taskmaster", || parse_and_sort_plan(&taskmaster)),
            Variant::new("taskmaster, serde_json", || parse_json(&taskmaster)),
        ],
    );
    let mut report = Report::new("plan", timings.rounds);
    let longer = |format: &str, peer: &str| timings.times_longer(format, &format!("{format}, {peer}"));
    for (name, format) in [("plan", "tasks-md"), ("plan, table", "table"), ("plan, checklist", "checklist")] {
        let name = format!("{name}/pulldown-cmark time");
        report.add_ratio(&name, longer(format, "pulldown-cmark"), Goal::AtMost(3.0));
    }
    report.add_figure("taskmaster/serde_json time", longer("taskmaster", "serde_json"));
    for (name, text) in
        [("tasks-md", &tasks_md), ("table", &table), ("checklist", &checklist), ("taskmaster", &taskmaster)]
    {
        report.add_figure(&format!("{name} MB"), text.len() as f64 / 1e6);
        report.add_figure(&format!("{name} ms"), timings.median_seconds(name) * 1e3);
    }
    report.add_figure("tasks", N_TASKS as f64);
    Ok(report)
}

/// Checks that a generated plan is parsed completely: a fast wrong result does not count.
fn check_generated_plan(text: &str, format: PlanFormat) -> Result<()> {
    let reading = plan::parse(text.as_bytes(), ParseOptions::default());
    let n_tasks = reading.plan.tasks.len();
    let n_dependencies: usize = reading.plan.tasks.iter().map(|task| task.depends_on.len()).sum();
    ensure!(reading.format == Some(format), "{format:?} was written, {:?} recognised", reading.format);
    ensure!(
        reading.diagnostics.is_empty(),
        "the generated plan has errors: {:?}",
        reading.diagnostics.first()
    );
    ensure!(n_tasks == N_TASKS, "{N_TASKS} tasks were written, {n_tasks} read");
    ensure!(n_dependencies >= N_TASKS, "only {n_dependencies} dependencies were read");
    ensure!(TaskGraph::new(&reading.plan).topological_order().len() == N_TASKS, "the order lacks tasks");
    Ok(())
}

/// Parses, checks and sorts a plan.
fn parse_and_sort_plan(text: &str) -> u64 {
    let reading = plan::parse(text.as_bytes(), ParseOptions::default());
    let order = TaskGraph::new(&reading.plan).topological_order();
    (order.len() + reading.diagnostics.len()) as u64
}

/// Iterates over the Markdown events of a text, with their offsets.
fn iterate_markdown_events(text: &str) -> u64 {
    let options = pulldown_cmark::Options::ENABLE_TABLES | pulldown_cmark::Options::ENABLE_TASKLISTS;
    Parser::new_ext(text, options).into_offset_iter().map(|(_, range)| range.end as u64).sum()
}

/// Parses a text into a JSON value.
fn parse_json(text: &str) -> u64 {
    serde_json::from_str::<serde_json::Value>(text)
        .map_or(0, |value| value.as_object().map_or(0, serde_json::Map::len) as u64)
}
