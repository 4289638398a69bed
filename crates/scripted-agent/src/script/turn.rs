//! Steps within a turn: tools, questions, plans, usage, and the end of the turn.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::value::{FromText, ScriptDuration};

/// A question asked with the question tool of the protocol.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionStep {
    pub text: String,
    /// Short title above the question.
    #[serde(default)]
    pub header: String,
    /// Choices that are offered.
    #[serde(default)]
    pub options: Vec<String>,
}

impl FromText for QuestionStep {
    fn from_text(text: String) -> Result<Self, String> {
        Ok(Self { text, header: String::new(), options: Vec::new() })
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolStep {
    pub name: String,
    #[serde(default)]
    pub kind: ToolKind,
    #[serde(default)]
    pub input: Map<String, Value>,
    /// Output that the tool reports.
    #[serde(default)]
    pub output: String,
    /// Asks for permission first; `asks` in the file.
    #[serde(default, rename = "asks")]
    pub needs_permission: bool,
    /// How long the tool runs; `takes` in the file.
    #[serde(default, rename = "takes")]
    pub duration: ScriptDuration,
}

impl ToolStep {
    /// Returns the title that clients display.
    pub fn title(&self) -> String {
        match self.input.get("command").or_else(|| self.input.get("file_path")).and_then(Value::as_str) {
            Some(detail) => detail.to_owned(),
            None => self.name.clone(),
        }
    }
}

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    #[default]
    Execute,
    Edit,
    Read,
    /// Makes a network request.
    Fetch,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanEntry {
    pub text: String,
    #[serde(default)]
    pub status: PlanStatus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanStatus {
    #[default]
    Pending,
    InProgress,
    Completed,
}

/// Token usage that a turn reports.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TokenUsage {
    /// Input tokens, without those from the cache.
    pub input: u64,
    /// Input tokens from the cache.
    pub cached: u64,
    pub output: u64,
    /// In US dollars.
    pub cost: f64,
    /// Size of the context window in tokens.
    pub window: u64,
}

impl Default for TokenUsage {
    fn default() -> Self {
        Self { input: 100, cached: 0, output: 20, cost: 0.001, window: 200_000 }
    }
}

/// Share of the rate limit that is used.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateLimit {
    /// Percentage of the limit.
    pub used: u8,
    /// When the limit resets, in seconds since 1970.
    pub resets_at: i64,
}

/// Why a turn ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The agent has finished.
    EndTurn,
    /// The answer reached the length limit.
    MaxTokens,
    /// The model refused to answer.
    Refusal,
    /// The client cancelled the turn.
    Cancelled,
    /// A permission was denied in a way that ends the turn.
    Denied,
}

/// An error of the model service.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServiceFailure {
    /// HTTP status, such as 429, 529 or 401.
    pub status: u16,
    #[serde(default)]
    pub message: String,
    /// Number of reported retries before the failure.
    #[serde(default)]
    pub retries: u32,
    /// Set if a usage limit was reached: when it resets, in seconds since 1970.
    pub resets_at: Option<i64>,
}
