//! What a problem came from, as far as Jangdan itself found it out.
//!
//! The log keeps it beside the title, so that the title can be said in every language.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{PhaseNumber, SessionId, Subject, TaskId};

/// Where a problem came from. It is written as its English title.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Cause {
    /// A task was tried too often.
    FailedAgain {
        /// The task.
        task: TaskId,
        /// How often.
        failures: u32,
    },
    /// A task failed for good.
    Failed {
        /// The task.
        task: TaskId,
        /// What its agent says.
        why: String,
    },
    /// A task fails its tests again and again.
    FailsTests {
        /// The task.
        task: TaskId,
    },
    /// Nobody could test a task.
    Untested {
        /// The task.
        task: TaskId,
    },
    /// What a task changed does not go together with what is there.
    Unmergeable {
        /// The task.
        task: TaskId,
    },
    /// A task has run for longer than it may.
    TaskTooLong {
        /// The task.
        task: TaskId,
    },
    /// The limit of a service does not reset.
    LimitStays {
        /// The task that waits for it.
        task: TaskId,
    },
    /// A gate does not let a phase pass.
    GateShut {
        /// The phase.
        phase: PhaseNumber,
    },
    /// A budget is nearly used.
    BudgetNearlyUsed {
        /// Whose.
        of: Subject,
    },
    /// An agent does not keep to the protocol.
    NoProtocol {
        /// Its session.
        session: SessionId,
    },
    /// Something that is needed will not come.
    Refused {
        /// Its name.
        name: String,
    },
    /// A question has expired.
    Unanswered,
    /// The run has taken longer than it may.
    RunTooLong,
    /// Worktrees take too much room already.
    NoRoom,
    /// The agent that leads the run ended too often.
    OrchestratorGone,
    /// The main agent says nothing while tasks wait for it.
    MainAgentSilent,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FailedAgain { task, failures } => write!(f, "{task} failed {failures} times"),
            Self::Failed { task, why } => write!(f, "{task} failed: {why}"),
            Self::FailsTests { task } => write!(f, "{task} fails its tests"),
            Self::Untested { task } => write!(f, "{task} could not be tested"),
            Self::Unmergeable { task } => write!(f, "{task} can't be merged"),
            Self::TaskTooLong { task } => write!(f, "{task} takes too long"),
            Self::LimitStays { task } => write!(f, "{task} waits for a limit that does not reset"),
            Self::GateShut { phase } => write!(f, "phase {phase} does not pass its gate"),
            Self::BudgetNearlyUsed { of: Subject::Task { task } } => {
                write!(f, "the budget of {task} is nearly used")
            }
            Self::BudgetNearlyUsed { of: Subject::Phase { phase } } => {
                write!(f, "the budget of phase {phase} is nearly used")
            }
            Self::BudgetNearlyUsed { of: Subject::Run } => write!(f, "the budget of the run is nearly used"),
            Self::NoProtocol { session } => write!(f, "{session} does not keep to the protocol"),
            Self::Refused { name } => write!(f, "{name} is refused"),
            Self::Unanswered => f.write_str("nobody answered in time"),
            Self::RunTooLong => f.write_str("the run takes too long"),
            Self::NoRoom => f.write_str("there is no room for another worktree"),
            Self::OrchestratorGone => f.write_str("the orchestrator is gone"),
            Self::MainAgentSilent => f.write_str("the main agent says nothing"),
        }
    }
}
