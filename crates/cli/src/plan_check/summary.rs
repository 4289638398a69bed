//! The summary of a plan: critical path, maximum parallelism, external dependencies.

use std::{
    collections::HashMap,
    io::{self, Write},
};

use plan::{Plan, Task, TaskGraph};
use unicode_width::UnicodeWidthStr;

use super::table::FAINT;
use crate::{localized::localized, plural::plural, printable::printable};

/// Prints the lines below the table.
pub(super) fn print(out: &mut impl Write, plan: &Plan, width: usize) -> io::Result<()> {
    let graph = TaskGraph::new(plan);
    let path: Vec<&Task> =
        graph.critical_path().into_iter().filter_map(|task| plan.tasks.get(task)).collect();
    let length: u32 = path.iter().map(|task| task.weight()).sum();
    if path.is_empty() && plan.tasks.iter().all(|task| task.weight() == 0) {
        return writeln!(out, "{}", localized("All tasks are done.", "모든 작업이 완료되었습니다."));
    }
    if path.is_empty() {
        let text = localized(
            "No task can start: the tasks depend on each other.",
            "시작할 수 있는 작업이 없습니다. 작업들이 서로 의존합니다.",
        );
        return writeln!(out, "{text}");
    }
    let mut steps = critical_path_ids(&path);
    if let Some(last) = steps.last_mut() {
        last.push_str(&localized(format!("  (length {length})"), format!("  (길이 {length})")));
    }
    write_labelled_line(out, &localized("Critical path", "임계 경로"), &steps, " → ", width)?;
    let n_parallel = graph.max_parallel_tasks();
    let parallel =
        localized(format!("up to {}", plural(n_parallel, "task")), format!("최대 작업 {n_parallel}개"));
    write_labelled_line(out, &localized("Parallel", "동시 진행"), &[parallel], "", width)?;
    let external = external_dependencies(plan);
    if external.is_empty() {
        Ok(())
    } else {
        write_labelled_line(out, &localized("External", "외부 의존성"), &external, ", ", width)
    }
}

/// Writes a line of the summary, wrapped at the width of the terminal.
fn write_labelled_line(
    out: &mut impl Write,
    label: &str,
    parts: &[String],
    separator: &str,
    width: usize,
) -> io::Result<()> {
    const INDENT: usize = 15;
    // Korean characters take two columns.
    let gap = " ".repeat(INDENT.saturating_sub(label.width()));
    write!(out, "{FAINT}{label}{gap}{FAINT:#}")?;
    let mut column = INDENT;
    for (index, part) in parts.iter().enumerate() {
        let separator = if index + 1 < parts.len() { separator } else { "" };
        if column > INDENT && column + part.width() + separator.trim_end().width() > width {
            write!(out, "\n{:INDENT$}", "")?;
            column = INDENT;
        }
        write!(out, "{part}{separator}")?;
        column += part.width() + separator.width();
    }
    writeln!(out)
}

/// Returns the external dependencies, each with the tasks that wait for it.
fn external_dependencies(plan: &Plan) -> Vec<String> {
    const NAMES_MAX: usize = 12;
    const TASKS_MAX: usize = 3;
    let mut waiting: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut positions: HashMap<&str, usize> = HashMap::new();
    for task in plan.tasks.iter().filter(|task| !task.done) {
        for name in &task.external {
            let position = *positions.entry(name).or_insert(waiting.len());
            if position == waiting.len() {
                waiting.push((name, Vec::new()));
            }
            waiting[position].1.push(task.id.as_str());
        }
    }
    let listed = waiting.iter().take(NAMES_MAX).map(|(name, tasks)| {
        let (shown, rest) = tasks.split_at(tasks.len().min(TASKS_MAX));
        let more = if rest.is_empty() { String::new() } else { format!(" +{}", rest.len()) };
        format!("\"{}\" ({}{more})", printable(name), shown.join(", "))
    });
    let more = waiting.len().checked_sub(NAMES_MAX + 1).map(|more| {
        let n_more = more + 1;
        localized(format!("{n_more} more"), format!("외 {n_more}개"))
    });
    listed.chain(more).collect()
}

/// Returns the ids of a path, without the middle of a very long one.
fn critical_path_ids(path: &[&Task]) -> Vec<String> {
    const SHOWN_MAX: usize = 24;
    const LAST: usize = 4;
    let ids = |tasks: &[&Task]| tasks.iter().map(|task| task.id.to_string()).collect::<Vec<_>>();
    if path.len() <= SHOWN_MAX {
        return ids(path);
    }
    let (first, rest) = path.split_at(SHOWN_MAX - LAST);
    let (middle, last) = rest.split_at(rest.len() - LAST);
    [
        ids(first),
        vec![localized(format!("… {} more …", middle.len()), format!("… {}개 생략 …", middle.len()))],
        ids(last),
    ]
    .concat()
}
