//! The agent's side of the Agent Client Protocol, version 1, over standard input and output.

mod agent_profile;

use std::{collections::VecDeque, io};

use serde_json::{Map, Value, json};

use super::{
    AgentProtocol, AnswerStatus, ClientAnswer, ClientEvent, PermissionDecision, ProtocolOptions, ToolOutcome,
    json_rpc::{RpcMessage, RpcPeer, content_text, parse_message},
    random_id,
};
use crate::{
    script::{PlanEntry, QuestionStep, ServiceFailure, StopReason, TokenUsage, ToolKind, ToolStep},
    session_store::{SessionStore, Speaker},
};

pub(crate) use agent_profile::ImitatedAgent;
use agent_profile::{AgentProfile, ToolReportTiming};

/// An ACP agent with one session.
pub(super) struct AcpProtocol {
    peer: RpcPeer,
    sessions: SessionStore,
    session: String,
    /// Ids of prompt requests whose turns have not started, and the id of the current one.
    queued_prompts: VecDeque<Value>,
    turn: Option<Value>,
    /// Id of our request that the client has not answered.
    pending_request: Option<Value>,
    n_tools: u64,
    /// Usage fields of the next prompt result.
    usage: Option<Value>,
    cost: f64,
    can_elicit: bool,
    imitates: ImitatedAgent,
    profile: &'static AgentProfile,
    /// Stop reason of a turn whose tool was denied.
    denied_stop_reason: &'static str,
}

impl AcpProtocol {
    pub(super) fn new(options: ProtocolOptions) -> Self {
        Self {
            peer: RpcPeer {
                includes_version: true,
                uses_string_ids: options.imitates == ImitatedAgent::Codex,
                refusals: options.refusals,
                next_id: 0,
            },
            sessions: options.sessions,
            session: String::new(),
            queued_prompts: VecDeque::new(),
            turn: None,
            pending_request: None,
            n_tools: 0,
            usage: None,
            cost: 0.0,
            can_elicit: false,
            imitates: options.imitates,
            profile: options.imitates.profile(),
            denied_stop_reason: "cancelled",
        }
    }

    fn handle_request(&mut self, id: Value, method: &str, params: &Value) -> io::Result<ClientEvent> {
        match method {
            "initialize" => {
                self.can_elicit =
                    params.pointer("/clientCapabilities/elicitation").is_some_and(Value::is_object);
                self.peer.respond(&id, initialize_result(self.profile))?;
            }
            "session/new" => {
                self.session = random_id();
                // The session exists from now on, even without messages.
                let mut session = session_result(self.profile);
                session.insert("sessionId".to_owned(), json!(self.session));
                self.peer.respond(&id, Value::Object(session))?;
                return Ok(ClientEvent::SessionOpened { resumed: false });
            }
            "session/load" => return self.reopen_session(&id, params, true),
            "session/resume" if self.profile.can_resume => return self.reopen_session(&id, params, false),
            "session/prompt" => {
                self.queued_prompts.push_back(id);
                return Ok(ClientEvent::Prompt(content_text(params.get("prompt").unwrap_or_default())));
            }
            "session/set_mode" => {
                self.peer.respond(&id, json!({}))?;
                let mode = params.get("modeId").cloned().unwrap_or_default();
                self.send_update(json!({ "sessionUpdate": "current_mode_update", "currentModeId": mode }))?;
            }
            "authenticate" | "session/close" | "session/set_model" => self.peer.respond(&id, json!({}))?,
            "session/list" if self.profile.can_resume => self.peer.respond(&id, json!({ "sessions": [] }))?,
            other => {
                let data = Some(json!({ "method": other }));
                self.peer.respond_error(&id, -32601, "Method not found", data)?;
            }
        }
        Ok(ClientEvent::Ignored)
    }

    fn reopen_session(&mut self, id: &Value, params: &Value, replays: bool) -> io::Result<ClientEvent> {
        let session = params.get("sessionId").and_then(Value::as_str).unwrap_or_default();
        let Some(transcript) = self.sessions.transcript(session) else {
            self.peer.respond_error(
                id,
                -32002,
                &format!("Resource not found: {session}"),
                Some(json!({ "uri": session })),
            )?;
            return Ok(ClientEvent::Ignored);
        };
        session.clone_into(&mut self.session);
        for transcript in transcript.iter().filter(|_| replays) {
            let chunk = match transcript.speaker {
                Speaker::User => "user_message_chunk",
                Speaker::Agent => "agent_message_chunk",
            };
            self.send_chunk(chunk, &transcript.text)?;
        }
        self.peer.respond(id, Value::Object(session_result(self.profile)))?;
        Ok(ClientEvent::SessionOpened { resumed: true })
    }

    fn send_chunk(&self, kind: &str, text: &str) -> io::Result<()> {
        self.send_update(json!({ "sessionUpdate": kind, "content": { "type": "text", "text": text } }))
    }

    fn send_update(&self, update: Value) -> io::Result<()> {
        self.peer.notify("session/update", json!({ "sessionId": self.session, "update": update }))
    }

    fn send_tool_call(&self, tool: &ToolStep) -> io::Result<()> {
        self.send_update(json!({
            "sessionUpdate": "tool_call", "toolCallId": self.tool_id(), "title": tool.title(),
            "kind": tool_kind_name(tool.kind), "status": "pending", "rawInput": tool.input,
        }))
    }

    /// Parses the answer to a permission request or an elicitation.
    fn parse_answer(&mut self, result: &Value) -> ClientAnswer {
        if let Some(action) = result.get("action").and_then(Value::as_str) {
            let content = result.get("content").and_then(Value::as_object);
            let chosen = content.and_then(|content| content.values().next()).and_then(Value::as_str);
            let verdict =
                if action == "accept" { PermissionDecision::Allow } else { PermissionDecision::Deny };
            return ClientAnswer { decision: verdict, text: chosen.unwrap_or_default().to_owned() };
        }
        let chosen = result.pointer("/outcome/optionId").and_then(Value::as_str);
        let option = self.profile.permission_options.iter().find(|(id, ..)| Some(*id) == chosen);
        let verdict = match (option.map(|(.., kind)| *kind), self.profile.denied_stop_reason) {
            (Some("allow_always" | "allow_once"), _) => PermissionDecision::Allow,
            (Some(_), None) => PermissionDecision::Deny,
            (Some(_), Some(reason)) => {
                self.denied_stop_reason = reason;
                PermissionDecision::EndTurn
            }
            (None, _) => {
                self.denied_stop_reason = "cancelled";
                PermissionDecision::EndTurn
            }
        };
        ClientAnswer { decision: verdict, text: chosen.unwrap_or("cancelled").to_owned() }
    }

    fn tool_id(&self) -> String {
        format!("toolu_{:02}", self.n_tools)
    }
}

impl AgentProtocol for AcpProtocol {
    fn handle_line(&mut self, line: &str) -> io::Result<ClientEvent> {
        match parse_message(line) {
            RpcMessage::Request { id, method, params } => {
                if self.peer.respond_scripted_error(&id, &method)? {
                    return Ok(ClientEvent::Ignored);
                }
                self.handle_request(id, &method, &params)
            }
            RpcMessage::Notification { method } if method == "session/cancel" => {
                self.pending_request = None;
                Ok(ClientEvent::Cancel)
            }
            RpcMessage::Response { id, result } if self.pending_request.as_ref() == Some(&id) => {
                self.pending_request = None;
                Ok(ClientEvent::Answer(self.parse_answer(&result)))
            }
            RpcMessage::Notification { .. } | RpcMessage::Response { .. } => Ok(ClientEvent::Ignored),
            RpcMessage::Invalid => {
                self.peer.respond_error(&Value::Null, -32700, "Parse error", None)?;
                Ok(ClientEvent::Ignored)
            }
        }
    }

    fn begin_turn(&mut self, prompt: &str) -> io::Result<()> {
        self.turn = self.queued_prompts.pop_front();
        self.sessions.append(&self.session, Speaker::User, prompt)
    }

    fn write_message(&mut self, text: &str) -> io::Result<()> {
        self.sessions.append(&self.session, Speaker::Agent, text)?;
        self.send_chunk("agent_message_chunk", text)
    }

    fn write_thought(&mut self, text: &str) -> io::Result<()> {
        self.send_chunk("agent_thought_chunk", text)
    }

    fn start_tool(&mut self, tool: &ToolStep) -> io::Result<()> {
        self.n_tools += 1;
        if tool.needs_permission && self.profile.tool_visibility != ToolReportTiming::Before {
            return Ok(());
        }
        self.send_tool_call(tool)
    }

    fn ask_permission(&mut self, tool: &ToolStep) -> io::Result<AnswerStatus> {
        let options: Vec<Value> = self
            .profile
            .permission_options
            .iter()
            .map(|(id, name, kind)| json!({ "optionId": id, "name": name, "kind": kind }))
            .collect();
        let mut call =
            json!({ "toolCallId": self.tool_id(), "title": tool.title(), "kind": tool_kind_name(tool.kind) });
        if let (true, Some(fields)) = (self.profile.permission_has_input, call.as_object_mut()) {
            fields.insert("rawInput".to_owned(), json!(tool.input));
        }
        let params = json!({ "sessionId": self.session, "toolCall": call, "options": options });
        self.pending_request = Some(self.peer.request("session/request_permission", params)?);
        Ok(AnswerStatus::Pending)
    }

    fn finish_tool(&mut self, tool: &ToolStep, outcome: &ToolOutcome) -> io::Result<()> {
        if tool.needs_permission && self.profile.tool_visibility == ToolReportTiming::After {
            self.send_tool_call(tool)?;
        }
        let (status, text) = match outcome {
            ToolOutcome::Output(text) => ("completed", text.as_str()),
            ToolOutcome::Denied(_) => ("failed", "The user doesn't want to proceed with this tool use."),
        };
        let mut update = json!({
            "sessionUpdate": "tool_call_update", "toolCallId": self.tool_id(), "status": status,
        });
        if let (Some(fields), Value::Object(output)) =
            (update.as_object_mut(), self.imitates.output_fields(text, status))
        {
            fields.extend(output);
        }
        self.send_update(update)
    }

    fn ask_question(&mut self, question: &QuestionStep) -> io::Result<AnswerStatus> {
        if !self.can_elicit || !self.profile.asks_questions {
            // Agents do not offer the question tool if the client does not support it.
            return Ok(AnswerStatus::Answered(ClientAnswer {
                decision: PermissionDecision::Deny,
                text: String::new(),
            }));
        }
        self.n_tools += 1;
        let choices: Vec<Value> =
            question.options.iter().map(|option| json!({ "const": option, "title": option })).collect();
        let mut properties = json!({ "question_0_custom": { "type": "string", "title": "Other" } });
        if let (false, Some(properties)) = (choices.is_empty(), properties.as_object_mut()) {
            let schema = json!({ "type": "string", "title": question.header, "oneOf": choices });
            properties.insert("question_0".to_owned(), schema);
        }
        let params = json!({
            "mode": "form", "sessionId": self.session, "toolCallId": self.tool_id(), "message": question.text,
            "requestedSchema": { "type": "object", "properties": properties },
        });
        self.pending_request = Some(self.peer.request("elicitation/create", params)?);
        Ok(AnswerStatus::Pending)
    }

    fn write_plan(&mut self, entries: &[PlanEntry]) -> io::Result<()> {
        let entries: Vec<Value> = entries
            .iter()
            .map(|entry| json!({ "content": entry.text, "priority": "medium", "status": entry.status }))
            .collect();
        self.send_update(json!({ "sessionUpdate": "plan", "entries": entries }))
    }

    fn set_usage(&mut self, usage: TokenUsage) -> io::Result<()> {
        self.cost += usage.cost;
        let (update, of_turn) = self.imitates.usage_fields(usage, self.cost);
        self.usage = Some(of_turn);
        update.map_or(Ok(()), |update| self.send_update(update))
    }

    fn end_turn(&mut self, stop: StopReason) -> io::Result<()> {
        let Some(id) = self.turn.take() else { return Ok(()) };
        let reason = match stop {
            StopReason::EndTurn => "end_turn",
            StopReason::MaxTokens => "max_tokens",
            StopReason::Refusal => "refusal",
            StopReason::Cancelled => "cancelled",
            StopReason::Denied => self.denied_stop_reason,
        };
        let mut result = json!({ "stopReason": reason });
        if let (Some(Value::Object(usage)), Some(fields)) = (self.usage.take(), result.as_object_mut()) {
            fields.extend(usage);
        }
        self.peer.respond(&id, result)
    }

    fn fail_turn(&mut self, failure: &ServiceFailure) -> io::Result<()> {
        let Some(id) = self.turn.take() else { return Ok(()) };
        if failure.status == 401 {
            return self.peer.respond_error(&id, -32000, "Authentication required", None);
        }
        let message = format!("API Error: {} {}", failure.status, failure.message);
        // Real agents send the text as a message chunk, too.
        self.send_chunk("agent_message_chunk", &message)?;
        let message = format!("Internal error: {message}");
        let data = self.imitates.failure_data(failure.status, failure.resets_at.is_some());
        self.peer.respond_error(&id, -32603, &message, Some(data))
    }
}

fn initialize_result(profile: &AgentProfile) -> Value {
    let mut capabilities = json!({
        "loadSession": true,
        "promptCapabilities": { "image": false, "embeddedContext": true },
        "mcpCapabilities": { "http": false, "sse": false },
    });
    if let (true, Some(fields)) = (profile.can_resume, capabilities.as_object_mut()) {
        fields.insert("sessionCapabilities".to_owned(), json!({ "list": {}, "resume": {}, "close": {} }));
    }
    json!({
        "protocolVersion": 1,
        "agentCapabilities": capabilities,
        "agentInfo": { "name": "player", "version": env!("CARGO_PKG_VERSION") },
        "authMethods": [],
    })
}

/// Returns the result of opening a session, without its id.
fn session_result(profile: &AgentProfile) -> Map<String, Value> {
    let Some(current) = profile.modes.first() else { return Map::new() };
    let modes: Vec<Value> =
        profile.modes.iter().map(|id| json!({ "id": id, "name": id, "description": null })).collect();
    Map::from_iter([("modes".to_owned(), json!({ "currentModeId": current, "availableModes": modes }))])
}

fn tool_kind_name(kind: ToolKind) -> &'static str {
    match kind {
        ToolKind::Execute => "execute",
        ToolKind::Edit => "edit",
        ToolKind::Read => "read",
        ToolKind::Fetch => "fetch",
    }
}
