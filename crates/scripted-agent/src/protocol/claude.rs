//! Claude Code's `stream-json` protocol, as spoken by `claude -p --input-format stream-json …`.

mod control;
mod result;

use std::{collections::VecDeque, io, time::Instant};

use serde_json::{Value, json};

use super::{
    AgentProtocol, AnswerStatus, ClientAnswer, ClientEvent, PermissionDecision, ProtocolOptions, ToolOutcome,
    json_rpc::content_text, random_id,
};
use crate::{
    output,
    script::{PlanEntry, QuestionStep, RateLimit, ServiceFailure, StopReason, TokenUsage, ToolStep},
    session_store::{SessionStore, Speaker},
};

/// A headless Claude Code with one session.
pub(super) struct ClaudeProtocol {
    model: String,
    sessions: SessionStore,
    session: String,
    flags: CommandLineFlags,
    /// Id of our control request that has not been answered.
    pending_request: Option<String>,
    n_requests: u64,
    n_messages: u64,
    n_tools: u64,
    mode: String,
    turn: TurnState,
    /// Totals of the process, as Claude Code reports them.
    cost_total: f64,
    tokens_total: TokenUsage,
    has_failed: bool,
}

/// Flags of the command line.
#[derive(Default)]
struct CommandLineFlags {
    /// The client answers permission requests.
    can_ask: bool,
    /// Raw events of the model are sent, too.
    includes_partial: bool,
    /// Input messages are sent back.
    replays_input: bool,
}

struct TurnState {
    started_at: Instant,
    last_message: String,
    usage: TokenUsage,
    denials: Vec<Value>,
    /// The turn ends because a tool was denied.
    is_denied: bool,
    n_steps: u64,
    replayed_inputs: VecDeque<Value>,
}

impl TurnState {
    fn new() -> Self {
        Self {
            started_at: Instant::now(),
            last_message: String::new(),
            usage: TokenUsage::default(),
            denials: Vec::new(),
            is_denied: false,
            n_steps: 1,
            replayed_inputs: VecDeque::new(),
        }
    }
}

impl ClaudeProtocol {
    /// Evaluates the command line, and looks up the session to resume.
    pub(super) fn new(options: ProtocolOptions) -> io::Result<(Self, ClientEvent)> {
        let arguments = &options.arguments;
        let value_after = |name: &str| {
            let at = arguments.iter().position(|argument| argument == name)?;
            arguments.get(at + 1).cloned()
        };
        let has = |name: &str| arguments.iter().any(|argument| argument == name);
        let resumed = value_after("--resume");
        let is_known = resumed.as_ref().is_none_or(|session| options.sessions.transcript(session).is_some());
        let session = match (&resumed, has("--fork-session")) {
            (Some(session), false) => session.clone(),
            _ => value_after("--session-id").unwrap_or_else(random_id),
        };
        let mut protocol = Self {
            model: value_after("--model").unwrap_or(options.model),
            session,
            flags: CommandLineFlags {
                can_ask: value_after("--permission-prompt-tool").as_deref() == Some("stdio"),
                includes_partial: has("--include-partial-messages"),
                replays_input: has("--replay-user-messages"),
            },
            mode: value_after("--permission-mode").unwrap_or_else(|| "default".to_owned()),
            sessions: options.sessions,
            pending_request: None,
            n_requests: 0,
            n_messages: 0,
            n_tools: 0,
            turn: TurnState::new(),
            cost_total: 0.0,
            tokens_total: TokenUsage { input: 0, cached: 0, output: 0, cost: 0.0, window: 0 },
            has_failed: false,
        };
        if !is_known {
            protocol.send_unknown_session_result()?;
            return Ok((protocol, ClientEvent::Rejected));
        }
        Ok((protocol, ClientEvent::SessionOpened { resumed: resumed.is_some() }))
    }

    /// Sends a message with the session id.
    fn send_with_session(&self, mut value: Value) -> io::Result<()> {
        if let Some(fields) = value.as_object_mut() {
            fields.insert("session_id".to_owned(), json!(self.session));
            fields.entry("uuid").or_insert_with(|| json!(random_id()));
        }
        output::write_json(&value)
    }

    fn send_assistant_block(&mut self, block: Value) -> io::Result<()> {
        let usage = json!({
            "input_tokens": self.turn.usage.input, "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": self.turn.usage.cached, "output_tokens": 1,
        });
        let message = json!({
            "id": format!("msg_{:02}", self.n_messages), "type": "message", "role": "assistant", "model": self.model,
            "content": [block], "stop_reason": null, "stop_sequence": null, "usage": usage,
        });
        self.send_with_session(json!({ "type": "assistant", "message": message, "parent_tool_use_id": null }))
    }

    fn tool_id(&self) -> String {
        format!("toolu_{:02}", self.n_tools)
    }
}

impl AgentProtocol for ClaudeProtocol {
    fn handle_line(&mut self, line: &str) -> io::Result<ClientEvent> {
        let Ok(value) = serde_json::from_str::<Value>(line) else { return Ok(ClientEvent::Ignored) };
        match value.get("type").and_then(Value::as_str) {
            Some("user") => {
                let text = content_text(value.pointer("/message/content").unwrap_or_default());
                if self.flags.replays_input {
                    self.turn.replayed_inputs.push_back(value);
                }
                Ok(ClientEvent::Prompt(text))
            }
            Some("control_request") => self.handle_control_request(&value),
            Some("control_response") => Ok(self.parse_answer(&value)),
            _ => Ok(ClientEvent::Ignored),
        }
    }

    fn begin_turn(&mut self, prompt: &str) -> io::Result<()> {
        let replayed_inputs = std::mem::take(&mut self.turn.replayed_inputs);
        self.turn = TurnState { replayed_inputs, ..TurnState::new() };
        self.n_messages += 1;
        self.sessions.append(&self.session, Speaker::User, prompt)?;
        self.send_with_session(json!({
            "type": "system", "subtype": "init", "cwd": std::env::current_dir()?.to_string_lossy(),
            "tools": ["Bash", "Edit", "Read", "Write"], "mcp_servers": [], "model": self.model,
            "permissionMode": self.mode, "slash_commands": [], "apiKeySource": "ANTHROPIC_API_KEY",
            "claude_code_version": "2.1.197", "output_style": "default",
        }))?;
        if let Some(mut replayed_input) = self.turn.replayed_inputs.pop_front() {
            if let Some(fields) = replayed_input.as_object_mut() {
                fields.insert("isReplay".to_owned(), json!(true));
                fields.entry("parent_tool_use_id").or_insert(Value::Null);
            }
            self.send_with_session(replayed_input)?;
        }
        Ok(())
    }

    fn write_message(&mut self, text: &str) -> io::Result<()> {
        self.sessions.append(&self.session, Speaker::Agent, text)?;
        text.clone_into(&mut self.turn.last_message);
        if self.flags.includes_partial {
            let delta = json!({ "type": "text_delta", "text": text });
            let event = json!({ "type": "content_block_delta", "index": 0, "delta": delta });
            self.send_with_session(
                json!({ "type": "stream_event", "event": event, "parent_tool_use_id": null }),
            )?;
        }
        self.send_assistant_block(json!({ "type": "text", "text": text }))
    }

    fn write_thought(&mut self, text: &str) -> io::Result<()> {
        self.send_assistant_block(json!({ "type": "thinking", "thinking": text, "signature": "" }))
    }

    fn start_tool(&mut self, tool: &ToolStep) -> io::Result<()> {
        self.n_tools += 1;
        self.turn.n_steps += 1;
        let id = self.tool_id();
        self.send_assistant_block(
            json!({ "type": "tool_use", "id": id, "name": tool.name, "input": tool.input }),
        )
    }

    fn ask_permission(&mut self, tool: &ToolStep) -> io::Result<AnswerStatus> {
        if !self.flags.can_ask {
            self.record_denial(&tool.name, json!(tool.input));
            let text =
                format!("Claude requested permissions to use {}, but you haven't granted it yet.", tool.name);
            return Ok(AnswerStatus::Answered(ClientAnswer { decision: PermissionDecision::Deny, text }));
        }
        self.request_permission(&tool.name, json!(tool.input), &tool.title())
    }

    fn finish_tool(&mut self, tool: &ToolStep, outcome: &ToolOutcome) -> io::Result<()> {
        let (text, is_error) = match outcome {
            ToolOutcome::Output(text) => (text, false),
            ToolOutcome::Denied(text) => {
                if self.flags.can_ask {
                    self.record_denial(&tool.name, json!(tool.input));
                }
                (text, true)
            }
        };
        let result = json!({
            "tool_use_id": self.tool_id(), "type": "tool_result", "content": text, "is_error": is_error,
        });
        let message = json!({ "role": "user", "content": [result] });
        self.n_messages += 1;
        self.send_with_session(json!({
            "type": "user", "message": message, "parent_tool_use_id": null,
            "tool_use_result": { "stdout": text, "stderr": "", "interrupted": false },
        }))
    }

    fn ask_question(&mut self, question: &QuestionStep) -> io::Result<AnswerStatus> {
        if !self.flags.can_ask {
            return Ok(AnswerStatus::Answered(ClientAnswer {
                decision: PermissionDecision::Deny,
                text: String::new(),
            }));
        }
        let options: Vec<Value> =
            question.options.iter().map(|option| json!({ "label": option, "description": "" })).collect();
        let input = json!({ "questions": [{
            "question": question.text, "header": question.header, "options": options, "multiSelect": false,
        }] });
        self.n_tools += 1;
        let id = self.tool_id();
        self.send_assistant_block(
            json!({ "type": "tool_use", "id": id, "name": "AskUserQuestion", "input": input }),
        )?;
        self.request_permission("AskUserQuestion", input, "")
    }

    fn write_plan(&mut self, entries: &[PlanEntry]) -> io::Result<()> {
        let todos: Vec<Value> = entries
            .iter()
            .map(|entry| json!({ "content": entry.text, "status": entry.status, "activeForm": entry.text }))
            .collect();
        self.n_tools += 1;
        let id = self.tool_id();
        self.send_assistant_block(
            json!({ "type": "tool_use", "id": id, "name": "TodoWrite", "input": { "todos": todos } }),
        )
    }

    fn set_usage(&mut self, usage: TokenUsage) -> io::Result<()> {
        self.turn.usage = usage;
        Ok(())
    }

    fn write_rate_limit(&mut self, limits: RateLimit) -> io::Result<()> {
        let status = if limits.used < 90 { "allowed" } else { "allowed_warning" };
        let info = json!({
            "status": status, "resetsAt": limits.resets_at, "rateLimitType": "five_hour",
            "utilization": f64::from(limits.used) / 100.0, "isUsingOverage": false,
        });
        self.send_with_session(json!({ "type": "rate_limit_event", "rate_limit_info": info }))
    }

    fn end_turn(&mut self, stop: StopReason) -> io::Result<()> {
        self.send_stop_result(stop)
    }

    fn fail_turn(&mut self, failure: &ServiceFailure) -> io::Result<()> {
        self.send_failed_result(failure)
    }

    fn input_end_status(&self) -> u8 {
        u8::from(self.has_failed)
    }
}
