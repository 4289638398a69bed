//! Control requests of Claude Code, in both directions: permissions, questions, interrupts, modes.

use std::io;

use serde_json::{Value, json};

use super::ClaudeProtocol;
use crate::{
    output,
    protocol::{AnswerStatus, ClientAnswer, ClientEvent, PermissionDecision},
};

impl ClaudeProtocol {
    /// Asks for permission to use a tool.
    pub(super) fn request_permission(
        &mut self,
        name: &str,
        input: Value,
        description: &str,
    ) -> io::Result<AnswerStatus> {
        self.n_requests += 1;
        let id = format!("ask-{}", self.n_requests);
        let request = json!({
            "subtype": "can_use_tool", "tool_name": name, "input": input, "description": description,
            "permission_suggestions": [], "tool_use_id": self.tool_id(),
        });
        output::write_json(&json!({ "type": "control_request", "request_id": id, "request": request }))?;
        self.pending_request = Some(id);
        Ok(AnswerStatus::Pending)
    }

    /// Records a denied tool for the result of the turn.
    pub(super) fn record_denial(&mut self, name: &str, input: Value) {
        let denial = json!({ "tool_name": name, "tool_use_id": self.tool_id(), "tool_input": input });
        self.turn.denials.push(denial);
    }

    /// Parses the answer to our control request.
    pub(super) fn parse_answer(&mut self, value: &Value) -> ClientEvent {
        let id = value.pointer("/response/request_id").and_then(Value::as_str);
        if id.is_none() || id != self.pending_request.as_deref() {
            return ClientEvent::Ignored;
        }
        self.pending_request = None;
        let response = value.pointer("/response/response").unwrap_or_default();
        let text =
            |pointer: &str| response.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let answers = response.pointer("/updatedInput/answers").and_then(Value::as_object);
        let chosen = answers.and_then(|answers| answers.values().next()).and_then(Value::as_str);
        ClientEvent::Answer(match response.get("behavior").and_then(Value::as_str) {
            Some("allow") => ClientAnswer {
                decision: PermissionDecision::Allow,
                text: chosen.unwrap_or("allow").to_owned(),
            },
            _ if response.get("interrupt") == Some(&Value::Bool(true)) => {
                self.turn.is_denied = true;
                // Claude Code replaces the text by a fixed one.
                let text = "The user doesn't want to proceed with this tool use.".to_owned();
                ClientAnswer { decision: PermissionDecision::EndTurn, text }
            }
            _ => ClientAnswer { decision: PermissionDecision::Deny, text: text("/message") },
        })
    }

    /// Answers a control request of the client.
    pub(super) fn handle_control_request(&mut self, value: &Value) -> io::Result<ClientEvent> {
        let id = value.get("request_id").cloned().unwrap_or_default();
        let subtype = value.pointer("/request/subtype").and_then(Value::as_str).unwrap_or_default();
        let mut event = ClientEvent::Ignored;
        let response = match subtype {
            "interrupt" => {
                event = ClientEvent::Cancel;
                None
            }
            "set_permission_mode" => {
                let mode = value.pointer("/request/mode").and_then(Value::as_str).unwrap_or("default");
                mode.clone_into(&mut self.mode);
                Some(json!({ "mode": mode }))
            }
            "initialize" => Some(json!({ "commands": [], "models": [{ "value": self.model }] })),
            "mcp_status" => Some(json!({ "mcpServers": [] })),
            "get_context_usage" => {
                let used = self.tokens_total.input + self.tokens_total.output;
                Some(json!({ "totalTokens": used, "maxTokens": self.turn.usage.window }))
            }
            other => {
                let error = format!("Unsupported control request subtype: {other}");
                let response = json!({ "subtype": "error", "request_id": id, "error": error });
                output::write_json(&json!({ "type": "control_response", "response": response }))?;
                return Ok(ClientEvent::Ignored);
            }
        };
        let mut answer = json!({ "subtype": "success", "request_id": id });
        if let (Some(response), Some(fields)) = (response, answer.as_object_mut()) {
            fields.insert("response".to_owned(), response);
        }
        output::write_json(&json!({ "type": "control_response", "response": answer }))?;
        Ok(event)
    }
}
