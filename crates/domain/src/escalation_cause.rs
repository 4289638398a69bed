//! What a problem came from, as far as Jangdan itself found it out.
//!
//! The log keeps it beside the title, so that the title can be said in every language.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{PhaseNumber, SessionId, EscalationSubject, TaskId};

/// Where a problem came from. It is written as its English title.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum EscalationCause {
    /// A task was tried too often.
    #[serde(alias = "failedAgain")]
    RepeatedFailure {
        /// The task.
        task: TaskId,
        /// How often.
        failures: u32,
    },
    /// A task failed for good.
    #[serde(alias = "failed")]
    TaskFailed {
        /// The task.
        task: TaskId,
        /// What its agent says.
        why: String,
    },
    /// A task fails its tests again and again.
    #[serde(alias = "failsTests")]
    TestsFailing {
        /// The task.
        task: TaskId,
    },
    /// Nobody could test a task.
    #[serde(alias = "untested")]
    TestingFailed {
        /// The task.
        task: TaskId,
    },
    /// What a task changed does not go together with what is there.
    #[serde(alias = "unmergeable")]
    MergeFailed {
        /// The task.
        task: TaskId,
    },
    /// A task has run for longer than it may.
    #[serde(alias = "taskTooLong")]
    TaskTimeout {
        /// The task.
        task: TaskId,
    },
    /// The limit of a service does not reset.
    #[serde(alias = "limitStays")]
    RateLimitPersists {
        /// The task that waits for it.
        task: TaskId,
    },
    /// A gate does not let a phase pass.
    #[serde(alias = "gateShut")]
    GateFailed {
        /// The phase.
        phase: PhaseNumber,
    },
    /// A budget is nearly used.
    BudgetNearlyUsed {
        /// Whose.
        of: EscalationSubject,
    },
    /// An agent does not keep to the protocol.
    #[serde(alias = "noProtocol")]
    ProtocolViolated {
        /// Its session.
        session: SessionId,
    },
    /// Something that is needed will not come.
    #[serde(alias = "refused")]
    RequestRefused {
        /// Its name.
        name: String,
    },
    /// A question has expired.
    #[serde(alias = "unanswered")]
    QuestionExpired,
    /// The run has taken longer than it may.
    #[serde(alias = "runTooLong")]
    RunTimeout,
    /// Worktrees take too much room already.
    #[serde(alias = "noRoom")]
    DiskBudgetExhausted,
    /// The agent that leads the run ended too often.
    #[serde(alias = "orchestratorGone")]
    OrchestratorLost,
    /// The main agent says nothing while tasks wait for it.
    MainAgentSilent,
}

impl fmt::Display for EscalationCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RepeatedFailure { task, failures } => write!(f, "{task} failed {failures} times"),
            Self::TaskFailed { task, why } => write!(f, "{task} failed: {why}"),
            Self::TestsFailing { task } => write!(f, "{task} fails its tests"),
            Self::TestingFailed { task } => write!(f, "{task} could not be tested"),
            Self::MergeFailed { task } => write!(f, "{task} can't be merged"),
            Self::TaskTimeout { task } => write!(f, "{task} takes too long"),
            Self::RateLimitPersists { task } => write!(f, "{task} waits for a limit that does not reset"),
            Self::GateFailed { phase } => write!(f, "phase {phase} does not pass its gate"),
            Self::BudgetNearlyUsed { of: EscalationSubject::Task { task } } => {
                write!(f, "the budget of {task} is nearly used")
            }
            Self::BudgetNearlyUsed { of: EscalationSubject::Phase { phase } } => {
                write!(f, "the budget of phase {phase} is nearly used")
            }
            Self::BudgetNearlyUsed { of: EscalationSubject::Run } => write!(f, "the budget of the run is nearly used"),
            Self::ProtocolViolated { session } => write!(f, "{session} does not keep to the protocol"),
            Self::RequestRefused { name } => write!(f, "{name} is refused"),
            Self::QuestionExpired => f.write_str("nobody answered in time"),
            Self::RunTimeout => f.write_str("the run takes too long"),
            Self::DiskBudgetExhausted => f.write_str("there is no room for another worktree"),
            Self::OrchestratorLost => f.write_str("the orchestrator is gone"),
            Self::MainAgentSilent => f.write_str("the main agent says nothing"),
        }
    }
}
