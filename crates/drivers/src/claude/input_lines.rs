//! The lines that are sent to Claude Code.

use serde::Serialize;

use crate::{driver::OutgoingBytes, json::line};

use super::prompts::Answer;

/// Starts a turn, or queues one after the running turn.
pub(super) fn prompt(text: &str) -> Vec<OutgoingBytes> {
    // Claude Code treats a leading slash as a command; an unknown command ends the turn without using the model.
    let content = if text.starts_with('/') { format!(" {text}") } else { text.to_owned() };
    line(&User { r#type: "user", message: UserMessage { role: "user", content } })
}

/// Answers a request of the agent.
pub(super) fn answer(request_id: &str, answer: &Answer) -> Vec<OutgoingBytes> {
    let response = Response::Success { request_id, response: answer };
    line(&ControlResponse { r#type: "control_response", response })
}

/// Refuses an unknown request.
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
