//! The lines that are sent to Codex.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::{driver::OutgoingBytes, json::line};

use super::{Approval, Options, Sandbox, Thread};

/// The kinds of requests, as the prefix of their ids: a driver can match responses to requests of an earlier driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestId {
    Initialize,
    Thread,
    Prompt,
    Interrupt,
}

impl RequestId {
    /// Reads the id of an answer.
    pub(super) fn read(id: &RawValue) -> Option<Self> {
        let id: String = serde_json::from_str(id.get()).ok()?;
        match id.split('-').next()? {
            "initialize" => Some(Self::Initialize),
            "thread" => Some(Self::Thread),
            "prompt" => Some(Self::Prompt),
            "interrupt" => Some(Self::Interrupt),
            _ => None,
        }
    }
}

/// Returns the handshake and the request for a thread. They can be sent without waiting for responses.
pub(super) fn open(options: &Options) -> Vec<OutgoingBytes> {
    let client = Client { name: "jangdan", title: "Jangdan", version: env!("CARGO_PKG_VERSION") };
    let capabilities = Capabilities { experimental_api: true };
    let initialize = Initialize { client_info: client, capabilities };
    let (method, thread_id) = match &options.thread {
        Thread::Fresh => ("thread/start", None),
        Thread::Resume(thread) | Thread::Attached(thread) => ("thread/resume", Some(thread.as_str())),
    };
    let thread = OpenThread {
        thread_id,
        cwd: options.directory.to_string_lossy().into_owned(),
        approval_policy: options.approval.name(),
        sandbox: options.sandbox.name(),
        model: options.model.as_deref(),
        // The history is in Jangdan's log, and would arrive as one long line.
        exclude_turns: thread_id.is_some().then_some(true),
    };
    [
        request("initialize".to_owned(), "initialize", &initialize),
        line(&Notification { method: "initialized" }),
        request("thread".to_owned(), method, &thread),
    ]
    .concat()
}

/// Starts a turn, or adds to the running one.
pub(super) fn prompt(number: u32, thread_id: &str, text: &str) -> Vec<OutgoingBytes> {
    let input = [Input { r#type: "text", text }];
    request(format!("prompt-{number}"), "turn/start", &TurnStart { thread_id, input })
}

/// Stops the turn.
pub(super) fn interrupt(number: u32, thread_id: &str, turn_id: &str) -> Vec<OutgoingBytes> {
    request(format!("interrupt-{number}"), "turn/interrupt", &TurnInterrupt { thread_id, turn_id })
}

/// Answers a request of the agent, by its raw id.
pub(super) fn answer(id: &str, result: &impl Serialize) -> Vec<OutgoingBytes> {
    RawValue::from_string(id.to_owned()).map_or_else(|_| Vec::new(), |id| line(&Answer { id: &id, result }))
}

/// Refuses an unknown request.
pub(super) fn refuse(id: &RawValue) -> Vec<OutgoingBytes> {
    line(&Refusal { id, error: RefusalError { code: -32601, message: "this client can't do that" } })
}

fn request(id: String, method: &'static str, params: &impl Serialize) -> Vec<OutgoingBytes> {
    line(&Request { id, method, params })
}

impl Approval {
    fn name(self) -> &'static str {
        match self {
            Self::Untrusted => "untrusted",
            Self::OnRequest => "on-request",
            Self::Never => "never",
        }
    }
}

impl Sandbox {
    fn name(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::WorkspaceWrite => "workspace-write",
            Self::None => "danger-full-access",
        }
    }
}

#[derive(Serialize)]
struct Request<'a, P> {
    id: String,
    method: &'static str,
    params: &'a P,
}

#[derive(Serialize)]
struct Notification {
    method: &'static str,
}

#[derive(Serialize)]
struct Answer<'a, R> {
    id: &'a RawValue,
    result: &'a R,
}

#[derive(Serialize)]
struct Refusal<'a> {
    id: &'a RawValue,
    error: RefusalError,
}

#[derive(Serialize)]
struct RefusalError {
    code: i32,
    message: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Initialize {
    client_info: Client,
    capabilities: Capabilities,
}

#[derive(Serialize)]
struct Client {
    name: &'static str,
    title: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Capabilities {
    experimental_api: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OpenThread<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    thread_id: Option<&'a str>,
    cwd: String,
    approval_policy: &'static str,
    sandbox: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exclude_turns: Option<bool>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TurnStart<'a> {
    thread_id: &'a str,
    input: [Input<'a>; 1],
}

#[derive(Serialize)]
struct Input<'a> {
    r#type: &'static str,
    text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TurnInterrupt<'a> {
    thread_id: &'a str,
    turn_id: &'a str,
}
