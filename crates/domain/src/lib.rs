//! Shared types: ids, values, protocol messages, commands and events.
//!
//! Validates values; contains no rules of a run.

mod action;
mod actor;
mod agent;
mod change_summary;
mod cleanup;
mod command;
mod command_origin;
mod escalation;
mod escalation_cause;
mod event;
mod evidence;
mod feedback;
mod gate_verdict;
mod id;
mod inbox_item;
mod input;
mod landing;
mod large_file;
mod log;
mod message;
mod moved_ref;
#[cfg(feature = "openapi")]
mod openapi;
mod overlap;
mod permission;
mod plan_changes;
mod planned_work;
mod run_input;
mod secret;
mod session;
mod settings;
mod state;
mod task;
mod tool;
mod value;

pub use action::{ActionUpdate, InboxAction, RunAction, SessionAction, TaskAction};
pub use actor::Actor;
pub use agent::{AgentName, Role};
pub use change_summary::{ChangeSummary, FileChange, LineCounts};
pub use cleanup::{CleanupReport, KeptRefReason, RefCleanupReport};
pub use command::UserCommand;
pub use command_origin::{CommandInterface, CommandOrigin};
pub use escalation::{EscalationAction, EscalationLevel, EscalationSubject, EscalationType, Severity};
pub use escalation_cause::EscalationCause;
pub use event::{Event, RecordedEvent, events};
pub use evidence::{ClaimEvidence, EvidenceGap, MissingEvidence, WorkChange};
pub use feedback::{
    CheckObstacle, EarlierFailure, Receipt, TestCounts, TestFailure, TestFeedback, TestMetrics, TestReport,
    TestTool, signal_name,
};
pub use gate_verdict::{DocumentState, GateFinding, GateVerdict, ReportedDocument};
pub use id::{
    AttemptNumber, ChannelId, CheckpointId, CleanupId, DirectMessageId, EscalationId, InputNumber,
    InvocationId, LandingId, LoopId, OfferId, QuestionId, RequestId, ResultId, SessionId,
};
pub use inbox_item::InboxItem;
pub use input::{AgentInvocationOutcome, ProvidedResource, SessionInput};
pub use landing::{LandKind, LandReport, ManualMerge};
pub use large_file::{LargeFile, LargeFileDecision, LeftOutFiles};
pub use log::{RunId, Sequence, Timestamp};
pub use message::{
    AgentError, AgentMessage, AskUser, AskUserType, CustomMessage, DeliverResult, DependencyRequest,
    DependencyType, DirectMessage, DirectType, DoneMessage, ErrorType, FailMessage, InvokeMessage, NeedHuman,
    PhaseComplete, PhaseTasksDone, ProgressMessage, QuestionCategory, ReadyTasksMessage, Recovery,
    ResolveNextError, ResolveNextErrorCode, ResolveNextRequest, ResultType, StartTaskMessage, StepComplete,
    UserQuestion,
};
pub use moved_ref::MovedRef;
pub use overlap::TaskOverlap;
pub use permission::{PermissionKind, PermissionMode, PermissionPolicy, PermissionRequest, PermissionScope};
pub use plan_changes::{ChangedTask, LateTaskChange, PlanChanges, PlanField};
pub use planned_work::{PlanStatus, PlannedPhase, PlannedTask, PlannedWork};
pub use run_input::{AgentOutput, ProvisionOutcome, Report, RunInput, RunStart, TurnFailure};
pub use secret::secret_in_variable;
pub use session::{KEY_MARK, Locale, SessionKey, without_key_marks};
pub use settings::{
    AgentProtocol, GateApproval, OrchestrationMode, OrchestratorPower, RunSettings, TeamMember,
};
pub use state::{
    AttemptFailure, BlockReason, BlockedWork, CheckpointOutcome, CheckpointReason, ClaimSource,
    CompletionProof, EffectId, FeedbackLoopOutcome, GateReport, MergeOutcome, MessageOffset, ModelPrice,
    ParkMode, PostponementCause, QuestionKind, QuestionRoute, RewindTarget, RunOutcome, TaskReturnReason,
    Usage,
};
pub use task::{PhaseNumber, PlanTaskIds, TaskId, TaskIdForm, TaskReference};
pub use tool::{ToolOutput, ToolStatus, ToolUse, TurnTools};
pub use value::{Budget, Complexity, Priority};

/// A text that does not parse as the expected value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is not a valid {expected}")]
pub struct ParseError {
    pub text: String,
    /// Description of the expected form.
    pub expected: &'static str,
}

impl ParseError {
    pub(crate) fn new(text: &str, expected: &'static str) -> Self {
        Self { text: text.to_owned(), expected }
    }
}
