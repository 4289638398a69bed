//! A script: what the player is, and what it does step by step.
//!
//! Reading one never does IO. What is wrong in it has a place in the text and says what to write.

mod check;
mod error;
mod step;
mod turn;
mod value;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use toml::Spanned;

pub use error::ScriptError;
pub use step::{Ask, Case, Fork, Hang, Kind, Repeat, Say, Step, Terminal, Times, Wait};
pub use turn::{Failure, Limits, PlanEntry, Question, Stop, Tool, ToolKind, Usage};
pub use value::{Matcher, Pause, Signal};

use crate::voice::Likeness;

/// Steps with their places in the text.
pub type Steps = Vec<Spanned<Step>>;

/// What the player plays.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// How it speaks and listens.
    #[serde(default)]
    pub voice: VoiceName,
    /// The folder in which it keeps its sessions, so that a later player can go on with one.
    pub memory: Option<String>,
    /// The model that it says it is.
    #[serde(default = "model")]
    pub model: String,
    /// Requests that it answers with an error.
    #[serde(default)]
    pub refusals: Vec<Refusal>,
    /// The agent whose habits it has, in the voice `acp`.
    #[serde(default)]
    pub like: Likeness,
    /// How its screen looks and behaves, in the voice `screen`.
    #[serde(default)]
    pub screen: ScreenStyle,
    /// What it does.
    pub steps: Steps,
    /// What it does instead, where it goes on with an older session.
    pub resumed: Option<Steps>,
    /// Steps with a name, for `play`.
    #[serde(default)]
    pub parts: BTreeMap<String, Steps>,
}

/// How the player speaks and listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VoiceName {
    /// Text on a terminal or a pipe.
    #[default]
    Plain,
    /// A screen of its own on a terminal, with a box for prompts.
    Screen,
    /// The Agent Client Protocol over standard input and output.
    Acp,
    /// Claude Code's `stream-json`.
    Claude,
    /// Codex's `app-server`.
    Codex,
}

/// How a screen looks and behaves.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScreenStyle {
    /// What stands before the first line of an answer.
    pub bullet: String,
    /// Takes the whole terminal and repaints it, as Codex does, instead of writing on below, as Claude Code does.
    pub alternate: bool,
    /// Enter counts only so long after the last key; before that it is part of a paste.
    pub guard: Pause,
}

impl Default for ScreenStyle {
    fn default() -> Self {
        Self { bullet: "●".to_owned(), alternate: false, guard: Pause::default() }
    }
}

/// A request that is answered with an error.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// The request's method.
    pub method: String,
    /// The error's number.
    pub code: i64,
    /// The error's text.
    pub message: String,
    /// What else the error says.
    pub data: Option<Value>,
}

impl Script {
    /// Reads a script, and checks what its voice can say.
    pub fn read(text: &str) -> Result<Self, ScriptError> {
        let script: Self = toml::from_str(text).map_err(|error| ScriptError::of_toml(&error, text))?;
        check::check(&script)?;
        Ok(script)
    }

    /// Returns every list of steps that does not stand inside of another, with what it is called.
    pub fn roots(&self) -> impl Iterator<Item = &Steps> {
        std::iter::once(&self.steps).chain(self.resumed.as_ref()).chain(self.parts.values())
    }
}

fn model() -> String {
    "scripted".to_owned()
}
