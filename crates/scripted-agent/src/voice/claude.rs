//! Claude Code's `stream-json`, in and out, as `claude -p --input-format stream-json …` speaks it.

mod control;
mod result;

use std::{collections::VecDeque, io, time::Instant};

use serde_json::{Value, json};

use super::{Answer, Asked, Character, Heard, Outcome, Verdict, Voice, fresh_id, rpc::text_of};
use crate::{
    memory::{Memory, Who},
    mouth,
    script::{Failure, Limits, PlanEntry, Question, Stop, Tool, Usage},
};

/// A Claude Code without a screen.
pub struct Claude {
    model: String,
    memory: Memory,
    session: String,
    /// What the command line asks for.
    switches: Switches,
    /// What we asked, and have no answer to.
    asked: Option<String>,
    n_requests: u64,
    n_messages: u64,
    n_tools: u64,
    mode: String,
    turn: Turn,
    /// Sums of the process, as the real one counts money.
    cost_total: f64,
    tokens_total: Usage,
    has_failed: bool,
}

/// What the command line asks for.
#[derive(Default)]
struct Switches {
    /// Somebody can be asked.
    asks: bool,
    /// Raw events of the model come too.
    partial: bool,
    /// Our input comes back.
    replays: bool,
}

/// What is known of one turn.
struct Turn {
    since: Instant,
    words: String,
    usage: Usage,
    denials: Vec<Value>,
    /// How the last tool's refusal ended the turn, if it did.
    is_denied: bool,
    n_steps: u64,
    echoes: VecDeque<Value>,
}

impl Turn {
    fn new() -> Self {
        Self {
            since: Instant::now(),
            words: String::new(),
            usage: Usage::default(),
            denials: Vec::new(),
            is_denied: false,
            n_steps: 1,
            echoes: VecDeque::new(),
        }
    }
}

impl Claude {
    /// Reads the command line, and finds the session that is to be gone on with.
    pub fn new(character: Character) -> io::Result<(Self, Heard)> {
        let arguments = &character.arguments;
        let behind = |name: &str| {
            let at = arguments.iter().position(|argument| argument == name)?;
            arguments.get(at + 1).cloned()
        };
        let has = |name: &str| arguments.iter().any(|argument| argument == name);
        let resumed = behind("--resume");
        let is_known = resumed.as_ref().is_none_or(|session| character.memory.session(session).is_some());
        let session = match (&resumed, has("--fork-session")) {
            (Some(session), false) => session.clone(),
            _ => behind("--session-id").unwrap_or_else(fresh_id),
        };
        let mut claude = Self {
            model: behind("--model").unwrap_or(character.model),
            session,
            switches: Switches {
                asks: behind("--permission-prompt-tool").as_deref() == Some("stdio"),
                partial: has("--include-partial-messages"),
                replays: has("--replay-user-messages"),
            },
            mode: behind("--permission-mode").unwrap_or_else(|| "default".to_owned()),
            memory: character.memory,
            asked: None,
            n_requests: 0,
            n_messages: 0,
            n_tools: 0,
            turn: Turn::new(),
            cost_total: 0.0,
            tokens_total: Usage { input: 0, cached: 0, output: 0, cost: 0.0, window: 0 },
            has_failed: false,
        };
        if !is_known {
            claude.no_conversation()?;
            return Ok((claude, Heard::Over));
        }
        Ok((claude, Heard::Opened { resumed: resumed.is_some() }))
    }

    /// Writes a line that says whose session it is.
    fn emit(&self, mut value: Value) -> io::Result<()> {
        if let Some(fields) = value.as_object_mut() {
            fields.insert("session_id".to_owned(), json!(self.session));
            fields.entry("uuid").or_insert_with(|| json!(fresh_id()));
        }
        mouth::write_json(&value)
    }

    fn assistant(&mut self, block: Value) -> io::Result<()> {
        let usage = json!({
            "input_tokens": self.turn.usage.input, "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": self.turn.usage.cached, "output_tokens": 1,
        });
        let message = json!({
            "id": format!("msg_{:02}", self.n_messages), "type": "message", "role": "assistant", "model": self.model,
            "content": [block], "stop_reason": null, "stop_sequence": null, "usage": usage,
        });
        self.emit(json!({ "type": "assistant", "message": message, "parent_tool_use_id": null }))
    }

    fn tool_id(&self) -> String {
        format!("toolu_{:02}", self.n_tools)
    }
}

impl Voice for Claude {
    fn hear(&mut self, line: &str) -> io::Result<Heard> {
        let Ok(value) = serde_json::from_str::<Value>(line) else { return Ok(Heard::Nothing) };
        match value.get("type").and_then(Value::as_str) {
            Some("user") => {
                let text = text_of(value.pointer("/message/content").unwrap_or_default());
                if self.switches.replays {
                    self.turn.echoes.push_back(value);
                }
                Ok(Heard::Prompt(text))
            }
            Some("control_request") => self.control(&value),
            Some("control_response") => Ok(self.answered(&value)),
            _ => Ok(Heard::Nothing),
        }
    }

    fn begin_turn(&mut self, prompt: &str) -> io::Result<()> {
        let echoes = std::mem::take(&mut self.turn.echoes);
        self.turn = Turn { echoes, ..Turn::new() };
        self.n_messages += 1;
        self.memory.add(&self.session, Who::User, prompt)?;
        self.emit(json!({
            "type": "system", "subtype": "init", "cwd": std::env::current_dir()?.to_string_lossy(),
            "tools": ["Bash", "Edit", "Read", "Write"], "mcp_servers": [], "model": self.model,
            "permissionMode": self.mode, "slash_commands": [], "apiKeySource": "ANTHROPIC_API_KEY",
            "claude_code_version": "2.1.197", "output_style": "default",
        }))?;
        if let Some(mut echo) = self.turn.echoes.pop_front() {
            if let Some(fields) = echo.as_object_mut() {
                fields.insert("isReplay".to_owned(), json!(true));
                fields.entry("parent_tool_use_id").or_insert(Value::Null);
            }
            self.emit(echo)?;
        }
        Ok(())
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        self.memory.add(&self.session, Who::Agent, text)?;
        text.clone_into(&mut self.turn.words);
        if self.switches.partial {
            let delta = json!({ "type": "text_delta", "text": text });
            let event = json!({ "type": "content_block_delta", "index": 0, "delta": delta });
            self.emit(json!({ "type": "stream_event", "event": event, "parent_tool_use_id": null }))?;
        }
        self.assistant(json!({ "type": "text", "text": text }))
    }

    fn think(&mut self, text: &str) -> io::Result<()> {
        self.assistant(json!({ "type": "thinking", "thinking": text, "signature": "" }))
    }

    fn tool_begins(&mut self, tool: &Tool) -> io::Result<()> {
        self.n_tools += 1;
        self.turn.n_steps += 1;
        let id = self.tool_id();
        self.assistant(json!({ "type": "tool_use", "id": id, "name": tool.name, "input": tool.input }))
    }

    fn ask_permission(&mut self, tool: &Tool) -> io::Result<Asked> {
        if !self.switches.asks {
            self.deny(&tool.name, json!(tool.input));
            let text =
                format!("Claude requested permissions to use {}, but you haven't granted it yet.", tool.name);
            return Ok(Asked::Nobody(Answer { verdict: Verdict::Deny, text }));
        }
        self.can_use_tool(&tool.name, json!(tool.input), &tool.title())
    }

    fn tool_ends(&mut self, tool: &Tool, outcome: &Outcome) -> io::Result<()> {
        let (text, is_error) = match outcome {
            Outcome::Output(text) => (text, false),
            Outcome::Denied(text) => {
                if self.switches.asks {
                    self.deny(&tool.name, json!(tool.input));
                }
                (text, true)
            }
        };
        let result = json!({
            "tool_use_id": self.tool_id(), "type": "tool_result", "content": text, "is_error": is_error,
        });
        let message = json!({ "role": "user", "content": [result] });
        self.n_messages += 1;
        self.emit(json!({
            "type": "user", "message": message, "parent_tool_use_id": null,
            "tool_use_result": { "stdout": text, "stderr": "", "interrupted": false },
        }))
    }

    fn ask_question(&mut self, question: &Question) -> io::Result<Asked> {
        if !self.switches.asks {
            return Ok(Asked::Nobody(Answer { verdict: Verdict::Deny, text: String::new() }));
        }
        let options: Vec<Value> =
            question.options.iter().map(|option| json!({ "label": option, "description": "" })).collect();
        let asked = json!({ "questions": [{
            "question": question.text, "header": question.header, "options": options, "multiSelect": false,
        }] });
        self.n_tools += 1;
        let id = self.tool_id();
        self.assistant(json!({ "type": "tool_use", "id": id, "name": "AskUserQuestion", "input": asked }))?;
        self.can_use_tool("AskUserQuestion", asked, "")
    }

    fn plan(&mut self, entries: &[PlanEntry]) -> io::Result<()> {
        let todos: Vec<Value> = entries
            .iter()
            .map(|entry| json!({ "content": entry.text, "status": entry.status, "activeForm": entry.text }))
            .collect();
        self.n_tools += 1;
        let id = self.tool_id();
        self.assistant(
            json!({ "type": "tool_use", "id": id, "name": "TodoWrite", "input": { "todos": todos } }),
        )
    }

    fn usage(&mut self, usage: Usage) -> io::Result<()> {
        self.turn.usage = usage;
        Ok(())
    }

    fn limits(&mut self, limits: Limits) -> io::Result<()> {
        let status = if limits.used < 90 { "allowed" } else { "allowed_warning" };
        let info = json!({
            "status": status, "resetsAt": limits.resets_at, "rateLimitType": "five_hour",
            "utilization": f64::from(limits.used) / 100.0, "isUsingOverage": false,
        });
        self.emit(json!({ "type": "rate_limit_event", "rate_limit_info": info }))
    }

    fn end_turn(&mut self, stop: Stop) -> io::Result<()> {
        self.finish(stop)
    }

    fn fail(&mut self, failure: &Failure) -> io::Result<()> {
        self.finish_failed(failure)
    }

    fn exit_status(&self) -> u8 {
        u8::from(self.has_failed)
    }
}
