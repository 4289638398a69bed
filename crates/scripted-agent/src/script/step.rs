//! The steps: each is a table with one key that names the step.
//!
//! If only one value matters, it can be written alone: `say = "hello"` is `say = { text = "hello" }`.

use serde::Deserialize;

use super::{
    Steps,
    turn::{PlanEntry, QuestionStep, RateLimit, ServiceFailure, StopReason, TokenUsage, ToolStep},
    value::{FromText, HexBytes, LineMatcher, ScriptDuration, Signal, deserialize_text_or_table},
};

/// One action of the agent.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Writes a message, byte for byte.
    #[serde(deserialize_with = "deserialize_text_or_table")]
    Say(SayStep),
    /// Writes bytes directly, outside the protocol.
    Bytes(HexBytes),
    /// Writes a line directly, outside the protocol.
    Raw(String),
    /// Writes a thought.
    Think(String),
    /// Asks with an `[ASK_USER]` message, and waits for the answer.
    #[serde(deserialize_with = "deserialize_text_or_table")]
    Ask(AskUserStep),
    /// Asks with the question tool of the protocol, and waits for the choice.
    #[serde(deserialize_with = "deserialize_text_or_table")]
    Question(QuestionStep),
    /// Waits for a line, or for a prompt if the protocol has turns.
    #[serde(deserialize_with = "deserialize_text_or_table")]
    Wait(InputWaitStep),
    /// Reports the use of a tool.
    Tool(ToolStep),
    /// Reports a plan.
    Plan(Vec<PlanEntry>),
    /// Sets the token usage that the turn reports.
    Usage(TokenUsage),
    /// Reports how much of the rate limit is used.
    Limits(RateLimit),
    EndTurn(StopReason),
    /// Ends the turn with an error of the model service.
    Fail(ServiceFailure),
    /// Pauses, but still handles input.
    Sleep(ScriptDuration),
    Exit(u8),
    /// Sends a signal to the agent itself.
    Signal(Signal),
    /// Stops making progress.
    Hang(HangMode),
    /// Writes bulk output.
    Flood(FloodStep),
    /// Starts a process that runs steps in parallel.
    #[serde(deserialize_with = "deserialize_text_or_table")]
    Fork(ForkStep),
    /// Ignores signals from now on.
    Ignore(Vec<Signal>),
    /// Writes escape sequences without visible effect.
    Noise(EscapeNoiseStep),
    /// Shows a spinner.
    #[serde(deserialize_with = "deserialize_text_or_table")]
    Spinner(SpinnerStep),
    /// Sets the terminal mode.
    Terminal(TerminalInputMode),
    Write(WriteFileStep),
    Repeat(RepeatStep),
    /// Runs the steps of the first case that matches the last input.
    Choose(Vec<ChoiceCase>),
    /// Runs the steps of a part.
    Play(String),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SayStep {
    /// May contain placeholders.
    pub text: String,
    /// Largest number of bytes written at once.
    pub chunk: Option<std::num::NonZeroUsize>,
    /// Pause after each chunk.
    #[serde(default)]
    pub pause: ScriptDuration,
    /// Writes to standard error instead.
    #[serde(default)]
    pub stderr: bool,
}

impl FromText for SayStep {
    fn from_text(text: String) -> Result<Self, String> {
        Ok(Self { text, chunk: None, pause: ScriptDuration::default(), stderr: false })
    }
}

/// A question as an `[ASK_USER]` message.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskUserStep {
    pub text: String,
    /// Choices that are offered.
    #[serde(default)]
    pub options: Vec<String>,
}

impl FromText for AskUserStep {
    fn from_text(text: String) -> Result<Self, String> {
        Ok(Self { text, options: Vec::new() })
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputWaitStep {
    /// Condition for the line or prompt; `for` in the file.
    #[serde(default, rename = "for")]
    pub matcher: LineMatcher,
    /// Fails after this time.
    pub within: Option<ScriptDuration>,
}

impl FromText for InputWaitStep {
    fn from_text(text: String) -> Result<Self, String> {
        Ok(Self { matcher: LineMatcher::from_text(text)?, within: None })
    }
}

/// How the agent stops making progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HangMode {
    /// Still reads its input.
    Listening,
    /// Does not read its input either.
    Deaf,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FloodStep {
    /// Size in millions of bytes.
    pub mb: u64,
    /// Text of each line, after its number.
    #[serde(default)]
    pub line: String,
}

/// A process started by the agent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForkStep {
    pub kind: ProcessKind,
    /// Without steps the process sleeps for a minute.
    #[serde(default)]
    pub steps: Steps,
    /// Does not inherit the agent's output.
    #[serde(default)]
    pub detached: bool,
}

impl FromText for ForkStep {
    fn from_text(text: String) -> Result<Self, String> {
        Ok(Self { kind: ProcessKind::from_name(&text)?, steps: Vec::new(), detached: false })
    }
}

/// Relation of a process to the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcessKind {
    /// A child in the agent's process group.
    SameGroup,
    /// A child in its own process group.
    OwnGroup,
    /// A child in its own session.
    OwnSession,
    /// A grandchild in its own session, whose parent has exited.
    Daemon,
}

impl ProcessKind {
    fn from_name(text: &str) -> Result<Self, String> {
        match text {
            "same_group" => Ok(Self::SameGroup),
            "own_group" => Ok(Self::OwnGroup),
            "own_session" => Ok(Self::OwnSession),
            "daemon" => Ok(Self::Daemon),
            other => Err(format!("unknown process kind `{other}`")),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EscapeNoiseStep {
    /// Minimum size in bytes.
    pub bytes: usize,
    /// The same seed produces the same noise.
    #[serde(default)]
    pub seed: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpinnerStep {
    /// Text after the spinner.
    pub text: String,
    #[serde(default = "default_frame_count")]
    pub frames: u32,
    /// Pause between frames.
    #[serde(default)]
    pub pause: ScriptDuration,
}

fn default_frame_count() -> u32 {
    10
}

impl FromText for SpinnerStep {
    fn from_text(text: String) -> Result<Self, String> {
        Ok(Self { text, frames: default_frame_count(), pause: ScriptDuration::default() })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TerminalInputMode {
    /// The mode at the start of the agent.
    Cooked,
    /// Line mode without echo.
    NoEcho,
    /// Every byte is read as it is typed.
    Raw,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteFileStep {
    /// Relative to the folder in which the agent was started.
    pub path: String,
    /// May contain placeholders.
    #[serde(default)]
    pub text: String,
    /// Appends to an existing file instead of replacing it.
    #[serde(default)]
    pub append: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepeatStep {
    pub times: RepeatCount,
    pub steps: Steps,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepeatCount {
    Count(u64),
    /// Until another step ends the script.
    Forever,
}

/// Steps that run if the last input matches.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChoiceCase {
    /// Matches everything if omitted.
    #[serde(default)]
    pub when: LineMatcher,
    pub steps: Steps,
}
