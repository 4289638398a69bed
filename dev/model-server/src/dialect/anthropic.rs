//! The dialect of Anthropic Messages.

use serde_json::{Value, json};

use super::{Completion, stream_pieces};
use crate::script::{ReplyPart, ScriptedError};

/// Returns the events of a stream, each with its name.
pub(super) fn stream_events(completion: &Completion<'_>) -> Vec<String> {
    let mut events = Vec::new();
    let mut add = |value: Value| {
        let name = value.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        events.push(format!("event: {name}\ndata: {value}\n\n"));
    };
    let mut message = message(completion, Vec::new());
    if let Some(fields) = message.as_object_mut() {
        fields.insert("stop_reason".to_owned(), Value::Null);
        fields.insert("usage".to_owned(), usage(completion.usage.input, 1));
    }
    add(json!({ "type": "message_start", "message": message }));
    for (index, part) in completion.parts.iter().enumerate() {
        let (block, deltas) = match part {
            ReplyPart::Text(text) => {
                let delta = |piece: &str| json!({ "type": "text_delta", "text": piece });
                (json!({ "type": "text", "text": "" }), stream_pieces(text).map(delta).collect::<Vec<_>>())
            }
            ReplyPart::Tool { name, input } => {
                let id = completion.part_id("toolu_", index);
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
    let delta = json!({ "stop_reason": stop_reason(completion), "stop_sequence": null });
    let usage = json!({ "output_tokens": completion.usage.output });
    add(json!({ "type": "message_delta", "delta": delta, "usage": usage }));
    add(json!({ "type": "message_stop" }));
    events
}

/// Returns the completion as one JSON value.
pub(super) fn completion_json(completion: &Completion<'_>) -> Value {
    let block = |(index, part): (usize, &ReplyPart)| match part {
        ReplyPart::Text(text) => json!({ "type": "text", "text": text }),
        ReplyPart::Tool { name, input } => {
            json!({ "type": "tool_use", "id": completion.part_id("toolu_", index), "name": name, "input": input })
        }
    };
    message(completion, completion.parts.iter().enumerate().map(block).collect())
}

pub(super) fn error_body(scripted: &ScriptedError) -> Value {
    let usual = match scripted.status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    };
    let kind = scripted.kind.as_deref().unwrap_or(usual);
    json!({ "type": "error", "error": { "type": kind, "message": scripted.message } })
}

fn message(completion: &Completion<'_>, content: Vec<Value>) -> Value {
    json!({
        "id": format!("msg_{:04}", completion.number), "type": "message", "role": "assistant", "model": completion.model,
        "content": content, "stop_reason": stop_reason(completion), "stop_sequence": null,
        "usage": usage(completion.usage.input, completion.usage.output),
    })
}

fn usage(input: u64, output: u64) -> Value {
    json!({
        "input_tokens": input, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
        "output_tokens": output,
    })
}

fn stop_reason(completion: &Completion<'_>) -> &'static str {
    if completion.calls_tools() { "tool_use" } else { "end_turn" }
}
