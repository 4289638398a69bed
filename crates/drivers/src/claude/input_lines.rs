//! The lines that are sent to Claude Code.

use serde::Serialize;

use crate::{driver::OutgoingBytes, json::encode_line};

use super::prompts::PromptAnswer;

/// Starts a turn, or queues one after the running turn.
pub(super) fn encode_prompt(text: &str) -> Vec<OutgoingBytes> {
    // Claude Code treats a leading slash as a command; an unknown command ends the turn without using the model.
    let content = if text.starts_with('/') { format!(" {text}") } else { text.to_owned() };
    encode_line(&UserLine { r#type: "user", message: UserMessage { role: "user", content } })
}

/// Answers a request of the agent.
pub(super) fn encode_answer(request_id: &str, answer: &PromptAnswer) -> Vec<OutgoingBytes> {
    let response = ControlResponseBody::Success { request_id, response: answer };
    encode_line(&ControlResponse { r#type: "control_response", response })
}

/// Refuses an unknown request.
pub(super) fn encode_refusal(request_id: &str) -> Vec<OutgoingBytes> {
    let response = ControlResponseBody::Error { request_id, error: "this client can't do that" };
    encode_line(&ControlResponse { r#type: "control_response", response })
}

/// Stops the turn.
pub(super) fn encode_interrupt(number: u32) -> Vec<OutgoingBytes> {
    let request = ControlRequestBody { subtype: "interrupt" };
    encode_line(&ControlRequest { r#type: "control_request", request_id: format!("input-{number}"), request })
}

#[derive(Serialize)]
struct UserLine {
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
    response: ControlResponseBody<'a>,
}

#[derive(Serialize)]
#[serde(tag = "subtype", rename_all = "snake_case")]
enum ControlResponseBody<'a> {
    Success { request_id: &'a str, response: &'a PromptAnswer },
    Error { request_id: &'a str, error: &'static str },
}

#[derive(Serialize)]
struct ControlRequest {
    r#type: &'static str,
    request_id: String,
    request: ControlRequestBody,
}

#[derive(Serialize)]
struct ControlRequestBody {
    subtype: &'static str,
}
