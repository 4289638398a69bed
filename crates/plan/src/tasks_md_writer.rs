//! Writes a plan as TASKS.md that parses back to the same plan.
//!
//! Text of several lines is indented below its key, where headings, tables and key lines in it have no effect. Values
//! that would not parse back are written as code spans or in double quotes.

use crate::{
    dependencies::{IdReference, quote_name_if_needed},
    heading::{self, Heading},
    plan::{Phase, Plan, Task},
    tasks_md::strip_layer_label,
    text::{
        join_lines, longest_run, means_none, normalize_criterion, normalize_text, parse_scalar, quote_code,
    },
    values::format_timeout,
};

/// Writes a plan in the tasks-md format.
///
/// Parsing the result yields the same plan except for line numbers, provided that [`parse`](crate::parse) could have
/// returned the plan: phases sorted by number, each with its tasks, dependencies sorted by id.
pub fn to_tasks_md(plan: &Plan) -> String {
    let mut out = String::new();
    push_title(&mut out, &join_lines(&plan.title));
    let mut current = None;
    let mut n_written = vec![0_usize; plan.phases.len()];
    for task in &plan.tasks {
        if current != Some(task.phase) {
            current = Some(task.phase);
            push_phase(&mut out, plan, task, &mut n_written);
        }
        push_task(&mut out, task);
    }
    out
}

fn push_title(out: &mut String, title: &str) {
    if title.is_empty() {
        return;
    }
    let line = format!("# {}", heading::escape_heading(title));
    let heading = Heading::new(&line, 0..line.len());
    // A title that would be read as a task or phase heading is written as a key line.
    if heading::parse_task_heading(&heading).is_some() || heading::parse_phase_heading(heading.text).is_some()
    {
        push_scalar(out, "Title", Some(title));
    } else {
        out.push_str(&line);
        out.push('\n');
    }
    out.push('\n');
}

fn push_phase(out: &mut String, plan: &Plan, task: &Task, n_written: &mut [usize]) {
    let index = plan.phases.binary_search_by_key(&task.phase, |phase| phase.number).ok();
    let Some((index, phase)) = index.and_then(|index| Some((index, plan.phases.get(index)?))) else {
        out.push_str(&format!("## Phase {}\n\n", task.phase));
        return;
    };
    let name = join_lines(&phase.name);
    let colon = if name.is_empty() { "" } else { ": " };
    out.push_str(&format!("## Phase {}{colon}{}\n\n", phase.number, heading::escape_heading(&name)));
    if n_written[index] == 0 {
        let start = out.len();
        if phase.after != default_predecessors(plan, index) {
            let after: Vec<_> = phase.after.iter().map(ToString::to_string).collect();
            push_key_line(
                out,
                "After",
                Some(if after.is_empty() { "-".to_owned() } else { after.join(", ") }.as_str()),
            );
        }
        push_scalar(out, "Verify", phase.verify.as_deref());
        push_key_line(out, "Artefacts", format_values(&phase.artefacts).as_deref());
        let budgets: Vec<_> = phase.budgets.iter().map(ToString::to_string).collect();
        push_key_line(out, "Budget", (!budgets.is_empty()).then(|| budgets.join(", ")).as_deref());
        if out.len() > start {
            out.push('\n');
        }
    }
    n_written[index] += 1;
}

/// Returns the phases that a phase waits for if it has no `After`.
fn default_predecessors(plan: &Plan, index: usize) -> Vec<u32> {
    let previous: Option<&Phase> = index.checked_sub(1).and_then(|previous| plan.phases.get(previous));
    previous.map(|phase| phase.number).into_iter().collect()
}

fn push_task(out: &mut String, task: &Task) {
    let title = join_lines(&task.title);
    let layer = task.layer.as_deref();
    // The parser removes one `[layer]` from the title.
    let prefix = match (layer, strip_layer_label(&title, layer)) {
        (Some(layer), Some(_)) => format!("[{layer}] "),
        _ => String::new(),
    };
    let heading = format!("{}: {}", task.id, heading::escape_heading(&format!("{prefix}{title}")));
    let line = format!("### {}", heading.trim_end());
    let untitled = format!("### {}:", task.id);
    let reads_back = |line: &str, title: &str| {
        let heading = Heading::new(line, 0..line.len());
        heading::parse_task_heading(&heading).is_some_and(|read| {
            read.reference.id == task.id.as_str()
                && read.reference.phase.is_none()
                && read.status.is_none()
                && heading::unescape_heading(read.title) == title
        })
    };
    let title = format!("{prefix}{title}");
    // An id or a title that would be read as something else is written as a key.
    if reads_back(&line, title.trim_end()) {
        out.push_str(&format!("{line}\n\n"));
    } else if reads_back(&untitled, "") {
        out.push_str(&format!("{untitled}\n\n"));
        push_key_line(out, "Title", Some(title.trim_end()));
    } else {
        out.push_str("### Task\n\n");
        push_key_line(out, "ID", Some(task.id.as_str()));
        push_key_line(out, "Title", Some(title.trim_end()).filter(|title| !title.is_empty()));
    }

    push_key_line(out, "Status", Some(if task.done { "done" } else { "pending" }));
    // The phase that the id names takes precedence over the heading above.
    let phase_of_id = IdReference::parse_whole(task.id.as_str()).and_then(|id| id.phase_of_compound());
    let phase = task.phase.to_string();
    push_key_line(out, "Phase", phase_of_id.filter(|&of_id| of_id != task.phase).map(|_| phase.as_str()));
    push_key_line(out, "Optional", task.optional.then_some("yes"));
    push_key_line(
        out,
        "Dependencies",
        Some(format_dependencies(task).as_str()).filter(|list| !list.is_empty()),
    );
    push_key_line(
        out,
        "Complexity",
        task.complexity.map(|size| format!("{size:?}").to_uppercase()).as_deref(),
    );
    push_key_line(out, "Priority", format_priority(task));
    push_scalar(out, "Layer", layer);
    push_scalar(out, "Agent", task.agent.as_deref());
    push_scalar(out, "Tester", task.tester.as_deref());
    push_key_line(out, "Touches", format_values(&task.touches).as_deref());
    push_scalar(out, "Verify", task.verify.as_deref());
    push_key_line(out, "Timeout", task.timeout_seconds.map(format_timeout).as_deref());
    push_key_line(out, "Budget", task.budget.map(|budget| budget.to_string()).as_deref());
    push_scalar(out, "Worktree", task.worktree.as_deref());
    push_key_line(out, "References", format_values(&task.references).as_deref());
    push_description(out, &normalize_text(&task.text));
    push_criteria(out, &task.acceptance);
    out.push('\n');
}

fn format_priority(task: &Task) -> Option<&'static str> {
    match task.priority {
        domain::Priority::Low => Some("low"),
        domain::Priority::Normal => None,
        domain::Priority::High => Some("high"),
        domain::Priority::Critical => Some("critical"),
    }
}

fn format_dependencies(task: &Task) -> String {
    let ids = task.depends_on.iter().map(ToString::to_string);
    let names = task.external.iter().map(|name| quote_name_if_needed(&join_lines(name)));
    ids.chain(names).collect::<Vec<_>>().join(", ")
}

fn format_values(values: &[String]) -> Option<String> {
    let values: Vec<_> = values
        .iter()
        .map(|value| join_lines(value))
        .filter(|value| !value.is_empty())
        .map(|value| quote_code(&value))
        .collect();
    (!values.is_empty()).then(|| values.join(", "))
}

fn push_key_line(out: &mut String, key: &str, value: Option<&str>) {
    if let Some(value) = value {
        out.push_str(&format!("- **{key}**: {value}\n"));
    }
}

fn push_scalar(out: &mut String, key: &str, value: Option<&str>) {
    let Some(value) = value.map(normalize_text).filter(|value| !value.is_empty()) else { return };
    if value.contains('\n') {
        let fence = "`".repeat(longest_run(&value, '`').max(2) + 1);
        push_multiline_value(out, key, &format!("{fence}\n{value}\n{fence}"));
    } else if parse_scalar(&value).as_deref() == Some(value.as_str()) {
        push_key_line(out, key, Some(&value));
    } else {
        push_key_line(out, key, Some(&quote_code(value.trim())));
    }
}

fn push_description(out: &mut String, text: &str) {
    if text.is_empty() {
        return;
    }
    if text.contains('\n') || text.starts_with(char::is_whitespace) || means_none(text) {
        push_multiline_value(out, "Description", text);
    } else {
        push_key_line(out, "Description", Some(text));
    }
}

/// Writes text of several lines inside the key's list item.
fn push_multiline_value(out: &mut String, key: &str, text: &str) {
    out.push_str(&format!("- **{key}**:\n\n"));
    push_indented(out, text, "  ");
}

fn push_criteria(out: &mut String, criteria: &[String]) {
    let mut is_first = true;
    for criterion in criteria.iter().filter_map(|text| normalize_criterion(text)) {
        if is_first {
            out.push_str("- **Acceptance Criteria**:\n");
            is_first = false;
        }
        let (first, below) = criterion.split_once('\n').unwrap_or((&criterion, ""));
        out.push_str(&format!("  - [ ] {first}\n"));
        push_indented(out, below, "    ");
    }
}

fn push_indented(out: &mut String, text: &str, indent: &str) {
    for line in text.lines() {
        if !line.is_empty() {
            out.push_str(indent);
            out.push_str(line);
        }
        out.push('\n');
    }
}
