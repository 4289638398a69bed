//! JSON-RPC with one message per line, in both directions.

use std::io;

use serde_json::{Map, Value, json};

use crate::{output, script::RequestRefusal};

/// A received message.
#[derive(Debug, PartialEq)]
pub(super) enum RpcMessage {
    /// A request, to be answered with the same id.
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
    },
    /// The answer to our request.
    Response {
        id: Value,
        /// Null if the request failed.
        result: Value,
    },
    /// Not a JSON-RPC message.
    Invalid,
}

pub(super) fn parse_message(line: &str) -> RpcMessage {
    let Ok(Value::Object(mut fields)) = serde_json::from_str(line) else { return RpcMessage::Invalid };
    let mut take = |key: &str| fields.remove(key);
    match (take("id"), take("method"), take("params"), take("result"), take("error")) {
        (Some(id), Some(Value::String(method)), params, ..) => {
            RpcMessage::Request { id, method, params: params.unwrap_or_default() }
        }
        (None, Some(Value::String(method)), ..) => RpcMessage::Notification { method },
        (Some(id), None, _, result, error) if result.is_some() || error.is_some() => {
            RpcMessage::Response { id, result: result.unwrap_or_default() }
        }
        _ => RpcMessage::Invalid,
    }
}

/// Our side of a connection.
#[derive(Debug)]
pub(super) struct RpcPeer {
    /// Whether messages contain `"jsonrpc":"2.0"`.
    pub includes_version: bool,
    /// Whether ids of our requests are strings instead of numbers.
    pub uses_string_ids: bool,
    /// Requests that are answered with an error.
    pub refusals: Vec<RequestRefusal>,
    /// Number of the next request.
    pub next_id: u64,
}

impl RpcPeer {
    pub(super) fn respond(&self, id: &Value, result: Value) -> io::Result<()> {
        self.send(json!({ "id": id, "result": result }))
    }

    pub(super) fn respond_error(
        &self,
        id: &Value,
        code: i64,
        message: &str,
        data: Option<Value>,
    ) -> io::Result<()> {
        let mut error = json!({ "code": code, "message": message });
        if let (Some(data), Some(fields)) = (data, error.as_object_mut()) {
            fields.insert("data".to_owned(), data);
        }
        self.send(json!({ "id": id, "error": error }))
    }

    /// Answers with an error if the script says so for this method; returns whether it did.
    pub(super) fn respond_scripted_error(&self, id: &Value, method: &str) -> io::Result<bool> {
        let Some(refusal) = self.refusals.iter().find(|refusal| refusal.method == method) else {
            return Ok(false);
        };
        self.respond_error(id, refusal.code, &refusal.message, refusal.data.clone())?;
        Ok(true)
    }

    pub(super) fn notify(&self, method: &str, params: Value) -> io::Result<()> {
        self.send(json!({ "method": method, "params": params }))
    }

    /// Sends a request and returns its id.
    pub(super) fn request(&mut self, method: &str, params: Value) -> io::Result<Value> {
        let id = if self.uses_string_ids {
            json!(format!("request-{}", self.next_id))
        } else {
            json!(self.next_id)
        };
        self.next_id += 1;
        self.send(json!({ "id": id, "method": method, "params": params }))?;
        Ok(id)
    }

    fn send(&self, message: Value) -> io::Result<()> {
        let Value::Object(fields) = message else { return Ok(()) };
        let mut all = Map::new();
        if self.includes_version {
            all.insert("jsonrpc".to_owned(), json!("2.0"));
        }
        all.extend(fields);
        output::write_json(&Value::Object(all))
    }
}

/// Returns the text of a list of content blocks, or of a plain string.
pub(super) fn content_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
            texts.join("\n")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}
