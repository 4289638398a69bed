//! What happens inside of a turn: tools, questions, plans, figures, and how it ends.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::value::{Pause, Short};

/// A question of the voice's own question tool.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The question.
    pub text: String,
    /// A word above it.
    #[serde(default)]
    pub header: String,
    /// What can be chosen.
    #[serde(default)]
    pub options: Vec<String>,
}

impl Short for Question {
    fn of(text: String) -> Result<Self, String> {
        Ok(Self { text, header: String::new(), options: Vec::new() })
    }
}

/// A tool that is used.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What kind of thing it does.
    #[serde(default)]
    pub kind: ToolKind,
    /// What it is given.
    #[serde(default)]
    pub input: Map<String, Value>,
    /// What it answers.
    #[serde(default)]
    pub output: String,
    /// Asks for a permission first.
    #[serde(default)]
    pub asks: bool,
    /// Takes so long.
    #[serde(default)]
    pub takes: Pause,
}

impl Tool {
    /// Returns what a person would read about its use.
    pub fn title(&self) -> String {
        match self.input.get("command").or_else(|| self.input.get("file_path")).and_then(Value::as_str) {
            Some(detail) => detail.to_owned(),
            None => self.name.clone(),
        }
    }
}

/// What kind of thing a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    /// Runs a command.
    #[default]
    Execute,
    /// Changes a file.
    Edit,
    /// Reads.
    Read,
    /// Asks for something on the network.
    Fetch,
}

/// An entry of a plan.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanEntry {
    /// What is to be done.
    pub text: String,
    /// How far it is: `pending`, `in_progress` or `completed`.
    #[serde(default)]
    pub status: PlanStatus,
}

/// How far an entry of a plan is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanStatus {
    /// Not begun.
    #[default]
    Pending,
    /// Begun.
    InProgress,
    /// Done.
    Completed,
}

/// What a turn is said to have cost.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Usage {
    /// Tokens that the model read, those from the cache aside.
    pub input: u64,
    /// Tokens that it read from the cache.
    pub cached: u64,
    /// Tokens that it wrote.
    pub output: u64,
    /// The price, in US dollars.
    pub cost: f64,
    /// The size of the model's window.
    pub window: u64,
}

impl Default for Usage {
    fn default() -> Self {
        Self { input: 100, cached: 0, output: 20, cost: 0.001, window: 200_000 }
    }
}

/// How much of a plan's limit is used.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// In percent.
    pub used: u8,
    /// Until when it counts, in seconds since 1970.
    pub resets_at: i64,
}

/// Why a turn ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// All is said.
    EndTurn,
    /// The answer became too long.
    MaxTokens,
    /// It won't.
    Refusal,
    /// It was asked to stop.
    Cancelled,
    /// The tool it asked for was refused in a way that ends the turn.
    Denied,
}

/// An error of the model's service.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// The HTTP status, such as 429, 529 or 401.
    pub status: u16,
    /// What the service says.
    #[serde(default)]
    pub message: String,
    /// How often it says that it tries again before it gives up.
    #[serde(default)]
    pub retries: u32,
    /// The plan's limit is used up until then, in seconds since 1970.
    pub resets_at: Option<i64>,
}
