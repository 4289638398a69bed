//! What Jangdan tells a session, before it is put into words.
//!
//! The log keeps the content, `wire` says it in the session's form and language.

use serde::{Deserialize, Serialize};

use crate::{
    AgentName, AttemptNumber, DependencyType, DirectMessageId, DirectType, EscalationId, TestFeedback,
    InvocationId, PhaseNumber, QuestionId, RequestId, ResultId, ResultType, TaskId,
};

/// One thing that is told to a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum SessionInput {
    /// Do this task.
    Task {
        /// The task.
        task: TaskId,
        /// Which try it is.
        attempt: AttemptNumber,
        /// Advice for this try.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
        /// What an earlier session of the task was owed and never got.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        carried: Vec<SessionInput>,
    },
    /// The answer to a question.
    Answer {
        /// The question.
        question: QuestionId,
        /// The answer.
        answer: String,
        /// The prompt's own id, where the agent's turn waits for the answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompt: Option<String>,
    },
    /// A question about the question, from whoever is to answer it.
    #[serde(alias = "askBack")]
    ClarificationRequest {
        /// The question.
        question: QuestionId,
        /// What is not clear.
        text: String,
    },
    /// The answer to a permission prompt.
    Permission {
        /// The prompt's own id.
        prompt: String,
        /// Whether it may.
        allowed: bool,
        /// The question, where somebody was asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        question: Option<QuestionId>,
    },
    /// A dependency is there.
    Provided {
        /// The request.
        request: RequestId,
        /// What was asked for.
        name: String,
        /// What kind of thing it is.
        kind: DependencyType,
        /// How the agent gets at it.
        provided: ProvidedResource,
        /// Whether it is the agent's own default.
        #[serde(default)]
        default: bool,
    },
    /// A dependency will not come.
    Refused {
        /// The request.
        request: RequestId,
        /// What was asked for.
        name: String,
        /// Why not.
        reason: String,
    },
    /// Another agent calls.
    #[serde(alias = "call")]
    Invocation {
        /// The call.
        invocation: InvocationId,
        /// Who calls.
        from: AgentName,
        /// What is wanted.
        task: String,
        /// What one should know.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<String>,
    },
    /// A call of this session's is over.
    #[serde(alias = "callEnded")]
    InvocationEnded {
        /// The call.
        invocation: InvocationId,
        /// Who was called.
        from: AgentName,
        /// What came of it.
        outcome: InvocationOutcome,
    },
    /// A result of another agent.
    Result {
        /// The result.
        result: ResultId,
        /// Who made it.
        from: AgentName,
        /// What kind of result it is.
        result_type: ResultType,
        /// The result itself.
        content: String,
    },
    /// A direct message of another session.
    Direct {
        /// The message.
        message: DirectMessageId,
        /// Who sent it.
        from: AgentName,
        /// What it is.
        direct_type: DirectType,
        /// The message itself.
        content: String,
    },
    /// What a test of the task found.
    Feedback {
        /// The message on the direct channel, where a tester sent it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<DirectMessageId>,
        /// Which round of testing it was.
        round: u32,
        /// What was found.
        feedback: TestFeedback,
    },
    /// Something it said could not be taken.
    #[serde(alias = "invalid")]
    InvalidMessage {
        /// Which message it was meant to be.
        protocol: String,
        /// What is wrong, and what to do.
        error: String,
    },
    /// Something it said was almost a message.
    #[serde(alias = "near")]
    NearMiss {
        /// Which message it almost was.
        near: String,
        /// What it said.
        raw: String,
    },
    /// Its turn ended without a word: is it done, failed, or does it ask?
    #[serde(alias = "nudge")]
    Reminder,
    /// Its work does not go together with what others did.
    Conflict {
        /// The files in which it does not.
        files: Vec<String>,
    },
    /// The phase did not pass.
    Rework {
        /// The phase.
        phase: PhaseNumber,
        /// Why not.
        reason: String,
    },
    /// Test what a worker did.
    Test {
        /// The task.
        task: TaskId,
        /// Which try of the worker it is.
        attempt: AttemptNumber,
    },
    /// Judge a phase.
    Verify {
        /// The phase.
        phase: PhaseNumber,
        /// Which time.
        round: u32,
    },
    /// A question that this orchestrator is to answer or hand on.
    Question {
        /// The question.
        question: QuestionId,
        /// The task it came up in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
        /// Who asks.
        from: AgentName,
        /// What is asked.
        text: String,
        /// The offered answers.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        options: Vec<String>,
        /// The answer the agent would take.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        default: Option<String>,
        /// What one should know.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<String>,
    },
    /// A problem that this operator or orchestrator is to solve or hand on.
    Escalation {
        /// The escalation.
        escalation: EscalationId,
        /// The task, where it is about one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
        /// What happened, in a line.
        title: String,
        /// What happened.
        description: String,
    },
    /// A line of the thin protocol.
    #[serde(alias = "thin")]
    ThinLine {
        /// The line.
        line: String,
    },
    /// What the person says about the run.
    Chat {
        /// What they say.
        text: String,
    },
    /// What the person says about its task.
    #[serde(alias = "told")]
    UserMessage {
        /// What they say.
        text: String,
    },
    /// The plan says something else about its task.
    #[serde(alias = "changed")]
    TaskChanged {
        /// The task.
        task: TaskId,
        /// What is to be done, in one line.
        title: String,
        /// The whole description.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
        /// What must hold before it counts as done.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        acceptance: Vec<String>,
    },
    /// What held it up is over.
    #[serde(alias = "goOn")]
    Resume {
        /// What that was.
        reason: String,
    },
}

/// How an agent gets at a dependency. Never a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ProvidedResource {
    /// In variables of its environment.
    Environment {
        /// Their names.
        names: Vec<String>,
    },
    /// In a file of its worktree.
    File {
        /// The path.
        path: String,
    },
    /// It may, or may not.
    Permission {
        /// Which.
        granted: bool,
    },
    /// A package was added.
    Package {
        /// Its name.
        name: String,
        /// Its version.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        version: Option<String>,
    },
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum InvocationOutcome {
    /// It was done, and this is the result.
    Completed {
        /// What kind of result it is.
        result_type: ResultType,
        /// The result itself.
        content: String,
    },
    /// It was not done.
    Failed {
        /// Why not.
        reason: String,
    },
}
