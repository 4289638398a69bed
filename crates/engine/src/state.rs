//! The state of a run. Only `apply` changes it.

mod collaboration;
mod conversation;
mod escalation;
mod large_files;
mod message_rate;
mod pending;
mod phase;
mod question;
mod session;
mod task;
mod task_history;
mod team;
mod work_round;

pub(crate) use collaboration::{
    DirectMessage, DirectMessageChannel, Invocation, InvocationState, ResultState, SubmittedResult,
};
pub(crate) use conversation::ConversationTail;
pub(crate) use escalation::{Checkpoint, Escalation, FeedbackLoop};
pub(crate) use large_files::LargeFiles;
pub(crate) use message_rate::MessageRate;
pub(crate) use pending::{Deadline, EffectKey, WorkItem};
pub(crate) use phase::{GateState, Phase};
pub(crate) use question::{Provision, Question, QuestionState, Request, RequestState};
pub(crate) use session::{INVALID_MESSAGES_MAX, INVALID_OF_A_KIND_MAX, ProcessState, Session, SessionState};
pub use task::TaskState;
pub(crate) use task::{
    Attempt, BudgetUsage, RateLimitWaits, Task, TaskIndex, TaskOrigin, TaskStage, WorkState,
};
pub(crate) use task_history::{TaskHistory, failure_story};
pub(crate) use team::Team;
pub(crate) use work_round::{RoundOrigin, TaskClaim, TreeExamination, WorkRound};
