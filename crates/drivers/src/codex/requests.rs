//! The lines that are sent to Codex.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::{driver::OutgoingBytes, json::encode_line};

use super::{ApprovalPolicy, CodexOptions, CodexSandboxMode, ThreadStart};

/// The kinds of requests, as the prefix of their ids: a driver can match responses to requests of an earlier driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestKind {
    Initialize,
    Thread,
    Prompt,
    Steer,
    Interrupt,
}

impl RequestKind {
    /// Reads the id of an answer.
    pub(super) fn from_response_id(id: &RawValue) -> Option<Self> {
        let id: String = serde_json::from_str(id.get()).ok()?;
        match id.split('-').next()? {
            "initialize" => Some(Self::Initialize),
            "thread" => Some(Self::Thread),
            "prompt" => Some(Self::Prompt),
            "steer" => Some(Self::Steer),
            "interrupt" => Some(Self::Interrupt),
            _ => None,
        }
    }
}

/// Returns the handshake and the request for a thread. They can be sent without waiting for responses.
pub(super) fn encode_open_thread(options: &CodexOptions) -> Vec<OutgoingBytes> {
    let client = ClientInfo { name: "jangdan", title: "Jangdan", version: env!("CARGO_PKG_VERSION") };
    let capabilities = Capabilities { experimental_api: true };
    let initialize = Initialize { client_info: client, capabilities };
    let (method, thread_id) = match &options.thread {
        ThreadStart::Fresh => ("thread/start", None),
        ThreadStart::Resume(thread) | ThreadStart::Attached(thread) => {
            ("thread/resume", Some(thread.as_str()))
        }
    };
    let thread = OpenThread {
        thread_id,
        cwd: options.directory.to_string_lossy().into_owned(),
        approval_policy: options.approval.name(),
        // Each turn sets its own sandbox. A thread that may write makes the agent mark the folder as trusted in the
        // user's configuration file.
        sandbox: "read-only",
        model: options.model.as_deref(),
        // The history is in Jangdan's log, and would arrive as one long line.
        exclude_turns: thread_id.is_some().then_some(true),
    };
    [
        encode_request("initialize".to_owned(), "initialize", &initialize),
        encode_line(&Notification { method: "initialized" }),
        encode_request("thread".to_owned(), method, &thread),
    ]
    .concat()
}

/// Starts a turn, or adds to the running one.
pub(super) fn encode_prompt(
    options: &CodexOptions,
    number: u32,
    thread_id: &str,
    text: &str,
) -> Vec<OutgoingBytes> {
    let input = [TextInput { r#type: "text", text }];
    let sandbox_policy = SandboxPolicy::of_turn(options);
    encode_request(format!("prompt-{number}"), "turn/start", &TurnStart { thread_id, input, sandbox_policy })
}

/// Adds a text to the running turn.
pub(super) fn encode_steer(number: u32, thread_id: &str, turn: &str, text: &str) -> Vec<OutgoingBytes> {
    let steer = TurnSteer { thread_id, expected_turn_id: turn, input: [TextInput { r#type: "text", text }] };
    encode_request(format!("steer-{number}"), "turn/steer", &steer)
}

/// Stops the turn.
pub(super) fn encode_interrupt(number: u32, thread_id: &str, turn_id: &str) -> Vec<OutgoingBytes> {
    encode_request(format!("interrupt-{number}"), "turn/interrupt", &TurnInterrupt { thread_id, turn_id })
}

/// Answers a request of the agent, by its raw id.
pub(super) fn encode_response(id: &str, result: &impl Serialize) -> Vec<OutgoingBytes> {
    RawValue::from_string(id.to_owned())
        .map_or_else(|_| Vec::new(), |id| encode_line(&Response { id: &id, result }))
}

/// Refuses an unknown request.
pub(super) fn encode_refusal(id: &RawValue) -> Vec<OutgoingBytes> {
    encode_line(&ErrorResponse {
        id,
        error: ResponseError { code: -32601, message: "this client can't do that" },
    })
}

fn encode_request(id: String, method: &'static str, params: &impl Serialize) -> Vec<OutgoingBytes> {
    encode_line(&Request { id, method, params })
}

impl ApprovalPolicy {
    fn name(self) -> &'static str {
        match self {
            Self::Untrusted => "untrusted",
            Self::OnRequest => "on-request",
            Self::Never => "never",
        }
    }
}

impl SandboxPolicy {
    fn of_turn(options: &CodexOptions) -> Self {
        match options.sandbox {
            CodexSandboxMode::ReadOnly => Self::ReadOnly,
            CodexSandboxMode::WorkspaceWrite => Self::WorkspaceWrite {
                writable_roots: [options.directory.to_string_lossy().into_owned()],
                network_access: false,
            },
            CodexSandboxMode::None => Self::DangerFullAccess,
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
struct Response<'a, R> {
    id: &'a RawValue,
    result: &'a R,
}

#[derive(Serialize)]
struct ErrorResponse<'a> {
    id: &'a RawValue,
    error: ResponseError,
}

#[derive(Serialize)]
struct ResponseError {
    code: i32,
    message: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Initialize {
    client_info: ClientInfo,
    capabilities: Capabilities,
}

#[derive(Serialize)]
struct ClientInfo {
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
    input: [TextInput<'a>; 1],
    sandbox_policy: SandboxPolicy,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TurnSteer<'a> {
    thread_id: &'a str,
    expected_turn_id: &'a str,
    input: [TextInput<'a>; 1],
}

/// What the commands of a turn may do.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum SandboxPolicy {
    ReadOnly,
    WorkspaceWrite { writable_roots: [String; 1], network_access: bool },
    DangerFullAccess,
}

#[derive(Serialize)]
struct TextInput<'a> {
    r#type: &'static str,
    text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TurnInterrupt<'a> {
    thread_id: &'a str,
    turn_id: &'a str,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(sandbox: CodexSandboxMode) -> CodexOptions {
        CodexOptions {
            directory: "/work/tree".into(),
            thread: ThreadStart::Fresh,
            approval: ApprovalPolicy::OnRequest,
            sandbox,
            model: None,
            decoding: protocol::DecoderOptions {
                role: domain::Role::Worker,
                key: None,
                key_requirement: protocol::KeyRequirement::Optional,
                task_ids: protocol::AcceptedTaskIds::OfPlan(domain::PlanTaskIds::default()),
            },
        }
    }

    fn sent(outgoing: Vec<OutgoingBytes>) -> String {
        outgoing.into_iter().map(|line| String::from_utf8(line.bytes).unwrap()).collect()
    }

    #[test]
    fn only_turns_may_write_so_that_the_configuration_of_the_user_stays_unchanged() {
        for (mode, policy) in [
            (CodexSandboxMode::ReadOnly, r#"{"type":"readOnly"}"#),
            (
                CodexSandboxMode::WorkspaceWrite,
                r#"{"type":"workspaceWrite","writableRoots":["/work/tree"],"networkAccess":false}"#,
            ),
            (CodexSandboxMode::None, r#"{"type":"dangerFullAccess"}"#),
        ] {
            let options = options(mode);
            let opened = sent(encode_open_thread(&options));
            assert!(opened.contains(r#""sandbox":"read-only""#), "{opened}");
            let turn = sent(encode_prompt(&options, 1, "t", "hello"));
            assert!(turn.contains(&format!(r#""sandboxPolicy":{policy}"#)), "{turn}");
        }
    }

    #[test]
    fn reason_of_a_denial_is_added_to_the_turn() {
        let steer = sent(encode_steer(3, "t", "u", "not now"));
        let expected = r#"{"id":"steer-3","method":"turn/steer","params":{"threadId":"t","expectedTurnId":"u","input":[{"type":"text","text":"not now"}]}}"#;
        assert_eq!(steer.trim(), expected);
    }
}
