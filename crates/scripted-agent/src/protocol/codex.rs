//! Codex's `app-server` protocol: JSON-RPC without the `jsonrpc` field, with threads, turns and items.

use std::{collections::VecDeque, io};

use serde_json::{Value, json};

use super::{
    AgentProtocol, AnswerStatus, ClientAnswer, ClientEvent, PermissionDecision, ProtocolOptions, ToolOutcome,
    json_rpc::{RpcMessage, RpcPeer, content_text, parse_message},
    random_id,
};
use crate::{
    script::{
        PlanEntry, QuestionStep, RateLimit, ServiceFailure, StopReason, TokenUsage, ToolKind, ToolStep,
    },
    session_store::{SessionStore, Speaker},
};

/// A Codex app server with one thread.
pub(super) struct CodexProtocol {
    peer: RpcPeer,
    model: String,
    sessions: SessionStore,
    thread: String,
    /// Turns that have not started, and the current one.
    queued_turns: VecDeque<String>,
    turn: String,
    n_turns: u64,
    n_items: u64,
    pending_request: Option<Value>,
    total: TokenUsage,
}

impl CodexProtocol {
    pub(super) fn new(options: ProtocolOptions) -> Self {
        Self {
            peer: RpcPeer {
                includes_version: false,
                uses_string_ids: false,
                refusals: options.refusals,
                next_id: 0,
            },
            model: options.model,
            sessions: options.sessions,
            thread: String::new(),
            queued_turns: VecDeque::new(),
            turn: String::new(),
            n_turns: 0,
            n_items: 0,
            pending_request: None,
            total: TokenUsage { input: 0, cached: 0, output: 0, cost: 0.0, window: 0 },
        }
    }

    fn handle_request(&mut self, id: &Value, method: &str, params: &Value) -> io::Result<ClientEvent> {
        match method {
            "initialize" => {
                let agent =
                    json!({ "userAgent": "player/0.166.0", "platformFamily": "unix", "platformOs": "linux" });
                self.peer.respond(id, agent)?;
            }
            "thread/start" => {
                self.thread = random_id();
                self.peer.respond(id, self.thread_result(params))?;
                self.peer.notify("thread/started", json!({ "thread": { "id": self.thread } }))?;
                return Ok(ClientEvent::SessionOpened { resumed: false });
            }
            "thread/resume" => {
                let thread = params.get("threadId").and_then(Value::as_str).unwrap_or_default();
                if self.sessions.transcript(thread).is_none() {
                    let message = format!("no rollout found for thread id {thread}");
                    self.peer.respond_error(id, -32600, &message, None)?;
                    return Ok(ClientEvent::Ignored);
                }
                thread.clone_into(&mut self.thread);
                self.peer.respond(id, self.thread_result(params))?;
                return Ok(ClientEvent::SessionOpened { resumed: true });
            }
            "turn/start" => {
                self.n_turns += 1;
                let turn = format!("turn-{}", self.n_turns);
                self.peer.respond(id, json!({ "turn": turn_value(&turn, "inProgress", &Value::Null) }))?;
                self.queued_turns.push_back(turn);
                return Ok(ClientEvent::Prompt(content_text(params.get("input").unwrap_or_default())));
            }
            "turn/steer" => self.peer.respond(id, json!({ "turnId": self.turn }))?,
            "turn/interrupt" => {
                self.pending_request = None;
                self.peer.respond(id, json!({}))?;
                return Ok(ClientEvent::Cancel);
            }
            other => {
                let message = format!("Invalid request: unknown variant `{other}`");
                self.peer.respond_error(id, -32600, &message, None)?;
            }
        }
        Ok(ClientEvent::Ignored)
    }

    fn thread_result(&self, params: &Value) -> Value {
        let parameter = |key: &str| params.get(key).cloned().unwrap_or_default();
        json!({
            "thread": { "id": self.thread, "preview": "", "modelProvider": "mock", "cwd": parameter("cwd"), "turns": [] },
            "model": self.model, "modelProvider": "mock", "cwd": parameter("cwd"),
            "approvalPolicy": parameter("approvalPolicy"), "sandbox": { "type": "readOnly" },
        })
    }

    /// Sends a notification about the current turn.
    fn notify_turn(&self, method: &str, mut params: Value) -> io::Result<()> {
        if let Some(fields) = params.as_object_mut() {
            fields.insert("threadId".to_owned(), json!(self.thread));
            fields.insert("turnId".to_owned(), json!(self.turn));
        }
        self.peer.notify(method, params)
    }

    /// Sends a request about the current turn.
    fn request_in_turn(&mut self, method: &str, mut params: Value) -> io::Result<AnswerStatus> {
        self.send_status(json!({ "type": "active", "activeFlags": ["waitingOnApproval"] }))?;
        if let Some(fields) = params.as_object_mut() {
            fields.insert("threadId".to_owned(), json!(self.thread));
            fields.insert("turnId".to_owned(), json!(self.turn));
            fields.insert("itemId".to_owned(), json!(self.item_id()));
        }
        self.pending_request = Some(self.peer.request(method, params)?);
        Ok(AnswerStatus::Pending)
    }

    fn send_status(&self, status: Value) -> io::Result<()> {
        self.peer.notify("thread/status/changed", json!({ "threadId": self.thread, "status": status }))
    }

    fn item_id(&self) -> String {
        format!("item-{}", self.n_items)
    }

    fn complete_turn(&mut self, status: &str, error: &Value) -> io::Result<()> {
        let is_failed = status == "failed";
        self.send_status(json!({ "type": if is_failed { "systemError" } else { "idle" } }))?;
        let turn = turn_value(&self.turn, status, error);
        self.peer.notify("turn/completed", json!({ "threadId": self.thread, "turn": turn }))
    }

    fn tool_item(&self, tool: &ToolStep, status: &str, output: &Value) -> Value {
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

impl AgentProtocol for CodexProtocol {
    fn handle_line(&mut self, line: &str) -> io::Result<ClientEvent> {
        match parse_message(line) {
            RpcMessage::Request { id, method, params } => {
                if self.peer.respond_scripted_error(&id, &method)? {
                    return Ok(ClientEvent::Ignored);
                }
                self.handle_request(&id, &method, &params)
            }
            RpcMessage::Response { id, result } if self.pending_request.as_ref() == Some(&id) => {
                self.pending_request = None;
                self.peer
                    .notify("serverRequest/resolved", json!({ "threadId": self.thread, "requestId": id }))?;
                self.send_status(json!({ "type": "active", "activeFlags": [] }))?;
                Ok(ClientEvent::Answer(parse_answer(&result)))
            }
            RpcMessage::Notification { .. } | RpcMessage::Response { .. } | RpcMessage::Invalid => {
                Ok(ClientEvent::Ignored)
            }
        }
    }

    fn begin_turn(&mut self, prompt: &str) -> io::Result<()> {
        self.turn = self.queued_turns.pop_front().unwrap_or_default();
        self.sessions.append(&self.thread, Speaker::User, prompt)?;
        self.send_status(json!({ "type": "active", "activeFlags": [] }))?;
        let turn = turn_value(&self.turn, "inProgress", &Value::Null);
        self.peer.notify("turn/started", json!({ "threadId": self.thread, "turn": turn }))?;
        // Codex echoes the prompt as an item; a client must not treat it as the agent's message.
        self.n_items += 1;
        let content = json!([{ "type": "text", "text": prompt, "text_elements": [] }]);
        let item = json!({ "type": "userMessage", "id": self.item_id(), "content": content });
        self.notify_turn("item/started", json!({ "item": item }))?;
        self.notify_turn("item/completed", json!({ "item": item }))
    }

    fn write_message(&mut self, text: &str) -> io::Result<()> {
        self.sessions.append(&self.thread, Speaker::Agent, text)?;
        self.n_items += 1;
        let item = |text: &str| json!({ "type": "agentMessage", "id": self.item_id(), "text": text });
        self.notify_turn("item/started", json!({ "item": item("") }))?;
        self.notify_turn("item/agentMessage/delta", json!({ "itemId": self.item_id(), "delta": text }))?;
        self.notify_turn("item/completed", json!({ "item": item(text) }))
    }

    fn write_thought(&mut self, text: &str) -> io::Result<()> {
        self.n_items += 1;
        let item = json!({ "type": "reasoning", "id": self.item_id(), "summary": [text], "content": [] });
        self.notify_turn("item/completed", json!({ "item": item }))
    }

    fn start_tool(&mut self, tool: &ToolStep) -> io::Result<()> {
        self.n_items += 1;
        self.notify_turn("item/started", json!({ "item": self.tool_item(tool, "inProgress", &Value::Null) }))
    }

    fn ask_permission(&mut self, tool: &ToolStep) -> io::Result<AnswerStatus> {
        match tool.kind {
            ToolKind::Edit => self.request_in_turn(
                "item/fileChange/requestApproval",
                json!({ "reason": null, "grantRoot": null }),
            ),
            ToolKind::Execute | ToolKind::Read | ToolKind::Fetch => self.request_in_turn(
                "item/commandExecution/requestApproval",
                json!({
                    "reason": null, "command": tool.title(), "cwd": current_folder(),
                    "availableDecisions": ["accept", "cancel"],
                }),
            ),
        }
    }

    fn finish_tool(&mut self, tool: &ToolStep, outcome: &ToolOutcome) -> io::Result<()> {
        let item = match outcome {
            ToolOutcome::Output(text) => self.tool_item(tool, "completed", &json!(text)),
            ToolOutcome::Denied(_) => self.tool_item(tool, "declined", &Value::Null),
        };
        self.notify_turn("item/completed", json!({ "item": item }))
    }

    fn ask_question(&mut self, question: &QuestionStep) -> io::Result<AnswerStatus> {
        self.n_items += 1;
        let options: Vec<Value> =
            question.options.iter().map(|option| json!({ "label": option, "description": "" })).collect();
        let question = json!({
            "id": "question_0", "header": question.header, "question": question.text, "options": options,
            "isOther": true,
        });
        self.request_in_turn(
            "item/tool/requestUserInput",
            json!({ "questions": [question], "isBlocking": true }),
        )
    }

    fn write_plan(&mut self, entries: &[PlanEntry]) -> io::Result<()> {
        let plan: Vec<Value> =
            entries.iter().map(|entry| json!({ "step": entry.text, "status": entry.status })).collect();
        self.notify_turn("turn/plan/updated", json!({ "explanation": null, "plan": plan }))
    }

    fn set_usage(&mut self, usage: TokenUsage) -> io::Result<()> {
        self.total.input += usage.input;
        self.total.cached += usage.cached;
        self.total.output += usage.output;
        let tokens = |usage: TokenUsage| {
            json!({
                "totalTokens": usage.input + usage.cached + usage.output, "inputTokens": usage.input + usage.cached,
                "cachedInputTokens": usage.cached, "outputTokens": usage.output, "reasoningOutputTokens": 0,
            })
        };
        let usage = json!({
            "total": tokens(self.total), "last": tokens(usage), "modelContextWindow": usage.window,
        });
        self.notify_turn("thread/tokenUsage/updated", json!({ "tokenUsage": usage }))
    }

    fn write_rate_limit(&mut self, limits: RateLimit) -> io::Result<()> {
        let primary = json!({
            "usedPercent": limits.used, "windowDurationMins": 300, "resetsAt": limits.resets_at,
        });
        let limits = json!({ "primary": primary, "secondary": null });
        self.peer.notify("account/rateLimits/updated", json!({ "rateLimits": limits }))
    }

    fn end_turn(&mut self, stop: StopReason) -> io::Result<()> {
        let status = match stop {
            StopReason::EndTurn | StopReason::MaxTokens | StopReason::Refusal => "completed",
            StopReason::Cancelled | StopReason::Denied => "interrupted",
        };
        self.complete_turn(status, &Value::Null)
    }

    fn fail_turn(&mut self, failure: &ServiceFailure) -> io::Result<()> {
        for attempt in 1..=failure.retries {
            let error = json!({
                "message": format!("Reconnecting... {attempt}/{}", failure.retries),
                "codexErrorInfo": { "responseStreamDisconnected": { "httpStatusCode": failure.status } },
            });
            self.notify_turn("error", json!({ "error": error, "willRetry": true }))?;
        }
        let info = match failure.resets_at {
            Some(_) => json!("usageLimitExceeded"),
            None => json!({ "responseTooManyFailedAttempts": { "httpStatusCode": failure.status } }),
        };
        let error = json!({ "message": failure.message, "codexErrorInfo": info });
        self.notify_turn("error", json!({ "error": error, "willRetry": false }))?;
        self.complete_turn("failed", &error)
    }
}

fn turn_value(id: &str, status: &str, error: &Value) -> Value {
    json!({ "id": id, "items": [], "status": status, "error": error })
}

fn current_folder() -> String {
    std::env::current_dir().unwrap_or_default().to_string_lossy().into_owned()
}

/// Parses a decision, or the answers to a question.
fn parse_answer(result: &Value) -> ClientAnswer {
    if let Some(answers) = result.get("answers").and_then(Value::as_object) {
        let chosen = answers.values().next().and_then(|answer| answer.pointer("/answers/0")?.as_str());
        return ClientAnswer {
            decision: PermissionDecision::Allow,
            text: chosen.unwrap_or_default().to_owned(),
        };
    }
    let decision = result.get("decision").unwrap_or_default();
    let name = decision.as_str().or_else(|| decision.as_object()?.keys().next().map(String::as_str));
    let verdict = match name {
        Some(name) if name.starts_with("accept") => PermissionDecision::Allow,
        Some("decline") => PermissionDecision::Deny,
        _ => PermissionDecision::EndTurn,
    };
    ClientAnswer { decision: verdict, text: name.unwrap_or_default().to_owned() }
}
