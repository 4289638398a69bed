//! Anthropic Messages.

use serde_json::{Value, json};

use super::{Answer, pieces};
use crate::script::{Refusal, Says};

/// The events of a stream, each with its name.
pub fn events(answer: &Answer<'_>) -> Vec<String> {
    let mut events = Vec::new();
    let mut add = |value: Value| {
        let name = value.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        events.push(format!("event: {name}\ndata: {value}\n\n"));
    };
    let mut message = message(answer, Vec::new());
    if let Some(fields) = message.as_object_mut() {
        fields.insert("stop_reason".to_owned(), Value::Null);
        fields.insert("usage".to_owned(), usage(answer.usage.input, 1));
    }
    add(json!({ "type": "message_start", "message": message }));
    for (index, says) in answer.says.iter().enumerate() {
        let (block, deltas) = match says {
            Says::Text(text) => {
                let delta = |piece: &str| json!({ "type": "text_delta", "text": piece });
                (json!({ "type": "text", "text": "" }), pieces(text).map(delta).collect::<Vec<_>>())
            }
            Says::Tool { name, input } => {
                let id = answer.call_id("toolu_", index);
                let delta = json!({ "type": "input_json_delta", "partial_json": input.to_string() });
                (json!({ "type": "tool_use", "id": id, "name": name, "input": {} }), vec![delta])
            }
        };
        add(json!({ "type": "content_block_start", "index": index, "content_block": block }));
        for delta in deltas {
            add(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
        }
        add(json!({ "type": "content_block_stop", "index": index }));
    }
    let delta = json!({ "stop_reason": stop_reason(answer), "stop_sequence": null });
    let usage = json!({ "output_tokens": answer.usage.output });
    add(json!({ "type": "message_delta", "delta": delta, "usage": usage }));
    add(json!({ "type": "message_stop" }));
    events
}

/// The answer in one piece.
pub fn whole(answer: &Answer<'_>) -> Value {
    let block = |(index, says): (usize, &Says)| match says {
        Says::Text(text) => json!({ "type": "text", "text": text }),
        Says::Tool { name, input } => {
            json!({ "type": "tool_use", "id": answer.call_id("toolu_", index), "name": name, "input": input })
        }
    };
    message(answer, answer.says.iter().enumerate().map(block).collect())
}

/// An error.
pub fn error(refusal: &Refusal) -> Value {
    let usual = match refusal.status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    };
    let kind = refusal.kind.as_deref().unwrap_or(usual);
    json!({ "type": "error", "error": { "type": kind, "message": refusal.message } })
}

fn message(answer: &Answer<'_>, content: Vec<Value>) -> Value {
    json!({
        "id": format!("msg_{:04}", answer.number), "type": "message", "role": "assistant", "model": answer.model,
        "content": content, "stop_reason": stop_reason(answer), "stop_sequence": null,
        "usage": usage(answer.usage.input, answer.usage.output),
    })
}

fn usage(input: u64, output: u64) -> Value {
    json!({
        "input_tokens": input, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
        "output_tokens": output,
    })
}

fn stop_reason(answer: &Answer<'_>) -> &'static str {
    if answer.calls_tools() { "tool_use" } else { "end_turn" }
}
