//! Differences between two versions of a plan.

use serde::{Deserialize, Serialize};

use crate::{PlannedPhase, PlannedTask, TaskId};

/// How a plan file differs from the plan of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlanChanges {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases_added: Vec<PlannedPhase>,
    /// Phases whose name or predecessors changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases_changed: Vec<PlannedPhase>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<PlannedTask>,
    /// Tasks that were deleted or ticked off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<TaskId>,
    /// Tasks that were deleted or ticked off before, and are open again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restored: Vec<ChangedTask>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<ChangedTask>,
    /// Differences that come too late for tasks in their current state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(alias = "kept")]
    pub too_late: Vec<LateTaskChange>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChangedTask {
    /// The task as in the plan file.
    pub task: PlannedTask,
    pub fields: Vec<PlanField>,
}

/// A change that comes too late for a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LateTaskChange {
    pub task: TaskId,
    /// Ignored differences; empty if the file no longer contains the task.
    pub fields: Vec<PlanField>,
}

impl PlanChanges {
    pub fn is_empty(&self) -> bool {
        let tasks = self.added.len() + self.removed.len() + self.restored.len() + self.changed.len();
        tasks + self.phases_added.len() + self.phases_changed.len() == 0
    }
}

macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident = $field:ident;)*) => {
        /// One attribute of a planned task.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        #[serde(rename_all = "camelCase")]
        pub enum PlanField {$(
            $(#[$doc])*
            $name,
        )*}

        impl PlannedTask {
            /// Attributes that differ in another version of the same task.
            pub fn differences(&self, other: &Self) -> Vec<PlanField> {
                let mut fields = Vec::new();
                $(if self.$field != other.$field {
                    fields.push(PlanField::$name);
                })*
                fields
            }

            /// Copies attributes from another version of the same task.
            pub fn copy_fields(&mut self, other: &Self, fields: &[PlanField]) {
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
    Phase = phase;
    Title = title;
    Text = text;
    Acceptance = acceptance;
    DependsOn = depends_on;
    External = external;
    Agent = agent;
    Tester = tester;
    Touches = touches;
    Verify = verify;
    Timeout = timeout_ms;
    Priority = priority;
    Complexity = complexity;
    Budget = budget;
    Worktree = worktree;
    Status = plan_status;
}
