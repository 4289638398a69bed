//! The dialect of OpenAI Chat Completions.

use serde_json::{Value, json};

use super::{Completion, stream_pieces};
use crate::script::{ReplyPart, ScriptedError};

/// Returns the events of a stream; the last but one has the tokens, the last is `[DONE]`.
pub(super) fn stream_events(completion: &Completion<'_>) -> Vec<String> {
    let mut events = Vec::new();
    let mut add = |value: Value| events.push(format!("data: {value}\n\n"));
    let chunk = |delta: Value, reason: Value| {
        completion_object(
            completion,
            "chat.completion.chunk",
            json!([{ "index": 0, "delta": delta, "finish_reason": reason }]),
        )
    };
    add(chunk(json!({ "role": "assistant", "content": "" }), Value::Null));
    let mut n_calls = 0;
    for (index, part) in completion.parts.iter().enumerate() {
        match part {
            ReplyPart::Text(text) => {
                stream_pieces(text).for_each(|piece| add(chunk(json!({ "content": piece }), Value::Null)));
            }
            ReplyPart::Tool { .. } => {
                let mut call = tool_call_json(completion, index, part);
                if let Some(fields) = call.as_object_mut() {
                    fields.insert("index".to_owned(), json!(n_calls));
                }
                n_calls += 1;
                add(chunk(json!({ "tool_calls": [call] }), Value::Null));
            }
        }
    }
    add(chunk(json!({}), json!(finish_reason(completion))));
    let mut last = completion_object(completion, "chat.completion.chunk", json!([]));
    if let Some(fields) = last.as_object_mut() {
        fields.insert("usage".to_owned(), usage(completion));
    }
    add(last);
    events.push("data: [DONE]\n\n".to_owned());
    events
}

/// Returns the completion as one JSON value.
pub(super) fn completion_json(completion: &Completion<'_>) -> Value {
    let (mut text, mut calls) = (String::new(), Vec::new());
    for (index, part) in completion.parts.iter().enumerate() {
        match part {
            ReplyPart::Text(more) => text.push_str(more),
            ReplyPart::Tool { .. } => calls.push(tool_call_json(completion, index, part)),
        }
    }
    let mut message = json!({ "role": "assistant", "content": text });
    if let (false, Some(fields)) = (calls.is_empty(), message.as_object_mut()) {
        fields.insert("tool_calls".to_owned(), json!(calls));
    }
    let choice = json!({ "index": 0, "message": message, "finish_reason": finish_reason(completion) });
    let mut response = completion_object(completion, "chat.completion", json!([choice]));
    if let Some(fields) = response.as_object_mut() {
        fields.insert("usage".to_owned(), usage(completion));
    }
    response
}

/// Returns the body of an error, also for the dialect Responses.
pub(super) fn error_body(scripted: &ScriptedError) -> Value {
    let usual = match scripted.status {
        400 => "invalid_request_error",
        401 => "invalid_api_key",
        429 => "rate_limit_exceeded",
        _ => "server_error",
    };
    let kind = scripted.kind.as_deref().unwrap_or(usual);
    json!({ "error": { "message": scripted.message, "type": kind, "code": kind, "param": null } })
}

fn completion_object(completion: &Completion<'_>, object: &str, choices: Value) -> Value {
    json!({
        "id": format!("chatcmpl-{:04}", completion.number), "object": object, "created": 0, "model": completion.model,
        "choices": choices,
    })
}

fn tool_call_json(completion: &Completion<'_>, index: usize, part: &ReplyPart) -> Value {
    let (name, input) = match part {
        ReplyPart::Tool { name, input } => (name.as_str(), input.to_string()),
        ReplyPart::Text(_) => ("", String::new()),
    };
    let function = json!({ "name": name, "arguments": input });
    json!({ "id": completion.part_id("call_", index), "type": "function", "function": function })
}

fn usage(completion: &Completion<'_>) -> Value {
    let (input, output) = (completion.usage.input, completion.usage.output);
    json!({ "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output })
}

fn finish_reason(completion: &Completion<'_>) -> &'static str {
    if completion.calls_tools() { "tool_calls" } else { "stop" }
}
