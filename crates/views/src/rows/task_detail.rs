//! The part of a task that comes from the plan. Separate from the task's row, because it rarely changes.

use std::collections::BTreeMap;

use domain::{Complexity, PlanField, PlannedTask, TaskId};
use serde::{Deserialize, Serialize};

use crate::{RowKind, TableRow, Views};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TaskDetailRow {
    pub id: TaskId,
    /// The description, in Markdown.
    pub text: String,
    pub acceptance: Vec<String>,
    pub depends_on: Vec<TaskId>,
    /// External dependencies, until a user marks them as available.
    pub external: Vec<String>,
    /// Paths, patterns and locks that no other running task may share.
    pub touches: Vec<String>,
    /// Command that checks the task.
    pub verify: Option<String>,
    pub timeout_ms: Option<u64>,
    pub complexity: Option<Complexity>,
    pub estimate_ms: Option<u64>,
    pub memory_mib: u64,
    pub worktree: Option<String>,
    /// Key-value pairs that the agent reported with its claim.
    pub reported: BTreeMap<String, String>,
}

impl TaskDetailRow {
    /// Applies changed fields of the plan.
    pub(super) fn apply_plan_fields(&mut self, planned: &PlannedTask, fields: &[PlanField]) {
        for field in fields {
            match field {
                PlanField::Text => self.text.clone_from(&planned.text),
                PlanField::Acceptance => self.acceptance.clone_from(&planned.acceptance),
                PlanField::External => self.external.clone_from(&planned.external),
                PlanField::Touches => self.touches.clone_from(&planned.touches),
                PlanField::Verify => self.verify.clone_from(&planned.verify),
                PlanField::Timeout => self.timeout_ms = planned.timeout_ms,
                PlanField::Complexity => self.complexity = planned.complexity,
                PlanField::Worktree => self.worktree.clone_from(&planned.worktree),
                // Dependencies have their own events; the other fields are in the task's row.
                PlanField::DependsOn
                | PlanField::Phase
                | PlanField::Title
                | PlanField::Agent
                | PlanField::Tester
                | PlanField::Priority
                | PlanField::Budget
                | PlanField::Status => {}
            }
        }
    }

    pub(super) fn from_plan(task: &PlannedTask) -> Self {
        Self {
            id: task.id.clone(),
            text: task.text.clone(),
            acceptance: task.acceptance.clone(),
            depends_on: task.depends_on.clone(),
            external: task.external.clone(),
            touches: task.touches.clone(),
            verify: task.verify.clone(),
            timeout_ms: task.timeout_ms,
            complexity: task.complexity,
            estimate_ms: task.estimate_ms,
            memory_mib: task.memory_mib,
            worktree: task.worktree.clone(),
            reported: BTreeMap::new(),
        }
    }
}

impl TableRow for TaskDetailRow {
    type Key = TaskId;
    const KIND: RowKind = RowKind::TaskDetail;

    fn key(&self) -> TaskId {
        self.id.clone()
    }

    fn key_to_text(key: &TaskId) -> String {
        key.to_string()
    }
}

impl Views {
    pub(crate) fn set_reported_fields(&mut self, task: &TaskId, fields: &BTreeMap<String, String>) {
        if !fields.is_empty() {
            self.rows.task_details.change(task, |row| row.reported = fields.clone());
        }
    }

    pub(crate) fn apply_task_requested(&mut self, task: &TaskId, worktree: Option<&String>) {
        if worktree.is_some() {
            self.rows.task_details.change(task, |row| row.worktree = worktree.cloned());
        }
    }
}
