//! Bodies of requests and responses, except rows. Used by the server, its client and the generated TypeScript.

use std::{collections::BTreeMap, path::PathBuf};

use domain::{QuestionId, RunId, Sequence, SessionId, TaskId, Timestamp, ToolStatus, ToolUse, UserCommand};
use runtime::ShutdownMode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use views::{
    AttemptRow, CheckpointRow, EscalationRow, InboxRow, LoopRow, QuestionRow, ReceiptRow, RequestRow,
    TaskDetailRow, TaskRow,
};

use crate::problem::Problem;

/// The running server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ServerStatus {
    pub version: String,
    pub pid: u32,
    /// Start time in milliseconds since 1970.
    #[schema(value_type = i64)]
    pub started_at: Timestamp,
    #[schema(value_type = String)]
    pub data: PathBuf,
    /// Address for browsers; missing if the server listens on its socket only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "http://127.0.0.1:7707")]
    pub address: Option<String>,
    /// Name of the user who runs the server.
    #[schema(example = "ana")]
    pub person: String,
}

/// A run that was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct RunCreated {
    #[schema(value_type = String, example = "r7k2m9")]
    pub run: RunId,
}

/// A command that a person sends to a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct CommandRequest {
    /// Name of the person, recorded as the actor of the events.
    #[schema(example = "ana")]
    pub person: String,
    /// The command: its name alone, or an object with its name and its arguments.
    pub command: UserCommand,
    /// Only with the command `provide`: values of its variables. They go to the vault and are never recorded.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<BTreeMap<String, String>>"))]
    #[schema(value_type = BTreeMap<String, String>)]
    pub values: BTreeMap<String, SecretText>,
    /// Names of values that are no secrets: they are not masked in output.
    #[serde(default, rename = "notSecret", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Vec<String>>"))]
    pub not_secret: Vec<String>,
}

/// A value that a user provides. Debug output does not show it.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SecretText(String);

impl SecretText {
    /// Takes ownership of a value.
    pub fn new(value: String) -> Self {
        Self(value)
    }

    pub(crate) fn into_value(self) -> String {
        self.0
    }
}

impl std::fmt::Debug for SecretText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SecretText({} bytes)", self.0.len())
    }
}

/// Confirms that a command was carried out and is durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct CommandAccepted {
    /// Sequence number of its last event in the run.
    #[schema(value_type = u64)]
    pub sequence: Sequence,
}

/// A question, request, approval or problem that waits for a person: a row of the kind `inbox` and its run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct InboxEntry {
    pub run: RunId,
    /// The fields of the row, in the same object.
    #[serde(flatten)]
    pub row: InboxRow,
}

/// A request to stop the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct StopRequest {
    /// `leave` keeps the agents running, `end` ends their processes.
    #[schema(example = "leave")]
    pub agents: ShutdownMode,
}

/// A question that waits for an answer: a row of the kind `question` and its run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct QuestionEntry {
    pub run: RunId,
    /// The fields of the row, in the same object.
    #[serde(flatten)]
    pub row: QuestionRow,
}

/// A task with all rows that belong to it.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct TaskOverview {
    pub task: TaskRow,
    /// The task as the plan describes it.
    pub detail: Option<TaskDetailRow>,
    pub attempts: Vec<AttemptRow>,
    /// Results of its checks.
    pub receipts: Vec<ReceiptRow>,
    pub checkpoints: Vec<CheckpointRow>,
    pub questions: Vec<QuestionRow>,
    /// Its requests for API keys, files and packages.
    pub requests: Vec<RequestRow>,
    pub escalations: Vec<EscalationRow>,
    /// Its implement-and-test loops.
    pub loops: Vec<LoopRow>,
}

/// One turn of the conversation about a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConversationTurn {
    /// Index in the conversation, from 0.
    pub index: u32,
    /// Time in milliseconds since 1970.
    #[schema(value_type = i64)]
    pub at: Timestamp,
    pub author: TurnAuthor,
    /// Name of the agent or person.
    pub name: Option<String>,
    /// Session of the agent.
    #[schema(value_type = String, example = "s_3")]
    pub session: SessionId,
    pub kind: ConversationTurnKind,
    /// Question that the turn asks or answers.
    #[schema(value_type = Option<String>, example = "q_1")]
    pub question: Option<QuestionId>,
    pub text: String,
    /// The last tools used in the turn, in order.
    pub tools: Vec<ToolUseSummary>,
    /// Number of earlier tool uses that are not stored.
    pub n_tools_omitted: u64,
    /// Whether the turn was cut off because the process ended.
    pub is_cut: bool,
}

/// One use of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolUseSummary {
    /// Number of lines of the turn's text before it.
    pub line: u32,
    #[schema(example = "cargo test")]
    pub title: String,
    #[schema(value_type = String, example = "done")]
    pub status: ToolStatus,
    /// Its output, or the beginning of it.
    pub output: Option<String>,
    /// Number of output bytes that are not stored.
    pub n_bytes_omitted: u64,
    /// End of the output, if something before it is omitted.
    pub output_end: Option<String>,
}

impl From<&ToolUse> for ToolUseSummary {
    fn from(tool_use: &ToolUse) -> Self {
        let ToolUse { line, title, status, output } = tool_use;
        let tail = output.as_ref().map(|output| output.tail.clone());
        Self {
            line: *line,
            title: title.clone(),
            status: *status,
            output: output.as_ref().map(|output| output.head.clone()),
            n_bytes_omitted: output.as_ref().map_or(0, |output| output.n_bytes_omitted),
            output_end: tail.filter(|tail| !tail.is_empty()),
        }
    }
}

/// The author of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) enum TurnAuthor {
    Agent,
    /// The agent or the part of Jangdan that leads the agent.
    Orchestrator,
    Person,
    /// Jangdan, reporting a problem.
    System,
}

/// The kind of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) enum ConversationTurnKind {
    /// A message of the agent.
    Text,
    /// An instruction to the agent.
    Prompt,
    /// A question, or a request to clarify one.
    Question,
    Answer,
    /// A report of a problem.
    Notice,
}

/// One entry of a run's event log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct EventEntry {
    /// Sequence number in the run.
    #[schema(value_type = u64)]
    pub sequence: Sequence,
    /// Time in milliseconds since 1970.
    #[schema(value_type = i64)]
    pub at: Timestamp,
    /// Actor that caused the event.
    #[schema(example = "person:ana")]
    pub actor: String,
    /// Name of the event.
    #[schema(example = "QuestionAsked")]
    pub event: String,
    /// Description of the event in one line.
    pub text: String,
    #[schema(value_type = Option<String>)]
    pub task: Option<TaskId>,
    #[schema(value_type = Option<String>)]
    pub session: Option<SessionId>,
    #[schema(value_type = Option<String>)]
    pub question: Option<QuestionId>,
    /// Whether the event is of interest for debugging only.
    pub quiet: bool,
}

/// A part of the output of a session's process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct OutputChunk {
    /// Number of the process in the session, from 1.
    pub process: u32,
    /// Byte offset of its start.
    pub offset: u64,
    /// Byte offset after its end.
    pub next: u64,
    /// The output, including terminal control sequences.
    pub text: String,
    /// Whether the process has ended, so that the output is complete.
    pub has_ended: bool,
}

/// Input and output of a session's process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionRecords {
    /// Number of the process in the session, from 1.
    pub process: u32,
    /// Whether the process uses a terminal; otherwise it uses a protocol of the agent.
    pub has_terminal: bool,
    /// Offset of the first output byte that is still stored.
    pub first: u64,
    /// Output offset of the start of the records.
    pub offset: u64,
    /// Output offset after the records.
    pub next: u64,
    /// Whether the process has ended, so that the output is complete.
    pub has_ended: bool,
    pub records: Vec<SessionRecord>,
}

/// Input or output of a process: lines, or a part of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionRecord {
    pub direction: RecordDirection,
    /// Number of the input; missing for output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// Output offset of its start; for input, the output offset at which it was sent.
    pub offset: u64,
    /// Time in milliseconds since 1970.
    #[schema(value_type = i64)]
    pub at: Timestamp,
    pub text: String,
}

/// The direction of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) enum RecordDirection {
    Output,
    /// Output on standard error.
    Error,
    Input,
}

/// A line of input for a terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct InputLine {
    /// The line, without line break.
    pub text: String,
}

/// A message of the server on a terminal WebSocket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum TerminalServerMessage {
    /// The whole screen; always the first message.
    Snapshot {
        /// Output offset of the screen.
        offset: u64,
        columns: u16,
        rows: u16,
        /// Text that draws the screen on an empty terminal of this size.
        text: String,
    },
    Output {
        /// Output offset of its start.
        offset: u64,
        text: String,
    },
    /// The terminal was resized.
    Resized { columns: u16, rows: u16 },
    /// The process has ended; the last message.
    Ended,
    /// The last message of the client failed.
    Problem(Problem),
}

/// A message of the client on a terminal WebSocket.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum TerminalClientMessage {
    /// Key presses, as the terminal receives them.
    Input {
        text: String,
    },
    Resize {
        columns: u16,
        rows: u16,
    },
}

/// A plan to check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct PlanCheckRequest {
    /// File name, shown in messages.
    #[serde(default)]
    pub name: String,
    pub text: String,
}

/// The page of a run, or the list of runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct LinkRequest {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "r7k2m9")]
    pub run: Option<RunId>,
}

/// A code that a user types into the page, valid once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConfirmationCode {
    #[schema(example = "482913")]
    pub code: String,
    /// Seconds until it expires.
    pub valid_seconds: u64,
}

/// A link that opens the page once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PageLink {
    /// Absent if the server has no page.
    pub link: Option<String>,
}

/// A plan to run. All other settings come from the configuration, as with `jangdan run`, never from the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PlanStartRequest {
    /// Folder of a project that `GET /api/projects` lists.
    #[schema(value_type = String)]
    pub project: PathBuf,
    /// Path of a plan that `GET /api/plans` lists. Either `path` or `text` is required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "TASKS.md")]
    pub path: Option<PathBuf>,
    /// The plan itself, instead of `path`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Name for `text`, shown in messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Code from `jangdan link --code`: a page needs it to start a pasted plan with commands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "482913")]
    pub code: Option<String>,
    /// Name of the person who starts the run.
    #[schema(example = "ana")]
    pub person: String,
    /// Agent for tasks that name none; one of `GET /api/agents`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Whether to run optional tasks of the plan too.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
    pub optional: bool,
    /// Whether all agents work in the project folder, without worktrees.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
    pub in_place: bool,
    /// Whether the run starts from a commit with the uncommitted changes of the user's checkout.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
    pub include_changes: bool,
    /// Whether to leave out open tasks that an earlier run of the plan did.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
    pub open: bool,
    /// Whether to do such tasks again, even if no other task is open.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
    pub again: bool,
}

/// What the user should know before a run of a plan starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct PlanStartPreview {
    pub remarks: Vec<PlanStartRemark>,
}

/// A chosen default, or a condition that the user may not expect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct PlanStartRemark {
    /// One or two sentences, in the language of the request.
    pub text: String,
    /// The other run that it is about.
    #[schema(value_type = Option<String>)]
    pub run: Option<RunId>,
}

/// A run that was started from a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct PlanRunCreated {
    #[schema(value_type = String, example = "r7k2m9")]
    pub run: RunId,
    /// Choices that Jangdan made, and warnings, in the language of the request.
    pub notes: Vec<String>,
}

/// A file that looks like a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct PlanFile {
    /// Path relative to the project folder.
    #[schema(value_type = String, example = "TASKS.md")]
    pub path: PathBuf,
    pub bytes: u64,
}

/// The content of a plan file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct PlanFileContent {
    /// Path relative to the project folder.
    #[schema(value_type = String, example = "TASKS.md")]
    pub path: PathBuf,
    pub text: String,
}

/// An error or warning in a plan, with its location.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct ProblemDiagnostic {
    #[schema(example = "MISSING_DEP")]
    pub code: String,
    pub severity: ProblemDiagnosticSeverity,
    pub message: String,
    /// Line number, from 1.
    pub line: u64,
    /// Column in characters, from 1.
    pub column: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// The severity of a plan diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum ProblemDiagnosticSeverity {
    /// The plan cannot be run.
    Error,
    /// The plan may not mean what its author intended.
    Warning,
    /// Says how a line was read.
    Note,
}

impl ProblemDiagnostic {
    pub fn from_diagnostic(diagnostic: &plan::ReportedDiagnostic) -> Self {
        Self {
            code: diagnostic.code.as_str().to_owned(),
            severity: match diagnostic.severity {
                plan::Severity::Error => ProblemDiagnosticSeverity::Error,
                plan::Severity::Warning => ProblemDiagnosticSeverity::Warning,
                plan::Severity::Note => ProblemDiagnosticSeverity::Note,
            },
            message: diagnostic.message.clone(),
            line: diagnostic.line as u64,
            column: diagnostic.column as u64,
            hint: diagnostic.hint.clone(),
        }
    }
}

/// A project with runs, or the one in whose folder the server was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProjectRow {
    pub name: String,
    #[schema(value_type = Option<String>)]
    pub folder: Option<PathBuf>,
    pub n_runs: u32,
    #[schema(value_type = Option<String>)]
    pub last_run: Option<RunId>,
    /// Start time of the last run in milliseconds since 1970.
    #[schema(value_type = Option<i64>)]
    pub last_started_at: Option<Timestamp>,
}

/// A run that cannot be continued or read.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct DamagedRunEntry {
    #[schema(value_type = String, example = "r7k2m9")]
    pub run: RunId,
    /// What is wrong, in the language of the request.
    pub cause: String,
    /// What the user can do.
    pub remedy: String,
    /// Its sessions in the data directory, whose agents may still run.
    pub sessions: Vec<String>,
}
