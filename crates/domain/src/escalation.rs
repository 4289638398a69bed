//! Problems that are handed upward, and what can be done about them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{AgentName, Budget, PhaseNumber, TaskId};

/// What kind of problem it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum EscalationType {
    /// None of the others.
    General,
    /// A task that cannot go on.
    Blocked,
    /// Somebody must decide.
    Decision,
    /// Tests that fail again and again.
    TestFailure,
    /// Nearly all tokens are used.
    TokenExhausted,
    /// It takes too long.
    Timeout,
    /// Changes that do not go together.
    Conflict,
    /// Something from outside is missing.
    Dependency,
    /// A phase that its gate does not let pass.
    Quality,
    /// An agent that does not keep to the protocol.
    Protocol,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Low,
    /// Worth a look.
    Medium,
    /// Something stands still.
    High,
    /// Everything may be in danger.
    Critical,
}

/// Who has it in hand. A problem climbs from the worker up to the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum EscalationLevel {
    /// Where it came up.
    Worker,
    /// Who leads the phase.
    Operator,
    /// Who leads the run.
    Orchestrator,
    /// Whose run it is.
    Person,
}

/// What the problem is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum EscalationSubject {
    /// A task.
    Task {
        /// Which.
        task: TaskId,
    },
    /// A phase and its gate.
    Phase {
        /// Which.
        phase: PhaseNumber,
    },
    /// The run as a whole.
    Run,
}

/// What can be done about a problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum EscalationAction {
    /// Try again, with a word of advice.
    Retry {
        /// What to do differently.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
    },
    /// Let another agent do it.
    Reassign {
        /// Who.
        agent: AgentName,
    },
    /// Leave it out; whoever waits for it goes on.
    Skip,
    /// Let it pass as it is.
    Waive,
    /// Allow more.
    RaiseBudget {
        /// The new limit.
        budget: Budget,
    },
    /// Fail it.
    #[serde(alias = "giveUp")]
    MarkFailed,
    /// It is known, and nothing is to be done.
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
            Self::MarkFailed => f.write_str("give up"),
            Self::Dismiss => f.write_str("dismiss"),
        }
    }
}
