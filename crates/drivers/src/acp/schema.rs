//! The messages of an ACP agent, with the fields that are used here.
//!
//! Any field may be missing or have an unexpected type: one odd value must not discard a whole update, and agents
//! implement different versions. So the types are not generated from the official schema.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::value::RawValue;

/// Any line: a request, a notification, or a response.
#[derive(Debug, Deserialize)]
pub(super) struct Envelope {
    #[serde(default)]
    pub(super) id: Option<Box<RawValue>>,
    #[serde(default)]
    pub(super) method: Option<String>,
    #[serde(default)]
    pub(super) params: Option<Box<RawValue>>,
    #[serde(default)]
    pub(super) result: Option<Box<RawValue>>,
    #[serde(default)]
    pub(super) error: Option<RpcError>,
}

/// The error of a response.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RpcError {
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) code: i64,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) message: String,
    pub(super) data: Option<Box<RawValue>>,
}

/// Additional error data of some agents.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RpcErrorData {
    #[serde(rename = "errorKind", deserialize_with = "deserialize_or_default")]
    pub(super) error_kind: Option<String>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) message: Option<String>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) details: Option<String>,
    #[serde(rename = "resetsAt", alias = "resets_at", deserialize_with = "deserialize_or_default")]
    pub(super) resets_at: Option<i64>,
}

/// The result of `initialize`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct InitializeResult {
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) protocol_version: Option<u16>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) agent_capabilities: Capabilities,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Capabilities {
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) load_session: bool,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) session_capabilities: SessionCapabilities,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SessionCapabilities {
    pub(super) resume: Option<Box<RawValue>>,
}

/// The result of `session/new`, `session/load` and `session/resume`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct SessionOpened {
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) session_id: Option<String>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) models: Option<Models>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) config_options: Vec<ConfigOption>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Models {
    pub(super) current_model_id: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ConfigOption {
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) id: String,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) category: Option<String>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) current_value: Option<String>,
}

/// The result of `session/prompt`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct PromptResult {
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) stop_reason: String,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) usage: Option<TurnUsage>,
    #[serde(rename = "_meta", deserialize_with = "deserialize_or_default")]
    pub(super) meta: Option<PromptResultMeta>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct TurnUsage {
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) input_tokens: u64,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) output_tokens: u64,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) thought_tokens: u64,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) cached_read_tokens: u64,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) cached_write_tokens: u64,
}

/// Usage figures of Gemini.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PromptResultMeta {
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) quota: Option<Quota>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Quota {
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) token_count: Option<TokenCount>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TokenCount {
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) input_tokens: u64,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) output_tokens: u64,
}

/// The parameters of `session/update`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct SessionNotification {
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) session_id: Option<String>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) update: SessionUpdate,
}

/// All kinds of update; `session_update` is the kind.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct SessionUpdate {
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) session_update: String,
    /// A content block in a chunk, a list of results in a tool call.
    pub(super) content: Option<Box<RawValue>>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) message_id: Option<String>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) tool_call_id: Option<String>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) title: Option<String>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) kind: Option<String>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) status: Option<String>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) locations: Vec<ToolCallLocation>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) raw_input: Option<RawInput>,
    /// The output of a tool: a text, or an object that contains one.
    pub(super) raw_output: Option<Box<RawValue>>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) entries: Vec<PlanEntry>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) current_mode_id: Option<String>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) config_options: Vec<ConfigOption>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) used: Option<u64>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) size: Option<u64>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) cost: Option<Cost>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct ToolCallLocation {
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) path: String,
}

/// The input of a tool, by the field names of different agents.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct RawInput {
    #[serde(deserialize_with = "deserialize_command")]
    pub(super) command: Option<String>,
    #[serde(alias = "filePath", alias = "path", deserialize_with = "deserialize_or_default")]
    pub(super) file_path: Option<String>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) url: Option<String>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) description: Option<String>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) reason: Option<String>,
    /// The agent's plan, if it maintains it with a tool.
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) todos: Vec<PlanEntry>,
}

/// The output of a tool, by the field names of different agents.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RawOutput {
    #[serde(alias = "output", deserialize_with = "deserialize_or_default")]
    pub(super) formatted_output: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct PlanEntry {
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) content: String,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) status: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Cost {
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) amount: f64,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) currency: String,
}

/// A piece of content; only text is read.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Content {
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) r#type: String,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) text: Option<String>,
    /// Set in the content of a tool call.
    pub(super) content: Option<Box<RawValue>>,
    /// Set in a file change.
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) path: Option<String>,
}

/// The parameters of `session/request_permission`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct PermissionRequest {
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) tool_call: SessionUpdate,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) options: Vec<PermissionOption>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct PermissionOption {
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) option_id: String,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) name: String,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) kind: String,
}

/// The parameters of `$/cancel_request`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct CancelRequestParams {
    pub(super) request_id: Option<Box<RawValue>>,
}

/// The parameters of `elicitation/create`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ElicitationRequest {
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) mode: String,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) message: String,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) url: Option<String>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) requested_schema: FormSchema,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FormSchema {
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) properties: BTreeMap<String, Property>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) required: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Property {
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) r#type: String,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) title: Option<String>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) description: Option<String>,
    #[serde(alias = "anyOf", deserialize_with = "deserialize_or_default")]
    pub(super) one_of: Vec<Choice>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) r#enum: Vec<String>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) items: Option<Box<Property>>,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) default: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice {
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) r#const: String,
    #[serde(deserialize_with = "deserialize_or_default")]
    pub(super) title: Option<String>,
}

/// Reads a value; the default if it is missing or has another type.
pub(super) fn parse_or_default<T: DeserializeOwned + Default>(raw: Option<&RawValue>) -> T {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

fn deserialize_or_default<'de, D: Deserializer<'de>, T: DeserializeOwned + Default>(
    source: D,
) -> Result<T, D::Error> {
    Ok(parse_or_default(Some(&*Box::<RawValue>::deserialize(source)?)))
}

/// Reads a command line, given as one text or as a list.
fn deserialize_command<'de, D: Deserializer<'de>>(source: D) -> Result<Option<String>, D::Error> {
    let raw = Box::<RawValue>::deserialize(source)?;
    let words: Vec<String> = parse_or_default(Some(&raw));
    Ok(match &words[..] {
        [] => parse_or_default(Some(&raw)),
        // For a shell with one command, people and patterns mean the command.
        [shell, flag, line] if shell.ends_with("sh") && matches!(flag.as_str(), "-c" | "-lc") => {
            Some(line.clone())
        }
        words => Some(words.join(" ")),
    })
}
