//! Control requests of Claude Code, in both directions: permissions, questions, interrupts, modes.

use std::io;

use serde_json::{Value, json};

use super::Claude;
use crate::{
    mouth,
    voice::{Answer, Asked, Heard, Verdict},
};

impl Claude {
    /// Asks whether a tool may be used.
    pub(super) fn can_use_tool(&mut self, name: &str, input: Value, description: &str) -> io::Result<Asked> {
        self.n_requests += 1;
        let id = format!("ask-{}", self.n_requests);
        let request = json!({
            "subtype": "can_use_tool", "tool_name": name, "input": input, "description": description,
            "permission_suggestions": [], "tool_use_id": self.tool_id(),
        });
        mouth::write_json(&json!({ "type": "control_request", "request_id": id, "request": request }))?;
        self.asked = Some(id);
        Ok(Asked::Waiting)
    }

    /// Remembers that a tool was not allowed, for the turn's result.
    pub(super) fn deny(&mut self, name: &str, input: Value) {
        let denial = json!({ "tool_name": name, "tool_use_id": self.tool_id(), "tool_input": input });
        self.turn.denials.push(denial);
    }

    /// Reads an answer to what we asked.
    pub(super) fn answered(&mut self, value: &Value) -> Heard {
        let id = value.pointer("/response/request_id").and_then(Value::as_str);
        if id.is_none() || id != self.asked.as_deref() {
            return Heard::Nothing;
        }
        self.asked = None;
        let response = value.pointer("/response/response").unwrap_or_default();
        let text =
            |pointer: &str| response.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let answers = response.pointer("/updatedInput/answers").and_then(Value::as_object);
        let chosen = answers.and_then(|answers| answers.values().next()).and_then(Value::as_str);
        Heard::Answer(match response.get("behavior").and_then(Value::as_str) {
            Some("allow") => Answer { verdict: Verdict::Allow, text: chosen.unwrap_or("allow").to_owned() },
            _ if response.get("interrupt") == Some(&Value::Bool(true)) => {
                self.turn.is_denied = true;
                // The real one puts a fixed text in the place of what was said.
                let text = "The user doesn't want to proceed with this tool use.".to_owned();
                Answer { verdict: Verdict::Stop, text }
            }
            _ => Answer { verdict: Verdict::Deny, text: text("/message") },
        })
    }

    /// Answers what is asked of us.
    pub(super) fn control(&mut self, value: &Value) -> io::Result<Heard> {
        let id = value.get("request_id").cloned().unwrap_or_default();
        let subtype = value.pointer("/request/subtype").and_then(Value::as_str).unwrap_or_default();
        let mut heard = Heard::Nothing;
        let response = match subtype {
            "interrupt" => {
                heard = Heard::Cancel;
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
                mouth::write_json(&json!({ "type": "control_response", "response": response }))?;
                return Ok(Heard::Nothing);
            }
        };
        let mut answer = json!({ "subtype": "success", "request_id": id });
        if let (Some(response), Some(fields)) = (response, answer.as_object_mut()) {
            fields.insert("response".to_owned(), response);
        }
        mouth::write_json(&json!({ "type": "control_response", "response": answer }))?;
        Ok(heard)
    }
}
