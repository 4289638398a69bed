//! What every driver does, whatever its agent speaks: the same happenings out, the same words in.

pub use domain::ToolStatus;
use domain::{AskUser, MessageOffset, PermissionRequest, Timestamp, TurnTools, Usage};
use protocol::Item;
use serde::{Deserialize, Serialize};

/// Speaks with one agent process. Does no IO: whoever owns the process carries bytes to and fro.
pub trait Driver: std::marker::Send {
    /// Returns what is sent when the process is there: a handshake, a new session or one that is resumed.
    ///
    /// A driver that takes over from another one says at most that the agent is ready.
    fn open(&mut self) -> Reaction;

    /// Takes output as it comes, cut anywhere. Never fails: what can't be understood is a happening too.
    fn hear(&mut self, chunk: Chunk<'_>) -> Reaction;

    /// Turns what is to be told into bytes. `number` is the input's own, from 1.
    ///
    /// The same input gives the same bytes, so that it can be sent again after a restart.
    fn tell(&mut self, told: &Told, number: u32) -> Result<Reaction, Untold>;

    /// Says that nothing came for so long, since the last output or the last thing that was told.
    ///
    /// Drivers that are told by their agent when a turn ends need not care.
    fn silence(&mut self, _silent_ms: u64) -> Reaction {
        Reaction::default()
    }

    /// Says that a turn had ended here when this output was heard for the first time.
    ///
    /// Drivers that are told by their agent see it for themselves.
    fn turn_had_ended(&mut self) -> Reaction {
        Reaction::default()
    }

    /// Returns after how many milliseconds without output [`Driver::silence`] wants to be called, if it does.
    fn patience_ms(&self) -> Option<u64> {
        None
    }

    /// Says that the process has ended: a turn that was open ends with it.
    fn end(&mut self) -> Reaction;

    /// Returns the offset from which a new driver for the same process must read.
    fn read_from(&self) -> u64;
}

/// A piece of an agent's output.
#[derive(Debug, Clone, Copy)]
pub struct Chunk<'a> {
    /// Where it came from.
    pub stream: Stream,
    /// The offset of its first byte in the session's spool.
    pub offset: u64,
    /// The bytes.
    pub bytes: &'a [u8],
}

/// Where an agent wrote something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Its terminal, or its standard output.
    Output,
    /// Its standard error.
    Errors,
}

/// What follows from some output, or from something that was told.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reaction {
    /// What happened, in order.
    pub happened: Vec<Happening>,
    /// What is to be sent, in order.
    pub send: Vec<Send>,
}

impl Reaction {
    /// Returns what happened, with nothing to be sent.
    pub(crate) fn of(happened: impl IntoIterator<Item = Happening>) -> Self {
        Self { happened: happened.into_iter().collect(), send: Vec::new() }
    }

    /// Adds what follows from what came next.
    pub(crate) fn append(&mut self, next: Self) {
        self.happened.extend(next.happened);
        self.send.extend(next.send);
    }
}

/// Bytes for the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Send {
    /// How long to wait before they are sent.
    pub after_ms: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq)]
pub enum Happening {
    /// The agent can be told things; its own session id is known, where it has one.
    Ready {
        /// By which it can be resumed.
        agent_session: Option<String>,
    },
    /// The agent says which model it is.
    Model {
        /// The model's name.
        name: String,
    },
    /// Words for people, as they come.
    Words {
        /// The words.
        text: String,
    },
    /// A message of the protocol in the agent's own words; never in what its tools print.
    Said {
        /// Where it stands.
        heard: MessageOffset,
        /// From where reading starts again after a restart.
        read_from: u64,
        /// What it is.
        item: Item,
    },
    /// A tool is called, or is further than before.
    ToolCall(ToolCall),
    /// The agent asks whether it may do something, and waits.
    Permission {
        /// What it wants to do.
        wish: PermissionRequest,
        /// The answers it offers.
        options: Vec<PromptOption>,
    },
    /// The agent asks something in the middle of its turn, and waits.
    Prompt {
        /// The prompt's own id.
        prompt: String,
        /// What is asked.
        asked: Box<AskUser>,
    },
    /// The agent says what it is going to do.
    Plan {
        /// All steps as they are now.
        steps: Vec<PlanStep>,
    },
    /// The agent works in another mode of its own from now on.
    Mode {
        /// The agent's own name of it.
        name: String,
    },
    /// The agent no longer waits for the answer to a prompt: somebody else gave it, or its act was given up.
    Withdrawn {
        /// The prompt's own id.
        prompt: String,
    },
    /// Tokens and money were used since the last report.
    Usage(Usage),
    /// Something is wrong and may pass: a limit is near, a request is tried again.
    Trouble(Trouble),
    /// The turn is over.
    TurnEnded {
        /// From where reading starts again after a restart.
        read_from: u64,
        /// What it said in this turn, for people.
        words: String,
        /// Which tools it used in this turn.
        tools: TurnTools,
        /// How.
        outcome: TurnOutcome,
    },
}

/// A tool that an agent uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The agent's own id of the call.
    pub id: String,
    /// What is done, in a line.
    pub title: String,
    /// How far it is.
    pub status: ToolStatus,
    /// What it printed, for people. All of it: whoever keeps it makes it shorter.
    pub output: Option<String>,
}

/// A step of what an agent is going to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanStep {
    /// What is done, in a line.
    pub text: String,
    /// How far it is.
    pub status: StepStatus,
}

/// How far a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StepStatus {
    /// It has not begun.
    Waiting,
    /// It is under way.
    Running,
    /// It is done.
    Done,
}

/// An answer that a prompt offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptOption {
    /// The agent's own name of it.
    pub id: String,
    /// What people read.
    pub label: String,
    /// Whether it lets the agent do what it wants.
    pub allows: bool,
    /// Whether it holds for more than this once.
    pub is_kept: bool,
}

/// Something that is wrong and may pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// The agent tries a request again by itself.
    Retrying {
        /// Which time.
        attempt: u32,
        /// After how long.
        delay_ms: u64,
        /// Why.
        message: String,
    },
    /// A limit is near.
    LimitNear {
        /// When it resets.
        resets_at: Option<Timestamp>,
        /// How much is used, in thousandths.
        used_permille: Option<u32>,
    },
    /// The agent printed what is no part of its protocol.
    Garbage {
        /// What it printed, cut to a few lines.
        text: String,
    },
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnOutcome {
    /// The agent has said what it had to say.
    Finished,
    /// Somebody stopped it.
    Cancelled,
    /// A limit is used up.
    Limited {
        /// What the agent says.
        message: String,
        /// When it resets.
        resets_at: Option<Timestamp>,
    },
    /// The agent is not logged in, or its key is wrong.
    Unauthorized {
        /// What the agent says.
        message: String,
    },
    /// The session that was to be resumed is not there.
    NotResumable {
        /// What the agent says.
        message: String,
    },
    /// Anything else went wrong.
    Failed {
        /// What the agent says.
        message: String,
    },
}

/// Something to tell an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Told {
    /// A prompt of its own: a turn begins.
    Prompt {
        /// The words.
        text: String,
    },
    /// The answer to a permission prompt.
    Permission {
        /// The prompt's own id.
        prompt: String,
        /// Whether it may.
        allowed: bool,
    },
    /// The answer to a question that the turn waits for.
    Answer {
        /// The prompt's own id.
        prompt: String,
        /// The answer.
        answer: String,
    },
    /// Stop the turn; the session goes on.
    Interrupt,
}

/// Why something can't be told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Untold {
    /// The agent does not wait for this prompt's answer, or no longer does.
    #[error("no prompt '{prompt}' waits for an answer")]
    UnknownPrompt {
        /// The prompt's own id.
        prompt: String,
    },
    /// The agent is not ready for it yet.
    #[error("the agent is not ready yet")]
    NotReady,
    /// It can't be typed: put it into a file, and tell the agent where that is.
    #[error("a line of {bytes} bytes can't be typed, only one of {bytes_max}")]
    TooLong {
        /// How long its longest line is.
        bytes: usize,
        /// How long a line may be.
        bytes_max: usize,
    },
}
