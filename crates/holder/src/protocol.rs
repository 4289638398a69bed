//! What a client and a holder say to each other: framed requests and replies, both ways over one Unix socket.
//!
//! No IO here. A frame's head and the hello never change, so that any two versions can at least tell each other which
//! they speak; everything else may. A holder lives as long as its agent, so a newer server meets older holders.

mod frame;
mod launch;
mod reply;
mod request;

pub use frame::{Frame, FrameReader, TooLarge};
pub use launch::{Attachment, Launch, Limits, Stderr, WindowSize};
pub use reply::{Greeting, MemoryLimit, Phase, Refusal, Reply, Started, Status};
pub use request::Request;

/// The oldest version of the protocol that a client of this code speaks: its holders know no token.
pub const VERSION_MIN: u16 = 1;
/// The newest version of the protocol, and the only one that a holder of this code speaks.
pub const VERSION_MAX: u16 = 2;

/// How long a session's token is: far too long to be guessed.
pub const TOKEN_BYTES: usize = 32;
/// The longest hello. Who has not said one can't make a holder remember more than this.
pub const HELLO_BYTES_MAX: usize = 256;

/// The longest frame. A launch with a large environment and the longest input fit.
pub const FRAME_BYTES_MAX: usize = 256 << 10;
/// The longest input. What is longer is given to an agent as a file's path.
pub const INPUT_BYTES_MAX: usize = 128 << 10;
/// How much input may wait to be typed.
pub const INPUT_QUEUE_BYTES_MAX: usize = 160 << 10;
/// How many inputs may wait to be typed.
pub const INPUT_QUEUE_MAX: usize = 64;
/// How many clients may be connected at once.
pub const CONNECTIONS_MAX: usize = 16;
