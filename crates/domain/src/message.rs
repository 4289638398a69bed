//! What an agent can say, one type for each message of the protocol.
//!
//! The log keeps these types, and `jangdan decode` prints them: camel case, absent values left out.
//! Whether the speaker may say it, and what it does, is the engine's business.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{AgentName, PhaseNumber, TaskId};

/// One message of an agent, understood.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "payload", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AgentMessage {
    /// A question to whoever can answer it.
    AskUser(AskUser),
    /// A call of another agent.
    Invoke(InvokeMessage),
    /// A result for another agent.
    DeliverResult(DeliverResult),
    /// A step of the task is done.
    StepComplete(StepComplete),
    /// How far the task is.
    Progress(ProgressMessage),
    /// A direct message to another session.
    Direct(DirectMessage),
    /// Something from outside that the task needs.
    DependencyRequest(DependencyRequest),
    /// A question in block form.
    UserQuestion(UserQuestion),
    /// A phase is done, as the agent sees it.
    PhaseComplete(PhaseComplete),
    /// Something went wrong.
    Error(AgentError),
    /// The orchestrator's question to the person.
    NeedHuman(NeedHuman),
    /// What can be done next?
    ResolveNext(ResolveNext),
    /// These tasks can start.
    Ready(ReadyMessage),
    /// A phase has no open task.
    PhaseDone(PhaseDone),
    /// No task is open.
    AllDone,
    /// Do this task.
    Task(TaskRequest),
    /// A task is done.
    Done(DoneMessage),
    /// A task failed.
    Fail(FailMessage),
    /// The resolver can't answer.
    ResolveError(ResolveError),
    /// A wish outside the grammar.
    Custom(CustomMessage),
}

impl AgentMessage {
    /// Returns the message's name on the wire.
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

    /// Returns the agent to whom the message is addressed, where it names one.
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

/// `[ASK_USER]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AskUser {
    /// What is asked.
    pub question: String,
    /// Which form of answer is wanted.
    pub r#type: AskUserType,
    /// The offered answers; empty where any will do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// What one should know to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// The answer the agent would take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Whether the agent can't go on without an answer.
    pub required: bool,
}

/// The form of answer that a question wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskUserType {
    /// Free text.
    #[default]
    Text,
    /// One of the options.
    Selection,
    /// Yes or no.
    Confirmation,
}

/// `[INVOKE:name]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InvokeMessage {
    /// Who is called.
    pub target: AgentName,
    /// What it should do.
    pub task: String,
    /// What it should know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
}

/// `[DELIVER_RESULT:name]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeliverResult {
    /// Who gets it.
    pub target: AgentName,
    /// What kind of result it is.
    pub result_type: ResultType,
    /// The result.
    pub content: String,
}

/// What kind of result an agent delivers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ResultType {
    /// The address or number of an issue.
    GithubIssue,
    /// Formatted text.
    Markdown,
    /// A JSON document.
    Json,
    /// The path of a file.
    FilePath,
    /// Plain words.
    #[default]
    Message,
}

/// `[STEP_COMPLETE]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepComplete {
    /// What was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

/// `[PROGRESS]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgressMessage {
    /// How much is done, from 0 to 1; absent where the agent does not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<f64>,
    /// What is being done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
}

/// `[DIRECT:name]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DirectMessage {
    /// Who gets it.
    pub target: AgentName,
    /// What it is, where the agent says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#type: Option<DirectType>,
    /// The message.
    pub content: String,
}

/// What a direct message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum DirectType {
    /// The outcome of some work.
    Result,
    /// A judgement on some work.
    Feedback,
    /// A question to the other session.
    Query,
}

/// `[DEPENDENCY_REQUEST]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DependencyRequest {
    /// What kind of thing is needed.
    pub r#type: DependencyType,
    /// Its name: of the variable, file, package, service or permission.
    pub name: String,
    /// What it is for, in words for a person.
    pub description: String,
    /// Whether the task can't be done without it.
    pub required: bool,
    /// What the agent would take instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Keys that the protocol does not know, as they were written.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, String>,
}

/// What kind of thing a task needs from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum DependencyType {
    /// A secret key.
    ApiKey,
    /// An environment variable.
    EnvVariable,
    /// An account with a service, as a set of variables.
    Service,
    /// A file.
    File,
    /// A permission, yes or no.
    Permission,
    /// A package of the project's package manager.
    Package,
}

/// `[USER_QUESTION]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UserQuestion {
    /// What the question is about.
    pub category: QuestionCategory,
    /// What is asked.
    pub question: String,
    /// The offered answers; empty where any will do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// The answer the agent would take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Whether the agent can't go on without an answer.
    pub required: bool,
    /// Keys that the protocol does not know, as they were written.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, String>,
}

/// What a block question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionCategory {
    /// A decision on the business.
    Business,
    /// A requirement that is not clear.
    Clarification,
    /// One of several ways.
    Choice,
    /// A yes or a no.
    Confirmation,
}

/// `=== PHASE N COMPLETE ===`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PhaseComplete {
    /// The phase's number.
    pub phase: PhaseNumber,
    /// The phase's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The documents that the agent says it wrote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<String>,
}

/// `[ERROR]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentError {
    /// Whether it can go on.
    pub r#type: ErrorType,
    /// What went wrong.
    pub message: String,
    /// More about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// What should be done about it.
    pub recovery: Recovery,
    /// When the cause goes away by itself, in RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resets_at: Option<String>,
    /// Keys that the protocol does not know, as they were written.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, String>,
}

/// Whether an agent can go on after an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorType {
    /// It can.
    Recoverable,
    /// It can't.
    Fatal,
}

/// What should be done about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recovery {
    /// Wait, then try again.
    PauseAndRetry,
    /// Keep what there is, and fail the task.
    CheckpointAndFail,
    /// Tell a person.
    NotifyUser,
}

/// `[NEED_HUMAN: question]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NeedHuman {
    /// What is asked.
    pub question: String,
}

/// `RESOLVE_NEXT`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolveNext {
    /// Only tasks of this phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<PhaseNumber>,
    /// Read plan and state again, and answer now.
    pub force: bool,
}

/// `READY:`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadyMessage {
    /// All of a group may run at once, a later group after the earlier one.
    pub groups: Vec<Vec<TaskId>>,
}

/// `PHASE_DONE:`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PhaseDone {
    /// The phase's number.
    pub phase: PhaseNumber,
}

/// `TASK_ID:`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskRequest {
    /// The task.
    pub task_id: TaskId,
    /// The phase, where the id names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<PhaseNumber>,
    /// An existing worktree to use instead of the task's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// What is handed along.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<serde_json::Map<String, serde_json::Value>>,
}

/// `DONE:`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DoneMessage {
    /// The task.
    pub task_id: TaskId,
    /// The phase, where the id names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<PhaseNumber>,
    /// What the agent reports beside it.
    pub fields: BTreeMap<String, String>,
}

/// `FAIL:`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FailMessage {
    /// The task.
    pub task_id: TaskId,
    /// The phase, where the id names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<PhaseNumber>,
    /// Why, in at most 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the agent reports beside it.
    pub fields: BTreeMap<String, String>,
}

/// `ERROR:`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolveError {
    /// What is wrong.
    pub code: ResolveErrorCode,
    /// Where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// What is wrong with a plan or its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ResolveErrorCode {
    /// There is no plan, or it has no task.
    TasksNotFound,
    /// Tasks wait for each other in a circle.
    CircularDep,
    /// A task waits for one that does not exist.
    MissingDep,
    /// The plan can't be read.
    ParseFail,
    /// The state can't be read.
    StateCorrupt,
}

/// `CUSTOM:`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CustomMessage {
    /// What kind of wish it is: PRIORITY, SKIP and RETRY take a task id.
    pub kind: String,
    /// The wish.
    pub value: String,
}
