//! Causes of escalations that Jangdan itself raises.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{CheckObstacle, EscalationSubject, MovedRef, PhaseNumber, SessionId, TaskId};

/// Stored beside the title, so that the title can be translated. Displays as the English title.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum EscalationCause {
    #[serde(alias = "failedAgain")]
    RepeatedFailure {
        task: TaskId,
        failures: u32,
    },
    #[serde(alias = "failed")]
    TaskFailed {
        task: TaskId,
        why: String,
    },
    #[serde(alias = "failsTests")]
    TestsFailing {
        task: TaskId,
    },
    /// The check of a task, of its merge or of a phase could not run.
    CheckNotRun {
        of: EscalationSubject,
        command: String,
        obstacle: CheckObstacle,
    },
    /// No tester could judge the task.
    #[serde(alias = "untested")]
    TestingFailed {
        task: TaskId,
    },
    /// The agent repeats itself instead of doing the task or reporting it as done.
    EvidenceMissing {
        task: TaskId,
    },
    #[serde(alias = "unmergeable")]
    MergeFailed {
        task: TaskId,
    },
    #[serde(alias = "taskTooLong")]
    TaskTimeout {
        task: TaskId,
    },
    /// The rate limit of a service does not reset.
    #[serde(alias = "limitStays")]
    RateLimitPersists {
        /// The waiting task.
        task: TaskId,
    },
    #[serde(alias = "gateShut")]
    GateFailed {
        phase: PhaseNumber,
    },
    BudgetNearlyUsed {
        of: EscalationSubject,
    },
    /// An agent keeps sending invalid messages.
    #[serde(alias = "noProtocol")]
    ProtocolViolated {
        session: SessionId,
    },
    /// An agent sends more messages than are read; the others are ignored.
    MessageFlood {
        session: SessionId,
    },
    /// A requested dependency was refused.
    #[serde(alias = "refused")]
    RequestRefused {
        name: String,
    },
    #[serde(alias = "unanswered")]
    QuestionExpired,
    #[serde(alias = "runTooLong")]
    RunTimeout,
    /// Worktrees use the whole disk budget.
    #[serde(alias = "noRoom")]
    DiskBudgetExhausted,
    /// Checks, merges or checkpoints cannot be made because the disk is full.
    DiskFull,
    /// The orchestrator's session ended too often.
    #[serde(alias = "orchestratorGone")]
    OrchestratorLost,
    /// The main agent of a thin run sends nothing while tasks wait for it.
    MainAgentSilent,
    /// Another program moved a ref of the run. Nothing is built on the commit that it points to.
    RefMoved(MovedRef),
    /// A process of a session called the server as if it were the user. The call was refused.
    ActedAsUser {
        /// Name of the process in the list of sessions.
        process: String,
    },
}

impl fmt::Display for EscalationCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RepeatedFailure { task, failures: 1 } => write!(f, "{task} failed once"),
            Self::RepeatedFailure { task, failures } => write!(f, "{task} failed {failures} times"),
            Self::TaskFailed { task, why } => write!(f, "{task} failed: {why}"),
            Self::TestsFailing { task } => write!(f, "{task} keeps failing its tests"),
            Self::CheckNotRun { of: EscalationSubject::Task { task }, command, obstacle } => {
                write!(f, "the check of {task} could not run: `{command}`: {obstacle}")
            }
            Self::CheckNotRun { of: EscalationSubject::Phase { phase }, command, obstacle } => {
                write!(f, "the check of phase {phase} could not run: `{command}`: {obstacle}")
            }
            Self::CheckNotRun { of: EscalationSubject::Run, command, obstacle } => {
                write!(f, "the check could not run: `{command}`: {obstacle}")
            }
            Self::TestingFailed { task } => write!(f, "{task} could not be tested"),
            Self::EvidenceMissing { task } => write!(f, "{task} shows no progress"),
            Self::MergeFailed { task } => write!(f, "{task} could not be merged"),
            Self::TaskTimeout { task } => write!(f, "{task} exceeded its time limit"),
            Self::RateLimitPersists { task } => {
                write!(f, "{task} waits for a rate limit that does not reset")
            }
            Self::GateFailed { phase } => write!(f, "phase {phase} did not pass its gate"),
            Self::BudgetNearlyUsed { of: EscalationSubject::Task { task } } => {
                write!(f, "the budget of {task} is nearly used up")
            }
            Self::BudgetNearlyUsed { of: EscalationSubject::Phase { phase } } => {
                write!(f, "the budget of phase {phase} is nearly used up")
            }
            Self::BudgetNearlyUsed { of: EscalationSubject::Run } => {
                write!(f, "the budget of the run is nearly used up")
            }
            Self::ProtocolViolated { session } => write!(f, "{session} keeps sending invalid messages"),
            Self::MessageFlood { session } => write!(f, "{session} sends too many messages"),
            Self::RequestRefused { name } => write!(f, "{name} was refused"),
            Self::QuestionExpired => f.write_str("a question was not answered in time"),
            Self::RunTimeout => f.write_str("the run exceeded its time limit"),
            Self::DiskBudgetExhausted => f.write_str("no disk space for another worktree"),
            Self::DiskFull => f.write_str("the disk is full: free some space"),
            Self::OrchestratorLost => f.write_str("the orchestrator ended too often"),
            Self::RefMoved(MovedRef { name, .. }) => write!(f, "another program moved {name}"),
            Self::ActedAsUser { process } => write!(f, "{process} tried to act as the user"),
            Self::MainAgentSilent => f.write_str("the main agent sends nothing while tasks wait for it"),
        }
    }
}
