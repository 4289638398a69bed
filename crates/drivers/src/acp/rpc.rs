//! JSON-RPC messages to an ACP agent, one per line.

use serde::Serialize;
use serde_json::value::RawValue;

/// Ids of prompts start here. The id of a response identifies its input, also after a restart.
const FIRST_PROMPT: u64 = 1000;

/// The requests to the agent. Each kind has a fixed id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestKind {
    Initialize,
    New,
    Resume,
    Load,
    /// With the number of the input.
    Prompt(u32),
}

impl RequestKind {
    pub(super) fn id(self) -> u64 {
        match self {
            Self::Initialize => 1,
            Self::New => 2,
            Self::Resume => 3,
            Self::Load => 4,
            Self::Prompt(number) => FIRST_PROMPT + u64::from(number),
        }
    }

    /// Returns the request that a response with this id belongs to.
    pub(super) fn from_id(id: &RawValue) -> Option<Self> {
        match id.get().trim_matches('"').parse().ok()? {
            1 => Some(Self::Initialize),
            2 => Some(Self::New),
            3 => Some(Self::Resume),
            4 => Some(Self::Load),
            id => u32::try_from(u64::checked_sub(id, FIRST_PROMPT)?).ok().map(Self::Prompt),
        }
    }

    fn method(self) -> &'static str {
        match self {
            Self::Initialize => "initialize",
            Self::New => "session/new",
            Self::Resume => "session/resume",
            Self::Load => "session/load",
            Self::Prompt(_) => "session/prompt",
        }
    }
}

#[derive(Serialize)]
struct Request<'a, P> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    method: &'a str,
    params: P,
}

#[derive(Serialize)]
struct Response<'a, R> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    result: R,
}

#[derive(Serialize)]
struct ErrorResponse<'a> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    error: ResponseError<'a>,
}

#[derive(Serialize)]
struct ResponseError<'a> {
    code: i32,
    message: &'a str,
}

/// Encodes a request.
pub(super) fn encode_request(asked: RequestKind, params: impl Serialize) -> Vec<u8> {
    encode_line(&Request { jsonrpc: "2.0", id: Some(asked.id()), method: asked.method(), params })
}

/// Encodes a notification.
pub(super) fn encode_notification(method: &str, params: impl Serialize) -> Vec<u8> {
    encode_line(&Request { jsonrpc: "2.0", id: None, method, params })
}

/// Encodes the response to a request of the agent.
pub(super) fn encode_response(id: &RawValue, result: impl Serialize) -> Vec<u8> {
    encode_line(&Response { jsonrpc: "2.0", id, result })
}

/// Refuses a request of an unknown method.
pub(super) fn encode_method_not_found(id: &RawValue, method: &str) -> Vec<u8> {
    let message = format!("method not found: {method}");
    encode_line(&ErrorResponse {
        jsonrpc: "2.0",
        id,
        error: ResponseError { code: -32601, message: &message },
    })
}

/// Refuses a request with invalid parameters.
pub(super) fn encode_invalid_params(id: &RawValue, message: &str) -> Vec<u8> {
    encode_line(&ErrorResponse { jsonrpc: "2.0", id, error: ResponseError { code: -32602, message } })
}

fn encode_line(value: &impl Serialize) -> Vec<u8> {
    // Cannot fail: all values serialize.
    let mut bytes = serde_json::to_vec(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}
