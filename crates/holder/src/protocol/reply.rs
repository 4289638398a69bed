//! Replies of a holder, and records for subscribers.

use super::Frame;
use crate::{
    fields::{FieldReader, FieldWriter},
    spool::{Exit, Record},
};

/// A reply to a request, or a record for a subscriber; it carries the request's tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Answers a hello.
    Hello(Greeting),
    /// First answer to a start: everything needed exists, and the agent's process is about to be created.
    Accepted,
    /// Second answer to a start: the agent's process exists.
    Started(StartedAgent),
    /// The request was carried out.
    Done,
    /// The request was refused.
    Refused(Refusal),
    /// All inputs up to this number were written.
    InputWritten {
        /// Number of the last written input.
        number: u64,
    },
    /// Answers a status request.
    Status(SessionStatus),
    /// A record of the spool.
    Record(Record),
    /// A reply that this version does not know.
    Unknown {
        /// Type of the frame.
        kind: u8,
    },
}

/// The negotiated version and the holder's identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Greeting {
    /// Newest version that both sides support.
    pub version: u16,
    /// Process id of the holder.
    pub holder_pid: u32,
}

/// How an agent was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StartedAgent {
    /// Process id of the agent, which leads its process group.
    pub agent_pid: u32,
    /// How its memory is limited.
    pub memory: MemoryLimit,
    /// Whether it has a cgroup, which makes stopping and ending faster.
    pub has_cgroup: bool,
}

/// How an agent's memory is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryLimit {
    /// No limit was requested.
    Unlimited,
    /// One limit for all its processes.
    Cgroup,
    /// A limit for each of its processes.
    EachProcess,
}

/// State of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionPhase {
    /// No agent was started yet.
    Waiting,
    /// The agent is running.
    Running,
    /// Its processes are being stopped.
    Stopping,
    /// All its processes are stopped.
    Stopped,
    /// Its processes are being ended.
    Ending,
    /// All its processes have ended.
    Ended,
}

/// Current state of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionStatus {
    /// State of its processes.
    pub phase: SessionPhase,
    /// Process id of the agent.
    pub agent_pid: Option<u32>,
    /// Output bytes in the spool.
    pub offset: u64,
    /// Number of the last accepted input.
    pub inputs_accepted: u64,
    /// Number of the last written input.
    pub inputs_written: u64,
    /// Whether the disk is full and the agent is blocked.
    pub is_disk_full: bool,
    /// How the agent ended, if it did.
    pub exit: Option<Exit>,
}

/// Why a request was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is no common protocol version.
    #[error("the holder supports protocol versions {version_min} to {version_max}")]
    Version {
        /// Oldest version of the holder.
        version_min: u16,
        /// Newest version of the holder.
        version_max: u16,
    },
    /// The first request was not a hello.
    #[error("the first request must be a hello")]
    HelloRequired,
    /// The hello contained no token or a wrong one.
    #[error("missing or invalid session token")]
    InvalidToken,
    /// The request is unknown or its fields are invalid.
    #[error("malformed request")]
    Malformed,
    /// Another input is expected next.
    #[error("input {expected} is expected next")]
    OutOfOrder {
        /// Number of the expected input.
        expected: u64,
    },
    /// A queue is full; retry later.
    #[error("the holder is busy; retry later")]
    Busy,
    /// The input, or one of its lines, exceeds the limit.
    #[error("the input exceeds {bytes_max} bytes; pass it as a file instead")]
    TooLong {
        /// Limit that was exceeded.
        bytes_max: u64,
    },
    /// The request is not possible in the current state.
    #[error("not possible in the current state of the session")]
    WrongPhase,
    /// The offset is not in the spool.
    #[error("offset not available: the spool has {first} to {end}")]
    NoSuchOffset {
        /// First available offset.
        first: u64,
        /// End of the spool.
        end: u64,
    },
    /// An operation of the system failed.
    #[error("cannot {what}: {}", std::io::Error::from_raw_os_error(*.errno))]
    Failed {
        /// Verb that completes "cannot …".
        what: String,
        /// Error number of the system.
        errno: i32,
    },
    /// A value of the request is invalid.
    #[error("{what}")]
    InvalidValue {
        /// Which value, and why.
        what: String,
    },
}

const HELLO: u8 = 128;
const STARTED: u8 = 129;
const DONE: u8 = 130;
const REFUSED: u8 = 131;
const INPUT_WRITTEN: u8 = 132;
const STATUS: u8 = 133;
const RECORD: u8 = 134;
const ACCEPTED: u8 = 135;

impl Reply {
    /// Encodes the reply as a frame.
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
                payload.put_u8(variant_code(&MEMORY_LIMITS, &started.memory));
                payload.put_u8(u8::from(started.has_cgroup));
                STARTED
            }
            Self::Accepted => ACCEPTED,
            Self::Done => DONE,
            Self::Refused(refusal) => {
                refusal.write_fields(&mut payload);
                REFUSED
            }
            Self::InputWritten { number } => {
                payload.put_u64(*number);
                INPUT_WRITTEN
            }
            Self::Status(status) => {
                status.write_fields(&mut payload);
                STATUS
            }
            Self::Record(record) => {
                record.encode_into(&mut payload);
                RECORD
            }
            Self::Unknown { kind } => *kind,
        };
        Frame::encode(kind, tag, &payload)
    }

    /// Decodes a reply; `None` if the fields do not match its type.
    pub fn decode(frame: &Frame) -> Option<Self> {
        let mut fields = FieldReader::new(&frame.payload);
        Some(match frame.kind {
            HELLO => Self::Hello(Greeting { version: fields.u16()?, holder_pid: fields.u32()? }),
            STARTED => Self::Started(StartedAgent {
                agent_pid: fields.u32()?,
                memory: *MEMORY_LIMITS.get(usize::from(fields.u8()?))?,
                has_cgroup: fields.u8()? != 0,
            }),
            ACCEPTED => Self::Accepted,
            DONE => Self::Done,
            REFUSED => Self::Refused(Refusal::read_fields(&mut fields)?),
            INPUT_WRITTEN => Self::InputWritten { number: fields.u64()? },
            STATUS => Self::Status(SessionStatus::read_fields(&mut fields)?),
            RECORD => Self::Record(Record::decode_bytes(fields.rest())?),
            kind => Self::Unknown { kind },
        })
    }
}

const MEMORY_LIMITS: [MemoryLimit; 3] =
    [MemoryLimit::Unlimited, MemoryLimit::Cgroup, MemoryLimit::EachProcess];
const PHASES: [SessionPhase; 6] = [
    SessionPhase::Waiting,
    SessionPhase::Running,
    SessionPhase::Stopping,
    SessionPhase::Stopped,
    SessionPhase::Ending,
    SessionPhase::Ended,
];

/// Returns the index of a value in the list of all values, which is its encoding.
fn variant_code<T: PartialEq>(all: &[T], value: &T) -> u8 {
    all.iter().position(|candidate| candidate == value).and_then(|at| u8::try_from(at).ok()).unwrap_or(0)
}

impl SessionStatus {
    fn write_fields(&self, bytes: &mut Vec<u8>) {
        bytes.put_u8(variant_code(&PHASES, &self.phase));
        bytes.put_optional_u64(self.agent_pid.map(u64::from));
        bytes.put_u64(self.offset);
        bytes.put_u64(self.inputs_accepted);
        bytes.put_u64(self.inputs_written);
        bytes.put_u8(u8::from(self.is_disk_full));
        bytes.put_u8(u8::from(self.exit.is_some()));
        if let Some(exit) = &self.exit {
            exit.write_fields(bytes);
        }
    }

    fn read_fields(fields: &mut FieldReader<'_>) -> Option<Self> {
        Some(Self {
            phase: *PHASES.get(usize::from(fields.u8()?))?,
            agent_pid: fields.optional_u64()?.and_then(|pid| u32::try_from(pid).ok()),
            offset: fields.u64()?,
            inputs_accepted: fields.u64()?,
            inputs_written: fields.u64()?,
            is_disk_full: fields.u8()? != 0,
            exit: if fields.u8()? == 0 { None } else { Some(Exit::read_fields(fields)?) },
        })
    }
}

impl Refusal {
    fn write_fields(&self, bytes: &mut Vec<u8>) {
        let (kind, first, second, what): (u8, u64, u64, &str) = match self {
            Self::Version { version_min, version_max } => {
                (0, u64::from(*version_min), u64::from(*version_max), "")
            }
            Self::HelloRequired => (1, 0, 0, ""),
            Self::Malformed => (2, 0, 0, ""),
            Self::OutOfOrder { expected } => (3, *expected, 0, ""),
            Self::Busy => (4, 0, 0, ""),
            Self::TooLong { bytes_max } => (5, *bytes_max, 0, ""),
            Self::WrongPhase => (6, 0, 0, ""),
            Self::NoSuchOffset { first, end } => (7, *first, *end, ""),
            Self::Failed { what, errno } => (8, u64::from(errno.cast_unsigned()), 0, what),
            Self::InvalidValue { what } => (9, 0, 0, what),
            Self::InvalidToken => (10, 0, 0, ""),
        };
        bytes.put_u8(kind);
        bytes.put_u64(first);
        bytes.put_u64(second);
        bytes.put_bytes(what.as_bytes());
    }

    fn read_fields(fields: &mut FieldReader<'_>) -> Option<Self> {
        let (kind, first, second) = (fields.u8()?, fields.u64()?, fields.u64()?);
        let what = String::from_utf8_lossy(fields.bytes()?).into_owned();
        let version = |number| u16::try_from(number).ok();
        Some(match kind {
            0 => Self::Version { version_min: version(first)?, version_max: version(second)? },
            1 => Self::HelloRequired,
            2 => Self::Malformed,
            3 => Self::OutOfOrder { expected: first },
            4 => Self::Busy,
            5 => Self::TooLong { bytes_max: first },
            6 => Self::WrongPhase,
            7 => Self::NoSuchOffset { first, end: second },
            8 => Self::Failed { what, errno: i32::try_from(first).ok()? },
            9 => Self::InvalidValue { what },
            10 => Self::InvalidToken,
            // A reason that this version does not know; show its text.
            _ => Self::InvalidValue {
                what: if what.is_empty() { format!("refused for reason {kind}") } else { what },
            },
        })
    }
}
