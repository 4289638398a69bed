//! What the model says, turn by turn, and to whom.

use std::{collections::VecDeque, time::Duration};

use serde_json::Value;

/// What is said to those who ask beside the conversation. Gemini CLI lets a small model choose the large one, wants one
/// of these objects, and asks for ever until it has it; the others take any text for a title.
const ASIDE: &str = concat!(
    r#"{"reasoning":"scripted","model_choice":"flash","#,
    r#""complexity_reasoning":"scripted","complexity_score":1}"#
);

/// All that the model says.
#[derive(Debug, Clone, Default)]
pub struct Script {
    /// Looked at in their order; the first that hears its words and has something left answers.
    pub rules: Vec<Rule>,
    /// What it answers to requests that are not part of the conversation: titles, summaries, the choice of a model.
    /// Agents offer no tools in those.
    pub aside: String,
    /// Requests without tools are part of the conversation too.
    pub counts_asides: bool,
    /// The words behind which an agent is told its key: the first that stands there in the conversation is said in the
    /// place of [`KEY`].
    pub key_behind: Option<String>,
}

/// Stands for a key in a text.
pub const KEY: &str = "$KEY";

impl Script {
    /// A script that says these turns to whoever asks.
    pub fn of(turns: impl IntoIterator<Item = Turn>) -> Self {
        let rule = Rule { hears: None, turns: turns.into_iter().collect() };
        Self { rules: vec![rule], aside: ASIDE.to_owned(), counts_asides: false, key_behind: None }
    }

    /// Says the key from a conversation where the script has a sign for it.
    pub(crate) fn with_key(&self, mut turn: Turn, conversation: &str) -> Turn {
        let told = self.key_behind.as_ref().and_then(|behind| conversation.split_once(behind));
        let is_key = |sign: char| sign.is_ascii_alphanumeric();
        let key = told.and_then(|(_, rest)| rest.trim_start().split(|sign| !is_key(sign)).next());
        if let (Turn::Says(speech), Some(key)) = (&mut turn, key) {
            for says in &mut speech.says {
                if let Says::Text(text) = says {
                    *text = text.replace(KEY, key);
                }
            }
        }
        turn
    }

    /// Takes the next turn for what was last said to the model.
    pub(crate) fn next(&mut self, words: &str) -> Option<Turn> {
        let hears = |rule: &Rule| rule.hears.as_ref().is_none_or(|wanted| words.contains(wanted));
        self.rules.iter_mut().filter(|rule| hears(rule)).find_map(|rule| rule.turns.pop_front())
    }
}

/// Turns for those who say certain words.
#[derive(Debug, Clone)]
pub struct Rule {
    /// What must be in the last that was said to the model; without it everything fits.
    pub hears: Option<String>,
    /// What it says then, in turn.
    pub turns: VecDeque<Turn>,
}

/// One answer.
#[derive(Debug, Clone)]
pub enum Turn {
    /// Says something.
    Says(Speech),
    /// Answers with an error.
    Refuses(Refusal),
}

impl Turn {
    /// Says a text.
    pub fn text(text: &str) -> Self {
        Self::Says(Speech { says: vec![Says::Text(text.to_owned())], ..Speech::default() })
    }

    /// Calls a tool.
    pub fn tool(name: &str, input: Value) -> Self {
        let says = vec![Says::Tool { name: name.to_owned(), input }];
        Self::Says(Speech { says, ..Speech::default() })
    }

    /// Answers with an error of the service, and when to come again.
    pub fn refusal(status: u16, retry_after_seconds: Option<u32>) -> Self {
        let header = retry_after_seconds.map(|seconds| ("retry-after".to_owned(), seconds.to_string()));
        Self::Refuses(Refusal { status, headers: header.into_iter().collect(), ..Refusal::default() })
    }
}

/// Something that is said.
#[derive(Debug, Clone, Default)]
pub struct Speech {
    /// Texts and calls of tools, in their order.
    pub says: Vec<Says>,
    /// Waits so long before the first byte.
    pub delay: Duration,
    /// Waits so long between two events of a stream.
    pub pace: Duration,
    /// Cuts the connection after so many events of a stream.
    pub cut_after: Option<usize>,
    /// What it says that it cost; counted where it is left out.
    pub usage: Option<Usage>,
    /// Headers beside the usual, such as limits.
    pub headers: Vec<(String, String)>,
}

/// A part of what is said.
#[derive(Debug, Clone, PartialEq)]
pub enum Says {
    /// A text.
    Text(String),
    /// The call of a tool.
    Tool {
        /// Its name, as the agent offered it.
        name: String,
        /// What it is given.
        input: Value,
    },
}

/// An error of the service.
#[derive(Debug, Clone, Default)]
pub struct Refusal {
    /// The HTTP status, such as 429 or 529.
    pub status: u16,
    /// Headers beside the usual, such as `retry-after`.
    pub headers: Vec<(String, String)>,
    /// The service's own word for it, where it is not the usual one, such as `usage_limit_reached`.
    pub kind: Option<String>,
    /// What it says.
    pub message: String,
}

/// Tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// That the model read.
    pub input: u64,
    /// That it wrote.
    pub output: u64,
}
