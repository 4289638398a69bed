//! The script of the model: its replies and errors, turn by turn.

use std::{collections::VecDeque, time::Duration};

use serde_json::Value;

/// The reply to side requests. Gemini CLI lets a small model choose the large one, and repeats the request until it gets
/// one of these objects; other agents accept any text as a title.
const SIDE_REPLY: &str = concat!(
    r#"{"reasoning":"scripted","model_choice":"flash","#,
    r#""complexity_reasoning":"scripted","complexity_score":1}"#
);

/// All replies of the model.
#[derive(Debug, Clone, Default)]
pub struct Script {
    /// Checked in their order; the first that matches and has a turn left is used.
    pub rules: Vec<Rule>,
    /// Reply to side requests, which are not part of the conversation: titles, summaries, the choice of a model.
    /// Agents offer no tools in those.
    pub side_reply: String,
    /// Whether side requests take turns of the script too.
    pub scripts_side_requests: bool,
    /// The text after which a prompt contains the session key; the last key found replaces [`KEY`] in replies. A resumed
    /// conversation contains the keys of earlier sessions too.
    pub key_after: Option<String>,
}

/// Placeholder for the session key in a reply.
pub const KEY: &str = "$KEY";

impl Script {
    /// Creates a script with these turns, whatever the prompt.
    pub fn from_turns(turns: impl IntoIterator<Item = ScriptedTurn>) -> Self {
        let rule = Rule { contains: None, conversation_contains: None, turns: turns.into_iter().collect() };
        Self {
            rules: vec![rule],
            side_reply: SIDE_REPLY.to_owned(),
            scripts_side_requests: false,
            key_after: None,
        }
    }

    /// Replaces the placeholder of a turn with the key in the conversation.
    pub(crate) fn fill_in_session_key(&self, mut turn: ScriptedTurn, conversation: &str) -> ScriptedTurn {
        let found = self.key_after.as_ref().and_then(|text| conversation.rsplit_once(text));
        let is_key = |sign: char| sign.is_ascii_alphanumeric();
        let key = found.and_then(|(_, rest)| rest.trim_start().split(|sign| !is_key(sign)).next());
        if let (ScriptedTurn::Reply(reply), Some(key)) = (&mut turn, key) {
            for part in &mut reply.parts {
                if let ReplyPart::Text(text) = part {
                    *text = text.replace(KEY, key);
                }
            }
        }
        turn
    }

    /// Takes the next turn for a prompt at the end of a conversation.
    pub(crate) fn take_turn(&mut self, prompt: &str, conversation: &str) -> Option<ScriptedTurn> {
        let contains =
            |text: &str, part: &Option<String>| part.as_ref().is_none_or(|part| text.contains(part));
        let matches = |rule: &Rule| {
            contains(prompt, &rule.contains) && contains(conversation, &rule.conversation_contains)
        };
        self.rules.iter_mut().filter(|rule| matches(rule)).find_map(|rule| rule.turns.pop_front())
    }
}

/// Turns for prompts with a certain text.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Text that the last prompt must contain; `None` matches every prompt.
    pub contains: Option<String>,
    /// Text that the whole request must contain, such as the heading of the task in its first prompt; `None` matches
    /// every request.
    pub conversation_contains: Option<String>,
    /// Each is used once, in this order.
    pub turns: VecDeque<ScriptedTurn>,
}

/// One response of the model.
#[derive(Debug, Clone)]
pub enum ScriptedTurn {
    /// Texts and calls of tools.
    Reply(ScriptedReply),
    /// An error of the service.
    Error(ScriptedError),
}

impl ScriptedTurn {
    /// Returns a reply with one text.
    pub fn text_reply(text: &str) -> Self {
        Self::Reply(ScriptedReply {
            parts: vec![ReplyPart::Text(text.to_owned())],
            ..ScriptedReply::default()
        })
    }

    /// Returns a reply with one call of a tool.
    pub fn tool_call(name: &str, input: Value) -> Self {
        let parts = vec![ReplyPart::Tool { name: name.to_owned(), input }];
        Self::Reply(ScriptedReply { parts, ..ScriptedReply::default() })
    }

    /// Returns an error of the service, with an optional `retry-after`.
    pub fn error_response(status: u16, retry_after_seconds: Option<u32>) -> Self {
        let header = retry_after_seconds.map(|seconds| ("retry-after".to_owned(), seconds.to_string()));
        Self::Error(ScriptedError {
            status,
            headers: header.into_iter().collect(),
            ..ScriptedError::default()
        })
    }
}

/// A reply of the model, and how it is sent.
#[derive(Debug, Clone, Default)]
pub struct ScriptedReply {
    /// Texts and calls of tools, in their order.
    pub parts: Vec<ReplyPart>,
    /// Time before the first byte.
    pub delay: Duration,
    /// Time between two events of a stream.
    pub pace: Duration,
    /// Number of events after which the connection is cut.
    pub cut_after: Option<usize>,
    /// Reported usage; estimated if `None`.
    pub usage: Option<Usage>,
    /// Additional headers, such as rate limits.
    pub headers: Vec<(String, String)>,
}

/// A part of a reply.
#[derive(Debug, Clone, PartialEq)]
pub enum ReplyPart {
    /// Text for the user.
    Text(String),
    /// The call of a tool.
    Tool {
        /// The name under which the agent offered it.
        name: String,
        /// The arguments of the call.
        input: Value,
    },
}

/// An error response of the service.
#[derive(Debug, Clone, Default)]
pub struct ScriptedError {
    /// The HTTP status, such as 429 or 529.
    pub status: u16,
    /// Additional headers, such as `retry-after`.
    pub headers: Vec<(String, String)>,
    /// Error code, such as `usage_limit_reached`; by default the usual one of the status.
    pub kind: Option<String>,
    /// Text for the user; by default it names the status.
    pub message: String,
}

/// Number of tokens in a request and its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Tokens of the prompt.
    pub input: u64,
    /// Tokens of the reply.
    pub output: u64,
}
