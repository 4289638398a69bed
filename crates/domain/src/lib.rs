//! The words everybody shares: ids, values, what an agent can say, what is wished, what happened.
//!
//! Parses values and compares them; never decides anything.

mod actor;
mod agent;
mod amended;
mod cause;
mod command;
mod escalation;
mod event;
mod feedback;
mod id;
mod input;
mod log;
mod message;
#[cfg(feature = "openapi")]
mod openapi;
mod overlap;
mod permission;
mod planned;
mod secret;
mod session;
mod settings;
mod state;
mod task;
mod tool;
mod value;

pub use actor::Actor;
pub use agent::{AgentName, Role};
pub use amended::{ChangedTask, KeptTask, PlanChanges, PlanField};
pub use cause::Cause;
pub use command::Command;
pub use escalation::{Action, EscalationType, Level, Severity, Subject};
pub use event::{Event, Recorded};
pub use feedback::{Feedback, Receipt, TestFailure, TestMetrics};
pub use id::{
    AttemptNumber, ChannelId, CheckpointId, DirectMessageId, EscalationId, InputNumber, InvocationId, LoopId,
    OfferId, QuestionId, RequestId, ResultId, SessionId,
};
pub use input::{CallOutcome, Input, Provided};
pub use log::{RunId, Sequence, Timestamp};
pub use message::{
    AgentError, AskUser, AskUserType, Custom, DeliverResult, DependencyRequest, DependencyType, Direct,
    DirectType, Done, ErrorType, Fail, Invoke, NeedHuman, PhaseComplete, PhaseDone, Progress,
    QuestionCategory, Ready, Recovery, ResolveCode, ResolveError, ResolveNext, ResultType, Said,
    StepComplete, TaskRequest, UserQuestion,
};
pub use overlap::Overlap;
pub use permission::{Keep, PermissionKind, PermissionMode, PermissionPolicy, PermissionWish};
pub use planned::{FromPlan, PlannedPhase, PlannedTask, PlannedWork};
pub use secret::secret_in;
pub use session::{Locale, SessionKey};
pub use settings::{GateApproval, Member, Mode, Settings};
pub use state::{
    BlockReason, CheckpointOutcome, CheckpointReason, ClaimSource, EffectId, Failure, GateReport, Heard,
    HoldsUp, LoopOutcome, MergeOutcome, ParkMode, Proof, QuestionKind, ReturnReason, RewindTarget, Route,
    RunOutcome, Usage,
};
pub use task::{PhaseNumber, TaskId, TaskReference};
pub use tool::{ToolOutput, ToolStatus, ToolUse, TurnTools};
pub use value::{Budget, Complexity, Priority};

/// A text that is not the value it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is no {expected}")]
pub struct ParseError {
    /// The text as it was given.
    pub text: String,
    /// What it should have been, in words for a person.
    pub expected: &'static str,
}

impl ParseError {
    pub(crate) fn new(text: &str, expected: &'static str) -> Self {
        Self { text: text.to_owned(), expected }
    }
}
