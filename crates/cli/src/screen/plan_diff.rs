//! The difference between the plan of a run and its file, as marked lines.

use domain::{ChangedTask, Locale, PlanChanges, PlanField, PlannedTask, TaskId};
use views::{TaskDetailRow, TaskRow, plan_field_name, plan_field_name_in_korean};

use super::{
    board::Board,
    phrases::{pick_by_locale, task_state},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DiffLine {
    pub kind: DiffKind,
    /// The line with its mark.
    pub text: String,
}

/// The kind of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiffKind {
    Added,
    Removed,
    Changed,
    /// Not changed in the run, although the file differs.
    Kept,
}

/// Returns the lines of a difference, phases first.
pub(crate) fn plan_diff(locale: Locale, board: &Board, changes: &PlanChanges) -> Vec<DiffLine> {
    let mut lines = Vec::new();
    let phase_label = |number| super::phrases::phase(locale, number, "").to_lowercase();
    for phase in &changes.phases_added {
        lines.push(diff_line(DiffKind::Added, format!("+ {}: {}", phase_label(phase.number), phase.name)));
    }
    for phase in &changes.phases_changed {
        let after = phase.after.iter().map(ToString::to_string).collect::<Vec<_>>();
        let after = match (locale, after.as_slice()) {
            (Locale::En, []) => "after nothing".to_owned(),
            (Locale::En, after) => format!("after {}", after.join(", ")),
            (Locale::Ko, []) => "선행 단계 없음".to_owned(),
            (Locale::Ko, after) => format!("선행 단계 {}", after.join(", ")),
        };
        let text = format!("~ {}: {}, {after}", phase_label(phase.number), phase.name);
        lines.push(diff_line(DiffKind::Changed, text));
    }
    lines.extend(changes.added.iter().map(|task| added_task_line(locale, task)));
    for task in &changes.restored {
        let restored = pick_by_locale(locale, "restored", "복원됨");
        let text = format!("+ {} {}: {restored}", task.task.id, task.task.title);
        lines.push(diff_line(DiffKind::Added, text));
    }
    for changed in &changes.changed {
        lines.extend(self::changed_task_lines(locale, board, changed));
    }
    for task in &changes.removed {
        let removed = pick_by_locale(locale, "removed or ticked", "삭제되거나 완료로 표시됨");
        lines.push(diff_line(DiffKind::Removed, format!("- {task} {}: {removed}", task_title(board, task))));
    }
    for kept in &changes.too_late {
        let state = board.tasks.get(&kept.task).map(|row| task_state(locale, row.state));
        let state = state.unwrap_or_default();
        let fields: Vec<&str> = kept.fields.iter().map(|field| field_name(locale, *field)).collect();
        let effect = match (locale, fields.as_slice()) {
            (Locale::En, []) => "continues, although it is no longer in the file".to_owned(),
            (Locale::En, fields) => format!("too late to change its {}", fields.join(", ")),
            (Locale::Ko, []) => "계획 파일에서 삭제되었지만 계속합니다".to_owned(),
            (Locale::Ko, fields) => format!("변경할 수 없는 항목: {}", fields.join(", ")),
        };
        let text = match locale {
            Locale::En => format!("  {} is {state}: {effect}", kept.task),
            Locale::Ko => format!("  {} 상태 {state}: {effect}", kept.task),
        };
        lines.push(diff_line(DiffKind::Kept, text));
    }
    lines
}

fn field_name(locale: Locale, field: PlanField) -> &'static str {
    match locale {
        Locale::En => plan_field_name(field),
        Locale::Ko => plan_field_name_in_korean(field),
    }
}

fn diff_line(kind: DiffKind, text: String) -> DiffLine {
    DiffLine { kind, text }
}

fn task_title<'a>(board: &'a Board, task: &TaskId) -> &'a str {
    board.tasks.get(task).map(|row| row.title.as_str()).unwrap_or_default()
}

fn added_task_line(locale: Locale, task: &PlannedTask) -> DiffLine {
    let after: Vec<String> =
        task.depends_on.iter().map(ToString::to_string).chain(task.external.iter().cloned()).collect();
    let after = match after.is_empty() {
        true => String::new(),
        false => format!(", {} {}", pick_by_locale(locale, "after", "선행 작업"), after.join(", ")),
    };
    let phase = super::phrases::phase(locale, task.phase, "").to_lowercase();
    diff_line(DiffKind::Added, format!("+ {} {} ({phase}{after})", task.id, task.title))
}

fn changed_task_lines(
    locale: Locale,
    board: &Board,
    ChangedTask { task, fields }: &ChangedTask,
) -> Vec<DiffLine> {
    let names: Vec<&str> = fields.iter().map(|field| field_name(locale, *field)).collect();
    let heading = format!("~ {} {}: {}", task.id, task_title(board, &task.id), names.join(", "));
    let mut lines = vec![diff_line(DiffKind::Changed, heading)];
    let (Some(row), Some(detail)) = (board.tasks.get(&task.id), board.details.get(&task.id)) else {
        return lines;
    };
    for field in fields {
        let (before, after) =
            (current_field_lines(locale, row, detail, *field), field_lines(locale, task, *field));
        let (before, after) = without_common_lines(&before, &after);
        lines.extend(before.iter().map(|text| diff_line(DiffKind::Removed, format!("    - {text}"))));
        lines.extend(after.iter().map(|text| diff_line(DiffKind::Added, format!("    + {text}"))));
    }
    lines
}

/// Removes the common first and last lines.
fn without_common_lines<'a>(before: &'a [String], after: &'a [String]) -> (&'a [String], &'a [String]) {
    let first = before.iter().zip(after).take_while(|(left, right)| left == right).count();
    let (before, after) = (before.get(first..).unwrap_or_default(), after.get(first..).unwrap_or_default());
    let last = before.iter().rev().zip(after.iter().rev()).take_while(|(left, right)| left == right).count();
    let cut = |lines: &'a [String]| lines.get(..lines.len().saturating_sub(last)).unwrap_or_default();
    (cut(before), cut(after))
}

fn current_field_lines(
    locale: Locale,
    row: &TaskRow,
    detail: &TaskDetailRow,
    field: PlanField,
) -> Vec<String> {
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
    field_lines(locale, &task, field)
}

/// Returns a field of a planned task as lines.
fn field_lines(locale: Locale, task: &PlannedTask, field: PlanField) -> Vec<String> {
    let label = |english| pick_by_locale(locale, english, plan_field_name_in_korean(field));
    let text = |text: &str| text.lines().map(str::to_owned).collect();
    let one = |value: Option<String>| value.into_iter().collect();
    match field {
        PlanField::Title => vec![task.title.clone()],
        PlanField::Text => text(&task.text),
        PlanField::Acceptance => task.acceptance.clone(),
        PlanField::DependsOn => task.depends_on.iter().map(|id| format!("{} {id}", label("after"))).collect(),
        PlanField::External => {
            task.external.iter().map(|name| format!("{} {name}", label("after"))).collect()
        }
        PlanField::Agent => one(task.agent.as_ref().map(|agent| format!("{} {agent}", label("agent")))),
        PlanField::Tester => one(task.tester.as_ref().map(|agent| format!("{} {agent}", label("tester")))),
        PlanField::Touches => {
            task.touches.iter().map(|path| format!("{} {path}", label("touches"))).collect()
        }
        PlanField::Verify => one(task.verify.clone()),
        PlanField::Timeout => one(task.timeout_ms.map(|ms| format!("{} {}s", label("timeout"), ms / 1000))),
        PlanField::Priority => vec![format!("{} {:?}", label("priority"), task.priority).to_lowercase()],
        PlanField::Complexity => one(task.complexity.map(|size| format!("{} {size:?}", label("complexity")))),
        PlanField::Budget => one(task.budget.map(|budget| format!("{} {budget}", label("budget")))),
        PlanField::Worktree => {
            one(task.worktree.as_ref().map(|path| format!("{} {path}", label("worktree"))))
        }
        PlanField::Phase | PlanField::Status => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use domain::LateTaskChange;

    use super::*;

    #[test]
    fn common_lines_are_removed() {
        let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let check = |before: &str, after: &str, gone: &[&str], new: &[&str]| {
            let (before, after) = (lines(before), lines(after));
            let (left, right) = without_common_lines(&before, &after);
            assert!(left == gone && right == new, "{before:?} {after:?}: {left:?} {right:?}");
        };
        check("a b c", "a x c", &["b"], &["x"]);
        check("a b", "a b c", &[], &["c"]);
        check("a a", "a", &["a"], &[]);
        check("a", "a", &[], &[]);
    }

    #[test]
    fn the_difference_is_in_both_languages() {
        let mut task = PlannedTask::new("T2".parse().unwrap(), 2, "Write docs".to_owned());
        task.depends_on = vec!["T1".parse().unwrap()];
        let late = LateTaskChange { task: "T3".parse().unwrap(), fields: vec![PlanField::Title] };
        let changes = PlanChanges {
            added: vec![task.clone()],
            removed: vec!["T4".parse().unwrap()],
            too_late: vec![late],
            ..PlanChanges::default()
        };
        let texts = |locale| -> Vec<String> {
            let lines = plan_diff(locale, &Board::default(), &changes).into_iter().map(|line| line.text);
            lines.chain(field_lines(locale, &task, PlanField::DependsOn)).collect()
        };
        let english = [
            "+ T2 Write docs (phase 2, after T1)",
            "- T4 : removed or ticked",
            "  T3 is : too late to change its title",
            "after T1",
        ];
        let korean = [
            "+ T2 Write docs (2단계, 선행 작업 T1)",
            "- T4 : 삭제되거나 완료로 표시됨",
            "  T3 상태 : 변경할 수 없는 항목: 제목",
            "선행 작업 T1",
        ];
        assert_eq!(
            (texts(Locale::En), texts(Locale::Ko)),
            (english.map(str::to_owned).to_vec(), korean.map(str::to_owned).to_vec())
        );
    }
}
