//! What a run carries out: phases of tasks with dependencies.
//!
//! Plain data, in the shape that `jangdan plan check --json` prints. Decides nothing.

use domain::{Budget, Complexity, PhaseNumber, Priority, TaskId};
use serde::Serialize;

/// A plan as it was read from a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// The file's own title, or an empty text.
    pub title: String,
    /// The phases that have tasks, by number.
    pub phases: Vec<Phase>,
    /// The tasks in the file's order. No two have the same id.
    pub tasks: Vec<Task>,
}

/// One phase of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ReadPhase"))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ReadPhase))]
#[serde(rename_all = "camelCase")]
pub struct Phase {
    /// The number, as people count.
    pub number: PhaseNumber,
    /// The name, or an empty text.
    pub name: String,
    /// The phases whose gates must have passed before one of its tasks may start.
    pub after: Vec<PhaseNumber>,
    /// Its tasks in the file's order.
    pub tasks: Vec<TaskId>,
    /// The command that proves it, and its tasks that have none of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub verify: Option<String>,
    /// The patterns of what it is to leave behind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Vec<String>>"))]
    pub artefacts: Vec<String>,
    /// What all its tasks together may cost.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Vec<Budget>>"))]
    pub budgets: Vec<Budget>,
}

/// One piece of work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ReadTask"))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ReadTask))]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// The id as it is written, without the phase that `P1-T1.3` puts before it.
    pub id: TaskId,
    /// What is to be done, in one line.
    pub title: String,
    /// The phase it belongs to.
    pub phase: PhaseNumber,
    /// The tasks of this plan that it waits for, by id. The gates of earlier phases are not repeated here.
    pub depends_on: Vec<TaskId>,
    /// What else it waits for, until a person marks it met.
    pub external: Vec<String>,
    /// Who is to do it.
    pub agent: Option<String>,
    /// Who is to test it.
    pub tester: Option<String>,
    /// Whether there is nothing left to do: done, or cancelled.
    pub done: bool,
    /// Whether it is skipped unless somebody asks for it.
    pub optional: bool,
    /// The whole description, in Markdown.
    pub text: String,
    /// What must hold before it counts as done.
    pub acceptance: Vec<String>,
    /// The paths and patterns that it will change.
    pub touches: Vec<String>,
    /// The command that proves it.
    pub verify: Option<String>,
    /// How long it may take.
    pub timeout_seconds: Option<u64>,
    /// How urgent it is.
    pub priority: Priority,
    /// How large it is.
    pub complexity: Option<Complexity>,
    /// The layer of the system that it belongs to.
    pub layer: Option<String>,
    /// What it may cost.
    pub budget: Option<Budget>,
    /// The worktree it asks for.
    pub worktree: Option<String>,
    /// What it refers to elsewhere: requirements, user stories.
    pub references: Vec<String>,
    /// The line of the file where it begins, from 1.
    pub line: usize,
}

impl Task {
    /// Returns a task of phase 1 that has a name and nothing else.
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

    /// Returns how long it is thought to take: by complexity (1 where nothing is said), and 0 where a run would
    /// not start it, because it is done or optional.
    pub fn weight(&self) -> u32 {
        if self.done || self.optional { 0 } else { self.complexity.map_or(1, Complexity::weight) }
    }
}
