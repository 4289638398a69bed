//! The report of a run: what was done, what proves it, what it took, and what nothing proves.
//!
//! Made from the rows alone. [`RunReport`] is the data, and [`render_report`] its Markdown and HTML.

mod gather;
mod html;
mod markdown;
mod outline;
mod phrases;
mod time;

pub use time::format_duration;

use domain::{
    Actor, AgentName, AttemptFailure, AttemptNumber, DependencyType, EscalationAction, EscalationId, Locale,
    PhaseNumber, QuestionId, RequestId, Role, RunId, TaskId, Timestamp,
};
use serde::{Deserialize, Serialize};

use crate::{
    AttemptState, PhaseState, QuestionState, RequestState, Rows, RunState, TaskCounts, TaskMark, TaskState,
    UsageTotals,
};

/// The report of a run, also of one that has not ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RunReport {
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub run: RunId,
    pub project: String,
    /// Title of the plan.
    pub title: String,
    pub status: RunState,
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub started_at: Timestamp,
    #[cfg_attr(feature = "openapi", schema(value_type = Option<i64>))]
    pub ended_at: Option<Timestamp>,
    /// Time of the report.
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub made_at: Timestamp,
    pub tasks: TaskCounts,
    pub time: RunTime,
    pub usage: UsageByWork,
    pub phases: Vec<PhaseReport>,
    pub questions: Vec<QuestionReport>,
    pub requests: Vec<RequestReport>,
    pub problems: Vec<ProblemReport>,
    /// Work and phases that nothing proves, or that a user accepted without a proof.
    pub unproved: Vec<UnprovedWork>,
}

/// Predicted and actual time of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RunTime {
    /// The longest chain of dependent work, by the estimates of the plan; `None` if no task has one.
    pub predicted_ms: Option<u64>,
    /// Tasks without an estimate, which the prediction leaves out.
    pub n_unestimated: u32,
    /// From the start to the end, or to the time of the report.
    pub elapsed_ms: u64,
    /// The working time of all tasks.
    pub worked_ms: u64,
    /// The time in which started tasks could not continue.
    pub blocked_ms: u64,
}

/// What the sessions used, by the purpose of their role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct UsageByWork {
    pub total: UsageTotals,
    /// Workers, and the agents that they call.
    pub work: UsageTotals,
    /// Testers and verifiers.
    pub verification: UsageTotals,
    /// Orchestrators and operators.
    pub coordination: UsageTotals,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PhaseReport {
    pub number: PhaseNumber,
    /// Empty if the phase has no name.
    pub name: String,
    pub state: PhaseState,
    /// Rounds of its gate.
    pub rounds: u32,
    /// Who approved it, and what for.
    pub approved_by: Option<String>,
    pub note: Option<String>,
    pub used: UsageTotals,
    pub tasks: Vec<TaskReport>,
    /// The checks of its gate.
    pub checks: Vec<CheckReport>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TaskReport {
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub id: TaskId,
    pub title: String,
    pub state: TaskState,
    pub marks: Vec<TaskMark>,
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub agent: Option<AgentName>,
    pub estimate_ms: Option<u64>,
    pub worked_ms: u64,
    pub blocked_ms: u64,
    pub used: UsageTotals,
    pub attempts: Vec<AttemptReport>,
    pub checks: Vec<CheckReport>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AttemptReport {
    pub number: AttemptNumber,
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub agent: AgentName,
    pub state: AttemptState,
    pub failure: Option<AttemptFailure>,
    /// Why nothing had to change, as its agent reported it.
    pub claim_reason: Option<String>,
}

/// A receipt, shortened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    pub command: String,
    pub passed: bool,
    /// The outcome in English, and in Korean.
    pub outcome: [String; 2],
    pub tree: String,
    pub output_hash: String,
    /// Titles of failed tests, at most [`FAILED_TESTS_MAX`].
    pub failed_tests: Vec<String>,
    pub n_failed_tests: u64,
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub finished_at: Timestamp,
    pub took_ms: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct QuestionReport {
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub id: QuestionId,
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub task: Option<TaskId>,
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub agent: Option<AgentName>,
    pub text: String,
    /// Korean text, if Jangdan asked.
    pub korean: Option<String>,
    pub status: QuestionState,
    pub answer: Option<String>,
    pub answered_by: Option<String>,
    /// Time until the answer.
    pub waited_ms: Option<u64>,
}

/// What an agent requested, and what became of it. Never a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RequestReport {
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub id: RequestId,
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub task: Option<TaskId>,
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub agent: Option<AgentName>,
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub r#type: DependencyType,
    pub name: String,
    pub description: String,
    pub status: RequestState,
    /// Whether the default of the agent is used.
    pub is_default: bool,
    /// Why it was refused, or why the last attempt to provide it failed.
    pub reason: Option<String>,
    pub resolved_by: Option<String>,
    /// Time until the decision was carried out.
    pub waited_ms: Option<u64>,
}

/// An escalation and its decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProblemReport {
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub id: EscalationId,
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub task: Option<TaskId>,
    pub title: String,
    /// Korean text, if Jangdan wrote it.
    pub korean: Option<String>,
    pub is_open: bool,
    pub action: Option<EscalationAction>,
    pub note: Option<String>,
    pub resolved_by: Option<String>,
}

/// Work that counts as done, or a phase that counts as approved, without a proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum UnprovedWork {
    Task {
        #[cfg_attr(feature = "openapi", schema(value_type = String))]
        task: TaskId,
        title: String,
        /// What is not proved.
        marks: Vec<TaskMark>,
    },
    /// The plan says that it was done before the run.
    DoneBefore {
        #[cfg_attr(feature = "openapi", schema(value_type = String))]
        task: TaskId,
        title: String,
    },
    /// No check ran at the gate.
    PhaseWithoutCheck { phase: PhaseNumber },
    /// A user approved the phase despite failed checks.
    PhaseWaived { phase: PhaseNumber },
    /// The default was used as the answer.
    DefaultUsed {
        #[cfg_attr(feature = "openapi", schema(value_type = String))]
        question: QuestionId,
    },
    /// The task was left out.
    Skipped {
        #[cfg_attr(feature = "openapi", schema(value_type = String))]
        task: TaskId,
        title: String,
    },
}

/// Failed tests that a report names for a check.
pub const FAILED_TESTS_MAX: usize = 10;

/// The form of a rendered report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReportForm {
    Markdown,
    /// One page without references to other files. Every text in it is escaped.
    Html,
}

impl RunReport {
    /// Makes the report of a run. Returns `None` if the rows have no run.
    pub fn of_rows(rows: &Rows, now: Timestamp) -> Option<Self> {
        gather::report(rows, now)
    }
}

/// Renders a report for people.
pub fn render_report(report: &RunReport, form: ReportForm, locale: Locale) -> String {
    let document = outline::document(report, locale);
    match form {
        ReportForm::Markdown => markdown::render(&document),
        ReportForm::Html => html::render(&document, locale),
    }
}

/// Adds the usage of a session to the part of its role.
fn add_by_role(usage: &mut UsageByWork, role: Role, used: &UsageTotals) {
    let part = match role {
        Role::Worker | Role::Specialist => &mut usage.work,
        Role::Tester | Role::Verifier => &mut usage.verification,
        Role::Orchestrator | Role::Operator => &mut usage.coordination,
    };
    part.add_totals(used);
    usage.total.add_totals(used);
}

/// Names who decided; `None` for Jangdan.
fn actor_name(actor: &Actor, agent_of: impl Fn(domain::SessionId) -> Option<AgentName>) -> Option<String> {
    match actor {
        Actor::Person(name) => Some(name.clone()),
        Actor::Agent(session) => agent_of(*session).map(|name| name.to_string()),
        Actor::Clock | Actor::System => None,
    }
}
