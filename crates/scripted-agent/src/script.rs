//! The script format: settings of the agent and its steps.
//!
//! Parsing performs no IO; errors have a position in the text and a hint.

mod error;
mod step;
mod turn;
mod validate;
mod value;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use toml::Spanned;

pub use error::ScriptError;
pub(crate) use step::{
    AskUserStep, ChoiceCase, ForkStep, HangMode, InputWaitStep, ProcessKind, RepeatCount, RepeatStep,
    SayStep, Step, TerminalInputMode,
};
pub(crate) use turn::{
    PlanEntry, QuestionStep, RateLimit, ServiceFailure, StopReason, TokenUsage, ToolKind, ToolStep,
};
pub(crate) use value::{LineMatcher, ScriptDuration, Signal};

use crate::protocol::ImitatedAgent;

/// Steps with their positions in the text.
pub(crate) type Steps = Vec<Spanned<Step>>;

/// A parsed script.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// Protocol of the agent; `voice` in the file.
    #[serde(default, rename = "voice")]
    pub protocol: ProtocolName,
    /// Folder for stored sessions, so that a later process can resume one; `memory` in the file.
    #[serde(rename = "memory")]
    pub sessions_folder: Option<String>,
    /// Model name that the agent reports.
    #[serde(default = "default_model")]
    pub model: String,
    /// Requests that are answered with an error.
    #[serde(default)]
    pub refusals: Vec<RequestRefusal>,
    /// Agent whose behaviour is imitated in ACP; `like` in the file.
    #[serde(default, rename = "like")]
    pub imitates: ImitatedAgent,
    /// Appearance and behaviour of the protocol `screen`.
    #[serde(default)]
    pub screen: ScreenStyle,
    /// Steps of a new session.
    pub steps: Steps,
    /// Steps of a resumed session; `None` uses `steps`.
    pub resumed: Option<Steps>,
    /// Named steps that `play` refers to.
    #[serde(default)]
    pub parts: BTreeMap<String, Steps>,
}

/// How the agent communicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProtocolName {
    /// Text on a terminal or a pipe.
    #[default]
    Plain,
    /// A full-screen program with an input box.
    Screen,
    /// The Agent Client Protocol over standard input and output.
    Acp,
    /// Claude Code's `stream-json`.
    Claude,
    /// The protocol of `codex app-server`.
    Codex,
}

/// Appearance and behaviour of a full-screen program.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScreenStyle {
    /// Mark before the first line of an answer.
    pub bullet: String,
    /// Uses the alternate screen and repaints it, like Codex; otherwise appends lines, like Claude Code.
    pub alternate: bool,
    /// An Enter within this time after another key counts as part of a paste.
    #[serde(rename = "guard")]
    pub enter_guard: ScriptDuration,
}

impl Default for ScreenStyle {
    fn default() -> Self {
        Self { bullet: "●".to_owned(), alternate: false, enter_guard: ScriptDuration::default() }
    }
}

/// A request that is answered with an error.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestRefusal {
    pub method: String,
    /// JSON-RPC error code.
    pub code: i64,
    pub message: String,
    /// Additional data of the error.
    pub data: Option<Value>,
}

impl Script {
    /// Parses a script, and checks that its protocol supports all steps.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let script: Self = toml::from_str(text).map_err(|error| ScriptError::from_toml(&error, text))?;
        validate::validate(&script)?;
        Ok(script)
    }

    /// Returns all lists of steps that are not nested in another step.
    pub fn top_level_steps(&self) -> impl Iterator<Item = &Steps> {
        std::iter::once(&self.steps).chain(self.resumed.as_ref()).chain(self.parts.values())
    }
}

fn default_model() -> String {
    "scripted".to_owned()
}
