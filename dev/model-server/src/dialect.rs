//! The API dialects: parsing of requests, and the format of completions.

mod anthropic;
mod chat;
mod google;
mod responses;

use serde_json::Value;

use crate::script::{ReplyPart, ScriptedError, Usage};

/// The API of a model provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Anthropic Messages: `/v1/messages`.
    Anthropic,
    /// OpenAI Responses: `/v1/responses`.
    Responses,
    /// OpenAI Chat Completions: `/v1/chat/completions`.
    Chat,
    /// Google generateContent: `/v1beta/models/NAME:generateContent`.
    Google,
}

/// A completion, in no dialect yet.
pub struct Completion<'a> {
    /// The number of the request, for ids.
    pub number: u64,
    /// The requested model.
    pub model: &'a str,
    pub parts: &'a [ReplyPart],
    pub usage: Usage,
}

impl Completion<'_> {
    fn calls_tools(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, ReplyPart::Tool { .. }))
    }

    fn part_id(&self, prefix: &str, index: usize) -> String {
        format!("{prefix}{:04}{index:02}", self.number)
    }
}

/// The operation that a path selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Endpoint {
    Completion(Dialect),
    /// Counts the tokens of a request.
    TokenCount(Dialect),
    /// Lists the models.
    Models,
    Unknown,
}

/// Returns the operation of a request's target.
pub(crate) fn endpoint(target: &str) -> Endpoint {
    let path = target.split('?').next().unwrap_or(target);
    let last = path.rsplit('/').next().unwrap_or(path);
    match last.rsplit(':').next().unwrap_or(last) {
        "messages" => Endpoint::Completion(Dialect::Anthropic),
        "count_tokens" => Endpoint::TokenCount(Dialect::Anthropic),
        "responses" => Endpoint::Completion(Dialect::Responses),
        "completions" => Endpoint::Completion(Dialect::Chat),
        "generateContent" | "streamGenerateContent" => Endpoint::Completion(Dialect::Google),
        "countTokens" => Endpoint::TokenCount(Dialect::Google),
        "models" => Endpoint::Models,
        _ => Endpoint::Unknown,
    }
}

impl Dialect {
    /// Tells whether the completion is requested as a stream.
    pub fn streams(self, target: &str, body: &Value) -> bool {
        match self {
            Self::Google => target.contains(":streamGenerateContent"),
            Self::Anthropic | Self::Responses | Self::Chat => body.get("stream") == Some(&Value::Bool(true)),
        }
    }

    /// Returns the requested model.
    pub fn model<'a>(self, target: &'a str, body: &'a Value) -> &'a str {
        match self {
            Self::Google => {
                let name = target.rsplit('/').next().unwrap_or_default();
                name.split(':').next().unwrap_or_default()
            }
            Self::Anthropic | Self::Responses | Self::Chat => {
                body.get("model").and_then(Value::as_str).unwrap_or_default()
            }
        }
    }

    /// Tells whether the agent offers tools, as it does in the conversation but not in side requests.
    pub fn offers_tools(body: &Value) -> bool {
        body.get("tools").and_then(Value::as_array).is_some_and(|tools| !tools.is_empty())
    }

    /// Returns all texts for the model since its last message.
    pub fn texts_since_reply(self, body: &Value) -> String {
        let key = match self {
            Self::Anthropic | Self::Chat => "messages",
            Self::Responses => "input",
            Self::Google => "contents",
        };
        let items = match body.get(key) {
            Some(Value::Array(items)) => items.as_slice(),
            Some(Value::String(text)) => return text.clone(),
            _ => return String::new(),
        };
        let is_model = |item: &&Value| {
            let role = item.get("role").and_then(Value::as_str);
            let kind = item.get("type").and_then(Value::as_str).unwrap_or_default();
            matches!(role, Some("assistant" | "model")) || matches!(kind, "function_call" | "reasoning")
        };
        let since = items.iter().rposition(|item| is_model(&item)).map_or(0, |at| at + 1);
        let is_prompt =
            |item: &&Value| !matches!(item.get("role").and_then(Value::as_str), Some("system" | "developer"));
        let mut texts = Vec::new();
        items.iter().skip(since).filter(is_prompt).for_each(|item| collect_texts(item, &mut texts));
        texts.join("\n")
    }

    /// Returns the completion as the events of a stream, each as it is sent.
    pub fn stream_events(self, completion: &Completion<'_>) -> Vec<String> {
        match self {
            Self::Anthropic => anthropic::stream_events(completion),
            Self::Responses => responses::stream_events(completion),
            Self::Chat => chat::stream_events(completion),
            Self::Google => google::stream_events(completion),
        }
    }

    /// Returns the completion as one JSON value.
    pub fn completion_json(self, completion: &Completion<'_>) -> Value {
        match self {
            Self::Anthropic => anthropic::completion_json(completion),
            Self::Responses => responses::completion_json(completion),
            Self::Chat => chat::completion_json(completion),
            Self::Google => google::completion_json(completion),
        }
    }

    /// Returns the body of an error response.
    pub fn error_body(self, error: &ScriptedError) -> Value {
        match self {
            Self::Anthropic => anthropic::error_body(error),
            Self::Responses | Self::Chat => chat::error_body(error),
            Self::Google => google::error_body(error),
        }
    }

    /// Returns the body of a token count.
    pub fn token_count_body(self, tokens: u64) -> Value {
        match self {
            Self::Google => serde_json::json!({ "totalTokens": tokens }),
            Self::Anthropic | Self::Responses | Self::Chat => serde_json::json!({ "input_tokens": tokens }),
        }
    }
}

/// Collects every text below a value: messages, results of tools, responses of functions.
fn collect_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(fields) => {
            for key in ["text", "content", "output", "parts", "functionResponse", "response"] {
                match fields.get(key) {
                    Some(Value::String(text)) => texts.push(text.clone()),
                    Some(other) => collect_texts(other, texts),
                    None => {}
                }
            }
        }
        Value::String(text) => texts.push(text.clone()),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Splits a text into pieces as a model streams it: words with the following space.
fn stream_pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive([' ', '\n'])
}
