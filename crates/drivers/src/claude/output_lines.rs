//! What Claude Code prints, as far as it is needed. Whatever else a line has is ignored.

use std::collections::BTreeMap;

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::value::RawValue;

use crate::{
    driver::{AgentWarning, DriverEvent},
    json::LenientText,
};

/// Says what a line is.
#[derive(Debug, Deserialize)]
pub(super) struct LineHead {
    pub(super) r#type: String,
    #[serde(default)]
    pub(super) subtype: LenientText,
    #[serde(default)]
    pub(super) parent_tool_use_id: Option<String>,
}

/// `system/init`: a turn begins.
#[derive(Debug, Deserialize)]
pub(super) struct InitLine {
    pub(super) session_id: Option<String>,
    pub(super) model: Option<String>,
}

/// `system/api_retry`
#[derive(Debug, Deserialize)]
pub(super) struct RetryLine {
    #[serde(default)]
    attempt: u32,
    #[serde(default)]
    retry_delay_ms: f64,
    error_status: Option<u16>,
    #[serde(default)]
    error: LenientText,
}

impl RetryLine {
    pub(super) fn trouble(&self) -> DriverEvent {
        let error = self.error.text().unwrap_or("unknown");
        let message = match self.error_status {
            Some(status) => format!("{error} ({status})"),
            None => error.to_owned(),
        };
        let delay_ms = self.retry_delay_ms.round() as u64;
        DriverEvent::Warning(AgentWarning::Retrying { attempt: self.attempt, delay_ms, message })
    }
}

/// `assistant`
#[derive(Debug, Deserialize)]
pub(super) struct AssistantLine {
    pub(super) message: AssistantMessage,
    #[serde(default)]
    pub(super) error: LenientText,
}

#[derive(Debug, Deserialize)]
pub(super) struct AssistantMessage {
    #[serde(default)]
    pub(super) model: LenientText,
    pub(super) content: Box<RawValue>,
    pub(super) usage: Option<Tokens>,
}

impl AssistantLine {
    /// Tells whether the program itself says it, such as that a request failed.
    pub(super) fn is_synthetic(&self) -> bool {
        self.error.text().is_some() || self.message.model.text() == Some("<synthetic>")
    }
}

/// `user`, which carries what tools gave.
#[derive(Debug, Deserialize)]
pub(super) struct UserLine {
    pub(super) message: UserMessage,
}

#[derive(Debug, Deserialize)]
pub(super) struct UserMessage {
    pub(super) content: Box<RawValue>,
}

/// A part of a message.
#[derive(Debug)]
pub(super) enum Block {
    Text { text: String },
    ToolUse { id: String, name: String, input: Box<RawValue> },
    ToolResult { tool_use_id: String, is_error: Option<bool>, content: Option<Box<RawValue>> },
    Other,
}

/// All that the parts of a message may have: an enum of them could not keep a part as it came.
#[derive(Debug, Deserialize)]
struct AnyBlock {
    r#type: String,
    text: Option<String>,
    id: Option<String>,
    name: Option<String>,
    input: Option<Box<RawValue>>,
    tool_use_id: Option<String>,
    is_error: Option<bool>,
    content: Option<Box<RawValue>>,
}

/// Reads the parts of a message; one that can't be read does not take the others with it.
pub(super) fn blocks(content: &RawValue) -> Vec<Block> {
    let blocks: Vec<Box<RawValue>> = inner(content).unwrap_or_default();
    blocks.iter().filter_map(|block| inner::<AnyBlock>(block)).map(Block::from).collect()
}

impl From<AnyBlock> for Block {
    fn from(block: AnyBlock) -> Self {
        let AnyBlock { r#type, text, id, name, input, tool_use_id, is_error, content } = block;
        match (&*r#type, text, (id, name, input), tool_use_id) {
            ("text", Some(text), ..) => Self::Text { text },
            ("tool_use", _, (Some(id), Some(name), Some(input)), _) => Self::ToolUse { id, name, input },
            ("tool_result", _, _, Some(tool_use_id)) => Self::ToolResult { tool_use_id, is_error, content },
            _ => Self::Other,
        }
    }
}

/// Returns what a tool printed, as people see it.
pub(super) fn shown(content: &RawValue) -> Option<String> {
    let text = inner::<String>(content).unwrap_or_else(|| {
        let texts = blocks(content).into_iter().filter_map(|block| match block {
            Block::Text { text } => Some(text),
            Block::ToolUse { .. } | Block::ToolResult { .. } | Block::Other => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    });
    (!text.is_empty()).then_some(text)
}

/// Reads a part of a line that was kept as it came.
pub(super) fn inner<T: DeserializeOwned>(raw: &RawValue) -> Option<T> {
    crate::json::read(raw.get().as_bytes())
}

/// `stream_event`
#[derive(Debug, Deserialize)]
pub(super) struct StreamEvent {
    pub(super) event: Event,
}

#[derive(Debug, Deserialize)]
pub(super) struct Event {
    pub(super) delta: Option<Delta>,
}

/// A piece of something; only pieces of text have `text`.
#[derive(Debug, Deserialize)]
pub(super) struct Delta {
    #[serde(default)]
    pub(super) text: LenientText,
}

/// `result`: the turn is over.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ResultLine {
    pub(super) subtype: LenientText,
    pub(super) is_error: bool,
    pub(super) api_error_status: Option<u16>,
    pub(super) result: LenientText,
    pub(super) errors: Vec<LenientText>,
    pub(super) terminal_reason: LenientText,
    pub(super) total_cost_usd: Option<f64>,
    #[serde(rename = "modelUsage")]
    pub(super) model_usage: BTreeMap<String, ModelUsage>,
}

impl ResultLine {
    /// Stands for a result in a form that is not known: the turn is over all the same.
    pub(super) fn unreadable() -> Self {
        let result = LenientText(Some("the turn ended in a way that can't be read".to_owned()));
        Self { is_error: true, result, ..Self::default() }
    }
}

/// Tokens by what they were; what does not apply is missing or null.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tokens {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

impl Tokens {
    /// Returns what a request had in its context in the end.
    pub(super) fn context(self) -> u64 {
        let Self { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = self;
        let tokens = [input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens];
        tokens.into_iter().flatten().fold(0, u64::saturating_add)
    }
}

/// What the process has used of one model.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ModelUsage {
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
    pub(super) cache_read_input_tokens: u64,
    pub(super) cache_creation_input_tokens: u64,
    pub(super) context_window: u64,
}

impl ModelUsage {
    /// Returns what went in and was new.
    pub(super) fn new_input(&self) -> u64 {
        self.input_tokens.saturating_add(self.cache_creation_input_tokens)
    }
}

/// `rate_limit_event`
#[derive(Debug, Deserialize)]
pub(super) struct RateLimitEvent {
    pub(super) rate_limit_info: RateLimit,
}

#[derive(Debug, Deserialize)]
pub(super) struct RateLimit {
    #[serde(default)]
    pub(super) status: LenientText,
    /// In seconds.
    #[serde(rename = "resetsAt")]
    pub(super) resets_at: Option<i64>,
    pub(super) utilization: Option<f64>,
}

/// `control_request`: the agent wants something of us.
#[derive(Debug, Deserialize)]
pub(super) struct ControlRequest {
    pub(super) request_id: String,
    pub(super) request: Box<RawValue>,
}

/// `control_cancel_request`
#[derive(Debug, Deserialize)]
pub(super) struct ControlCancelLine {
    pub(super) request_id: String,
}
