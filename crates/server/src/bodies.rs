//! What goes over the line, beside rows: the bodies of requests and answers, read and written by both ends.

use std::path::PathBuf;

use domain::{Command, QuestionId, RunId, Sequence, SessionId, TaskId, Timestamp, ToolStatus, ToolUse};
use runtime::ShutdownMode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use views::{
    AttemptRow, CheckpointRow, EscalationRow, InboxRow, LoopRow, QuestionRow, ReceiptRow, RequestRow,
    TaskDetailRow, TaskRow,
};

use crate::problem::Problem;

/// Who serves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The version of Jangdan.
    pub version: String,
    /// The process.
    pub pid: u32,
    /// Since when, in milliseconds since 1970.
    #[schema(value_type = i64)]
    pub started_at: Timestamp,
    /// The data directory.
    #[schema(value_type = String)]
    pub data: PathBuf,
    /// Where browsers find it; none where it listens on its socket alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "http://127.0.0.1:7707")]
    pub address: Option<String>,
    /// The name by which the person at this machine is known.
    #[schema(example = "ana")]
    pub person: String,
}

/// A run that has begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Started {
    /// Its name.
    #[schema(value_type = String, example = "r7k2m9")]
    pub run: RunId,
}

/// A command that a person sends to a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CommandRequest {
    /// Name of the person, recorded as the actor of the events.
    #[schema(example = "ana")]
    pub person: String,
    /// The command: its name alone, or an object with its name and its arguments.
    pub command: Command,
}

/// Confirms that a command was carried out and is durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Accepted {
    /// The place of its last event in the run.
    #[schema(value_type = u64)]
    pub sequence: Sequence,
}

/// What waits for the person, and in which run: a row of the inbox with the run beside it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = InboxEntry)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "InboxEntry"))]
pub struct InboxItem {
    /// The run.
    pub run: RunId,
    /// What waits. It stands in the same object, so that a row looks the same wherever it is.
    #[serde(flatten)]
    pub row: InboxRow,
}

/// How the server is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StopRequest {
    /// What becomes of the agents: `leave` lets them work on, `end` ends their processes.
    #[schema(example = "leave")]
    pub agents: ShutdownMode,
}

/// A question that waits for an answer, and in which run: a row of the kind question with the run beside it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = AskedQuestion)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "AskedQuestion"))]
pub struct PendingQuestion {
    /// The run.
    pub run: RunId,
    /// The question. It stands in the same object, so that a row looks the same wherever it is.
    #[serde(flatten)]
    pub row: QuestionRow,
}

/// All that is known of a task.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TaskWhole {
    /// Its row.
    pub task: TaskRow,
    /// What the plan says.
    pub detail: Option<TaskDetailRow>,
    /// Its tries.
    pub attempts: Vec<AttemptRow>,
    /// The proofs that its checks ran.
    pub receipts: Vec<ReceiptRow>,
    /// The points that it can go back to.
    pub checkpoints: Vec<CheckpointRow>,
    /// Its questions.
    pub questions: Vec<QuestionRow>,
    /// What it asked for.
    pub requests: Vec<RequestRow>,
    /// Its problems on their way up.
    pub escalations: Vec<EscalationRow>,
    /// Its rounds of implementing and testing.
    pub loops: Vec<LoopRow>,
}

/// One utterance of a task's conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Said {
    /// Its place in the conversation, from 0.
    pub index: u32,
    /// When, in milliseconds since 1970.
    #[schema(value_type = i64)]
    pub at: Timestamp,
    /// Who speaks.
    pub by: By,
    /// The name of the agent or person.
    pub name: Option<String>,
    /// The session that speaks or is spoken to.
    #[schema(value_type = String, example = "s_3")]
    pub session: SessionId,
    /// What it is.
    pub kind: SaidKind,
    /// The question that it asks or answers.
    #[schema(value_type = Option<String>, example = "q_1")]
    pub question: Option<QuestionId>,
    /// What is said.
    pub text: String,
    /// The tools that were used meanwhile, in their order: the last of them.
    pub tools: Vec<UsedTool>,
    /// How many tools were used before those, and are not kept.
    pub n_tools_left_out: u64,
    /// Whether the turn was cut off, because its process ended.
    pub is_cut: bool,
}

/// One use of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct UsedTool {
    /// How many lines of the text come before it.
    pub line: u32,
    /// What is done.
    #[schema(example = "cargo test")]
    pub title: String,
    /// What came of it.
    #[schema(value_type = String, example = "done")]
    pub status: ToolStatus,
    /// What it printed, or the beginning of that.
    pub output: Option<String>,
    /// How many bytes of the output are not kept.
    pub n_bytes_left_out: u64,
    /// The end of the output, where something before it is not kept.
    pub output_end: Option<String>,
}

impl From<&ToolUse> for UsedTool {
    fn from(used: &ToolUse) -> Self {
        let ToolUse { line, title, status, output } = used;
        let tail = output.as_ref().map(|output| output.tail.clone());
        Self {
            line: *line,
            title: title.clone(),
            status: *status,
            output: output.as_ref().map(|output| output.head.clone()),
            n_bytes_left_out: output.as_ref().map_or(0, |output| output.n_bytes_omitted),
            output_end: tail.filter(|tail| !tail.is_empty()),
        }
    }
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum By {
    /// The agent.
    Agent,
    /// Whoever leads the agent: another one, or Jangdan.
    Orchestrator,
    /// A person.
    Person,
    /// Jangdan, about what went wrong.
    System,
}

/// What an utterance is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum SaidKind {
    /// Words.
    Text,
    /// What the agent is told to do or to know.
    Prompt,
    /// A question, also one back.
    Question,
    /// An answer.
    Answer,
    /// That something went wrong.
    Notice,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct HappenedEvent {
    /// Its place in the run.
    #[schema(value_type = u64)]
    pub sequence: Sequence,
    /// When, in milliseconds since 1970.
    #[schema(value_type = i64)]
    pub at: Timestamp,
    /// Who made it happen.
    #[schema(example = "person:ana")]
    pub actor: String,
    /// What happened, in a word.
    #[schema(example = "QuestionAsked")]
    pub event: String,
    /// The same in a line for people.
    pub text: String,
    /// The task that it is about.
    #[schema(value_type = Option<String>)]
    pub task: Option<TaskId>,
    /// The session that it is about.
    #[schema(value_type = Option<String>)]
    pub session: Option<SessionId>,
    /// The question that it is about.
    #[schema(value_type = Option<String>)]
    pub question: Option<QuestionId>,
    /// Whether only somebody who looks for a mistake wants to know.
    pub quiet: bool,
}

/// A piece of what a process wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Written {
    /// Which process of the session it is, from 1.
    pub process: u32,
    /// The byte at which the piece begins.
    pub offset: u64,
    /// The byte at which the next one does.
    pub next: u64,
    /// The piece, with all that a terminal would obey.
    pub text: String,
    /// Whether the process has ended, so that nothing follows what is there.
    pub is_over: bool,
}

/// Some of what went to and fro between a process and whoever speaks with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SessionRecords {
    /// Which process of the session it is, from 1.
    pub process: u32,
    /// Whether it is on a terminal; otherwise it is spoken with in its own protocol.
    pub has_terminal: bool,
    /// The first output byte that is still kept.
    pub first: u64,
    /// The output byte at which the records begin.
    pub offset: u64,
    /// The output byte behind them.
    pub next: u64,
    /// Whether the process has ended, so that nothing follows what is there.
    pub is_over: bool,
    /// The records, in order.
    pub records: Vec<SessionRecord>,
}

/// A piece of what went to and fro: lines, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct SessionRecord {
    /// Which way it went.
    pub way: RecordWay,
    /// The number of the input; none for what the process wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// The output byte at which it begins, or before which it was typed.
    pub offset: u64,
    /// When, in milliseconds since 1970.
    #[schema(value_type = i64)]
    pub at: Timestamp,
    /// What, as it is.
    pub text: String,
}

/// Which way a piece went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum RecordWay {
    /// The process wrote it.
    Output,
    /// The process wrote it to its standard error.
    Error,
    /// The process was told it.
    Input,
}

/// A line to be typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Typed {
    /// The line, without its end.
    pub text: String,
}

/// What a terminal tells over a WebSocket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum TerminalServerMessage {
    /// The whole screen; comes first.
    Snapshot {
        /// The byte up to which it is drawn.
        offset: u64,
        /// Characters in a line.
        columns: u16,
        /// Lines.
        rows: u16,
        /// What to write onto an empty terminal of that size.
        text: String,
    },
    /// More was written.
    Output {
        /// The byte at which it begins.
        offset: u64,
        /// What.
        text: String,
    },
    /// The window has another size from here on.
    Resized {
        /// Characters in a line.
        columns: u16,
        /// Lines.
        rows: u16,
    },
    /// The process has ended; nothing follows.
    Ended,
    /// What was sent can't be done.
    Problem(Problem),
}

/// What a terminal takes over a WebSocket.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum TerminalClientMessage {
    /// Keys, as they are.
    Input {
        /// The keys.
        text: String,
    },
    /// Another size of the window.
    Resize {
        /// Characters in a line.
        columns: u16,
        /// Lines.
        rows: u16,
    },
}

/// A plan to be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PlanText {
    /// The name of its file, for people.
    #[serde(default)]
    pub name: String,
    /// The plan.
    pub text: String,
}

/// A plan that is to be run. What else a run needs is found as `jangdan run` finds it: nothing of it is taken from here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlanStart {
    /// The folder of the project, one of `GET /api/projects`.
    #[schema(value_type = String)]
    pub project: PathBuf,
    /// One of the project's plans, as `GET /api/plans` lists them; without it there is a `text`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "TASKS.md")]
    pub path: Option<PathBuf>,
    /// The plan itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What the text is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Who begins it.
    #[schema(example = "ana")]
    pub person: String,
    /// Who does what the plan names nobody for: one of `GET /api/agents`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Whether the plan's optional tasks are done too.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
    pub optional: bool,
    /// Whether all agents work in the project's folder, without worktrees.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
    pub in_place: bool,
}

/// A run that has begun, and what a person should know of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PlanStarted {
    /// Its name.
    #[schema(value_type = String, example = "r7k2m9")]
    pub run: RunId,
    /// What was chosen, and what is not as one would think.
    pub notes: Vec<String>,
}

/// A file that looks like a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PlanFile {
    /// From the project's folder on.
    #[schema(value_type = String, example = "TASKS.md")]
    pub path: PathBuf,
    /// How large it is.
    pub bytes: u64,
}

/// A plan of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PlanContent {
    /// From the project's folder on.
    #[schema(value_type = String, example = "TASKS.md")]
    pub path: PathBuf,
    /// What is in it.
    pub text: String,
}

/// Something that is wrong with a plan, in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct PlanMistake {
    /// What kind of mistake it is.
    #[schema(example = "MISSING_DEP")]
    pub code: String,
    /// Whether the plan can't be run with it.
    pub severity: MistakeSeverity,
    /// What is wrong.
    pub message: String,
    /// The line, from 1.
    pub line: u64,
    /// The column in characters, from 1.
    pub column: u64,
    /// What to write instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// How bad a mistake is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = PlanMistakeSeverity)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "PlanMistakeSeverity"))]
#[serde(rename_all = "camelCase")]
pub enum MistakeSeverity {
    /// The plan can't be run.
    Error,
    /// It may not be what was meant.
    Warning,
}

impl PlanMistake {
    /// Returns a mistake as it is told.
    pub fn of(found: &plan::ReportedDiagnostic<'_>) -> Self {
        Self {
            code: found.code.as_str().to_owned(),
            severity: match found.severity {
                plan::Severity::Error => MistakeSeverity::Error,
                plan::Severity::Warning => MistakeSeverity::Warning,
            },
            message: found.message.to_owned(),
            line: found.line as u64,
            column: found.column as u64,
            hint: found.hint.map(str::to_owned),
        }
    }
}

/// A project that is known here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ProjectRow {
    /// Its name.
    pub name: String,
    /// Its folder.
    #[schema(value_type = Option<String>)]
    pub folder: Option<PathBuf>,
    /// How many runs it had.
    pub n_runs: u32,
    /// The last of them.
    #[schema(value_type = Option<String>)]
    pub last_run: Option<RunId>,
    /// When that began, in milliseconds since 1970.
    #[schema(value_type = Option<i64>)]
    pub last_started_at: Option<Timestamp>,
}
