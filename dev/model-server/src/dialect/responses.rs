//! OpenAI Responses.

use serde_json::{Value, json};

use super::{Answer, pieces};
use crate::script::Says;

/// The events of a stream, each with its name and its number.
pub fn events(answer: &Answer<'_>) -> Vec<String> {
    let mut events = Vec::new();
    let mut add = |mut value: Value| {
        let name = value.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        if let Some(fields) = value.as_object_mut() {
            fields.insert("sequence_number".to_owned(), json!(events.len()));
        }
        events.push(format!("event: {name}\ndata: {value}\n\n"));
    };
    let begun = response(answer, "in_progress", Vec::new(), &Value::Null);
    add(json!({ "type": "response.created", "response": begun }));
    for (index, says) in answer.says.iter().enumerate() {
        let done = item(answer, index, says);
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
        match says {
            Says::Text(text) => {
                let part = |text: &str| json!({ "type": "output_text", "text": text, "annotations": [] });
                add(place(
                    json!({ "type": "response.content_part.added", "content_index": 0, "part": part("") }),
                ));
                for piece in pieces(text) {
                    add(place(
                        json!({ "type": "response.output_text.delta", "content_index": 0, "delta": piece }),
                    ));
                }
                add(place(json!({ "type": "response.output_text.done", "content_index": 0, "text": text })));
                add(place(
                    json!({ "type": "response.content_part.done", "content_index": 0, "part": part(text) }),
                ));
            }
            Says::Tool { input, .. } => {
                let input = input.to_string();
                add(place(json!({ "type": "response.function_call_arguments.delta", "delta": input })));
                add(place(json!({ "type": "response.function_call_arguments.done", "arguments": input })));
            }
        }
        add(json!({ "type": "response.output_item.done", "output_index": index, "item": done }));
    }
    add(json!({ "type": "response.completed", "response": whole(answer) }));
    events
}

/// The answer in one piece.
pub fn whole(answer: &Answer<'_>) -> Value {
    let output = answer.says.iter().enumerate().map(|(index, says)| item(answer, index, says)).collect();
    let (input, written) = (answer.usage.input, answer.usage.output);
    let usage = json!({
        "input_tokens": input, "input_tokens_details": { "cached_tokens": 0 }, "output_tokens": written,
        "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": input + written,
    });
    response(answer, "completed", output, &usage)
}

fn response(answer: &Answer<'_>, status: &str, output: Vec<Value>, usage: &Value) -> Value {
    json!({
        "id": format!("resp_{:04}", answer.number), "object": "response", "created_at": 0, "status": status,
        "model": answer.model, "output": output, "error": null, "incomplete_details": null, "usage": usage,
    })
}

fn item(answer: &Answer<'_>, index: usize, says: &Says) -> Value {
    match says {
        Says::Text(text) => json!({
            "type": "message", "id": answer.call_id("msg_", index), "role": "assistant", "status": "completed",
            "content": [{ "type": "output_text", "text": text, "annotations": [] }],
        }),
        Says::Tool { name, input } => json!({
            "type": "function_call", "id": answer.call_id("fc_", index), "call_id": answer.call_id("call_", index),
            "name": name, "arguments": input.to_string(), "status": "completed",
        }),
    }
}

/// Returns an item as it is before anything of it was said.
fn begun_item(done: &Value) -> Value {
    let mut begun = done.clone();
    if let Some(fields) = begun.as_object_mut() {
        fields.insert("status".to_owned(), json!("in_progress"));
        fields.entry("content").and_modify(|content| *content = json!([]));
        fields.entry("arguments").and_modify(|arguments| *arguments = json!(""));
    }
    begun
}
