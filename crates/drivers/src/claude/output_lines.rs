//! The lines that Claude Code prints, with the fields that are used here. Other fields are ignored.

use std::collections::BTreeMap;

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::value::RawValue;

use crate::{
    driver::{AgentWarning, DriverEvent},
    json::LenientText,
};

/// The fields that identify the type of a line.
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

/// The line `system/api_retry`.
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
    pub(super) fn to_warning_event(&self) -> DriverEvent {
        let error = self.error.text().unwrap_or("unknown");
        let message = match self.error_status {
            Some(status) => format!("{error} ({status})"),
            None => error.to_owned(),
        };
        let delay_ms = self.retry_delay_ms.round() as u64;
        DriverEvent::Warning(AgentWarning::Retrying { attempt: self.attempt, delay_ms, message })
    }
}

/// A line with the type `assistant`.
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
    pub(super) usage: Option<TokenCounts>,
}

impl AssistantLine {
    /// Returns whether the program wrote it instead of the model, for example after a failed request.
    pub(super) fn is_synthetic(&self) -> bool {
        self.error.text().is_some() || self.message.model.text() == Some("<synthetic>")
    }
}

/// A line with the type `user`, which has the results of tools.
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
pub(super) enum ContentBlock {
    Text { text: String },
    ToolUse { id: String, name: String, input: Box<RawValue> },
    ToolResult { tool_use_id: String, is_error: Option<bool>, content: Option<Box<RawValue>> },
    Other,
}

/// All fields of all kinds of blocks: a tagged enum could not keep raw values.
#[derive(Debug, Deserialize)]
struct RawContentBlock {
    r#type: String,
    text: Option<String>,
    id: Option<String>,
    name: Option<String>,
    input: Option<Box<RawValue>>,
    tool_use_id: Option<String>,
    is_error: Option<bool>,
    content: Option<Box<RawValue>>,
}

/// Reads the blocks of a message. Unreadable ones are skipped.
pub(super) fn parse_blocks(content: &RawValue) -> Vec<ContentBlock> {
    let blocks: Vec<Box<RawValue>> = parse_raw_value(content).unwrap_or_default();
    blocks
        .iter()
        .filter_map(|block| parse_raw_value::<RawContentBlock>(block))
        .map(ContentBlock::from)
        .collect()
}

impl From<RawContentBlock> for ContentBlock {
    fn from(block: RawContentBlock) -> Self {
        let RawContentBlock { r#type, text, id, name, input, tool_use_id, is_error, content } = block;
        match (&*r#type, text, (id, name, input), tool_use_id) {
            ("text", Some(text), ..) => Self::Text { text },
            ("tool_use", _, (Some(id), Some(name), Some(input)), _) => Self::ToolUse { id, name, input },
            ("tool_result", _, _, Some(tool_use_id)) => Self::ToolResult { tool_use_id, is_error, content },
            _ => Self::Other,
        }
    }
}

/// Returns the output of a tool as text.
pub(super) fn tool_output_text(content: &RawValue) -> Option<String> {
    let text = parse_raw_value::<String>(content).unwrap_or_else(|| {
        let texts = parse_blocks(content).into_iter().filter_map(|block| match block {
            ContentBlock::Text { text } => Some(text),
            ContentBlock::ToolUse { .. } | ContentBlock::ToolResult { .. } | ContentBlock::Other => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    });
    (!text.is_empty()).then_some(text)
}

/// Parses a raw part of a line.
pub(super) fn parse_raw_value<T: DeserializeOwned>(raw: &RawValue) -> Option<T> {
    crate::json::parse_line(raw.get().as_bytes())
}

/// A line with the type `stream_event`.
#[derive(Debug, Deserialize)]
pub(super) struct StreamEvent {
    pub(super) event: StreamEventBody,
}

#[derive(Debug, Deserialize)]
pub(super) struct StreamEventBody {
    pub(super) delta: Option<Delta>,
}

/// A streamed piece of a block; only text blocks have `text`.
#[derive(Debug, Deserialize)]
pub(super) struct Delta {
    #[serde(default)]
    pub(super) text: LenientText,
}

/// `result`: the turn has ended.
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
    /// Returns the replacement for an unreadable result: the turn has ended nevertheless.
    pub(super) fn unreadable_placeholder() -> Self {
        let result = LenientText(Some("the result of the turn cannot be read".to_owned()));
        Self { is_error: true, result, ..Self::default() }
    }
}

/// The tokens of a request by kind; missing or null if not applicable.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub(super) struct TokenCounts {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

impl TokenCounts {
    /// Returns the number of tokens in the context after the request.
    pub(super) fn context_tokens(self) -> u64 {
        let Self { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = self;
        let tokens = [input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens];
        tokens.into_iter().flatten().fold(0, u64::saturating_add)
    }
}

/// The usage of one model by this process.
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
    /// Returns the input tokens that were not read from the cache.
    pub(super) fn uncached_input_tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.cache_creation_input_tokens)
    }
}

/// A line with the type `rate_limit_event`.
#[derive(Debug, Deserialize)]
pub(super) struct RateLimitEvent {
    pub(super) rate_limit_info: RateLimit,
}

#[derive(Debug, Deserialize)]
pub(super) struct RateLimit {
    #[serde(default)]
    pub(super) status: LenientText,
    /// Seconds since 1970.
    #[serde(rename = "resetsAt")]
    pub(super) resets_at: Option<i64>,
    pub(super) utilization: Option<f64>,
}

/// A line with the type `control_request`: a request of the agent.
#[derive(Debug, Deserialize)]
pub(super) struct ControlRequest {
    pub(super) request_id: String,
    pub(super) request: Box<RawValue>,
}

/// A line with the type `control_cancel_request`.
#[derive(Debug, Deserialize)]
pub(super) struct ControlCancelLine {
    pub(super) request_id: String,
}
