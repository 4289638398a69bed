//! The dialect of Google generateContent.

use serde_json::{Value, json};

use super::{Completion, stream_pieces};
use crate::script::{ReplyPart, ScriptedError};

/// Returns the events of a stream: each is a completion with one part; the last has the reason and the tokens.
pub(super) fn stream_events(completion: &Completion<'_>) -> Vec<String> {
    let mut parts = Vec::new();
    for part in completion.parts {
        match part {
            ReplyPart::Text(text) => parts.extend(stream_pieces(text).map(|piece| json!({ "text": piece }))),
            ReplyPart::Tool { .. } => parts.push(part_json(part)),
        }
    }
    let mut values: Vec<Value> =
        parts.into_iter().map(|part| candidate(completion, vec![part], false)).collect();
    values.push(candidate(completion, vec![json!({ "text": "" })], true));
    values.iter().map(|value| format!("data: {value}\r\n\r\n")).collect()
}

/// Returns the completion as one JSON value.
pub(super) fn completion_json(completion: &Completion<'_>) -> Value {
    candidate(completion, completion.parts.iter().map(part_json).collect(), true)
}

pub(super) fn error_body(scripted: &ScriptedError) -> Value {
    let usual = match scripted.status {
        400 => "INVALID_ARGUMENT",
        401 => "UNAUTHENTICATED",
        429 => "RESOURCE_EXHAUSTED",
        503 | 529 => "UNAVAILABLE",
        _ => "INTERNAL",
    };
    let status = scripted.kind.as_deref().unwrap_or(usual);
    json!({ "error": { "code": scripted.status, "message": scripted.message, "status": status } })
}

fn part_json(part: &ReplyPart) -> Value {
    match part {
        ReplyPart::Text(text) => json!({ "text": text }),
        ReplyPart::Tool { name, input } => json!({ "functionCall": { "name": name, "args": input } }),
    }
}

fn candidate(completion: &Completion<'_>, parts: Vec<Value>, is_last: bool) -> Value {
    let mut candidate = json!({ "content": { "role": "model", "parts": parts }, "index": 0 });
    if let (true, Some(fields)) = (is_last, candidate.as_object_mut()) {
        fields.insert("finishReason".to_owned(), json!("STOP"));
    }
    let (input, output) = (completion.usage.input, completion.usage.output);
    json!({
        "candidates": [candidate],
        "usageMetadata": {
            "promptTokenCount": input, "candidatesTokenCount": output, "totalTokenCount": input + output,
        },
        "modelVersion": completion.model, "responseId": format!("resp-{:04}", completion.number),
    })
}
