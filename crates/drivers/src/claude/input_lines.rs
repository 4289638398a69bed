//! What Claude Code is sent, a line each.

use serde::Serialize;

use crate::{driver::OutgoingBytes, json::line};

use super::prompts::Answer;

/// Begins a turn, or queues one behind that which runs.
pub(super) fn prompt(text: &str) -> Vec<OutgoingBytes> {
    // What begins with a slash is taken for a command, and an unknown one is a turn that ends well without the model.
    let content = if text.starts_with('/') { format!(" {text}") } else { text.to_owned() };
    line(&User { r#type: "user", message: UserMessage { role: "user", content } })
}

/// Answers a request of the agent's.
pub(super) fn answer(request_id: &str, answer: &Answer) -> Vec<OutgoingBytes> {
    let response = Response::Success { request_id, response: answer };
    line(&ControlResponse { r#type: "control_response", response })
}

/// Refuses a request that nobody here understands.
pub(super) fn refuse(request_id: &str) -> Vec<OutgoingBytes> {
    let response = Response::Error { request_id, error: "this client can't do that" };
    line(&ControlResponse { r#type: "control_response", response })
}

/// Stops the turn.
pub(super) fn interrupt(number: u32) -> Vec<OutgoingBytes> {
    let request = Request { subtype: "interrupt" };
    line(&ControlRequest { r#type: "control_request", request_id: format!("input-{number}"), request })
}

#[derive(Serialize)]
struct User {
    r#type: &'static str,
    message: UserMessage,
}

#[derive(Serialize)]
struct UserMessage {
    role: &'static str,
    content: String,
}

#[derive(Serialize)]
struct ControlResponse<'a> {
    r#type: &'static str,
    response: Response<'a>,
}

#[derive(Serialize)]
#[serde(tag = "subtype", rename_all = "snake_case")]
enum Response<'a> {
    Success { request_id: &'a str, response: &'a Answer },
    Error { request_id: &'a str, error: &'static str },
}

#[derive(Serialize)]
struct ControlRequest {
    r#type: &'static str,
    request_id: String,
    request: Request,
}

#[derive(Serialize)]
struct Request {
    subtype: &'static str,
}
