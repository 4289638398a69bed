//! What the plan says about a task. It hardly ever changes, and so it is not written again with each step of the task.

use std::collections::BTreeMap;

use domain::{Complexity, PlanField, PlannedTask, TaskId};
use serde::{Deserialize, Serialize};

use crate::{RowKind, TableRow, Views};

/// What is to be done, and what must hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TaskDetailRow {
    /// The task.
    pub id: TaskId,
    /// The whole description, in Markdown.
    pub text: String,
    /// What must hold before it counts as done.
    pub acceptance: Vec<String>,
    /// The tasks that it comes after.
    pub depends_on: Vec<TaskId>,
    /// What else it waits for, until a person marks it met.
    pub external: Vec<String>,
    /// The paths, patterns and locks that no other running task may share.
    pub touches: Vec<String>,
    /// The command that proves it.
    pub verify: Option<String>,
    /// How long it may run.
    pub timeout_ms: Option<u64>,
    /// How large it is.
    pub complexity: Option<Complexity>,
    /// How long it is thought to take.
    pub estimate_ms: Option<u64>,
    /// The memory it needs, in MiB.
    pub memory_mib: u64,
    /// The worktree it asks for.
    pub worktree: Option<String>,
    /// What its agent reported when it said that it was done.
    pub reported: BTreeMap<String, String>,
}

impl TaskDetailRow {
    /// Takes some of what a plan says otherwise now.
    pub(super) fn take(&mut self, said: &PlannedTask, fields: &[PlanField]) {
        for field in fields {
            match field {
                PlanField::Text => self.text.clone_from(&said.text),
                PlanField::Acceptance => self.acceptance.clone_from(&said.acceptance),
                PlanField::External => self.external.clone_from(&said.external),
                PlanField::Touches => self.touches.clone_from(&said.touches),
                PlanField::Verify => self.verify.clone_from(&said.verify),
                PlanField::Timeout => self.timeout_ms = said.timeout_ms,
                PlanField::Complexity => self.complexity = said.complexity,
                PlanField::Worktree => self.worktree.clone_from(&said.worktree),
                // What it waits for has events of its own; the rest is in the task's row.
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

    pub(super) fn planned(task: &PlannedTask) -> Self {
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

    fn write_key(key: &TaskId) -> String {
        key.to_string()
    }
}

impl Views {
    pub(crate) fn task_claimed(&mut self, task: &TaskId, fields: &BTreeMap<String, String>) {
        if !fields.is_empty() {
            self.rows.task_details.change(task, |row| row.reported = fields.clone());
        }
    }

    pub(crate) fn task_requested(&mut self, task: &TaskId, worktree: Option<&String>) {
        if worktree.is_some() {
            self.rows.task_details.change(task, |row| row.worktree = worktree.cloned());
        }
    }
}
