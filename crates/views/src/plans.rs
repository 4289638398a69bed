//! A change of a plan, in words.

use domain::{ChangedTask, PlanChanges, PlanField, TaskId};

use crate::line::list;

/// Returns a change in one line.
pub fn summary(changes: &PlanChanges) -> String {
    let tasks = |tasks: &[TaskId], what: &str| match tasks {
        [] => None,
        some => Some(format!("{} {what}", list(some))),
    };
    let of = |changed: &[ChangedTask]| -> Vec<TaskId> {
        changed.iter().map(|changed| changed.task.id.clone()).collect()
    };
    let added: Vec<TaskId> = changes.added.iter().map(|task| task.id.clone()).collect();
    let phases: Vec<String> = changes.phases_added.iter().map(|phase| phase.number.to_string()).collect();
    let renamed: Vec<String> = changes.phases_changed.iter().map(|phase| phase.number.to_string()).collect();
    let phase = |numbers: &[String], what: &str| match numbers {
        [] => None,
        some => Some(format!("phase {} {what}", list(some))),
    };
    let parts = [
        phase(&phases, "new"),
        phase(&renamed, "changed"),
        tasks(&added, "new"),
        tasks(&of(&changes.restored), "back"),
        tasks(&of(&changes.changed), "changed"),
        tasks(&changes.removed, "gone or ticked"),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Returns what a plan calls one thing that it says about a task.
pub fn field_word(field: PlanField) -> &'static str {
    match field {
        PlanField::Phase => "phase",
        PlanField::Title => "title",
        PlanField::Text => "description",
        PlanField::Acceptance => "acceptance criteria",
        PlanField::DependsOn => "dependencies",
        PlanField::External => "dependencies outside of the plan",
        PlanField::Agent => "agent",
        PlanField::Tester => "tester",
        PlanField::Touches => "touches",
        PlanField::Verify => "check",
        PlanField::Timeout => "timeout",
        PlanField::Priority => "priority",
        PlanField::Complexity => "complexity",
        PlanField::Budget => "budget",
        PlanField::Worktree => "worktree",
        PlanField::Status => "status",
    }
}
