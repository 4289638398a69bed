//! The state of an agent's tool calls, merged from updates that contain only changes.

use std::collections::VecDeque;

use serde_json::value::RawValue;

use super::schema::{Content, RawInput, RawOutput, SessionUpdate, parse_or_default};
use crate::driver::{ToolCall, ToolStatus};

/// When there are more, the oldest is dropped.
const CALLS_MAX: usize = 256;

/// The tool calls of a turn.
#[derive(Debug, Default)]
pub(super) struct ToolCalls {
    known: VecDeque<ToolCallState>,
}

/// The merged state of one call.
#[derive(Debug, Clone, Default)]
pub(super) struct ToolCallState {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) kind: String,
    pub(super) paths: Vec<String>,
    pub(super) input: RawInput,
    status: Option<ToolStatus>,
}

impl ToolCalls {
    /// Merges an update of a call, or the call of a permission prompt.
    pub(super) fn merge_update(&mut self, update: &SessionUpdate) -> &ToolCallState {
        let id = update.tool_call_id.clone().unwrap_or_default();
        let mut known = match self.known.iter().position(|known| known.id == id) {
            Some(index) => self.known.remove(index).unwrap_or_default(),
            None => ToolCallState { id, ..ToolCallState::default() },
        };
        known.apply_update(update);
        if self.known.len() == CALLS_MAX {
            self.known.pop_front();
        }
        self.known.push_back(known);
        let last = self.known.len() - 1;
        &self.known[last]
    }

    /// Merges an update, and returns the call for people.
    pub(super) fn merge_into_tool_call(&mut self, update: &SessionUpdate) -> ToolCall {
        let known = self.merge_update(update);
        let status = known.status.unwrap_or(ToolStatus::Running);
        ToolCall {
            id: known.id.clone(),
            title: known.title.clone(),
            status,
            // Before the end, the content describes what will be done.
            output: if status == ToolStatus::Running { None } else { tool_output(update) },
        }
    }

    pub(super) fn clear(&mut self) {
        self.known.clear();
    }
}

impl ToolCallState {
    fn apply_update(&mut self, update: &SessionUpdate) {
        if let Some(title) = &update.title {
            self.title.clone_from(title);
        }
        if let Some(kind) = &update.kind {
            self.kind.clone_from(kind);
        }
        if let Some(status) = &update.status {
            self.status = Some(tool_status(status));
        }
        if let Some(input) = &update.raw_input {
            self.input = input.clone();
        }
        let changed =
            parse_contents(update.content.as_deref()).into_iter().filter_map(|content| content.path);
        let located = update.locations.iter().map(|location| location.path.clone());
        for path in located.chain(changed).filter(|path| !path.is_empty()) {
            if !self.paths.contains(&path) {
                self.paths.push(path);
            }
        }
    }
}

fn tool_status(status: &str) -> ToolStatus {
    match status {
        "completed" => ToolStatus::Done,
        "failed" => ToolStatus::Failed,
        _ => ToolStatus::Running,
    }
}

fn parse_contents(content: Option<&RawValue>) -> Vec<Content> {
    parse_or_default(content)
}

/// Returns the output of a tool.
fn tool_output(update: &SessionUpdate) -> Option<String> {
    let pieces = parse_contents(update.content.as_deref());
    let texts: Vec<String> = pieces
        .iter()
        .filter_map(|piece| parse_or_default::<Content>(piece.content.as_deref()).text)
        .filter(|text| !text.is_empty())
        .collect();
    let raw = update.raw_output.as_deref();
    let text = match texts.is_empty() {
        true => parse_or_default::<Option<String>>(raw)
            .or_else(|| parse_or_default::<RawOutput>(raw).formatted_output)?,
        false => texts.join("\n"),
    };
    (!text.is_empty()).then_some(text)
}
