//! The parameters of requests and responses to an ACP agent.

use serde::Serialize;

/// A program that serves tools to the agent over its standard input and output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct McpServer {
    /// The name under which the agent knows its tools.
    pub name: String,
    pub command: String,
    pub args: Vec<String>,
    /// Added to its environment.
    pub env: Vec<EnvironmentVariable>,
}

/// A variable of an environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EnvironmentVariable {
    pub name: String,
    pub value: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Initialize {
    protocol_version: u16,
    client_capabilities: ClientCapabilities,
    client_info: ClientInfo,
}

#[derive(Serialize)]
struct ClientCapabilities {
    fs: FileCapabilities,
    terminal: bool,
    elicitation: ElicitationCapabilities,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FileCapabilities {
    read_text_file: bool,
    write_text_file: bool,
}

#[derive(Serialize)]
struct ElicitationCapabilities {
    form: EmptyObject,
    url: EmptyObject,
}

#[derive(Serialize)]
struct EmptyObject {}

#[derive(Serialize)]
struct ClientInfo {
    name: &'static str,
    title: &'static str,
    version: &'static str,
}

impl Initialize {
    /// Offers neither files nor terminals: the agent uses its own, and reports tool calls.
    pub(super) fn new() -> Self {
        Self {
            protocol_version: super::PROTOCOL_VERSION,
            client_capabilities: ClientCapabilities {
                fs: FileCapabilities { read_text_file: false, write_text_file: false },
                terminal: false,
                elicitation: ElicitationCapabilities { form: EmptyObject {}, url: EmptyObject {} },
            },
            client_info: ClientInfo { name: "jangdan", title: "Jangdan", version: env!("CARGO_PKG_VERSION") },
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OpenSessionParams<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session_id: Option<&'a str>,
    pub(super) cwd: &'a str,
    pub(super) mcp_servers: &'a [McpServer],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Prompt<'a> {
    session_id: &'a str,
    prompt: [TextBlock<'a>; 1],
}

#[derive(Serialize)]
struct TextBlock<'a> {
    r#type: &'static str,
    text: &'a str,
}

impl<'a> Prompt<'a> {
    pub(super) fn new(session_id: &'a str, text: &'a str) -> Self {
        Self { session_id, prompt: [TextBlock { r#type: "text", text }] }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Cancel<'a> {
    pub(super) session_id: &'a str,
}

/// The answer to a permission prompt.
#[derive(Serialize)]
pub(super) struct PermissionReply {
    outcome: PermissionOutcome,
}

#[derive(Serialize)]
#[serde(tag = "outcome", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum PermissionOutcome {
    Selected { option_id: String },
    Cancelled,
}

impl PermissionReply {
    /// Selects an option; `None` cancels the prompt.
    pub(super) fn new(option: Option<String>) -> Self {
        let outcome = option
            .map_or(PermissionOutcome::Cancelled, |option_id| PermissionOutcome::Selected { option_id });
        Self { outcome }
    }
}
