//! OpenAI Chat Completions.

use serde_json::{Value, json};

use super::{Answer, pieces};
use crate::script::{Refusal, Says};

/// The events of a stream; the last but one tells the tokens, the last says that it was all.
pub fn events(answer: &Answer<'_>) -> Vec<String> {
    let mut events = Vec::new();
    let mut add = |value: Value| events.push(format!("data: {value}\n\n"));
    let chunk = |delta: Value, reason: Value| {
        frame(
            answer,
            "chat.completion.chunk",
            json!([{ "index": 0, "delta": delta, "finish_reason": reason }]),
        )
    };
    add(chunk(json!({ "role": "assistant", "content": "" }), Value::Null));
    let mut n_calls = 0;
    for (index, says) in answer.says.iter().enumerate() {
        match says {
            Says::Text(text) => {
                pieces(text).for_each(|piece| add(chunk(json!({ "content": piece }), Value::Null)));
            }
            Says::Tool { .. } => {
                let mut call = call(answer, index, says);
                if let Some(fields) = call.as_object_mut() {
                    fields.insert("index".to_owned(), json!(n_calls));
                }
                n_calls += 1;
                add(chunk(json!({ "tool_calls": [call] }), Value::Null));
            }
        }
    }
    add(chunk(json!({}), json!(finish_reason(answer))));
    let mut last = frame(answer, "chat.completion.chunk", json!([]));
    if let Some(fields) = last.as_object_mut() {
        fields.insert("usage".to_owned(), usage(answer));
    }
    add(last);
    events.push("data: [DONE]\n\n".to_owned());
    events
}

/// The answer in one piece.
pub fn whole(answer: &Answer<'_>) -> Value {
    let (mut text, mut calls) = (String::new(), Vec::new());
    for (index, says) in answer.says.iter().enumerate() {
        match says {
            Says::Text(words) => text.push_str(words),
            Says::Tool { .. } => calls.push(call(answer, index, says)),
        }
    }
    let mut message = json!({ "role": "assistant", "content": text });
    if let (false, Some(fields)) = (calls.is_empty(), message.as_object_mut()) {
        fields.insert("tool_calls".to_owned(), json!(calls));
    }
    let choice = json!({ "index": 0, "message": message, "finish_reason": finish_reason(answer) });
    let mut whole = frame(answer, "chat.completion", json!([choice]));
    if let Some(fields) = whole.as_object_mut() {
        fields.insert("usage".to_owned(), usage(answer));
    }
    whole
}

/// An error, in the form that Responses has too.
pub fn error(refusal: &Refusal) -> Value {
    let usual = match refusal.status {
        400 => "invalid_request_error",
        401 => "invalid_api_key",
        429 => "rate_limit_exceeded",
        _ => "server_error",
    };
    let kind = refusal.kind.as_deref().unwrap_or(usual);
    json!({ "error": { "message": refusal.message, "type": kind, "code": kind, "param": null } })
}

fn frame(answer: &Answer<'_>, object: &str, choices: Value) -> Value {
    json!({
        "id": format!("chatcmpl-{:04}", answer.number), "object": object, "created": 0, "model": answer.model,
        "choices": choices,
    })
}

fn call(answer: &Answer<'_>, index: usize, says: &Says) -> Value {
    let (name, input) = match says {
        Says::Tool { name, input } => (name.as_str(), input.to_string()),
        Says::Text(_) => ("", String::new()),
    };
    let function = json!({ "name": name, "arguments": input });
    json!({ "id": answer.call_id("call_", index), "type": "function", "function": function })
}

fn usage(answer: &Answer<'_>) -> Value {
    let (input, output) = (answer.usage.input, answer.usage.output);
    json!({ "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output })
}

fn finish_reason(answer: &Answer<'_>) -> &'static str {
    if answer.calls_tools() { "tool_calls" } else { "stop" }
}
