//! A record of the spool and its binary form.
//!
//! ```text
//! 0       4       8     9       10        12      20        28
//! crc32 | length | kind | stream | nothing | offset | time ms | payload
//! ```
//!
//! Little-endian. The checksum covers everything after itself, so a record of zeros (possible after a crash of the
//! machine) is invalid. New kinds may be added; readers skip unknown ones.

use crate::fields::{FieldReader, FieldWriter};

pub(super) const HEAD_BYTES: usize = 28;

/// The longest input and its number. A larger length is damage and is never allocated.
pub const PAYLOAD_BYTES_MAX: usize = crate::protocol::INPUT_BYTES_MAX + 16;

const OUTPUT: u8 = 1;
const INPUT: u8 = 2;
const TURN_END: u8 = 3;
const RESIZE: u8 = 4;
const GAP: u8 = 5;
const EXIT: u8 = 6;

/// Source of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputSource {
    /// The terminal, which combines both streams.
    Terminal,
    /// Standard output of the agent.
    Output,
    /// Standard error of the agent.
    Error,
    /// Messages sent through the socket by a helper program of the agent.
    SideChannel,
}

/// An event in a session, at an offset of its output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Output bytes before this record.
    pub offset: u64,
    /// When it was written, in milliseconds since 1970.
    pub at_ms: u64,
    /// Content of the record.
    pub body: RecordBody,
}

/// Content of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordBody {
    /// Output of the agent; secrets are masked.
    Output {
        /// Source of the output.
        stream: OutputSource,
        /// Output with secrets masked.
        bytes: Vec<u8>,
    },
    /// A written input; secrets are masked.
    Input {
        /// Number of the input.
        number: u64,
        /// Input with secrets masked.
        bytes: Vec<u8>,
    },
    /// A client recorded the end of a turn.
    TurnEnd {
        /// Offset of the end, which may be before the record's own offset.
        offset: u64,
    },
    /// The terminal has this size from now on.
    Resize {
        /// Characters per line.
        columns: u16,
        /// Number of lines.
        rows: u16,
    },
    /// Part of the file was incomplete and cut off. How much output it contained is unknown.
    Gap {
        /// Bytes of the file, not of the output.
        cut_bytes: u64,
    },
    /// The agent has ended. Always the last record.
    Exit(Exit),
    /// A record that this version does not know.
    Unknown {
        /// Number of the kind.
        kind: u8,
    },
}

/// How an agent's process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    /// Exit status, if it exited.
    pub code: Option<i32>,
    /// Signal that killed it, if any.
    pub signal: Option<i32>,
    /// Why it ended.
    pub reason: EndReason,
}

/// Why an agent's process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// It exited by itself.
    AgentExited,
    /// A client requested it.
    Request,
    /// The time limit was reached.
    TimeLimit,
    /// The holder received a signal to end.
    HolderEnded,
    /// The agent wrote more output than its limit.
    OutputLimit,
}

impl EndReason {
    pub(crate) const ALL: [Self; 5] =
        [Self::AgentExited, Self::Request, Self::TimeLimit, Self::HolderEnded, Self::OutputLimit];

    pub(crate) fn number(self) -> u8 {
        match self {
            Self::AgentExited => 0,
            Self::Request => 1,
            Self::TimeLimit => 2,
            Self::HolderEnded => 3,
            Self::OutputLimit => 4,
        }
    }

    pub(crate) fn from_number(number: u8) -> Self {
        Self::ALL.into_iter().find(|reason| reason.number() == number).unwrap_or(Self::AgentExited)
    }
}

impl OutputSource {
    fn number(self) -> u8 {
        match self {
            Self::Terminal => 0,
            Self::Output => 1,
            Self::Error => 2,
            Self::SideChannel => 3,
        }
    }

    fn from_number(number: u8) -> Self {
        match number {
            1 => Self::Output,
            2 => Self::Error,
            3 => Self::SideChannel,
            _ => Self::Terminal,
        }
    }
}

impl Record {
    /// Returns the offset after this record.
    pub fn end_offset(&self) -> u64 {
        match &self.body {
            RecordBody::Output { bytes, .. } => self.offset + bytes.len() as u64,
            RecordBody::Input { .. }
            | RecordBody::TurnEnd { .. }
            | RecordBody::Resize { .. }
            | RecordBody::Gap { .. }
            | RecordBody::Exit(_)
            | RecordBody::Unknown { .. } => self.offset,
        }
    }
}

/// The binary form of a record; borrows long content to avoid copying it.
pub(super) struct EncodedRecord<'a> {
    pub(super) head: [u8; HEAD_BYTES],
    pub(super) fixed: Vec<u8>,
    pub(super) bytes: &'a [u8],
}

impl<'a> EncodedRecord<'a> {
    pub(super) fn new(offset: u64, at_ms: u64, body: &'a RecordBody) -> Self {
        let (kind, stream, fixed, bytes): (u8, u8, Vec<u8>, &[u8]) = match body {
            RecordBody::Output { stream, bytes } => return Self::from_output(offset, at_ms, *stream, bytes),
            RecordBody::Input { number, bytes } => (INPUT, 0, number.to_le_bytes().to_vec(), bytes),
            RecordBody::TurnEnd { offset } => (TURN_END, 0, offset.to_le_bytes().to_vec(), &[]),
            RecordBody::Resize { columns, rows } => {
                let mut fixed = Vec::new();
                fixed.put_u16(*columns);
                fixed.put_u16(*rows);
                (RESIZE, 0, fixed, &[])
            }
            RecordBody::Gap { cut_bytes } => (GAP, 0, cut_bytes.to_le_bytes().to_vec(), &[]),
            RecordBody::Exit(exit) => {
                let mut fixed = Vec::new();
                exit.write_fields(&mut fixed);
                (EXIT, 0, fixed, &[])
            }
            RecordBody::Unknown { kind } => (*kind, 0, Vec::new(), &[]),
        };
        let head = encode_head(kind, stream, offset, at_ms, &fixed, bytes);
        Self { head, fixed, bytes }
    }

    pub(super) fn from_output(offset: u64, at_ms: u64, stream: OutputSource, bytes: &'a [u8]) -> Self {
        let head = encode_head(OUTPUT, stream.number(), offset, at_ms, &[], bytes);
        Self { head, fixed: Vec::new(), bytes }
    }
}

fn encode_head(
    kind: u8,
    stream: u8,
    offset: u64,
    at_ms: u64,
    fixed: &[u8],
    bytes: &[u8],
) -> [u8; HEAD_BYTES] {
    let mut head = [0; HEAD_BYTES];
    let length = u32::try_from(fixed.len() + bytes.len()).unwrap_or(u32::MAX);
    head[4..8].copy_from_slice(&length.to_le_bytes());
    head[8] = kind;
    head[9] = stream;
    head[12..20].copy_from_slice(&offset.to_le_bytes());
    head[20..28].copy_from_slice(&at_ms.to_le_bytes());
    let mut checksum = crc32fast::Hasher::new();
    checksum.update(&head[4..]);
    checksum.update(fixed);
    checksum.update(bytes);
    head[..4].copy_from_slice(&checksum.finalize().to_le_bytes());
    head
}

/// Returns the payload length in a header, or the reason why it is invalid.
pub(super) fn payload_length(head: &[u8; HEAD_BYTES]) -> Result<usize, &'static str> {
    let length = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
    if length > PAYLOAD_BYTES_MAX { Err("its length is invalid") } else { Ok(length) }
}

/// Decodes a record from its header and payload.
pub(super) fn decode(head: &[u8; HEAD_BYTES], payload: Vec<u8>) -> Result<Record, &'static str> {
    let mut checksum = crc32fast::Hasher::new();
    checksum.update(&head[4..]);
    checksum.update(&payload);
    if checksum.finalize().to_le_bytes() != head[..4] {
        return Err("its checksum does not match");
    }
    let mut fields = FieldReader::new(&head[12..]);
    let (Some(offset), Some(at_ms)) = (fields.u64(), fields.u64()) else {
        return Err("its header is incomplete");
    };
    let body = decode_body(head[8], head[9], payload).ok_or("its payload does not match its kind")?;
    Ok(Record { offset, at_ms, body })
}

fn decode_body(kind: u8, stream: u8, mut payload: Vec<u8>) -> Option<RecordBody> {
    let mut fields = FieldReader::new(&payload);
    Some(match kind {
        OUTPUT => RecordBody::Output { stream: OutputSource::from_number(stream), bytes: payload },
        INPUT => {
            let number = fields.u64()?;
            RecordBody::Input { number, bytes: payload.split_off(8) }
        }
        TURN_END => RecordBody::TurnEnd { offset: fields.u64()? },
        RESIZE => RecordBody::Resize { columns: fields.u16()?, rows: fields.u16()? },
        GAP => RecordBody::Gap { cut_bytes: fields.u64()? },
        EXIT => RecordBody::Exit(Exit::read_fields(&mut fields)?),
        kind => RecordBody::Unknown { kind },
    })
}

impl Exit {
    pub(crate) fn write_fields(&self, bytes: &mut Vec<u8>) {
        bytes.put_u8(self.reason.number());
        bytes.put_optional_u64(self.code.map(|code| u64::from(code.cast_unsigned())));
        bytes.put_optional_u64(self.signal.map(|signal| u64::from(signal.cast_unsigned())));
    }

    pub(crate) fn read_fields(fields: &mut FieldReader<'_>) -> Option<Self> {
        let number = |value: Option<u64>| value.map(|value| (value as u32).cast_signed());
        let reason = EndReason::from_number(fields.u8()?);
        Some(Self { reason, code: number(fields.optional_u64()?), signal: number(fields.optional_u64()?) })
    }
}

impl Record {
    /// Appends the binary form of the record.
    pub(crate) fn encode_into(&self, into: &mut Vec<u8>) {
        let encoded = EncodedRecord::new(self.offset, self.at_ms, &self.body);
        into.extend_from_slice(&encoded.head);
        into.extend_from_slice(&encoded.fixed);
        into.extend_from_slice(encoded.bytes);
    }

    /// Decodes a record that fills `bytes`.
    pub(crate) fn decode_bytes(bytes: &[u8]) -> Option<Self> {
        let (head, payload) = bytes.split_first_chunk::<HEAD_BYTES>()?;
        if payload_length(head) != Ok(payload.len()) {
            return None;
        }
        decode(head, payload.to_vec()).ok()
    }
}
