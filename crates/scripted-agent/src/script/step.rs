//! The steps: each is a table with one key that names it, and a value that says the rest.
//!
//! Where a step has one thing that matters, that thing alone is enough: `say = "hello"` is `say = { text = "hello" }`.

use serde::Deserialize;

use super::{
    Steps,
    turn::{Failure, Limits, PlanEntry, Question, Stop, Tool, Usage},
    value::{Hex, Matcher, Pause, Short, Signal, short},
};

/// One thing that the player does.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Says a text, exactly.
    #[serde(deserialize_with = "short")]
    Say(Say),
    /// Writes bytes past the voice, exactly.
    Bytes(Hex),
    /// Writes a line past the voice.
    Raw(String),
    /// Thinks aloud.
    Think(String),
    /// Asks in the protocol's own words, and waits for what is answered.
    #[serde(deserialize_with = "short")]
    Ask(Ask),
    /// Asks with the voice's own question tool, and waits for what is chosen.
    #[serde(deserialize_with = "short")]
    Question(Question),
    /// Waits for a line, or for a prompt where the voice has turns.
    #[serde(deserialize_with = "short")]
    Wait(Wait),
    /// Uses a tool.
    Tool(Tool),
    /// Tells its plan.
    Plan(Vec<PlanEntry>),
    /// Sets what the turn is said to have cost.
    Usage(Usage),
    /// Tells how much of the plan's limit is used.
    Limits(Limits),
    /// Ends the turn.
    EndTurn(Stop),
    /// Ends the turn with an error of the model's service.
    Fail(Failure),
    /// Does nothing for a time, but listens.
    Sleep(Pause),
    /// Ends with a status.
    Exit(u8),
    /// Sends itself a signal.
    Signal(Signal),
    /// Goes no further.
    Hang(Hang),
    /// Writes very much.
    Flood(Flood),
    /// Starts a process of the player's own that plays steps beside it.
    #[serde(deserialize_with = "short")]
    Fork(Fork),
    /// Pays no heed to signals from now on.
    Ignore(Vec<Signal>),
    /// Writes escape sequences that mean nothing.
    Noise(Noise),
    /// Turns a spinner.
    #[serde(deserialize_with = "short")]
    Spinner(Spinner),
    /// Sets the terminal.
    Terminal(Terminal),
    /// Writes a file.
    Write(WriteFile),
    /// Does steps several times.
    Repeat(Repeat),
    /// Does the steps of the first case that fits what was last heard.
    Choose(Vec<Case>),
    /// Does the steps of a part.
    Play(String),
}

/// A text that is said.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Say {
    /// The text, with its placeholders.
    pub text: String,
    /// Writes at most so many bytes at once.
    pub chunk: Option<std::num::NonZeroUsize>,
    /// Waits so long after each chunk.
    #[serde(default)]
    pub pause: Pause,
    /// Says it on standard error.
    #[serde(default)]
    pub stderr: bool,
}

impl Short for Say {
    fn of(text: String) -> Result<Self, String> {
        Ok(Self { text, chunk: None, pause: Pause::default(), stderr: false })
    }
}

/// A question in the protocol's own words.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// The question.
    pub text: String,
    /// What can be chosen.
    #[serde(default)]
    pub options: Vec<String>,
}

impl Short for Ask {
    fn of(text: String) -> Result<Self, String> {
        Ok(Self { text, options: Vec::new() })
    }
}

/// What is waited for, and how long.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wait {
    /// What the line or the prompt looks like.
    #[serde(default, rename = "for")]
    pub matcher: Matcher,
    /// Fails after so long.
    pub within: Option<Pause>,
}

impl Short for Wait {
    fn of(text: String) -> Result<Self, String> {
        Ok(Self { matcher: Matcher::of(text)?, within: None })
    }
}

/// How the player goes no further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hang {
    /// It still reads what it is told.
    Listening,
    /// It does not read either.
    Deaf,
}

/// Very much output.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flood {
    /// How many millions of bytes.
    pub mb: u64,
    /// What each line says behind its number.
    #[serde(default)]
    pub line: String,
}

/// A process beside the player.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fork {
    /// How far it is from the player.
    pub kind: Kind,
    /// What it does; a minute of nothing without them.
    #[serde(default)]
    pub steps: Steps,
    /// Does not keep the player's output open.
    #[serde(default)]
    pub detached: bool,
}

impl Short for Fork {
    fn of(text: String) -> Result<Self, String> {
        Ok(Self { kind: Kind::of(&text)?, steps: Vec::new(), detached: false })
    }
}

/// How far a process is from the player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A child in the player's process group.
    SameGroup,
    /// A child in a group of its own.
    OwnGroup,
    /// A child in a session of its own.
    OwnSession,
    /// A grandchild in a session of its own, whose parent is gone.
    Daemon,
}

impl Kind {
    fn of(text: &str) -> Result<Self, String> {
        match text {
            "same_group" => Ok(Self::SameGroup),
            "own_group" => Ok(Self::OwnGroup),
            "own_session" => Ok(Self::OwnSession),
            "daemon" => Ok(Self::Daemon),
            other => Err(format!("there is no kind of process `{other}`")),
        }
    }
}

/// Escape sequences that mean nothing.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Noise {
    /// How many bytes at least.
    pub bytes: usize,
    /// The same seed makes the same noise.
    #[serde(default)]
    pub seed: u64,
}

/// A spinner.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spinner {
    /// The words behind it.
    pub text: String,
    /// How many frames.
    #[serde(default = "frames")]
    pub frames: u32,
    /// The time between two.
    #[serde(default)]
    pub pause: Pause,
}

fn frames() -> u32 {
    10
}

impl Short for Spinner {
    fn of(text: String) -> Result<Self, String> {
        Ok(Self { text, frames: frames(), pause: Pause::default() })
    }
}

/// How the terminal is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Terminal {
    /// As it was when the player began.
    Cooked,
    /// Lines, but what is typed is not shown.
    NoEcho,
    /// Every byte as it comes.
    Raw,
}

/// A file that is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteFile {
    /// Where, from the folder that the player was started in.
    pub path: String,
    /// What, with its placeholders.
    #[serde(default)]
    pub text: String,
    /// Behind what is there already.
    #[serde(default)]
    pub append: bool,
}

/// Steps that are done several times.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    /// How often.
    pub times: Times,
    /// What.
    pub steps: Steps,
}

/// How often something is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// So often.
    Count(u64),
    /// Until something else ends it.
    Forever,
}

/// What is done where it fits what was last heard.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What was heard; everything fits where this is left out.
    #[serde(default)]
    pub when: Matcher,
    /// What is done then.
    pub steps: Steps,
}
