//! What a holder answers, and what it sends to those who subscribed.

use super::Frame;
use crate::{
    bytes::{Fields, Put},
    spool::{Exit, Record},
};

/// An answer to a request, or a record for a subscriber. It carries the request's tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Answers a hello.
    Hello(Greeting),
    /// Answers a start at first: nothing is missing, and the agent's process is about to be made.
    Accepted,
    /// Answers a start in the end: the agent's process is there.
    Started(Started),
    /// What was asked for is done.
    Done,
    /// It is not done.
    Refused(Refusal),
    /// All inputs up to this number are typed.
    Typed {
        /// The last one.
        number: u64,
    },
    /// How things are.
    Status(Status),
    /// A record of the spool.
    Record(Record),
    /// A reply that a newer holder sends.
    Unknown {
        /// Its kind's number.
        kind: u8,
    },
}

/// Which version both speak from now on, and who is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Greeting {
    /// The newest version that both know.
    pub version: u16,
    /// The holder's process.
    pub holder_pid: u32,
}

/// How an agent was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Started {
    /// The agent's process, which leads its group.
    pub agent_pid: u32,
    /// How its memory is limited.
    pub memory: MemoryLimit,
    /// Whether it has a cgroup, so that stopping and ending are one word to the kernel.
    pub has_cgroup: bool,
}

/// How an agent's memory is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryLimit {
    /// Not at all: none was asked for.
    Unlimited,
    /// All its processes together.
    Cgroup,
    /// Each of its processes for itself.
    EachProcess,
}

/// What a session is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// No agent yet.
    Waiting,
    /// The agent runs.
    Running,
    /// Its processes are being stopped.
    Stopping,
    /// All its processes are stopped.
    Stopped,
    /// Its processes are being ended.
    Ending,
    /// All is over.
    Ended,
}

/// How things are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// What the session is doing.
    pub phase: Phase,
    /// The agent's process.
    pub agent_pid: Option<u32>,
    /// How many bytes the agent wrote into the spool.
    pub offset: u64,
    /// The last input that was taken.
    pub input_taken: u64,
    /// The last input that was typed.
    pub input_typed: u64,
    /// Whether the disk is full and the agent waits for room.
    pub is_disk_full: bool,
    /// How the agent ended, if it did.
    pub exit: Option<Exit>,
}

/// Why something is not done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The two have no version in common.
    #[error("the holder speaks versions {version_min} to {version_max} of its protocol")]
    Version {
        /// The holder's oldest.
        version_min: u16,
        /// The holder's newest.
        version_max: u16,
    },
    /// The first request was no hello.
    #[error("say hello first")]
    HelloFirst,
    /// The hello had no token, or not the session's.
    #[error("only who may read the session's folder is heard")]
    Stranger,
    /// The holder does not know the request, or its fields do not fit.
    #[error("the request can't be understood")]
    Malformed,
    /// Another input comes next.
    #[error("input {expected} comes next")]
    OutOfOrder {
        /// That one.
        expected: u64,
    },
    /// Too much waits already. Try again when some of it is done.
    #[error("too much waits already; try again")]
    Busy,
    /// The input is too long as a whole, or has a line that the terminal would cut.
    #[error("the input is too long: at most {bytes_max} bytes here; give it as a file's path")]
    TooLong {
        /// How long a line, or the input, may be.
        bytes_max: u64,
    },
    /// The session is in no state for that.
    #[error("the session is in no state for that")]
    WrongPhase,
    /// The offset is not in the spool.
    #[error("the spool has offsets {first} to {end}")]
    NoSuchOffset {
        /// The first that is there.
        first: u64,
        /// The end.
        end: u64,
    },
    /// The operating system says no.
    #[error("{what}: {}", std::io::Error::from_raw_os_error(*.errno))]
    Failed {
        /// What was tried.
        what: String,
        /// The error's number.
        errno: i32,
    },
    /// A value can't be used.
    #[error("{what}")]
    Unusable {
        /// Which, and why.
        what: String,
    },
}

const HELLO: u8 = 128;
const STARTED: u8 = 129;
const DONE: u8 = 130;
const REFUSED: u8 = 131;
const TYPED: u8 = 132;
const STATUS: u8 = 133;
const RECORD: u8 = 134;
const ACCEPTED: u8 = 135;

impl Reply {
    /// Puts the reply into a frame.
    pub fn encode(&self, tag: u32) -> Vec<u8> {
        let mut payload = Vec::new();
        let kind = match self {
            Self::Hello(greeting) => {
                payload.put_u16(greeting.version);
                payload.put_u32(greeting.holder_pid);
                HELLO
            }
            Self::Started(started) => {
                payload.put_u32(started.agent_pid);
                payload.put_u8(place(&MEMORY_LIMITS, &started.memory));
                payload.put_u8(u8::from(started.has_cgroup));
                STARTED
            }
            Self::Accepted => ACCEPTED,
            Self::Done => DONE,
            Self::Refused(refusal) => {
                refusal.put(&mut payload);
                REFUSED
            }
            Self::Typed { number } => {
                payload.put_u64(*number);
                TYPED
            }
            Self::Status(status) => {
                status.put(&mut payload);
                STATUS
            }
            Self::Record(record) => {
                record.put(&mut payload);
                RECORD
            }
            Self::Unknown { kind } => *kind,
        };
        Frame::encode(kind, tag, &payload)
    }

    /// Reads a reply out of a frame. Nothing means that its fields do not fit its kind.
    pub fn decode(frame: &Frame) -> Option<Self> {
        let mut fields = Fields::new(&frame.payload);
        Some(match frame.kind {
            HELLO => Self::Hello(Greeting { version: fields.u16()?, holder_pid: fields.u32()? }),
            STARTED => Self::Started(Started {
                agent_pid: fields.u32()?,
                memory: *MEMORY_LIMITS.get(usize::from(fields.u8()?))?,
                has_cgroup: fields.u8()? != 0,
            }),
            ACCEPTED => Self::Accepted,
            DONE => Self::Done,
            REFUSED => Self::Refused(Refusal::read(&mut fields)?),
            TYPED => Self::Typed { number: fields.u64()? },
            STATUS => Self::Status(Status::read(&mut fields)?),
            RECORD => Self::Record(Record::read(fields.rest())?),
            kind => Self::Unknown { kind },
        })
    }
}

const MEMORY_LIMITS: [MemoryLimit; 3] =
    [MemoryLimit::Unlimited, MemoryLimit::Cgroup, MemoryLimit::EachProcess];
const PHASES: [Phase; 6] =
    [Phase::Waiting, Phase::Running, Phase::Stopping, Phase::Stopped, Phase::Ending, Phase::Ended];

/// Returns where a value stands in the list of all values, which is its number.
fn place<T: PartialEq>(all: &[T], value: &T) -> u8 {
    all.iter().position(|known| known == value).and_then(|at| u8::try_from(at).ok()).unwrap_or(0)
}

impl Status {
    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.put_u8(place(&PHASES, &self.phase));
        bytes.put_optional_u64(self.agent_pid.map(u64::from));
        bytes.put_u64(self.offset);
        bytes.put_u64(self.input_taken);
        bytes.put_u64(self.input_typed);
        bytes.put_u8(u8::from(self.is_disk_full));
        bytes.put_u8(u8::from(self.exit.is_some()));
        if let Some(exit) = &self.exit {
            exit.put(bytes);
        }
    }

    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        Some(Self {
            phase: *PHASES.get(usize::from(fields.u8()?))?,
            agent_pid: fields.optional_u64()?.and_then(|pid| u32::try_from(pid).ok()),
            offset: fields.u64()?,
            input_taken: fields.u64()?,
            input_typed: fields.u64()?,
            is_disk_full: fields.u8()? != 0,
            exit: if fields.u8()? == 0 { None } else { Some(Exit::read(fields)?) },
        })
    }
}

impl Refusal {
    fn put(&self, bytes: &mut Vec<u8>) {
        let (kind, first, second, what): (u8, u64, u64, &str) = match self {
            Self::Version { version_min, version_max } => {
                (0, u64::from(*version_min), u64::from(*version_max), "")
            }
            Self::HelloFirst => (1, 0, 0, ""),
            Self::Malformed => (2, 0, 0, ""),
            Self::OutOfOrder { expected } => (3, *expected, 0, ""),
            Self::Busy => (4, 0, 0, ""),
            Self::TooLong { bytes_max } => (5, *bytes_max, 0, ""),
            Self::WrongPhase => (6, 0, 0, ""),
            Self::NoSuchOffset { first, end } => (7, *first, *end, ""),
            Self::Failed { what, errno } => (8, u64::from(errno.cast_unsigned()), 0, what),
            Self::Unusable { what } => (9, 0, 0, what),
            Self::Stranger => (10, 0, 0, ""),
        };
        bytes.put_u8(kind);
        bytes.put_u64(first);
        bytes.put_u64(second);
        bytes.put_bytes(what.as_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let (kind, first, second) = (fields.u8()?, fields.u64()?, fields.u64()?);
        let what = String::from_utf8_lossy(fields.bytes()?).into_owned();
        let version = |number| u16::try_from(number).ok();
        Some(match kind {
            0 => Self::Version { version_min: version(first)?, version_max: version(second)? },
            1 => Self::HelloFirst,
            2 => Self::Malformed,
            3 => Self::OutOfOrder { expected: first },
            4 => Self::Busy,
            5 => Self::TooLong { bytes_max: first },
            6 => Self::WrongPhase,
            7 => Self::NoSuchOffset { first, end: second },
            8 => Self::Failed { what, errno: i32::try_from(first).ok()? },
            9 => Self::Unusable { what },
            10 => Self::Stranger,
            // A reason that a newer holder gives; the words are still worth showing.
            _ => Self::Unusable {
                what: if what.is_empty() { format!("refused for reason {kind}") } else { what },
            },
        })
    }
}
