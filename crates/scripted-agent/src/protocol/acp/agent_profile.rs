//! Differences between the agents that speak ACP, as observed.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::script::TokenUsage;

/// The agent that is imitated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImitatedAgent {
    /// Claude Code's ACP adapter.
    #[default]
    Claude,
    /// Codex's ACP adapter.
    Codex,
    Opencode,
    /// The Gemini CLI.
    Gemini,
}

/// Behaviour of one agent.
pub struct AgentProfile {
    /// Options of a permission request: id, name and kind.
    pub permission_options: [(&'static str, &'static str, &'static str); 3],
    /// Stop reason of a turn whose tool was denied; `None` continues the turn.
    pub denied_stop_reason: Option<&'static str>,
    pub tool_visibility: ToolReportTiming,
    /// Whether a permission request contains the tool's input.
    pub permission_has_input: bool,
    pub output_form: ToolOutputForm,
    /// Whether sessions can be resumed without replay, and listed.
    pub can_resume: bool,
    /// Whether the agent asks questions with its own tool.
    pub asks_questions: bool,
    /// Session modes; the first one is the default.
    pub modes: &'static [&'static str],
}

/// When a tool call that needs permission is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolReportTiming {
    /// Before the permission request.
    Before,
    /// After the permission request.
    After,
    /// Never; only its outcome is reported.
    Never,
}

/// Where the output of a tool is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolOutputForm {
    /// In `content`, and as text in `rawOutput`.
    Both,
    /// In fields of `rawOutput`.
    Raw,
    /// Not at all.
    Omitted,
}

impl ImitatedAgent {
    pub fn profile(self) -> &'static AgentProfile {
        match self {
            Self::Claude => &CLAUDE,
            Self::Codex => &CODEX,
            Self::Opencode => &OPENCODE,
            Self::Gemini => &GEMINI,
        }
    }

    /// Returns the fields with the output of a tool.
    pub fn output_fields(self, text: &str, status: &str) -> Value {
        match self.profile().output_form {
            ToolOutputForm::Both => {
                let content = json!({ "type": "text", "text": text });
                json!({ "content": [{ "type": "content", "content": content }], "rawOutput": text })
            }
            ToolOutputForm::Raw => json!({ "rawOutput": {
                "stdout": text, "stderr": "", "aggregated_output": text, "formatted_output": text,
                "exit_code": i32::from(status != "completed"), "status": status,
            } }),
            ToolOutputForm::Omitted => json!({ "content": [] }),
        }
    }

    /// Returns the update to send at once, if any, and the fields for the end of the turn.
    pub fn usage_fields(self, usage: TokenUsage, cost: f64) -> (Option<Value>, Value) {
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

    /// Returns the `data` of an error of the model service.
    pub fn failure_data(self, status: u16, is_plan_limit: bool) -> Value {
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

const CLAUDE: AgentProfile = AgentProfile {
    permission_options: [
        ("allow_always", "Always Allow", "allow_always"),
        ("allow", "Allow", "allow_once"),
        ("reject", "Reject", "reject_once"),
    ],
    denied_stop_reason: None,
    tool_visibility: ToolReportTiming::Before,
    permission_has_input: true,
    output_form: ToolOutputForm::Both,
    can_resume: true,
    asks_questions: true,
    modes: &["default", "acceptEdits", "plan", "dontAsk"],
};

const CODEX: AgentProfile = AgentProfile {
    permission_options: [
        ("approved", "Yes", "allow_once"),
        ("approved-execpolicy-amendment", "Always", "allow_always"),
        ("abort", "No", "reject_once"),
    ],
    denied_stop_reason: Some("cancelled"),
    tool_visibility: ToolReportTiming::After,
    permission_has_input: true,
    output_form: ToolOutputForm::Raw,
    can_resume: true,
    asks_questions: false,
    modes: &["auto", "read-only", "full-access"],
};

const OPENCODE: AgentProfile = AgentProfile {
    permission_options: [
        ("once", "Allow once", "allow_once"),
        ("always", "Always allow", "allow_always"),
        ("reject", "Reject", "reject_once"),
    ],
    denied_stop_reason: Some("end_turn"),
    tool_visibility: ToolReportTiming::Before,
    permission_has_input: true,
    output_form: ToolOutputForm::Both,
    can_resume: true,
    asks_questions: false,
    modes: &[],
};

const GEMINI: AgentProfile = AgentProfile {
    permission_options: [
        ("proceed_always", "Allow for this session", "allow_always"),
        ("proceed_once", "Allow", "allow_once"),
        ("cancel", "Reject", "reject_once"),
    ],
    denied_stop_reason: None,
    tool_visibility: ToolReportTiming::Never,
    permission_has_input: false,
    output_form: ToolOutputForm::Omitted,
    can_resume: false,
    asks_questions: false,
    modes: &["default", "autoEdit", "yolo", "plan"],
};
