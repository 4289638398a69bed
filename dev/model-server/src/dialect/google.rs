//! Google generateContent.

use serde_json::{Value, json};

use super::{Answer, pieces};
use crate::script::{Refusal, Says};

/// The events of a stream: each is an answer with a part of the parts; the last one has the reason and the tokens.
pub fn events(answer: &Answer<'_>) -> Vec<String> {
    let mut parts = Vec::new();
    for says in answer.says {
        match says {
            Says::Text(text) => parts.extend(pieces(text).map(|piece| json!({ "text": piece }))),
            Says::Tool { .. } => parts.push(part(says)),
        }
    }
    let mut values: Vec<Value> = parts.into_iter().map(|part| candidate(answer, vec![part], false)).collect();
    values.push(candidate(answer, vec![json!({ "text": "" })], true));
    values.iter().map(|value| format!("data: {value}\r\n\r\n")).collect()
}

/// The answer in one piece.
pub fn whole(answer: &Answer<'_>) -> Value {
    candidate(answer, answer.says.iter().map(part).collect(), true)
}

/// An error.
pub fn error(refusal: &Refusal) -> Value {
    let usual = match refusal.status {
        400 => "INVALID_ARGUMENT",
        401 => "UNAUTHENTICATED",
        429 => "RESOURCE_EXHAUSTED",
        503 | 529 => "UNAVAILABLE",
        _ => "INTERNAL",
    };
    let status = refusal.kind.as_deref().unwrap_or(usual);
    json!({ "error": { "code": refusal.status, "message": refusal.message, "status": status } })
}

fn part(says: &Says) -> Value {
    match says {
        Says::Text(text) => json!({ "text": text }),
        Says::Tool { name, input } => json!({ "functionCall": { "name": name, "args": input } }),
    }
}

fn candidate(answer: &Answer<'_>, parts: Vec<Value>, is_last: bool) -> Value {
    let mut candidate = json!({ "content": { "role": "model", "parts": parts }, "index": 0 });
    if let (true, Some(fields)) = (is_last, candidate.as_object_mut()) {
        fields.insert("finishReason".to_owned(), json!("STOP"));
    }
    let (input, output) = (answer.usage.input, answer.usage.output);
    json!({
        "candidates": [candidate],
        "usageMetadata": {
            "promptTokenCount": input, "candidatesTokenCount": output, "totalTokenCount": input + output,
        },
        "modelVersion": answer.model, "responseId": format!("resp-{:04}", answer.number),
    })
}
