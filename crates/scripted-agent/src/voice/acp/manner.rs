//! What the agents that speak ACP do differently, as it was seen of each.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::script::Usage;

/// The agent that the player is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Likeness {
    /// Claude Code's adapter.
    #[default]
    Claude,
    /// Codex's adapter.
    Codex,
    /// OpenCode.
    Opencode,
    /// Gemini CLI.
    Gemini,
}

/// How an agent behaves.
pub struct Manner {
    /// The options of a permission: id, name and kind.
    pub options: [(&'static str, &'static str, &'static str); 3],
    /// With which reason a turn ends when a tool is refused; it goes on where this is left out.
    pub refused: Option<&'static str>,
    /// When a tool is shown that needs a permission.
    pub shows: Shows,
    /// Whether the wish for a permission has what the tool is given.
    pub shows_input: bool,
    /// Where a tool's output stands.
    pub output: Output,
    /// Whether a session can be opened again without being told, and sessions can be listed.
    pub resumes: bool,
    /// Whether it asks questions of its own.
    pub asks_questions: bool,
    /// The modes; the first is the one that it begins in.
    pub modes: &'static [&'static str],
}

/// When a tool is shown that needs a permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shows {
    /// Before the permission.
    Before,
    /// After it.
    After,
    /// Never; only what came of it.
    Never,
}

/// Where a tool's output stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// In `content`, and in `rawOutput` as it is.
    Both,
    /// In fields of `rawOutput`.
    Raw,
    /// Nowhere: the client is not told.
    Untold,
}

impl Likeness {
    /// Returns how that agent behaves.
    pub fn manner(self) -> &'static Manner {
        match self {
            Self::Claude => &CLAUDE,
            Self::Codex => &CODEX,
            Self::Opencode => &OPENCODE,
            Self::Gemini => &GEMINI,
        }
    }

    /// Returns the fields that tell a tool's output.
    pub fn output(self, text: &str, status: &str) -> Value {
        match self.manner().output {
            Output::Both => {
                let content = json!({ "type": "text", "text": text });
                json!({ "content": [{ "type": "content", "content": content }], "rawOutput": text })
            }
            Output::Raw => json!({ "rawOutput": {
                "stdout": text, "stderr": "", "aggregated_output": text, "formatted_output": text,
                "exit_code": i32::from(status != "completed"), "status": status,
            } }),
            Output::Untold => json!({ "content": [] }),
        }
    }

    /// Returns what is told as soon as a figure is known, and what is told at the end of the turn.
    pub fn usage(self, usage: Usage, cost: f64) -> (Option<Value>, Value) {
        let total = usage.input + usage.cached + usage.output;
        let mut update = json!({ "sessionUpdate": "usage_update", "used": total, "size": usage.window });
        let mut tokens =
            json!({ "totalTokens": total, "inputTokens": usage.input, "outputTokens": usage.output });
        match self {
            Self::Claude => {
                if let Some(fields) = update.as_object_mut() {
                    fields.insert("cost".to_owned(), json!({ "amount": cost, "currency": "USD" }));
                }
                if let Some(fields) = tokens.as_object_mut() {
                    fields.insert("cachedReadTokens".to_owned(), json!(usage.cached));
                    fields.insert("cachedWriteTokens".to_owned(), json!(0));
                }
                (Some(update), json!({ "usage": tokens }))
            }
            Self::Codex => (Some(update), json!({})),
            Self::Opencode => (None, json!({ "usage": tokens })),
            Self::Gemini => {
                let tokens = json!({ "input_tokens": usage.input, "output_tokens": usage.output });
                (None, json!({ "_meta": { "quota": { "token_count": tokens } } }))
            }
        }
    }

    /// Returns what an error of the model's service says beside its text.
    pub fn failure(self, status: u16, is_plan_limit: bool) -> Value {
        match self {
            Self::Claude => json!({ "errorKind": match status {
                429 => "rate_limit",
                529 => "overloaded",
                _ => "server_error",
            } }),
            Self::Codex if is_plan_limit => json!({ "codex_error_info": "usage_limit_exceeded" }),
            Self::Codex => {
                let failed = json!({ "response_too_many_failed_attempts": { "http_status_code": status } });
                json!({ "codex_error_info": failed })
            }
            Self::Opencode | Self::Gemini => json!({}),
        }
    }
}

const CLAUDE: Manner = Manner {
    options: [
        ("allow_always", "Always Allow", "allow_always"),
        ("allow", "Allow", "allow_once"),
        ("reject", "Reject", "reject_once"),
    ],
    refused: None,
    shows: Shows::Before,
    shows_input: true,
    output: Output::Both,
    resumes: true,
    asks_questions: true,
    modes: &["default", "acceptEdits", "plan", "dontAsk"],
};

const CODEX: Manner = Manner {
    options: [
        ("approved", "Yes", "allow_once"),
        ("approved-execpolicy-amendment", "Always", "allow_always"),
        ("abort", "No", "reject_once"),
    ],
    refused: Some("cancelled"),
    shows: Shows::After,
    shows_input: true,
    output: Output::Raw,
    resumes: true,
    asks_questions: false,
    modes: &["auto", "read-only", "full-access"],
};

const OPENCODE: Manner = Manner {
    options: [
        ("once", "Allow once", "allow_once"),
        ("always", "Always allow", "allow_always"),
        ("reject", "Reject", "reject_once"),
    ],
    refused: Some("end_turn"),
    shows: Shows::Before,
    shows_input: true,
    output: Output::Both,
    resumes: true,
    asks_questions: false,
    modes: &[],
};

const GEMINI: Manner = Manner {
    options: [
        ("proceed_always", "Allow for this session", "allow_always"),
        ("proceed_once", "Allow", "allow_once"),
        ("cancel", "Reject", "reject_once"),
    ],
    refused: None,
    shows: Shows::Never,
    shows_input: false,
    output: Output::Untold,
    resumes: false,
    asks_questions: false,
    modes: &["default", "autoEdit", "yolo", "plan"],
};
