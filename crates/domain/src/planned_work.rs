//! The plan of a run, with all defaults resolved.
//!
//! Stored in the log, so that a run does not depend on a plan file that changes.

use serde::{Deserialize, Serialize};

use crate::{AgentName, Budget, Complexity, PhaseNumber, Priority, TaskId};

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlannedWork {
    pub title: String,
    pub phases: Vec<PlannedPhase>,
    /// In the order of the plan.
    pub tasks: Vec<PlannedTask>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlannedPhase {
    pub number: PhaseNumber,
    /// Empty if the phase has no name.
    pub name: String,
    /// Phases whose gates must pass before a task of this one may start.
    pub after: Vec<PhaseNumber>,
    /// Check command of the gate; defaults to the project's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<String>,
    /// Globs of expected artefacts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artefacts: Vec<String>,
    /// Limits for all tasks of the phase together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub budgets: Vec<Budget>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlannedTask {
    pub id: TaskId,
    pub phase: PhaseNumber,
    pub title: String,
    /// Description in Markdown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Acceptance criteria, one per item.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acceptance: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<TaskId>,
    /// Dependencies outside the plan, until a user marks them as met.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub external: Vec<String>,
    /// Defaults to the team's worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tester: Option<AgentName>,
    /// Paths, patterns and locks that no other running task may share.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<String>,
    /// Check command; defaults to the phase's, then the project's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<String>,
    /// Defaults to the run's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    #[serde(default)]
    pub priority: Priority,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complexity: Option<Complexity>,
    /// Expected duration, learned from earlier runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate_ms: Option<u64>,
    #[serde(default)]
    pub memory_mib: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// Named worktree; tasks that share one run one after the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    #[serde(default)]
    #[serde(alias = "fromPlan")]
    pub plan_status: PlanStatus,
}

impl PlannedTask {
    /// Creates a task with defaults for everything else.
    pub fn new(id: TaskId, phase: PhaseNumber, title: String) -> Self {
        Self {
            id,
            phase,
            title,
            text: String::new(),
            acceptance: Vec::new(),
            depends_on: Vec::new(),
            external: Vec::new(),
            agent: None,
            tester: None,
            touches: Vec::new(),
            verify: None,
            timeout_ms: None,
            priority: Priority::Normal,
            complexity: None,
            estimate_ms: None,
            memory_mib: 0,
            budget: None,
            worktree: None,
            plan_status: PlanStatus::Open,
        }
    }
}

/// Status of a task in the plan when the run starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum PlanStatus {
    #[default]
    Open,
    /// Completed before the run.
    Done,
    /// Optional and not selected.
    Skipped,
}
