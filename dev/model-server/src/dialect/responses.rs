//! The dialect of OpenAI Responses.

use serde_json::{Value, json};

use super::{Completion, stream_pieces};
use crate::script::ReplyPart;

/// Returns the events of a stream, each with its name and its number.
pub(super) fn stream_events(completion: &Completion<'_>) -> Vec<String> {
    let mut events = Vec::new();
    let mut add = |mut value: Value| {
        let name = value.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        if let Some(fields) = value.as_object_mut() {
            fields.insert("sequence_number".to_owned(), json!(events.len()));
        }
        events.push(format!("event: {name}\ndata: {value}\n\n"));
    };
    let begun = response(completion, "in_progress", Vec::new(), &Value::Null);
    add(json!({ "type": "response.created", "response": begun }));
    for (index, part) in completion.parts.iter().enumerate() {
        let done = item(completion, index, part);
        let id = done.get("id").cloned().unwrap_or_default();
        let place = |mut value: Value| {
            if let Some(fields) = value.as_object_mut() {
                fields.insert("item_id".to_owned(), id.clone());
                fields.insert("output_index".to_owned(), json!(index));
            }
            value
        };
        add(
            json!({ "type": "response.output_item.added", "output_index": index, "item": begun_item(&done) }),
        );
        match part {
            ReplyPart::Text(text) => {
                let part = |text: &str| json!({ "type": "output_text", "text": text, "annotations": [] });
                add(place(
                    json!({ "type": "response.content_part.added", "content_index": 0, "part": part("") }),
                ));
                for piece in stream_pieces(text) {
                    add(place(
                        json!({ "type": "response.output_text.delta", "content_index": 0, "delta": piece }),
                    ));
                }
                add(place(json!({ "type": "response.output_text.done", "content_index": 0, "text": text })));
                add(place(
                    json!({ "type": "response.content_part.done", "content_index": 0, "part": part(text) }),
                ));
            }
            ReplyPart::Tool { input, .. } => {
                let input = input.to_string();
                add(place(json!({ "type": "response.function_call_arguments.delta", "delta": input })));
                add(place(json!({ "type": "response.function_call_arguments.done", "arguments": input })));
            }
        }
        add(json!({ "type": "response.output_item.done", "output_index": index, "item": done }));
    }
    add(json!({ "type": "response.completed", "response": completion_json(completion) }));
    events
}

/// Returns the completion as one JSON value.
pub(super) fn completion_json(completion: &Completion<'_>) -> Value {
    let output =
        completion.parts.iter().enumerate().map(|(index, part)| item(completion, index, part)).collect();
    let (input, written) = (completion.usage.input, completion.usage.output);
    let usage = json!({
        "input_tokens": input, "input_tokens_details": { "cached_tokens": 0 }, "output_tokens": written,
        "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": input + written,
    });
    response(completion, "completed", output, &usage)
}

fn response(completion: &Completion<'_>, status: &str, output: Vec<Value>, usage: &Value) -> Value {
    json!({
        "id": format!("resp_{:04}", completion.number), "object": "response", "created_at": 0, "status": status,
        "model": completion.model, "output": output, "error": null, "incomplete_details": null, "usage": usage,
    })
}

fn item(completion: &Completion<'_>, index: usize, part: &ReplyPart) -> Value {
    match part {
        ReplyPart::Text(text) => json!({
            "type": "message", "id": completion.part_id("msg_", index), "role": "assistant", "status": "completed",
            "content": [{ "type": "output_text", "text": text, "annotations": [] }],
        }),
        ReplyPart::Tool { name, input } => json!({
            "type": "function_call", "id": completion.part_id("fc_", index), "call_id": completion.part_id("call_", index),
            "name": name, "arguments": input.to_string(), "status": "completed",
        }),
    }
}

/// Returns an item before its first delta.
fn begun_item(done: &Value) -> Value {
    let mut begun = done.clone();
    if let Some(fields) = begun.as_object_mut() {
        fields.insert("status".to_owned(), json!("in_progress"));
        fields.entry("content").and_modify(|content| *content = json!([]));
        fields.entry("arguments").and_modify(|arguments| *arguments = json!(""));
    }
    begun
}
