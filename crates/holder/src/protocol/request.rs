//! Requests of a client.

use std::{ffi::OsStr, fmt, os::unix::ffi::OsStrExt, path::PathBuf, time::Duration};

use zeroize::Zeroizing;

use super::{
    Frame, LaunchSpec, WindowSize,
    launch::{milliseconds, put_list, read_secrets},
};
use crate::{
    fields::{FieldReader, FieldWriter},
    mask::Secret,
};

/// First bytes of a hello, to reject foreign protocols.
const MAGIC: &[u8] = b"JANGDAN-HOLDER";

/// A request; it is answered by a reply with the same tag.
///
/// Debug output does not show values, as inputs and environments may contain secrets.
#[derive(Clone, PartialEq, Eq)]
pub enum Request {
    /// Must come first: supported versions, and proof of access to the session's folder.
    Hello {
        /// Oldest supported version.
        version_min: u16,
        /// Newest supported version.
        version_max: u16,
        /// Content of the token file. The launching client and old holders need none.
        token: Option<Secret>,
    },
    /// Starts the agent. Possible once.
    Start {
        /// Absolute path of the session's folder, for socket, spool and status.
        directory: PathBuf,
        /// Command, environment and limits.
        launch: Box<LaunchSpec>,
    },
    /// Writes an input once, after all inputs with smaller numbers. Numbers start at 1.
    Input {
        /// Number of the input.
        number: u64,
        /// Bytes to write.
        bytes: Vec<u8>,
    },
    /// Closes the agent's standard input after all inputs are written. Only for pipes.
    CloseInput,
    /// Sets the size of the terminal.
    Resize(WindowSize),
    /// Stops all processes of the session; the reply comes when all have stopped.
    Stop,
    /// Continues all processes.
    Continue,
    /// Ends all processes of the session: SIGTERM first, SIGKILL after the grace period.
    End {
        /// Time until processes are killed.
        grace: Duration,
    },
    /// Interrupts the foreground process group, like Ctrl-C.
    Interrupt,
    /// Requests the current state.
    Status,
    /// Requests all records from an offset on, including future ones.
    Subscribe {
        /// Offset of the first output byte.
        from: u64,
    },
    /// Replaces the values that are masked.
    SetSecrets(Vec<Secret>),
    /// Masks further values from now on. Refused if all together exceed the limits; then nothing changes.
    AddSecrets(Vec<Secret>),
    /// Appends a message to the spool, sent by a helper program of the agent instead of its output.
    WriteSideChannel {
        /// Content of the message.
        bytes: Vec<u8>,
    },
    /// Records the end of a turn in the spool.
    MarkTurnEnd {
        /// Offset at which the turn ended.
        offset: u64,
    },
    /// Deletes the segments that end before an offset.
    DeleteBefore {
        /// First offset that is still needed.
        offset: u64,
    },
}

const HELLO: u8 = 1;
const START: u8 = 2;
const INPUT: u8 = 3;
const CLOSE_INPUT: u8 = 4;
const RESIZE: u8 = 5;
const STOP: u8 = 6;
const CONTINUE: u8 = 7;
const END: u8 = 8;
const INTERRUPT: u8 = 9;
const STATUS: u8 = 10;
const SUBSCRIBE: u8 = 11;
const SET_SECRETS: u8 = 12;
const MARK_TURN_END: u8 = 13;
const DELETE_BEFORE: u8 = 14;
const WRITE_SIDE_CHANNEL: u8 = 15;
const ADD_SECRETS: u8 = 16;

impl Request {
    /// Encodes the request as a frame, zeroed on drop as it may contain secrets.
    pub fn encode(&self, tag: u32) -> Zeroizing<Vec<u8>> {
        let mut payload = Zeroizing::new(Vec::new());
        let kind = match self {
            Self::Hello { version_min, version_max, token } => {
                payload.extend_from_slice(MAGIC);
                payload.put_u16(*version_min);
                payload.put_u16(*version_max);
                // After the fields of the first version, whose holders ignore it.
                if let Some(token) = token {
                    payload.put_bytes(token.value());
                }
                HELLO
            }
            Self::Start { directory, launch } => {
                payload.put_bytes(directory.as_os_str().as_bytes());
                launch.write_fields(&mut payload);
                START
            }
            Self::Input { number, bytes } => {
                payload.put_u64(*number);
                payload.extend_from_slice(bytes);
                INPUT
            }
            Self::CloseInput => CLOSE_INPUT,
            Self::Resize(size) => {
                payload.put_u16(size.columns);
                payload.put_u16(size.rows);
                RESIZE
            }
            Self::Stop => STOP,
            Self::Continue => CONTINUE,
            Self::End { grace } => {
                payload.put_u64(milliseconds(*grace));
                END
            }
            Self::Interrupt => INTERRUPT,
            Self::Status => STATUS,
            Self::Subscribe { from } => {
                payload.put_u64(*from);
                SUBSCRIBE
            }
            Self::SetSecrets(secrets) => {
                put_list(&mut payload, secrets.iter().map(Secret::value));
                SET_SECRETS
            }
            Self::AddSecrets(secrets) => {
                put_list(&mut payload, secrets.iter().map(Secret::value));
                ADD_SECRETS
            }
            Self::WriteSideChannel { bytes } => {
                payload.extend_from_slice(bytes);
                WRITE_SIDE_CHANNEL
            }
            Self::MarkTurnEnd { offset } => {
                payload.put_u64(*offset);
                MARK_TURN_END
            }
            Self::DeleteBefore { offset } => {
                payload.put_u64(*offset);
                DELETE_BEFORE
            }
        };
        Zeroizing::new(Frame::encode(kind, tag, &payload))
    }

    /// Decodes a request; `None` if this version does not know it.
    pub fn decode(frame: &Frame) -> Option<Self> {
        let mut fields = FieldReader::new(&frame.payload);
        let request = match frame.kind {
            HELLO => {
                let rest = FieldReader::new(frame.payload.strip_prefix(MAGIC)?);
                fields = rest;
                let (version_min, version_max) = (fields.u16()?, fields.u16()?);
                let token =
                    if fields.is_empty() { None } else { Some(Secret::new(fields.bytes()?.to_vec())) };
                // Fields added by newer clients are ignored, so that the hello can always be parsed.
                return Some(Self::Hello { version_min, version_max, token });
            }
            START => Self::Start {
                directory: PathBuf::from(OsStr::from_bytes(fields.bytes()?)),
                launch: Box::new(LaunchSpec::read_fields(&mut fields)?),
            },
            INPUT => Self::Input { number: fields.u64()?, bytes: fields.rest().to_vec() },
            CLOSE_INPUT => Self::CloseInput,
            RESIZE => Self::Resize(WindowSize { columns: fields.u16()?, rows: fields.u16()? }),
            STOP => Self::Stop,
            CONTINUE => Self::Continue,
            END => Self::End { grace: Duration::from_millis(fields.u64()?) },
            INTERRUPT => Self::Interrupt,
            STATUS => Self::Status,
            SUBSCRIBE => Self::Subscribe { from: fields.u64()? },
            SET_SECRETS => Self::SetSecrets(read_secrets(&mut fields)?),
            ADD_SECRETS => Self::AddSecrets(read_secrets(&mut fields)?),
            WRITE_SIDE_CHANNEL => Self::WriteSideChannel { bytes: fields.rest().to_vec() },
            MARK_TURN_END => Self::MarkTurnEnd { offset: fields.u64()? },
            DELETE_BEFORE => Self::DeleteBefore { offset: fields.u64()? },
            _ => return None,
        };
        fields.is_empty().then_some(request)
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hello { version_min, version_max, .. } => {
                write!(f, "Hello({version_min} to {version_max})")
            }
            Self::Start { launch, .. } => write!(f, "Start({})", launch.session),
            Self::Input { number, bytes } => write!(f, "Input({number}, {} bytes)", bytes.len()),
            Self::CloseInput => f.write_str("CloseInput"),
            Self::Resize(size) => write!(f, "Resize({} x {})", size.columns, size.rows),
            Self::Stop => f.write_str("Stop"),
            Self::Continue => f.write_str("Continue"),
            Self::End { grace } => write!(f, "End({grace:?})"),
            Self::Interrupt => f.write_str("Interrupt"),
            Self::Status => f.write_str("Status"),
            Self::Subscribe { from } => write!(f, "Subscribe({from})"),
            Self::SetSecrets(secrets) => write!(f, "SetSecrets({} values)", secrets.len()),
            Self::AddSecrets(secrets) => write!(f, "AddSecrets({} values)", secrets.len()),
            Self::WriteSideChannel { bytes } => write!(f, "WriteSideChannel({} bytes)", bytes.len()),
            Self::MarkTurnEnd { offset } => write!(f, "MarkTurnEnd({offset})"),
            Self::DeleteBefore { offset } => write!(f, "DeleteBefore({offset})"),
        }
    }
}
