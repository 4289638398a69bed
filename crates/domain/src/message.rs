//! Messages of the agent protocol, one type each.
//!
//! Stored in the log and printed by `jangdan decode`: camel case, absent values omitted.
//! Whether a sender may send a message, and its consequences, are decided by the engine.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{AgentName, PhaseNumber, TaskId};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "payload", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AgentMessage {
    AskUser(AskUser),
    Invoke(InvokeMessage),
    DeliverResult(DeliverResult),
    StepComplete(StepComplete),
    Progress(ProgressMessage),
    Direct(DirectMessage),
    DependencyRequest(DependencyRequest),
    /// A question in block form.
    UserQuestion(UserQuestion),
    PhaseComplete(PhaseComplete),
    Error(AgentError),
    /// The orchestrator forwards a question to the user.
    NeedHuman(NeedHuman),
    ResolveNext(ResolveNextRequest),
    /// Tasks that can start.
    Ready(ReadyTasksMessage),
    /// All tasks of a phase have ended.
    PhaseDone(PhaseTasksDone),
    AllDone,
    /// Starts a task.
    Task(StartTaskMessage),
    Done(DoneMessage),
    Fail(FailMessage),
    ResolveError(ResolveNextError),
    /// A message outside the grammar.
    Custom(CustomMessage),
}

impl AgentMessage {
    /// Name in the protocol.
    pub fn name(&self) -> &'static str {
        match self {
            Self::AskUser(_) => "ASK_USER",
            Self::Invoke(_) => "INVOKE",
            Self::DeliverResult(_) => "DELIVER_RESULT",
            Self::StepComplete(_) => "STEP_COMPLETE",
            Self::Progress(_) => "PROGRESS",
            Self::Direct(_) => "DIRECT",
            Self::DependencyRequest(_) => "DEPENDENCY_REQUEST",
            Self::UserQuestion(_) => "USER_QUESTION",
            Self::PhaseComplete(_) => "PHASE_COMPLETE",
            Self::Error(_) => "ERROR",
            Self::NeedHuman(_) => "NEED_HUMAN",
            Self::ResolveNext(_) => "RESOLVE_NEXT",
            Self::Ready(_) => "READY",
            Self::PhaseDone(_) => "PHASE_DONE",
            Self::AllDone => "ALL_DONE",
            Self::Task(_) => "TASK",
            Self::Done(_) => "DONE",
            Self::Fail(_) => "FAIL",
            Self::ResolveError(_) => "RESOLVE_ERROR",
            Self::Custom(_) => "CUSTOM",
        }
    }

    /// Size of the message as the log stores it.
    pub fn size_bytes(&self) -> usize {
        serde_json::to_vec(self).map_or(0, |json| json.len())
    }

    /// Addressee, if the message names one.
    pub fn target(&self) -> Option<&AgentName> {
        match self {
            Self::Invoke(invoke) => Some(&invoke.target),
            Self::DeliverResult(result) => Some(&result.target),
            Self::Direct(direct) => Some(&direct.target),
            Self::AskUser(_)
            | Self::StepComplete(_)
            | Self::Progress(_)
            | Self::DependencyRequest(_)
            | Self::UserQuestion(_)
            | Self::PhaseComplete(_)
            | Self::Error(_)
            | Self::NeedHuman(_)
            | Self::ResolveNext(_)
            | Self::Ready(_)
            | Self::PhaseDone(_)
            | Self::AllDone
            | Self::Task(_)
            | Self::Done(_)
            | Self::Fail(_)
            | Self::ResolveError(_)
            | Self::Custom(_) => None,
        }
    }
}

/// `[ASK_USER]`: a question for the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AskUser {
    pub question: String,
    pub r#type: AskUserType,
    /// Empty if any answer is accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Whether the agent cannot continue without an answer.
    pub required: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskUserType {
    #[default]
    Text,
    Selection,
    Confirmation,
}

/// `[INVOKE:name]`: a call of another agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InvokeMessage {
    pub target: AgentName,
    pub task: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
}

/// `[DELIVER_RESULT:name]`: the result of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeliverResult {
    pub target: AgentName,
    pub result_type: ResultType,
    pub content: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ResultType {
    /// URL or number of an issue.
    GithubIssue,
    Markdown,
    Json,
    FilePath,
    #[default]
    Message,
}

/// `[STEP_COMPLETE]`: a finished step of the task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepComplete {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

/// `[PROGRESS]`: the progress of the task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgressMessage {
    /// From 0 to 1; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
}

/// `[DIRECT:name]`: a message to another session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DirectMessage {
    pub target: AgentName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#type: Option<DirectType>,
    pub content: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum DirectType {
    Result,
    Feedback,
    Query,
}

/// `[DEPENDENCY_REQUEST]`: a request for a dependency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DependencyRequest {
    pub r#type: DependencyType,
    /// Name of the variable, file, package, service or permission.
    pub name: String,
    /// Purpose, shown to the user.
    pub description: String,
    /// Whether the task cannot be done without it.
    pub required: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Unknown keys, verbatim.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum DependencyType {
    ApiKey,
    EnvVariable,
    /// Credentials for a service, as a set of variables.
    Service,
    File,
    Permission,
    /// A package of the project's package manager.
    Package,
}

/// `[USER_QUESTION]`: a question for the user with a category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UserQuestion {
    pub category: QuestionCategory,
    pub question: String,
    /// Empty if any answer is accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Whether the agent cannot continue without an answer.
    pub required: bool,
    /// Unknown keys, verbatim.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum QuestionCategory {
    Business,
    Clarification,
    Choice,
    Confirmation,
}

/// `=== PHASE N COMPLETE ===`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PhaseComplete {
    pub phase: PhaseNumber,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Documents that the agent reports to have written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<String>,
}

/// `[ERROR]`: an error of the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentError {
    pub r#type: ErrorType,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    pub recovery: Recovery,
    /// A time in RFC 3339 format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resets_at: Option<String>,
    /// Unknown keys, verbatim.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorType {
    Recoverable,
    Fatal,
}

/// What the agent suggests to do about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recovery {
    PauseAndRetry,
    CheckpointAndFail,
    NotifyUser,
}

/// `[NEED_HUMAN: question]`: a question of the orchestrator for the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NeedHuman {
    pub question: String,
}

/// `RESOLVE_NEXT`: asks for the tasks that can start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolveNextRequest {
    /// Restricts the answer to this phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<PhaseNumber>,
    /// Re-read plan and state, and answer immediately.
    pub force: bool,
}

/// `READY:`: the tasks that can start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadyTasksMessage {
    /// Tasks of one group may run in parallel; groups run one after the other.
    pub groups: Vec<Vec<TaskId>>,
}

/// `PHASE_DONE:`: all tasks of a phase are done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PhaseTasksDone {
    pub phase: PhaseNumber,
}

/// `TASK_ID:`: a request to start a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StartTaskMessage {
    pub task_id: TaskId,
    /// Set if the id is prefixed with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<PhaseNumber>,
    /// Overrides the task's own worktree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<serde_json::Map<String, serde_json::Value>>,
}

/// `DONE:`: a task is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DoneMessage {
    pub task_id: TaskId,
    /// Set if the id is prefixed with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<PhaseNumber>,
    /// Why nothing, or nothing more, had to change; at most 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Further fields of the line.
    pub fields: BTreeMap<String, String>,
}

/// `FAIL:`: a task has failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FailMessage {
    pub task_id: TaskId,
    /// Set if the id is prefixed with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<PhaseNumber>,
    /// At most 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Further fields of the line.
    pub fields: BTreeMap<String, String>,
}

/// `ERROR:`: a RESOLVE_NEXT could not be answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolveNextError {
    pub code: ResolveNextErrorCode,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ResolveNextErrorCode {
    TasksNotFound,
    CircularDep,
    MissingDep,
    ParseFail,
    StateCorrupt,
}

/// `CUSTOM:`: a command about a task, or a message of the team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CustomMessage {
    /// PRIORITY, SKIP and RETRY take a task id.
    pub kind: String,
    pub value: String,
}
