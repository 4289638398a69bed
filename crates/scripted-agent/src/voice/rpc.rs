//! JSON-RPC as agents speak it: one message a line, in both directions.

use std::io;

use serde_json::{Map, Value, json};

use crate::{mouth, script::Refusal};

/// A message that came in.
#[derive(Debug, PartialEq)]
pub enum Message {
    /// Wants an answer.
    Request {
        /// What the answer carries.
        id: Value,
        /// What is wanted.
        method: String,
        /// The rest.
        params: Value,
    },
    /// Wants none.
    Notification {
        /// What happened.
        method: String,
    },
    /// Answers us.
    Response {
        /// What our request carried.
        id: Value,
        /// The result; null where it was an error.
        result: Value,
    },
    /// Is none.
    Garbage,
}

/// Reads a line.
pub fn read(line: &str) -> Message {
    let Ok(Value::Object(mut fields)) = serde_json::from_str(line) else { return Message::Garbage };
    let mut take = |key: &str| fields.remove(key);
    match (take("id"), take("method"), take("params"), take("result"), take("error")) {
        (Some(id), Some(Value::String(method)), params, ..) => {
            Message::Request { id, method, params: params.unwrap_or_default() }
        }
        (None, Some(Value::String(method)), ..) => Message::Notification { method },
        (Some(id), None, _, result, error) if result.is_some() || error.is_some() => {
            Message::Response { id, result: result.unwrap_or_default() }
        }
        _ => Message::Garbage,
    }
}

/// Our half of a connection.
#[derive(Debug)]
pub struct Peer {
    /// Whether our messages say `"jsonrpc":"2.0"`.
    pub says_version: bool,
    /// Whether our requests have texts for ids, and not numbers.
    pub text_ids: bool,
    /// Requests that are answered with an error.
    pub refusals: Vec<Refusal>,
    /// The number of our next request.
    pub next_id: u64,
}

impl Peer {
    /// Answers a request.
    pub fn respond(&self, id: &Value, result: Value) -> io::Result<()> {
        self.send(json!({ "id": id, "result": result }))
    }

    /// Answers a request with an error.
    pub fn refuse(&self, id: &Value, code: i64, message: &str, data: Option<Value>) -> io::Result<()> {
        let mut error = json!({ "code": code, "message": message });
        if let (Some(data), Some(fields)) = (data, error.as_object_mut()) {
            fields.insert("data".to_owned(), data);
        }
        self.send(json!({ "id": id, "error": error }))
    }

    /// Answers with an error where the script wants that for the method, and says whether it did.
    pub fn refuses(&self, id: &Value, method: &str) -> io::Result<bool> {
        let Some(refusal) = self.refusals.iter().find(|refusal| refusal.method == method) else {
            return Ok(false);
        };
        self.refuse(id, refusal.code, &refusal.message, refusal.data.clone())?;
        Ok(true)
    }

    /// Tells something.
    pub fn notify(&self, method: &str, params: Value) -> io::Result<()> {
        self.send(json!({ "method": method, "params": params }))
    }

    /// Wants something, and returns what the answer will carry.
    pub fn request(&mut self, method: &str, params: Value) -> io::Result<Value> {
        let id = if self.text_ids { json!(format!("request-{}", self.next_id)) } else { json!(self.next_id) };
        self.next_id += 1;
        self.send(json!({ "id": id, "method": method, "params": params }))?;
        Ok(id)
    }

    fn send(&self, message: Value) -> io::Result<()> {
        let Value::Object(fields) = message else { return Ok(()) };
        let mut all = Map::new();
        if self.says_version {
            all.insert("jsonrpc".to_owned(), json!("2.0"));
        }
        all.extend(fields);
        mouth::write_json(&Value::Object(all))
    }
}

/// Returns the text of a list of content blocks, or of a plain text.
pub fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}
