//! The agent's side of the Agent Client Protocol, version 1, over standard input and output.

mod manner;

use std::{collections::VecDeque, io};

use serde_json::{Map, Value, json};

use super::{
    Answer, Asked, Character, Heard, Outcome, Verdict, Voice, fresh_id,
    rpc::{Message, Peer, read, text_of},
};
use crate::{
    memory::{Memory, Who},
    script::{Failure, PlanEntry, Question, Stop, Tool, ToolKind, Usage},
};

pub use manner::Likeness;
use manner::{Manner, Shows};

/// An agent that a client talks to.
pub struct Acp {
    peer: Peer,
    memory: Memory,
    session: String,
    /// The requests whose turns have not begun, and the one whose turn it is.
    waiting: VecDeque<Value>,
    turn: Option<Value>,
    /// What we asked the client, and have no answer to.
    asked: Option<Value>,
    n_tools: u64,
    /// What is told of the turn's cost at its end.
    usage: Option<Value>,
    cost: f64,
    can_elicit: bool,
    like: Likeness,
    manner: &'static Manner,
    /// With which reason a turn ends whose tool was refused.
    refused: &'static str,
}

impl Acp {
    /// Makes an agent that has not been spoken to.
    pub fn new(character: Character) -> Self {
        Self {
            peer: Peer {
                says_version: true,
                text_ids: character.like == Likeness::Codex,
                refusals: character.refusals,
                next_id: 0,
            },
            memory: character.memory,
            session: String::new(),
            waiting: VecDeque::new(),
            turn: None,
            asked: None,
            n_tools: 0,
            usage: None,
            cost: 0.0,
            can_elicit: false,
            like: character.like,
            manner: character.like.manner(),
            refused: "cancelled",
        }
    }

    fn answer_request(&mut self, id: Value, method: &str, params: &Value) -> io::Result<Heard> {
        match method {
            "initialize" => {
                self.can_elicit =
                    params.pointer("/clientCapabilities/elicitation").is_some_and(Value::is_object);
                self.peer.respond(&id, initialized(self.manner))?;
            }
            "session/new" => {
                self.session = fresh_id();
                // A session exists from now on, also where nothing was said in it.
                let mut opened = opened(self.manner);
                opened.insert("sessionId".to_owned(), json!(self.session));
                self.peer.respond(&id, Value::Object(opened))?;
                return Ok(Heard::Opened { resumed: false });
            }
            "session/load" => return self.reopen(&id, params, true),
            "session/resume" if self.manner.resumes => return self.reopen(&id, params, false),
            "session/prompt" => {
                self.waiting.push_back(id);
                return Ok(Heard::Prompt(text_of(params.get("prompt").unwrap_or_default())));
            }
            "session/set_mode" => {
                self.peer.respond(&id, json!({}))?;
                let mode = params.get("modeId").cloned().unwrap_or_default();
                self.update(json!({ "sessionUpdate": "current_mode_update", "currentModeId": mode }))?;
            }
            "authenticate" | "session/close" | "session/set_model" => self.peer.respond(&id, json!({}))?,
            "session/list" if self.manner.resumes => self.peer.respond(&id, json!({ "sessions": [] }))?,
            other => {
                let data = Some(json!({ "method": other }));
                self.peer.refuse(&id, -32601, "Method not found", data)?;
            }
        }
        Ok(Heard::Nothing)
    }

    fn reopen(&mut self, id: &Value, params: &Value, replays: bool) -> io::Result<Heard> {
        let session = params.get("sessionId").and_then(Value::as_str).unwrap_or_default();
        let Some(said) = self.memory.session(session) else {
            self.peer.refuse(
                id,
                -32002,
                &format!("Resource not found: {session}"),
                Some(json!({ "uri": session })),
            )?;
            return Ok(Heard::Nothing);
        };
        session.clone_into(&mut self.session);
        for said in said.iter().filter(|_| replays) {
            let chunk = match said.who {
                Who::User => "user_message_chunk",
                Who::Agent => "agent_message_chunk",
            };
            self.chunk(chunk, &said.text)?;
        }
        self.peer.respond(id, Value::Object(opened(self.manner)))?;
        Ok(Heard::Opened { resumed: true })
    }

    fn chunk(&self, kind: &str, text: &str) -> io::Result<()> {
        self.update(json!({ "sessionUpdate": kind, "content": { "type": "text", "text": text } }))
    }

    fn update(&self, update: Value) -> io::Result<()> {
        self.peer.notify("session/update", json!({ "sessionId": self.session, "update": update }))
    }

    fn show_tool(&self, tool: &Tool) -> io::Result<()> {
        self.update(json!({
            "sessionUpdate": "tool_call", "toolCallId": self.tool_id(), "title": tool.title(),
            "kind": kind(tool.kind), "status": "pending", "rawInput": tool.input,
        }))
    }

    /// Reads the answer to a permission or to an elicitation.
    fn answer(&mut self, result: &Value) -> Answer {
        if let Some(action) = result.get("action").and_then(Value::as_str) {
            let content = result.get("content").and_then(Value::as_object);
            let chosen = content.and_then(|content| content.values().next()).and_then(Value::as_str);
            let verdict = if action == "accept" { Verdict::Allow } else { Verdict::Deny };
            return Answer { verdict, text: chosen.unwrap_or_default().to_owned() };
        }
        let chosen = result.pointer("/outcome/optionId").and_then(Value::as_str);
        let option = self.manner.options.iter().find(|(id, ..)| Some(*id) == chosen);
        let verdict = match (option.map(|(.., kind)| *kind), self.manner.refused) {
            (Some("allow_always" | "allow_once"), _) => Verdict::Allow,
            (Some(_), None) => Verdict::Deny,
            (Some(_), Some(reason)) => {
                self.refused = reason;
                Verdict::Stop
            }
            (None, _) => {
                self.refused = "cancelled";
                Verdict::Stop
            }
        };
        Answer { verdict, text: chosen.unwrap_or("cancelled").to_owned() }
    }

    fn tool_id(&self) -> String {
        format!("toolu_{:02}", self.n_tools)
    }
}

impl Voice for Acp {
    fn hear(&mut self, line: &str) -> io::Result<Heard> {
        match read(line) {
            Message::Request { id, method, params } => {
                if self.peer.refuses(&id, &method)? {
                    return Ok(Heard::Nothing);
                }
                self.answer_request(id, &method, &params)
            }
            Message::Notification { method } if method == "session/cancel" => {
                self.asked = None;
                Ok(Heard::Cancel)
            }
            Message::Response { id, result } if self.asked.as_ref() == Some(&id) => {
                self.asked = None;
                Ok(Heard::Answer(self.answer(&result)))
            }
            Message::Notification { .. } | Message::Response { .. } => Ok(Heard::Nothing),
            Message::Garbage => {
                self.peer.refuse(&Value::Null, -32700, "Parse error", None)?;
                Ok(Heard::Nothing)
            }
        }
    }

    fn begin_turn(&mut self, prompt: &str) -> io::Result<()> {
        self.turn = self.waiting.pop_front();
        self.memory.add(&self.session, Who::User, prompt)
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        self.memory.add(&self.session, Who::Agent, text)?;
        self.chunk("agent_message_chunk", text)
    }

    fn think(&mut self, text: &str) -> io::Result<()> {
        self.chunk("agent_thought_chunk", text)
    }

    fn tool_begins(&mut self, tool: &Tool) -> io::Result<()> {
        self.n_tools += 1;
        if tool.asks && self.manner.shows != Shows::Before {
            return Ok(());
        }
        self.show_tool(tool)
    }

    fn ask_permission(&mut self, tool: &Tool) -> io::Result<Asked> {
        let options: Vec<Value> = self
            .manner
            .options
            .iter()
            .map(|(id, name, kind)| json!({ "optionId": id, "name": name, "kind": kind }))
            .collect();
        let mut call =
            json!({ "toolCallId": self.tool_id(), "title": tool.title(), "kind": kind(tool.kind) });
        if let (true, Some(fields)) = (self.manner.shows_input, call.as_object_mut()) {
            fields.insert("rawInput".to_owned(), json!(tool.input));
        }
        let params = json!({ "sessionId": self.session, "toolCall": call, "options": options });
        self.asked = Some(self.peer.request("session/request_permission", params)?);
        Ok(Asked::Waiting)
    }

    fn tool_ends(&mut self, tool: &Tool, outcome: &Outcome) -> io::Result<()> {
        if tool.asks && self.manner.shows == Shows::After {
            self.show_tool(tool)?;
        }
        let (status, text) = match outcome {
            Outcome::Output(text) => ("completed", text.as_str()),
            Outcome::Denied(_) => ("failed", "The user doesn't want to proceed with this tool use."),
        };
        let mut update = json!({
            "sessionUpdate": "tool_call_update", "toolCallId": self.tool_id(), "status": status,
        });
        if let (Some(fields), Value::Object(output)) =
            (update.as_object_mut(), self.like.output(text, status))
        {
            fields.extend(output);
        }
        self.update(update)
    }

    fn ask_question(&mut self, question: &Question) -> io::Result<Asked> {
        if !self.can_elicit || !self.manner.asks_questions {
            // A client that cannot be asked is not: the tool does not exist for such a session.
            return Ok(Asked::Nobody(Answer { verdict: Verdict::Deny, text: String::new() }));
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
        self.asked = Some(self.peer.request("elicitation/create", params)?);
        Ok(Asked::Waiting)
    }

    fn plan(&mut self, entries: &[PlanEntry]) -> io::Result<()> {
        let entries: Vec<Value> = entries
            .iter()
            .map(|entry| json!({ "content": entry.text, "priority": "medium", "status": entry.status }))
            .collect();
        self.update(json!({ "sessionUpdate": "plan", "entries": entries }))
    }

    fn usage(&mut self, usage: Usage) -> io::Result<()> {
        self.cost += usage.cost;
        let (update, of_turn) = self.like.usage(usage, self.cost);
        self.usage = Some(of_turn);
        update.map_or(Ok(()), |update| self.update(update))
    }

    fn end_turn(&mut self, stop: Stop) -> io::Result<()> {
        let Some(id) = self.turn.take() else { return Ok(()) };
        let reason = match stop {
            Stop::EndTurn => "end_turn",
            Stop::MaxTokens => "max_tokens",
            Stop::Refusal => "refusal",
            Stop::Cancelled => "cancelled",
            Stop::Denied => self.refused,
        };
        let mut result = json!({ "stopReason": reason });
        if let (Some(Value::Object(usage)), Some(fields)) = (self.usage.take(), result.as_object_mut()) {
            fields.extend(usage);
        }
        self.peer.respond(&id, result)
    }

    fn fail(&mut self, failure: &Failure) -> io::Result<()> {
        let Some(id) = self.turn.take() else { return Ok(()) };
        if failure.status == 401 {
            return self.peer.refuse(&id, -32000, "Authentication required", None);
        }
        let message = format!("API Error: {} {}", failure.status, failure.message);
        // The text comes as a chunk too.
        self.chunk("agent_message_chunk", &message)?;
        let message = format!("Internal error: {message}");
        let data = self.like.failure(failure.status, failure.resets_at.is_some());
        self.peer.refuse(&id, -32603, &message, Some(data))
    }
}

fn initialized(manner: &Manner) -> Value {
    let mut capabilities = json!({
        "loadSession": true,
        "promptCapabilities": { "image": false, "embeddedContext": true },
        "mcpCapabilities": { "http": false, "sse": false },
    });
    if let (true, Some(fields)) = (manner.resumes, capabilities.as_object_mut()) {
        fields.insert("sessionCapabilities".to_owned(), json!({ "list": {}, "resume": {}, "close": {} }));
    }
    json!({
        "protocolVersion": 1,
        "agentCapabilities": capabilities,
        "agentInfo": { "name": "player", "version": env!("CARGO_PKG_VERSION") },
        "authMethods": [],
    })
}

/// Returns what is told of a session that is open, its id aside.
fn opened(manner: &Manner) -> Map<String, Value> {
    let Some(current) = manner.modes.first() else { return Map::new() };
    let modes: Vec<Value> =
        manner.modes.iter().map(|id| json!({ "id": id, "name": id, "description": null })).collect();
    Map::from_iter([("modes".to_owned(), json!({ "currentModeId": current, "availableModes": modes }))])
}

fn kind(kind: ToolKind) -> &'static str {
    match kind {
        ToolKind::Execute => "execute",
        ToolKind::Edit => "edit",
        ToolKind::Read => "read",
        ToolKind::Fetch => "fetch",
    }
}
