//! What a run sets out to do: a plan with everything settled that the plan file left open.
//!
//! The log keeps it, so that a run does not depend on a file that changes.

use serde::{Deserialize, Serialize};

use crate::{AgentName, Budget, Complexity, PhaseNumber, Priority, TaskId};

/// The phases and tasks of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlannedWork {
    /// What the plan calls itself.
    pub title: String,
    /// The phases, by number.
    pub phases: Vec<PlannedPhase>,
    /// The tasks in the plan's order.
    pub tasks: Vec<PlannedTask>,
}

/// One phase of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlannedPhase {
    /// The number, as people count.
    pub number: PhaseNumber,
    /// The name, or an empty text.
    pub name: String,
    /// The phases whose gates must have passed before one of its tasks may start.
    pub after: Vec<PhaseNumber>,
    /// The command that its gate runs; without one the project's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<String>,
    /// Globs of what the phase is to leave behind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artefacts: Vec<String>,
    /// What all its tasks together may cost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub budgets: Vec<Budget>,
}

/// One piece of work of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlannedTask {
    /// The id.
    pub id: TaskId,
    /// The phase it belongs to.
    pub phase: PhaseNumber,
    /// What is to be done, in one line.
    pub title: String,
    /// The whole description, in Markdown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// What must hold before it counts as done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acceptance: Vec<String>,
    /// The tasks that it waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<TaskId>,
    /// What else it waits for, until a person marks it met.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub external: Vec<String>,
    /// Who is to do it; without one the team's worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    /// Who is to test it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tester: Option<AgentName>,
    /// The paths, patterns and locks that no other running task may share.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<String>,
    /// The command that proves it; without one the phase's, then the project's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<String>,
    /// How long it may run; without it the run's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// How urgent it is.
    #[serde(default)]
    pub priority: Priority,
    /// How large it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complexity: Option<Complexity>,
    /// How long it is thought to take, learned from earlier runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate_ms: Option<u64>,
    /// The memory it needs, in MiB.
    #[serde(default)]
    pub memory_mib: u64,
    /// What it may cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// The worktree it asks for; tasks that share one run one after the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// Whether there is something to do.
    #[serde(default)]
    pub from_plan: PlanStatus,
}

impl PlannedTask {
    /// Returns a task that has a name, a phase and nothing else.
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
            from_plan: PlanStatus::Open,
        }
    }
}

/// What the plan says of a task when the run starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum PlanStatus {
    /// It is to be done.
    #[default]
    Open,
    /// It is done already.
    Done,
    /// It is optional, and nobody asked for it.
    Skipped,
}
