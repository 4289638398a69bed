//! Escalations: kinds, severities, levels and the actions that resolve them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{AgentName, Budget, PhaseNumber, TaskId};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum EscalationType {
    General,
    Blocked,
    Decision,
    TestFailure,
    TokenExhausted,
    Timeout,
    Conflict,
    Dependency,
    /// A phase does not pass its gate.
    Quality,
    /// An agent keeps sending invalid messages.
    Protocol,
    /// A check could not run. It goes to the user at once.
    CheckNotRun,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Low,
    Medium,
    /// Work is blocked.
    High,
    /// The whole run is at risk.
    Critical,
}

/// Who handles an escalation. It moves up from the worker to the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum EscalationLevel {
    Worker,
    Operator,
    Orchestrator,
    Person,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum EscalationSubject {
    Task { task: TaskId },
    Phase { phase: PhaseNumber },
    Run,
}

/// What resolves an escalation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum EscalationAction {
    Retry {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
    },
    Reassign {
        agent: AgentName,
    },
    /// Dependants treat the task as done.
    Skip,
    /// Accept the current result.
    Waive,
    RaiseBudget {
        budget: Budget,
    },
    #[serde(alias = "giveUp")]
    MarkFailed,
    /// Acknowledge without doing anything.
    Dismiss,
}

impl fmt::Display for EscalationAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Retry { .. } => f.write_str("retry"),
            Self::Reassign { agent } => write!(f, "reassign to {agent}"),
            Self::Skip => f.write_str("skip"),
            Self::Waive => f.write_str("waive"),
            Self::RaiseBudget { budget } => write!(f, "raise the budget to {budget}"),
            Self::MarkFailed => f.write_str("mark as failed"),
            Self::Dismiss => f.write_str("dismiss"),
        }
    }
}
