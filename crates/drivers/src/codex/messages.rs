//! The messages of Codex, with the fields that are used here. Other fields are ignored.

use std::path::Path;

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::value::RawValue;

use crate::{
    driver::{AgentWarning, DriverEvent, PlanStep, StepStatus, ToolCall, ToolStatus},
    json::{LenientText, OrderedMap, parse_line},
    worktree_path::WorktreePath,
};

use super::shell_command::unwrap_shell_command;

/// Any line: a request, a notification, or an answer.
#[derive(Debug, Deserialize)]
pub(super) struct Envelope {
    pub(super) id: Option<Box<RawValue>>,
    pub(super) method: Option<String>,
    params: Option<Box<RawValue>>,
    result: Option<Box<RawValue>>,
    pub(super) error: Option<RpcError>,
}

#[derive(Debug, Deserialize)]
pub(super) struct RpcError {
    #[serde(default)]
    pub(super) message: String,
}

impl Envelope {
    pub(super) fn params_json(&self) -> &str {
        self.params.as_deref().map_or("{}", RawValue::get)
    }

    pub(super) fn result_json(&self) -> &str {
        self.result.as_deref().map_or("{}", RawValue::get)
    }
}

/// Parses a raw part of a line.
pub(super) fn parse_raw<T: DeserializeOwned>(json: &str) -> Option<T> {
    parse_line(json.as_bytes())
}

/// The thread and the turn of an event.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct EventScope {
    pub(super) thread_id: Option<String>,
    pub(super) turn_id: Option<String>,
}

/// The answer to `thread/start` and `thread/resume`.
#[derive(Debug, Deserialize)]
pub(super) struct ThreadOpened {
    pub(super) thread: IdField,
    pub(super) model: Option<String>,
}

/// `turn/started`, and the answer to `turn/start`.
#[derive(Debug, Deserialize)]
pub(super) struct TurnStarted {
    pub(super) turn: IdField,
}

#[derive(Debug, Deserialize)]
pub(super) struct IdField {
    pub(super) id: String,
}

/// The parameters of `model/rerouted`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ModelRerouted {
    pub(super) to_model: String,
}

/// The parameters of `item/agentMessage/delta`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MessageDelta {
    pub(super) item_id: String,
    pub(super) delta: String,
}

/// The parameters of `serverRequest/resolved`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RequestResolved {
    pub(super) request_id: Box<RawValue>,
}

/// `item/started` and `item/completed`
#[derive(Debug, Deserialize)]
pub(super) struct ItemParams {
    pub(super) item: ThreadItem,
}

/// A message or a tool call; each kind has some of the fields.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ThreadItem {
    pub(super) r#type: String,
    pub(super) id: String,
    #[serde(default)]
    status: LenientText,
    #[serde(default)]
    pub(super) text: LenientText,
    #[serde(default)]
    command: LenientText,
    #[serde(default)]
    aggregated_output: LenientText,
    #[serde(default)]
    changes: Vec<FileChange>,
    #[serde(default)]
    pub(super) server: LenientText,
    #[serde(default)]
    pub(super) tool: LenientText,
    #[serde(default)]
    query: LenientText,
}

#[derive(Debug, Deserialize)]
struct FileChange {
    path: String,
    kind: Option<FileChangeKind>,
}

#[derive(Debug, Deserialize)]
struct FileChangeKind {
    /// The new path of a moved file.
    #[serde(default, alias = "movePath")]
    move_path: LenientText,
}

impl ThreadItem {
    /// Returns the files of a patch, including the new paths of moved files.
    pub(super) fn changed_paths(&self) -> impl Iterator<Item = &str> {
        self.changes.iter().flat_map(|change| {
            let moved = change.kind.as_ref().and_then(|kind| kind.move_path.text());
            [&*change.path].into_iter().chain(moved)
        })
    }

    /// Returns the call as people see it, if it is one.
    pub(super) fn tool_call(&self, directory: &Path, is_complete: bool) -> Option<ToolCall> {
        let title = match &*self.r#type {
            "commandExecution" => unwrap_shell_command(self.command.text()?).into_owned(),
            "fileChange" => {
                let names = self.changed_paths().map(|path| WorktreePath::resolve(directory, path).name);
                format!("edit {}", names.collect::<Vec<_>>().join(", "))
            }
            "mcpToolCall" => format!("{}: {}", self.server.text()?, self.tool.text()?),
            "webSearch" => format!("search {}", self.query.text()?),
            _ => return None,
        };
        let status = match self.status.text() {
            _ if !is_complete => ToolStatus::Running,
            Some("failed" | "declined") => ToolStatus::Failed,
            _ => ToolStatus::Done,
        };
        let output = self.aggregated_output.text().filter(|output| !output.is_empty());
        Some(ToolCall { id: self.id.clone(), title, status, output: output.map(str::to_owned) })
    }

    pub(super) fn is_running(&self) -> bool {
        self.status.text() == Some("inProgress")
    }
}

/// The parameters of `error`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ErrorNotification {
    error: TurnError,
    #[serde(default)]
    will_retry: bool,
}

impl ErrorNotification {
    /// Returns a warning if the agent retries; otherwise the end of the turn follows.
    pub(super) fn retry_warning(self) -> Option<AgentWarning> {
        let TurnError { message, additional_details, .. } = self.error;
        // "Reconnecting... 2/5"
        let digits = message.rsplit(' ').next().and_then(|last| last.split('/').next());
        let attempt = digits.and_then(|digits| digits.parse().ok()).unwrap_or(1);
        let message = additional_details.0.unwrap_or(message);
        self.will_retry.then_some(AgentWarning::Retrying { attempt, delay_ms: 0, message })
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TurnError {
    #[serde(default)]
    message: String,
    #[serde(default)]
    additional_details: LenientText,
    codex_error_info: Option<Box<RawValue>>,
}

/// The parameters of `turn/completed`.
#[derive(Debug, Deserialize)]
pub(super) struct TurnCompleted {
    turn: CompletedTurn,
}

#[derive(Debug, Deserialize)]
struct CompletedTurn {
    #[serde(default)]
    status: LenientText,
    error: Option<TurnError>,
}

/// The reported end of a turn, before it is interpreted.
#[derive(Debug)]
pub(super) enum TurnEnding {
    Finished,
    Interrupted,
    Failed { message: String, name: Option<String>, status: Option<u16> },
}

impl TurnEnding {
    pub(super) fn failed(message: String) -> Self {
        Self::Failed { message, name: None, status: None }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct HttpStatus {
    http_status_code: Option<u16>,
}

impl TurnCompleted {
    /// Returns the replacement for unreadable parameters: the turn has ended nevertheless.
    pub(super) fn unreadable_placeholder() -> Self {
        Self { turn: CompletedTurn { status: LenientText(None), error: None } }
    }

    pub(super) fn into_ending(self) -> TurnEnding {
        match self.turn.status.text() {
            Some("completed") => return TurnEnding::Finished,
            Some("interrupted") => return TurnEnding::Interrupted,
            _ => {}
        }
        let Some(TurnError { message, codex_error_info, .. }) = self.turn.error else {
            return TurnEnding::failed("the result of the turn cannot be read".to_owned());
        };
        // Either a name, or an object with the name as its only key.
        let info = codex_error_info.as_deref().map_or("null", RawValue::get);
        let entry = parse_raw::<OrderedMap<HttpStatus>>(info).and_then(|mut info| info.0.pop());
        let (name, status) = match entry {
            Some((name, http)) => (Some(name), http.http_status_code),
            None => (parse_raw::<LenientText>(info).and_then(|info| info.0), None),
        };
        TurnEnding::Failed { message, name, status }
    }
}

/// The parameters of `turn/plan/updated`.
#[derive(Debug, Deserialize)]
pub(super) struct PlanUpdated {
    plan: Vec<PlannedStep>,
}

#[derive(Debug, Deserialize)]
struct PlannedStep {
    #[serde(default)]
    step: LenientText,
    #[serde(default)]
    status: LenientText,
}

impl PlanUpdated {
    pub(super) fn into_event(self) -> DriverEvent {
        let step = |planned: PlannedStep| {
            let status = match planned.status.text() {
                Some("completed") => StepStatus::Done,
                Some("inProgress") => StepStatus::Running,
                _ => StepStatus::Waiting,
            };
            Some(PlanStep { text: planned.step.0?, status })
        };
        DriverEvent::Plan { steps: self.plan.into_iter().filter_map(step).collect() }
    }
}
