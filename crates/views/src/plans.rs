//! A change of a plan, in words.

use domain::{ChangedTask, PlanChanges, PlanField};

use crate::line::list;

/// The names of what a change is about.
pub(crate) struct Changed {
    pub(crate) phases_new: Vec<String>,
    pub(crate) phases_changed: Vec<String>,
    pub(crate) new: Vec<String>,
    pub(crate) back: Vec<String>,
    pub(crate) changed: Vec<String>,
    pub(crate) gone: Vec<String>,
}

impl Changed {
    pub(crate) fn of(changes: &PlanChanges) -> Self {
        let of = |changed: &[ChangedTask]| -> Vec<String> {
            changed.iter().map(|changed| changed.task.id.to_string()).collect()
        };
        Self {
            phases_new: changes.phases_added.iter().map(|phase| phase.number.to_string()).collect(),
            phases_changed: changes.phases_changed.iter().map(|phase| phase.number.to_string()).collect(),
            new: changes.added.iter().map(|task| task.id.to_string()).collect(),
            back: of(&changes.restored),
            changed: of(&changes.changed),
            gone: changes.removed.iter().map(ToString::to_string).collect(),
        }
    }
}

/// Returns a change in one line.
pub fn summary(changes: &PlanChanges) -> String {
    let changed = Changed::of(changes);
    let some = |before: &str, names: &[String], what: &str| match names {
        [] => None,
        names => Some(format!("{before}{} {what}", list(names))),
    };
    let parts = [
        some("phase ", &changed.phases_new, "new"),
        some("phase ", &changed.phases_changed, "changed"),
        some("", &changed.new, "new"),
        some("", &changed.back, "back"),
        some("", &changed.changed, "changed"),
        some("", &changed.gone, "gone or ticked"),
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
