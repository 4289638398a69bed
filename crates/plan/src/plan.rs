//! The plan model: phases of tasks with dependencies. Plain data, in the shape that `jangdan plan check --json`
//! prints.

use domain::{Budget, Complexity, PhaseNumber, Priority, TaskId};
use serde::Serialize;

/// A plan read from a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// Empty if the file has none.
    pub title: String,
    /// Only phases with tasks, sorted by number.
    pub phases: Vec<Phase>,
    /// In file order, with unique ids.
    pub tasks: Vec<Task>,
}

/// One phase of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ParsedPhase"))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ParsedPhase))]
#[serde(rename_all = "camelCase")]
pub struct Phase {
    /// Phase number as written, usually from 1.
    pub number: PhaseNumber,
    /// Empty if the phase has none.
    pub name: String,
    /// Phases whose gates must pass before its tasks may start.
    pub after: Vec<PhaseNumber>,
    /// Its task ids in file order.
    pub tasks: Vec<TaskId>,
    /// Check command of the phase, and of its tasks without a check of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub verify: Option<String>,
    /// Glob patterns of the files the phase must produce.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Vec<String>>"))]
    pub artefacts: Vec<String>,
    /// Limits for all tasks of the phase together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Vec<Budget>>"))]
    pub budgets: Vec<Budget>,
}

/// A task of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ParsedTask"))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ParsedTask))]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// As written, without the phase prefix of `P1-T1.3`.
    pub id: TaskId,
    /// One line of text.
    pub title: String,
    /// Number of its phase.
    pub phase: PhaseNumber,
    /// Ids of tasks in this plan. Gates of earlier phases are not repeated here.
    pub depends_on: Vec<TaskId>,
    /// Names of external dependencies; the task waits until a person marks them as met.
    pub external: Vec<String>,
    /// Name of the agent; `None` uses the configured default.
    pub agent: Option<String>,
    /// Name of the testing agent; `None` uses the configured default.
    pub tester: Option<String>,
    /// True if nothing is left to do: done or cancelled.
    pub done: bool,
    /// Optional tasks are skipped unless requested.
    pub optional: bool,
    /// Full description in Markdown.
    pub text: String,
    /// Conditions that must hold before the task counts as done.
    pub acceptance: Vec<String>,
    /// Paths and glob patterns that the task will change.
    pub touches: Vec<String>,
    /// Check command that proves the task.
    pub verify: Option<String>,
    /// Time limit of one attempt, in seconds.
    pub timeout_seconds: Option<u64>,
    /// Order among tasks that are ready.
    pub priority: Priority,
    /// Size estimate, which sets the weight.
    pub complexity: Option<Complexity>,
    /// Layer of the system, such as `CODE`.
    pub layer: Option<String>,
    /// Limit in tokens or money.
    pub budget: Option<Budget>,
    /// Name of the worktree it requests.
    pub worktree: Option<String>,
    /// Requirements or user stories it refers to.
    pub references: Vec<String>,
    /// First line in the file, counted from 1.
    pub line: usize,
}

impl Task {
    /// Creates a task in phase 1 with all other fields empty.
    pub fn new(id: TaskId, title: String) -> Self {
        Self {
            id,
            title,
            phase: 1,
            depends_on: Vec::new(),
            external: Vec::new(),
            agent: None,
            tester: None,
            done: false,
            optional: false,
            text: String::new(),
            acceptance: Vec::new(),
            touches: Vec::new(),
            verify: None,
            timeout_seconds: None,
            priority: Priority::Normal,
            complexity: None,
            layer: None,
            budget: None,
            worktree: None,
            references: Vec::new(),
            line: 1,
        }
    }

    /// Returns the estimated duration in units of complexity: 1 if no complexity is given, 0 for done and optional
    /// tasks, which a run does not start.
    pub fn weight(&self) -> u32 {
        if self.done || self.optional { 0 } else { self.complexity.map_or(1, Complexity::weight) }
    }
}
