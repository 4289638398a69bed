//! Codex's `app-server`: JSON-RPC without the `jsonrpc` field, threads of turns of items.

use std::{collections::VecDeque, io};

use serde_json::{Value, json};

use super::{
    Answer, Asked, Character, Heard, Outcome, Verdict, Voice, fresh_id,
    rpc::{Message, Peer, read, text_of},
};
use crate::{
    memory::{Memory, Who},
    script::{Failure, Limits, PlanEntry, Question, Stop, Tool, ToolKind, Usage},
};

/// A Codex that an editor talks to.
pub struct Codex {
    peer: Peer,
    model: String,
    memory: Memory,
    thread: String,
    /// The turns that have not begun, and the one whose turn it is.
    waiting: VecDeque<String>,
    turn: String,
    n_turns: u64,
    n_items: u64,
    asked: Option<Value>,
    total: Usage,
}

impl Codex {
    /// Makes an agent that has not been spoken to.
    pub fn new(character: Character) -> Self {
        Self {
            peer: Peer { says_version: false, text_ids: false, refusals: character.refusals, next_id: 0 },
            model: character.model,
            memory: character.memory,
            thread: String::new(),
            waiting: VecDeque::new(),
            turn: String::new(),
            n_turns: 0,
            n_items: 0,
            asked: None,
            total: Usage { input: 0, cached: 0, output: 0, cost: 0.0, window: 0 },
        }
    }

    fn answer_request(&mut self, id: &Value, method: &str, params: &Value) -> io::Result<Heard> {
        match method {
            "initialize" => {
                let agent =
                    json!({ "userAgent": "player/0.166.0", "platformFamily": "unix", "platformOs": "linux" });
                self.peer.respond(id, agent)?;
            }
            "thread/start" => {
                self.thread = fresh_id();
                self.peer.respond(id, self.thread_of(params))?;
                self.peer.notify("thread/started", json!({ "thread": { "id": self.thread } }))?;
                return Ok(Heard::Opened { resumed: false });
            }
            "thread/resume" => {
                let thread = params.get("threadId").and_then(Value::as_str).unwrap_or_default();
                if self.memory.session(thread).is_none() {
                    let message = format!("no rollout found for thread id {thread}");
                    self.peer.refuse(id, -32600, &message, None)?;
                    return Ok(Heard::Nothing);
                }
                thread.clone_into(&mut self.thread);
                self.peer.respond(id, self.thread_of(params))?;
                return Ok(Heard::Opened { resumed: true });
            }
            "turn/start" => {
                self.n_turns += 1;
                let turn = format!("turn-{}", self.n_turns);
                self.peer.respond(id, json!({ "turn": turn_of(&turn, "inProgress", &Value::Null) }))?;
                self.waiting.push_back(turn);
                return Ok(Heard::Prompt(text_of(params.get("input").unwrap_or_default())));
            }
            "turn/steer" => self.peer.respond(id, json!({ "turnId": self.turn }))?,
            "turn/interrupt" => {
                self.asked = None;
                self.peer.respond(id, json!({}))?;
                return Ok(Heard::Cancel);
            }
            other => {
                let message = format!("Invalid request: unknown variant `{other}`");
                self.peer.refuse(id, -32600, &message, None)?;
            }
        }
        Ok(Heard::Nothing)
    }

    fn thread_of(&self, params: &Value) -> Value {
        let given = |key: &str| params.get(key).cloned().unwrap_or_default();
        json!({
            "thread": { "id": self.thread, "preview": "", "modelProvider": "mock", "cwd": given("cwd"), "turns": [] },
            "model": self.model, "modelProvider": "mock", "cwd": given("cwd"),
            "approvalPolicy": given("approvalPolicy"), "sandbox": { "type": "readOnly" },
        })
    }

    /// Tells something about the turn.
    fn tell(&self, method: &str, mut params: Value) -> io::Result<()> {
        if let Some(fields) = params.as_object_mut() {
            fields.insert("threadId".to_owned(), json!(self.thread));
            fields.insert("turnId".to_owned(), json!(self.turn));
        }
        self.peer.notify(method, params)
    }

    /// Wants something about the turn.
    fn want(&mut self, method: &str, mut params: Value) -> io::Result<Asked> {
        self.status(json!({ "type": "active", "activeFlags": ["waitingOnApproval"] }))?;
        if let Some(fields) = params.as_object_mut() {
            fields.insert("threadId".to_owned(), json!(self.thread));
            fields.insert("turnId".to_owned(), json!(self.turn));
            fields.insert("itemId".to_owned(), json!(self.item_id()));
        }
        self.asked = Some(self.peer.request(method, params)?);
        Ok(Asked::Waiting)
    }

    fn status(&self, status: Value) -> io::Result<()> {
        self.peer.notify("thread/status/changed", json!({ "threadId": self.thread, "status": status }))
    }

    fn item_id(&self) -> String {
        format!("item-{}", self.n_items)
    }

    fn complete(&mut self, status: &str, error: &Value) -> io::Result<()> {
        let is_failed = status == "failed";
        self.status(json!({ "type": if is_failed { "systemError" } else { "idle" } }))?;
        let turn = turn_of(&self.turn, status, error);
        self.peer.notify("turn/completed", json!({ "threadId": self.thread, "turn": turn }))
    }

    fn tool_item(&self, tool: &Tool, status: &str, output: &Value) -> Value {
        match tool.kind {
            ToolKind::Edit => {
                let path = tool.input.get("file_path").cloned().unwrap_or_default();
                let diff = tool.input.get("diff").cloned().unwrap_or_default();
                let changes = json!([{ "path": path, "kind": { "type": "update" }, "diff": diff }]);
                json!({ "type": "fileChange", "id": self.item_id(), "changes": changes, "status": status })
            }
            ToolKind::Execute | ToolKind::Read | ToolKind::Fetch => json!({
                "type": "commandExecution", "id": self.item_id(), "command": tool.title(), "cwd": current_folder(),
                "status": status, "commandActions": [], "aggregatedOutput": output,
                "exitCode": if status == "completed" { json!(0) } else { Value::Null },
            }),
        }
    }
}

impl Voice for Codex {
    fn hear(&mut self, line: &str) -> io::Result<Heard> {
        match read(line) {
            Message::Request { id, method, params } => {
                if self.peer.refuses(&id, &method)? {
                    return Ok(Heard::Nothing);
                }
                self.answer_request(&id, &method, &params)
            }
            Message::Response { id, result } if self.asked.as_ref() == Some(&id) => {
                self.asked = None;
                self.peer
                    .notify("serverRequest/resolved", json!({ "threadId": self.thread, "requestId": id }))?;
                self.status(json!({ "type": "active", "activeFlags": [] }))?;
                Ok(Heard::Answer(answer(&result)))
            }
            Message::Notification { .. } | Message::Response { .. } | Message::Garbage => Ok(Heard::Nothing),
        }
    }

    fn begin_turn(&mut self, prompt: &str) -> io::Result<()> {
        self.turn = self.waiting.pop_front().unwrap_or_default();
        self.memory.add(&self.thread, Who::User, prompt)?;
        self.status(json!({ "type": "active", "activeFlags": [] }))?;
        let turn = turn_of(&self.turn, "inProgress", &Value::Null);
        self.peer.notify("turn/started", json!({ "threadId": self.thread, "turn": turn }))?;
        // Our own words come back as an item: a reader that takes every item for the agent's words is wrong.
        self.n_items += 1;
        let content = json!([{ "type": "text", "text": prompt, "text_elements": [] }]);
        let item = json!({ "type": "userMessage", "id": self.item_id(), "content": content });
        self.tell("item/started", json!({ "item": item }))?;
        self.tell("item/completed", json!({ "item": item }))
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        self.memory.add(&self.thread, Who::Agent, text)?;
        self.n_items += 1;
        let item = |text: &str| json!({ "type": "agentMessage", "id": self.item_id(), "text": text });
        self.tell("item/started", json!({ "item": item("") }))?;
        self.tell("item/agentMessage/delta", json!({ "itemId": self.item_id(), "delta": text }))?;
        self.tell("item/completed", json!({ "item": item(text) }))
    }

    fn think(&mut self, text: &str) -> io::Result<()> {
        self.n_items += 1;
        let item = json!({ "type": "reasoning", "id": self.item_id(), "summary": [text], "content": [] });
        self.tell("item/completed", json!({ "item": item }))
    }

    fn tool_begins(&mut self, tool: &Tool) -> io::Result<()> {
        self.n_items += 1;
        self.tell("item/started", json!({ "item": self.tool_item(tool, "inProgress", &Value::Null) }))
    }

    fn ask_permission(&mut self, tool: &Tool) -> io::Result<Asked> {
        match tool.kind {
            ToolKind::Edit => {
                self.want("item/fileChange/requestApproval", json!({ "reason": null, "grantRoot": null }))
            }
            ToolKind::Execute | ToolKind::Read | ToolKind::Fetch => self.want(
                "item/commandExecution/requestApproval",
                json!({
                    "reason": null, "command": tool.title(), "cwd": current_folder(),
                    "availableDecisions": ["accept", "cancel"],
                }),
            ),
        }
    }

    fn tool_ends(&mut self, tool: &Tool, outcome: &Outcome) -> io::Result<()> {
        let item = match outcome {
            Outcome::Output(text) => self.tool_item(tool, "completed", &json!(text)),
            Outcome::Denied(_) => self.tool_item(tool, "declined", &Value::Null),
        };
        self.tell("item/completed", json!({ "item": item }))
    }

    fn ask_question(&mut self, question: &Question) -> io::Result<Asked> {
        self.n_items += 1;
        let options: Vec<Value> =
            question.options.iter().map(|option| json!({ "label": option, "description": "" })).collect();
        let question = json!({
            "id": "question_0", "header": question.header, "question": question.text, "options": options,
            "isOther": true,
        });
        self.want("item/tool/requestUserInput", json!({ "questions": [question], "isBlocking": true }))
    }

    fn plan(&mut self, entries: &[PlanEntry]) -> io::Result<()> {
        let plan: Vec<Value> =
            entries.iter().map(|entry| json!({ "step": entry.text, "status": entry.status })).collect();
        self.tell("turn/plan/updated", json!({ "explanation": null, "plan": plan }))
    }

    fn usage(&mut self, usage: Usage) -> io::Result<()> {
        self.total.input += usage.input;
        self.total.cached += usage.cached;
        self.total.output += usage.output;
        let tokens = |usage: Usage| {
            json!({
                "totalTokens": usage.input + usage.cached + usage.output, "inputTokens": usage.input + usage.cached,
                "cachedInputTokens": usage.cached, "outputTokens": usage.output, "reasoningOutputTokens": 0,
            })
        };
        let usage = json!({
            "total": tokens(self.total), "last": tokens(usage), "modelContextWindow": usage.window,
        });
        self.tell("thread/tokenUsage/updated", json!({ "tokenUsage": usage }))
    }

    fn limits(&mut self, limits: Limits) -> io::Result<()> {
        let primary = json!({
            "usedPercent": limits.used, "windowDurationMins": 300, "resetsAt": limits.resets_at,
        });
        let limits = json!({ "primary": primary, "secondary": null });
        self.peer.notify("account/rateLimits/updated", json!({ "rateLimits": limits }))
    }

    fn end_turn(&mut self, stop: Stop) -> io::Result<()> {
        let status = match stop {
            Stop::EndTurn | Stop::MaxTokens | Stop::Refusal => "completed",
            Stop::Cancelled | Stop::Denied => "interrupted",
        };
        self.complete(status, &Value::Null)
    }

    fn fail(&mut self, failure: &Failure) -> io::Result<()> {
        for attempt in 1..=failure.retries {
            let error = json!({
                "message": format!("Reconnecting... {attempt}/{}", failure.retries),
                "codexErrorInfo": { "responseStreamDisconnected": { "httpStatusCode": failure.status } },
            });
            self.tell("error", json!({ "error": error, "willRetry": true }))?;
        }
        let info = match failure.resets_at {
            Some(_) => json!("usageLimitExceeded"),
            None => json!({ "responseTooManyFailedAttempts": { "httpStatusCode": failure.status } }),
        };
        let error = json!({ "message": failure.message, "codexErrorInfo": info });
        self.tell("error", json!({ "error": error, "willRetry": false }))?;
        self.complete("failed", &error)
    }
}

fn turn_of(id: &str, status: &str, error: &Value) -> Value {
    json!({ "id": id, "items": [], "status": status, "error": error })
}

fn current_folder() -> String {
    std::env::current_dir().unwrap_or_default().to_string_lossy().into_owned()
}

/// Reads a decision, or the answers to a question.
fn answer(result: &Value) -> Answer {
    if let Some(answers) = result.get("answers").and_then(Value::as_object) {
        let chosen = answers.values().next().and_then(|answer| answer.pointer("/answers/0")?.as_str());
        return Answer { verdict: Verdict::Allow, text: chosen.unwrap_or_default().to_owned() };
    }
    let decision = result.get("decision").unwrap_or_default();
    let name = decision.as_str().or_else(|| decision.as_object()?.keys().next().map(String::as_str));
    let verdict = match name {
        Some(name) if name.starts_with("accept") => Verdict::Allow,
        Some("decline") => Verdict::Deny,
        _ => Verdict::Stop,
    };
    Answer { verdict, text: name.unwrap_or_default().to_owned() }
}
