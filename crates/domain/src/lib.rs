//! The words everybody shares: ids, values, what an agent can say, what is wished, what happened.
//!
//! Parses values and compares them; never decides anything.

mod actor;
mod agent;
mod plan_changes;
mod escalation_cause;
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
mod planned_work;
mod secret;
mod session;
mod settings;
mod state;
mod task;
mod tool;
mod value;

pub use actor::Actor;
pub use agent::{AgentName, Role};
pub use plan_changes::{ChangedTask, LateTaskChange, PlanChanges, PlanField};
pub use escalation_cause::EscalationCause;
pub use command::Command;
pub use escalation::{EscalationAction, EscalationType, EscalationLevel, Severity, EscalationSubject};
pub use event::{Event, RecordedEvent};
pub use feedback::{TestFeedback, Receipt, TestFailure, TestMetrics};
pub use id::{
    AttemptNumber, ChannelId, CheckpointId, DirectMessageId, EscalationId, InputNumber, InvocationId, LoopId,
    OfferId, QuestionId, RequestId, ResultId, SessionId,
};
pub use input::{InvocationOutcome, SessionInput, ProvidedResource};
pub use log::{RunId, Sequence, Timestamp};
pub use message::{
    AgentError, AskUser, AskUserType, CustomMessage, DeliverResult, DependencyRequest, DependencyType, DirectMessage,
    DirectType, DoneMessage, ErrorType, FailMessage, InvokeMessage, NeedHuman, PhaseComplete, PhaseDone, ProgressMessage,
    QuestionCategory, ReadyMessage, Recovery, ResolveErrorCode, ResolveError, ResolveNext, ResultType, AgentMessage,
    StepComplete, TaskRequest, UserQuestion,
};
pub use overlap::TaskOverlap;
pub use permission::{PermissionScope, PermissionKind, PermissionMode, PermissionPolicy, PermissionRequest};
pub use planned_work::{PlanStatus, PlannedPhase, PlannedTask, PlannedWork};
pub use secret::find_secret;
pub use session::{Locale, SessionKey};
pub use settings::{GateApproval, TeamMember, OrchestrationMode, RunSettings};
pub use state::{
    BlockReason, CheckpointOutcome, CheckpointReason, ClaimSource, EffectId, AttemptFailure, GateReport, MessageOffset,
    BlockedWork, LoopOutcome, MergeOutcome, ParkMode, CompletionProof, QuestionKind, ReturnReason, RewindTarget, QuestionRoute,
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
