//! Inputs to sessions, as data.
//!
//! The log stores them; `protocol` renders them in the session's dialect and language.

use serde::{Deserialize, Serialize};

use crate::{
    AgentName, AttemptNumber, DependencyType, DirectMessageId, DirectType, EarlierFailure, EscalationId,
    InvocationId, MissingEvidence, PhaseNumber, QuestionId, RequestId, ResultId, ResultType, TaskId,
    TestFeedback,
};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum SessionInput {
    Task {
        task: TaskId,
        attempt: AttemptNumber,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
        /// What failed in earlier attempts, the oldest first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        earlier: Vec<EarlierFailure>,
        /// Inputs that an earlier session of the task never received.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        carried: Vec<SessionInput>,
    },
    Answer {
        question: QuestionId,
        answer: String,
        /// The agent's own id of a prompt inside its turn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompt: Option<String>,
    },
    /// The answering party replied with a question.
    #[serde(alias = "askBack")]
    ClarificationRequest {
        question: QuestionId,
        text: String,
    },
    Permission {
        prompt: String,
        allowed: bool,
        /// Why the user denied it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// Set if a user decided.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        question: Option<QuestionId>,
    },
    /// A requested dependency was provided.
    Provided {
        request: RequestId,
        name: String,
        kind: DependencyType,
        provided: ProvidedResource,
        /// Whether the agent's own default was used.
        #[serde(default)]
        default: bool,
    },
    /// A requested dependency was refused.
    Refused {
        request: RequestId,
        name: String,
        reason: String,
    },
    /// Another agent calls this one.
    #[serde(alias = "call")]
    Invocation {
        invocation: InvocationId,
        from: AgentName,
        task: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<String>,
    },
    /// An invocation made by this session ended.
    #[serde(alias = "callEnded")]
    InvocationEnded {
        invocation: InvocationId,
        from: AgentName,
        outcome: AgentInvocationOutcome,
    },
    Result {
        result: ResultId,
        from: AgentName,
        result_type: ResultType,
        content: String,
    },
    Direct {
        message: DirectMessageId,
        from: AgentName,
        direct_type: DirectType,
        content: String,
    },
    Feedback {
        /// Set if a tester sent it over the direct channel.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<DirectMessageId>,
        round: u32,
        feedback: TestFeedback,
        /// What failed before, the oldest first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        earlier: Vec<EarlierFailure>,
    },
    /// A message of the agent was rejected.
    #[serde(alias = "invalid")]
    InvalidMessage {
        /// Message type that the agent attempted.
        protocol: String,
        /// What is wrong and how to correct it.
        error: String,
    },
    /// Output of the agent nearly was a message.
    #[serde(alias = "near")]
    NearMiss {
        /// Message type that it resembles.
        near: String,
        raw: String,
    },
    /// The turn ended without a message; the agent is asked whether it is done, failed or has a question.
    #[serde(alias = "nudge")]
    Reminder,
    /// The task is not done: what is missing.
    EvidenceRequest {
        task: TaskId,
        missing: Vec<MissingEvidence>,
    },
    /// The work conflicts with merged work of other tasks.
    Conflict {
        files: Vec<String>,
    },
    /// The phase did not pass its gate.
    Rework {
        phase: PhaseNumber,
        reason: String,
    },
    Test {
        task: TaskId,
        /// Attempt of the worker.
        attempt: AttemptNumber,
    },
    Verify {
        phase: PhaseNumber,
        round: u32,
    },
    /// A question for the orchestrator to answer or forward.
    Question {
        question: QuestionId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
        from: AgentName,
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        options: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        default: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<String>,
    },
    /// An escalation for this operator or orchestrator to resolve or forward.
    Escalation {
        escalation: EscalationId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
        /// The agent of the task.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<AgentName>,
        title: String,
        description: String,
    },
    /// A line of the thin protocol.
    #[serde(alias = "thin")]
    ThinLine {
        line: String,
    },
    /// A chat message of the user about the run.
    Chat {
        text: String,
    },
    /// A message of the user about the task.
    #[serde(alias = "told")]
    UserMessage {
        text: String,
    },
    /// The plan changed the task.
    #[serde(alias = "changed")]
    TaskChanged {
        task: TaskId,
        title: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        acceptance: Vec<String>,
    },
    /// The reason to wait is gone.
    #[serde(alias = "goOn")]
    Resume {
        reason: String,
    },
}

/// How an agent accesses a provided dependency. Never contains a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ProvidedResource {
    Environment {
        names: Vec<String>,
    },
    File {
        /// The file that the user chose, or, once it is provided, its path in the worktree.
        path: String,
        /// Path in the worktree that it is copied to; that of the request if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        target: Option<String>,
        /// Whether it must not be committed.
        #[serde(default)]
        secret: bool,
    },
    Permission {
        granted: bool,
    },
    Package {
        name: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        version: Option<String>,
    },
}

impl ProvidedResource {
    /// Returns a file that is not secret, under its own path.
    pub fn file(path: impl Into<String>) -> Self {
        Self::File { path: path.into(), target: None, secret: false }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum AgentInvocationOutcome {
    Completed { result_type: ResultType, content: String },
    Failed { reason: String },
}
