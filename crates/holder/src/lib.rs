//! Keeps one agent session alive when everything else dies, and lets others talk to it.
//!
//! Two sides of one thing. [`hold`] is the program `jangdan-holder`: one small process per session that owns the agent's
//! terminal or pipes, appends everything it writes to a [`spool`] and serves a Unix socket. The rest is what a client
//! needs: [`launch`], [`Ready`] and [`Connection`], [`spool::Reader`] and [`spool::Follower`], [`status`], and [`end_orphans`] for
//! the day on which a holder itself was killed.
//!
//! Knows nothing of what agents say. No threads, no `async`: one loop that sleeps until the kernel has something.

mod bytes;
mod cgroup;
mod client;
mod hold;
pub mod mask;
mod orphans;
mod processes;
pub mod protocol;
pub mod spool;
pub mod status;
mod system;
mod wait;

use std::time::Duration;

pub use cgroup::delegated as delegated_cgroup;
pub use client::{ClientError, Connection, Launched, Ready, launch};
pub use hold::hold;
pub use orphans::{Orphans, end_orphans};

/// How long processes get to end by themselves before they are killed.
///
/// Whoever ends a session waits at most two seconds; finding and killing whoever is left takes less than the other one,
/// also on a busy machine.
pub const END_GRACE: Duration = Duration::from_secs(1);
/// The variable that every descendant of a session carries.
pub const SESSION_VARIABLE: &str = "JANGDAN_SESSION";
/// The name of the socket in a session's folder.
pub const SOCKET_NAME: &str = "socket";
/// The name of the file in a session's folder whose content a client must know to be heard on the socket.
pub const TOKEN_NAME: &str = "token";
