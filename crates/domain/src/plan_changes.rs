//! What is different between two plans.

use serde::{Deserialize, Serialize};

use crate::{PlannedPhase, PlannedTask, TaskId};

/// What a plan file says that a run's plan does not.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlanChanges {
    /// Phases that are new.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases_added: Vec<PlannedPhase>,
    /// Phases with another name, or that wait for others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases_changed: Vec<PlannedPhase>,
    /// Tasks that are new.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<PlannedTask>,
    /// Tasks that are gone, or that are ticked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<TaskId>,
    /// Tasks that were gone or ticked, and are to be done after all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restored: Vec<ChangedTask>,
    /// Tasks about which something else is said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<ChangedTask>,
    /// What is different too, and comes too late for the task as it is now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<LateTaskChange>,
}

/// A task about which something else is said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChangedTask {
    /// The task as the file has it.
    pub task: PlannedTask,
    /// What is different.
    pub fields: Vec<PlanField>,
}

/// A task for which a change comes too late.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LateTaskChange {
    /// The task.
    pub task: TaskId,
    /// What is different, and stays as it is; nothing where the file no longer has the task.
    pub fields: Vec<PlanField>,
}

impl PlanChanges {
    /// Tells whether there is nothing to take.
    pub fn is_empty(&self) -> bool {
        let tasks = self.added.len() + self.removed.len() + self.restored.len() + self.changed.len();
        tasks + self.phases_added.len() + self.phases_changed.len() == 0
    }
}

macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident = $field:ident;)*) => {
        /// One thing that a plan says about a task.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        #[serde(rename_all = "camelCase")]
        pub enum PlanField {$(
            $(#[$doc])*
            $name,
        )*}

        impl PlannedTask {
            /// Returns what another plan says otherwise about the same task.
            pub fn differences(&self, other: &Self) -> Vec<PlanField> {
                let mut fields = Vec::new();
                $(if self.$field != other.$field {
                    fields.push(PlanField::$name);
                })*
                fields
            }

            /// Takes some of what another plan says about the same task.
            pub fn take(&mut self, other: &Self, fields: &[PlanField]) {
                for field in fields {
                    match field {$(
                        PlanField::$name => self.$field.clone_from(&other.$field),
                    )*}
                }
            }
        }
    };
}

fields! {
    /// Which phase it belongs to.
    Phase = phase;
    /// Its title.
    Title = title;
    /// Its description.
    Text = text;
    /// What must hold before it counts as done.
    Acceptance = acceptance;
    /// The tasks that it waits for.
    DependsOn = depends_on;
    /// What else it waits for.
    External = external;
    /// Who is to do it.
    Agent = agent;
    /// Who is to test it.
    Tester = tester;
    /// What no other running task may share.
    Touches = touches;
    /// The command that proves it.
    Verify = verify;
    /// How long it may run.
    Timeout = timeout_ms;
    /// How urgent it is.
    Priority = priority;
    /// How large it is.
    Complexity = complexity;
    /// What it may cost.
    Budget = budget;
    /// The worktree it asks for.
    Worktree = worktree;
    /// Whether there is something to do.
    Status = from_plan;
}
