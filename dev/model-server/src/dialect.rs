//! The dialects: how a request is understood, and how an answer is written.

mod anthropic;
mod chat;
mod google;
mod responses;

use serde_json::Value;

use crate::script::{Refusal, Says, Usage};

/// A way to ask a model.
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

/// What an answer is made of.
pub struct Answer<'a> {
    /// The number of the request, for ids.
    pub number: u64,
    /// The model that was asked for.
    pub model: &'a str,
    /// What is said.
    pub says: &'a [Says],
    /// What it cost.
    pub usage: Usage,
}

impl Answer<'_> {
    fn calls_tools(&self) -> bool {
        self.says.iter().any(|says| matches!(says, Says::Tool { .. }))
    }

    fn call_id(&self, prefix: &str, index: usize) -> String {
        format!("{prefix}{:04}{index:02}", self.number)
    }
}

/// What a path asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// An answer of the model.
    Answer(Dialect),
    /// How many tokens a request would have.
    Count(Dialect),
    /// Which models there are.
    Models,
    /// Something that we do not know.
    Unknown,
}

/// Reads a path.
pub fn wish(target: &str) -> Wish {
    let path = target.split('?').next().unwrap_or(target);
    let last = path.rsplit('/').next().unwrap_or(path);
    match last.rsplit(':').next().unwrap_or(last) {
        "messages" => Wish::Answer(Dialect::Anthropic),
        "count_tokens" => Wish::Count(Dialect::Anthropic),
        "responses" => Wish::Answer(Dialect::Responses),
        "completions" => Wish::Answer(Dialect::Chat),
        "generateContent" | "streamGenerateContent" => Wish::Answer(Dialect::Google),
        "countTokens" => Wish::Count(Dialect::Google),
        "models" => Wish::Models,
        _ => Wish::Unknown,
    }
}

impl Dialect {
    /// Tells whether the answer is to come in pieces.
    pub fn streams(self, target: &str, body: &Value) -> bool {
        match self {
            Self::Google => target.contains(":streamGenerateContent"),
            Self::Anthropic | Self::Responses | Self::Chat => body.get("stream") == Some(&Value::Bool(true)),
        }
    }

    /// Returns the model that is asked for.
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

    /// Tells whether the agent offers tools, as it does in a conversation and nowhere else.
    pub fn offers_tools(body: &Value) -> bool {
        body.get("tools").and_then(Value::as_array).is_some_and(|tools| !tools.is_empty())
    }

    /// Returns all that was said to the model since it last spoke.
    pub fn last_words(self, body: &Value) -> String {
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
        let is_ours = |item: &&Value| {
            let role = item.get("role").and_then(Value::as_str);
            let kind = item.get("type").and_then(Value::as_str).unwrap_or_default();
            matches!(role, Some("assistant" | "model")) || matches!(kind, "function_call" | "reasoning")
        };
        let since = items.iter().rposition(|item| is_ours(&item)).map_or(0, |at| at + 1);
        let is_told =
            |item: &&Value| !matches!(item.get("role").and_then(Value::as_str), Some("system" | "developer"));
        let mut words = Vec::new();
        items.iter().skip(since).filter(is_told).for_each(|item| gather(item, &mut words));
        words.join("\n")
    }

    /// Returns the answer as the events of a stream, each as it goes over the wire.
    pub fn events(self, answer: &Answer<'_>) -> Vec<String> {
        match self {
            Self::Anthropic => anthropic::events(answer),
            Self::Responses => responses::events(answer),
            Self::Chat => chat::events(answer),
            Self::Google => google::events(answer),
        }
    }

    /// Returns the answer in one piece.
    pub fn whole(self, answer: &Answer<'_>) -> Value {
        match self {
            Self::Anthropic => anthropic::whole(answer),
            Self::Responses => responses::whole(answer),
            Self::Chat => chat::whole(answer),
            Self::Google => google::whole(answer),
        }
    }

    /// Returns the body of an error.
    pub fn error(self, refusal: &Refusal) -> Value {
        match self {
            Self::Anthropic => anthropic::error(refusal),
            Self::Responses | Self::Chat => chat::error(refusal),
            Self::Google => google::error(refusal),
        }
    }

    /// Returns the number of tokens as this dialect tells it.
    pub fn count(self, tokens: u64) -> Value {
        match self {
            Self::Google => serde_json::json!({ "totalTokens": tokens }),
            Self::Anthropic | Self::Responses | Self::Chat => serde_json::json!({ "input_tokens": tokens }),
        }
    }
}

/// Gathers every text below a value: of words, of tools' results, of functions' answers.
fn gather(value: &Value, words: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| gather(item, words)),
        Value::Object(fields) => {
            for key in ["text", "content", "output", "parts", "functionResponse", "response"] {
                match fields.get(key) {
                    Some(Value::String(text)) => words.push(text.clone()),
                    Some(other) => gather(other, words),
                    None => {}
                }
            }
        }
        Value::String(text) => words.push(text.clone()),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Cuts a text into pieces as a model streams it: words with the space behind them.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive([' ', '\n'])
}
