//! What a client asks of a holder.

use std::{ffi::OsStr, fmt, os::unix::ffi::OsStrExt, path::PathBuf, time::Duration};

use zeroize::Zeroizing;

use super::{
    Frame, Launch, WindowSize,
    launch::{milliseconds, put_list, read_secrets},
};
use crate::{
    bytes::{Fields, Put},
    mask::Secret,
};

/// The first bytes of a hello, so that a stranger's words are not taken for one.
const MAGIC: &[u8] = b"JANGDAN-HOLDER";

/// A wish of a client. Each is answered by a reply with the same tag.
///
/// Debug output shows what is wished and not the values in it: inputs and environments can hold secrets.
#[derive(Clone, PartialEq, Eq)]
pub enum Request {
    /// Comes first: the versions that the client speaks, and the proof that it may read the session's folder.
    Hello {
        /// The oldest.
        version_min: u16,
        /// The newest.
        version_max: u16,
        /// What stands in the folder's token file. Who started the holder needs none, and older holders have none.
        token: Option<Secret>,
    },
    /// Starts the agent, once.
    Start {
        /// The session's folder, for socket, spool and status: an absolute path.
        directory: PathBuf,
        /// What to start.
        launch: Box<Launch>,
    },
    /// Types something, once, after all inputs with smaller numbers. The first has number 1.
    Input {
        /// Which input it is.
        number: u64,
        /// What to type.
        bytes: Vec<u8>,
    },
    /// Closes the agent's standard input when all inputs are typed. Only with pipes.
    CloseInput,
    /// Changes the window's size.
    Resize(WindowSize),
    /// Stops all processes of the session; the reply comes when all have stopped.
    Stop,
    /// Lets them go on.
    Continue,
    /// Ends all processes of the session: politely first, by force after the grace.
    End {
        /// How long they may take.
        grace: Duration,
    },
    /// Interrupts what runs in the foreground, as Ctrl-C does.
    Interrupt,
    /// Asks how things are.
    Status,
    /// Asks for all records from an output byte on, and all that follow.
    Subscribe {
        /// The first output byte.
        from: u64,
    },
    /// Replaces the values that are masked.
    SetSecrets(Vec<Secret>),
    /// Writes into the spool what the agent says beside its output, by a helper that it started.
    SayAside {
        /// What it says.
        bytes: Vec<u8>,
    },
    /// Writes into the spool that the agent's turn ended.
    MarkTurnEnd {
        /// Behind this output byte.
        offset: u64,
    },
    /// Removes the segments that end before an offset.
    ForgetBefore {
        /// The first output byte that is still needed.
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
const FORGET_BEFORE: u8 = 14;
const SAY_ASIDE: u8 = 15;

impl Request {
    /// Puts the request into a frame. The bytes are zeroed when dropped, as they can hold secrets.
    pub fn encode(&self, tag: u32) -> Zeroizing<Vec<u8>> {
        let mut payload = Zeroizing::new(Vec::new());
        let kind = match self {
            Self::Hello { version_min, version_max, token } => {
                payload.extend_from_slice(MAGIC);
                payload.put_u16(*version_min);
                payload.put_u16(*version_max);
                // Behind what the first version said, so that its holders pass it over.
                if let Some(token) = token {
                    payload.put_bytes(token.value());
                }
                HELLO
            }
            Self::Start { directory, launch } => {
                payload.put_bytes(directory.as_os_str().as_bytes());
                launch.put(&mut payload);
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
            Self::SayAside { bytes } => {
                payload.extend_from_slice(bytes);
                SAY_ASIDE
            }
            Self::MarkTurnEnd { offset } => {
                payload.put_u64(*offset);
                MARK_TURN_END
            }
            Self::ForgetBefore { offset } => {
                payload.put_u64(*offset);
                FORGET_BEFORE
            }
        };
        Zeroizing::new(Frame::encode(kind, tag, &payload))
    }

    /// Reads a request out of a frame. Nothing means that this version does not know it.
    pub fn decode(frame: &Frame) -> Option<Self> {
        let mut fields = Fields::new(&frame.payload);
        let request = match frame.kind {
            HELLO => {
                let rest = Fields::new(frame.payload.strip_prefix(MAGIC)?);
                fields = rest;
                let (version_min, version_max) = (fields.u16()?, fields.u16()?);
                let token =
                    if fields.is_empty() { None } else { Some(Secret::new(fields.bytes()?.to_vec())) };
                // What a newer client adds behind all this is passed over: the hello must always be understood.
                return Some(Self::Hello { version_min, version_max, token });
            }
            START => Self::Start {
                directory: PathBuf::from(OsStr::from_bytes(fields.bytes()?)),
                launch: Box::new(Launch::read(&mut fields)?),
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
            SAY_ASIDE => Self::SayAside { bytes: fields.rest().to_vec() },
            MARK_TURN_END => Self::MarkTurnEnd { offset: fields.u64()? },
            FORGET_BEFORE => Self::ForgetBefore { offset: fields.u64()? },
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
            Self::SayAside { bytes } => write!(f, "SayAside({} bytes)", bytes.len()),
            Self::MarkTurnEnd { offset } => write!(f, "MarkTurnEnd({offset})"),
            Self::ForgetBefore { offset } => write!(f, "ForgetBefore({offset})"),
        }
    }
}
