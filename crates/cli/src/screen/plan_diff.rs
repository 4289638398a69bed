//! What differs between the plan of a run and its file, a line for each thing, as `diff` marks it.

use domain::{ChangedTask, PlanChanges, PlanField, PlannedTask, TaskId};
use views::{TaskDetailRow, TaskRow, field_word};

use super::board::Board;

/// One line of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    /// What it tells of.
    pub sign: Sign,
    /// The line, with its sign.
    pub text: String,
}

/// What a line tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Something that is new.
    Added,
    /// Something that is gone.
    Removed,
    /// Something that is said otherwise.
    Changed,
    /// Something that stays.
    Kept,
}

/// Returns a difference, the phases first.
pub fn plan_diff(board: &Board, changes: &PlanChanges) -> Vec<DiffLine> {
    let mut lines = Vec::new();
    for phase in &changes.phases_added {
        lines.push(line(Sign::Added, format!("+ phase {}: {}", phase.number, phase.name)));
    }
    for phase in &changes.phases_changed {
        let after = phase.after.iter().map(ToString::to_string).collect::<Vec<_>>();
        let after = if after.is_empty() { "nothing".to_owned() } else { after.join(", ") };
        let text = format!("~ phase {}: {}, after {after}", phase.number, phase.name);
        lines.push(line(Sign::Changed, text));
    }
    lines.extend(changes.added.iter().map(added));
    for task in &changes.restored {
        let text = format!("+ {} {}: to be done after all", task.task.id, task.task.title);
        lines.push(line(Sign::Added, text));
    }
    for changed in &changes.changed {
        lines.extend(self::changed(board, changed));
    }
    for task in &changes.removed {
        lines.push(line(Sign::Removed, format!("- {task} {}: gone or ticked", title(board, task))));
    }
    for kept in &changes.too_late {
        let state = board.tasks.get(&kept.task).map(|row| format!("{:?}", row.state).to_lowercase());
        let state = state.unwrap_or_default();
        let words: Vec<&str> = kept.fields.iter().map(|field| field_word(*field)).collect();
        let what = match words.as_slice() {
            [] => "it goes on, although the file no longer has it".to_owned(),
            words => format!("too late for its {}", words.join(", ")),
        };
        lines.push(line(Sign::Kept, format!("  {} is {state}: {what}", kept.task)));
    }
    lines
}

fn line(sign: Sign, text: String) -> DiffLine {
    DiffLine { sign, text }
}

fn title<'a>(board: &'a Board, task: &TaskId) -> &'a str {
    board.tasks.get(task).map(|row| row.title.as_str()).unwrap_or_default()
}

fn added(task: &PlannedTask) -> DiffLine {
    let after: Vec<String> =
        task.depends_on.iter().map(ToString::to_string).chain(task.external.iter().cloned()).collect();
    let after = if after.is_empty() { String::new() } else { format!(", after {}", after.join(", ")) };
    line(Sign::Added, format!("+ {} {} (phase {}{after})", task.id, task.title, task.phase))
}

fn changed(board: &Board, ChangedTask { task, fields }: &ChangedTask) -> Vec<DiffLine> {
    let words: Vec<&str> = fields.iter().map(|field| field_word(*field)).collect();
    let heading = format!("~ {} {}: {}", task.id, title(board, &task.id), words.join(", "));
    let mut lines = vec![line(Sign::Changed, heading)];
    let (Some(row), Some(detail)) = (board.tasks.get(&task.id), board.details.get(&task.id)) else {
        return lines;
    };
    for field in fields {
        let (before, after) = (said_before(row, detail, *field), said(task, *field));
        let (before, after) = differing(&before, &after);
        lines.extend(before.iter().map(|text| line(Sign::Removed, format!("    - {text}"))));
        lines.extend(after.iter().map(|text| line(Sign::Added, format!("    + {text}"))));
    }
    lines
}

/// Leaves out the lines with which both begin and end.
fn differing<'a>(before: &'a [String], after: &'a [String]) -> (&'a [String], &'a [String]) {
    let first = before.iter().zip(after).take_while(|(left, right)| left == right).count();
    let (before, after) = (before.get(first..).unwrap_or_default(), after.get(first..).unwrap_or_default());
    let last = before.iter().rev().zip(after.iter().rev()).take_while(|(left, right)| left == right).count();
    let cut = |lines: &'a [String]| lines.get(..lines.len().saturating_sub(last)).unwrap_or_default();
    (cut(before), cut(after))
}

fn said_before(row: &TaskRow, detail: &TaskDetailRow, field: PlanField) -> Vec<String> {
    let task = PlannedTask {
        title: row.title.clone(),
        text: detail.text.clone(),
        acceptance: detail.acceptance.clone(),
        depends_on: detail.depends_on.clone(),
        external: detail.external.clone(),
        agent: row.agent.clone(),
        tester: row.tester.clone(),
        touches: detail.touches.clone(),
        verify: detail.verify.clone(),
        timeout_ms: detail.timeout_ms,
        priority: row.priority,
        complexity: detail.complexity,
        budget: row.budget,
        worktree: detail.worktree.clone(),
        ..PlannedTask::new(row.id.clone(), row.phase, String::new())
    };
    said(&task, field)
}

/// Returns what a plan says about one thing of a task, in lines.
fn said(task: &PlannedTask, field: PlanField) -> Vec<String> {
    let text = |text: &str| text.lines().map(str::to_owned).collect();
    let one = |value: Option<String>| value.into_iter().collect();
    match field {
        PlanField::Title => vec![task.title.clone()],
        PlanField::Text => text(&task.text),
        PlanField::Acceptance => task.acceptance.clone(),
        PlanField::DependsOn => task.depends_on.iter().map(|id| format!("after {id}")).collect(),
        PlanField::External => task.external.iter().map(|name| format!("after {name}")).collect(),
        PlanField::Agent => one(task.agent.as_ref().map(|agent| format!("agent {agent}"))),
        PlanField::Tester => one(task.tester.as_ref().map(|agent| format!("tester {agent}"))),
        PlanField::Touches => task.touches.iter().map(|path| format!("touches {path}")).collect(),
        PlanField::Verify => one(task.verify.clone()),
        PlanField::Timeout => one(task.timeout_ms.map(|ms| format!("timeout {}s", ms / 1000))),
        PlanField::Priority => vec![format!("priority {:?}", task.priority).to_lowercase()],
        PlanField::Complexity => one(task.complexity.map(|size| format!("complexity {size:?}"))),
        PlanField::Budget => one(task.budget.map(|budget| format!("budget {budget}"))),
        PlanField::Worktree => one(task.worktree.as_ref().map(|path| format!("worktree {path}"))),
        PlanField::Phase | PlanField::Status => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_lines_that_differ_are_shown() {
        let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let check = |before: &str, after: &str, gone: &[&str], new: &[&str]| {
            let (before, after) = (lines(before), lines(after));
            let (left, right) = differing(&before, &after);
            assert!(left == gone && right == new, "{before:?} {after:?}: {left:?} {right:?}");
        };
        check("a b c", "a x c", &["b"], &["x"]);
        check("a b", "a b c", &[], &["c"]);
        check("a a", "a", &["a"], &[]);
        check("a", "a", &[], &[]);
    }
}
