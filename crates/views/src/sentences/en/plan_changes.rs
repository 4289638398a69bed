//! Summarizes a change of the plan in English.

use domain::{ChangedTask, PlanChanges, PlanField};

use crate::sentence::join_leading_names;

/// Ids of what a change of the plan adds, changes and removes.
pub(crate) struct PlanChangeIds {
    pub(crate) phases_added: Vec<String>,
    pub(crate) phases_changed: Vec<String>,
    pub(crate) tasks_added: Vec<String>,
    pub(crate) tasks_restored: Vec<String>,
    pub(crate) tasks_changed: Vec<String>,
    pub(crate) tasks_removed: Vec<String>,
}

impl PlanChangeIds {
    pub(crate) fn of(changes: &PlanChanges) -> Self {
        let ids = |changed: &[ChangedTask]| -> Vec<String> {
            changed.iter().map(|changed| changed.task.id.to_string()).collect()
        };
        Self {
            phases_added: changes.phases_added.iter().map(|phase| phase.number.to_string()).collect(),
            phases_changed: changes.phases_changed.iter().map(|phase| phase.number.to_string()).collect(),
            tasks_added: changes.added.iter().map(|task| task.id.to_string()).collect(),
            tasks_restored: ids(&changes.restored),
            tasks_changed: ids(&changes.changed),
            tasks_removed: changes.removed.iter().map(ToString::to_string).collect(),
        }
    }
}

/// Returns a change in one line.
pub fn summarize_plan_changes(changes: &PlanChanges) -> String {
    let ids = PlanChangeIds::of(changes);
    let part = |noun: &str, ids: &[String], verb: &str| match ids {
        [] => None,
        ids => Some(format!("{noun}{} {verb}", join_leading_names(ids))),
    };
    let parts = [
        part("phase ", &ids.phases_added, "added"),
        part("phase ", &ids.phases_changed, "changed"),
        part("", &ids.tasks_added, "added"),
        part("", &ids.tasks_restored, "restored"),
        part("", &ids.tasks_changed, "changed"),
        part("", &ids.tasks_removed, "removed or ticked off"),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Returns the name of a field of a task in the plan.
pub fn plan_field_name(field: PlanField) -> &'static str {
    match field {
        PlanField::Phase => "phase",
        PlanField::Title => "title",
        PlanField::Text => "description",
        PlanField::Acceptance => "acceptance criteria",
        PlanField::DependsOn => "dependencies",
        PlanField::External => "external dependencies",
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
