//! The protocol between clients and a holder: framed requests and replies over a Unix socket. Contains no IO.
//!
//! Frame headers and the hello never change, so that any two versions can negotiate. A holder lives as long as its
//! agent, so a newer server meets older holders.

mod frame;
mod launch;
mod reply;
mod request;

pub use frame::{Frame, FrameReader, FrameTooLarge};
pub use launch::{LaunchSpec, ResourceLimits, StderrMode, StdioAttachment, WindowSize};
pub use reply::{Greeting, MemoryLimit, Refusal, Reply, SessionPhase, SessionStatus, StartedAgent};
pub use request::Request;

/// Oldest version that clients support; its holders require no token.
pub const VERSION_MIN: u16 = 1;
/// Newest version, and the only one that holders support.
pub const VERSION_MAX: u16 = 2;

/// Length of a session's token in bytes.
pub const TOKEN_BYTES: usize = 32;
/// Limits the memory that a client without hello can occupy.
pub const HELLO_BYTES_MAX: usize = 256;

/// Limit of a frame. A launch with a large environment and the longest input fit.
pub const FRAME_BYTES_MAX: usize = 256 << 10;
/// Limit of one input. Longer text is passed to an agent as a file.
pub const INPUT_BYTES_MAX: usize = 128 << 10;
/// Limit of queued input in bytes.
pub const INPUT_QUEUE_BYTES_MAX: usize = 160 << 10;
/// Limit of queued inputs.
pub const INPUT_QUEUE_MAX: usize = 64;
/// Limit of connected clients.
pub const CONNECTIONS_MAX: usize = 16;
