//! The interface of all drivers, whatever protocol their agent speaks: the same events out, the same inputs in.

pub use domain::ToolStatus;
use domain::{AskUser, MessageOffset, PermissionRequest, Timestamp, TurnTools, Usage};
use protocol::DecodedItem;
use serde::{Deserialize, Serialize};

/// Implements the protocol of one agent process. Does no IO: the owner of the process reads and writes its bytes.
pub trait Driver: Send {
    /// Returns the bytes to send to a new process: a handshake and the request for a new or resumed session.
    ///
    /// A driver that takes over a running process reports at most that the agent is ready.
    fn on_start(&mut self) -> Reaction;

    /// Reads the next output, which may be split anywhere. Never fails: unreadable output becomes a warning.
    fn on_output(&mut self, chunk: SpoolChunk<'_>) -> Reaction;

    /// Encodes an input. `number` identifies the input within the session and starts at 1.
    ///
    /// The same input always gives the same bytes, so it can be sent again after a restart.
    fn encode_input(&mut self, input: &AgentInput, number: u32) -> Result<Reaction, SendError>;

    /// Notes that there was no output for `silent_ms`, measured from the last output or input.
    ///
    /// Only needed by drivers whose agent does not report the end of a turn.
    fn on_silence(&mut self, _silent_ms: u64) -> Reaction {
        Reaction::default()
    }

    /// Notes that an earlier driver saw a turn end at this point of the output.
    ///
    /// Only needed by drivers whose agent does not report the end of a turn.
    fn on_replayed_turn_end(&mut self) -> Reaction {
        Reaction::default()
    }

    /// Returns after how many milliseconds without output [`Driver::on_silence`] is to be called; `None` for never.
    fn silence_timeout_ms(&self) -> Option<u64> {
        None
    }

    /// Notes that the process has ended. Ends an open turn.
    fn on_exit(&mut self) -> Reaction;

    /// Returns the offset from which a new driver for the same process must read.
    fn resume_offset(&self) -> u64;
}

/// A piece of an agent's output, as the session's spool recorded it.
#[derive(Debug, Clone, Copy)]
pub struct SpoolChunk<'a> {
    pub stream: OutputStream,
    /// The offset of the first byte in the session's spool.
    pub offset: u64,
    pub bytes: &'a [u8],
}

/// The stream that an agent wrote to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OutputStream {
    /// The terminal, or standard output.
    Output,
    Stderr,
}

/// The result of one call of a driver.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reaction {
    /// In the order in which they happened.
    pub events: Vec<DriverEvent>,
    /// Bytes for the agent, in the order in which they must be sent.
    pub outgoing: Vec<OutgoingBytes>,
}

impl Reaction {
    pub(crate) fn from_events(events: impl IntoIterator<Item = DriverEvent>) -> Self {
        Self { events: events.into_iter().collect(), outgoing: Vec::new() }
    }

    pub(crate) fn append(&mut self, next: Self) {
        self.events.extend(next.events);
        self.outgoing.extend(next.outgoing);
    }
}

/// Bytes to send to the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgoingBytes {
    /// The delay before sending, counted from the bytes before.
    pub after_ms: u64,
    pub bytes: Vec<u8>,
}

/// An event in an agent's session.
#[derive(Debug, Clone, PartialEq)]
pub enum DriverEvent {
    /// The agent accepts input.
    Ready {
        /// The agent's own id of its session, by which it can be resumed; `None` if it has no ids.
        agent_session: Option<String>,
    },
    /// The agent reports the model that it uses.
    Model {
        name: String,
    },
    /// Text of the agent for people, as it arrives.
    Text {
        text: String,
    },
    /// A message of Jangdan's protocol, or a failed attempt at one, in the agent's own text. Tool output never counts.
    Message {
        offset: MessageOffset,
        /// The offset from which to read again after a restart.
        read_from: u64,
        item: DecodedItem,
    },
    /// A tool call started, or its state changed.
    ToolCall(ToolCall),
    /// The agent requests a permission, and waits for the answer.
    Permission {
        request: PermissionRequest,
        /// The answers that the agent offers.
        options: Vec<PromptOption>,
    },
    /// The agent asks a question in the middle of its turn, and waits for the answer.
    Question {
        /// The prompt's id.
        prompt: String,
        question: Box<AskUser>,
    },
    /// The agent's own plan; replaces the one before.
    Plan {
        steps: Vec<PlanStep>,
    },
    /// The agent switched to another of its own modes.
    Mode {
        name: String,
    },
    /// The agent no longer waits for the answer to a prompt: it was answered elsewhere, or its action was abandoned.
    PromptWithdrawn {
        /// The prompt's id.
        prompt: String,
    },
    /// The tokens and costs since the last report.
    Usage(Usage),
    Warning(AgentWarning),
    /// The turn ended.
    TurnEnded {
        /// The offset from which to read again after a restart.
        read_from: u64,
        /// The agent's text of this turn, for people.
        text: String,
        /// The tools that were used in this turn.
        tools: TurnTools,
        outcome: TurnOutcome,
    },
}

/// The state of one tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The agent's id of the call.
    pub id: String,
    /// One line for people.
    pub title: String,
    pub status: ToolStatus,
    /// The whole output; whatever stores it shortens it.
    pub output: Option<String>,
}

/// A step of an agent's own plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanStep {
    /// One line for people.
    pub text: String,
    pub status: StepStatus,
}

/// The state of a step in an agent's own plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StepStatus {
    Waiting,
    Running,
    Done,
}

/// One of the answers that a permission prompt offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptOption {
    /// The agent's id of the option.
    pub id: String,
    /// The text for people.
    pub label: String,
    /// Whether it grants the permission.
    pub allows: bool,
    /// Whether the agent remembers it for later requests.
    pub is_permanent: bool,
}

/// A problem that does not end the turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentWarning {
    /// The agent repeats a failed request by itself.
    Retrying {
        attempt: u32,
        /// The delay before the next attempt.
        delay_ms: u64,
        /// The cause of the failure.
        message: String,
    },
    /// A usage limit is nearly reached.
    LimitNear { resets_at: Option<Timestamp>, used_permille: Option<u32> },
    /// The agent printed something that is not part of its protocol.
    UnknownOutput {
        /// The output, shortened to a few lines.
        text: String,
    },
}

/// The way in which a turn ended. Messages are the agent's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnOutcome {
    /// The agent completed its turn.
    Finished,
    /// The turn was interrupted.
    Cancelled,
    /// A usage limit is reached.
    Limited { message: String, resets_at: Option<Timestamp> },
    /// The agent is not logged in, or its key is wrong.
    Unauthorized { message: String },
    /// The session to resume does not exist.
    NotResumable { message: String },
    /// Any other failure.
    Failed { message: String },
}

/// An input for an agent. Sessions record it as JSON: the names of variants and fields must not change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum AgentInput {
    /// Starts a turn.
    Prompt { text: String },
    /// Answers a permission prompt.
    Permission {
        /// The prompt's id.
        prompt: String,
        allowed: bool,
        /// What the agent is told about a denial.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// Answers a question of the current turn.
    Answer {
        /// The prompt's id.
        prompt: String,
        answer: String,
    },
    /// Stops the turn; the session continues.
    Interrupt,
}

/// The reason why an input cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The agent does not wait for an answer to this prompt, or no longer does.
    #[error("no prompt '{prompt}' waits for an answer")]
    UnknownPrompt {
        /// The prompt's id.
        prompt: String,
    },
    #[error("the agent is not ready yet")]
    NotReady,
    /// A line is too long to be typed on a terminal. The text can be put into a file instead.
    #[error("cannot type a line of {bytes} bytes: the limit is {bytes_max}")]
    TooLong {
        /// The length of the longest line.
        bytes: usize,
        bytes_max: usize,
    },
}
