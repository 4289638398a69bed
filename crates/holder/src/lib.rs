//! Keeps one agent session running when every other process dies, and lets clients talk to it.
//!
//! [`run_holder`] is the program `jangdan-holder`: one small process per session that owns the agent's terminal or
//! pipes, appends all output to a [`spool`] and serves a Unix socket. Everything else is for clients:
//! [`launch_session`], [`IdleHolder`], [`HolderConnection`], the readers in [`spool`], [`status`], and
//! [`kill_orphans`] for sessions whose holder was killed.
//!
//! Output is not interpreted. The holder has no threads and no `async`: one loop that sleeps until the kernel reports
//! an event.

mod ancestry;
mod cgroup;
mod client;
mod daemon;
mod fields;
pub mod mask;
mod orphans;
mod processes;
pub mod protocol;
pub mod spool;
pub mod status;
mod system;
mod wait;

use std::time::Duration;

pub use ancestry::{ProcessOrigin, process_origin};
pub use cgroup::delegated_cgroup;
pub use client::{ClientError, HolderConnection, IdleHolder, LaunchedSession, launch_session};
pub use daemon::run_holder;
pub use orphans::{OrphanReport, kill_orphans, kill_orphans_by_prefix};

/// Time that processes get to end by themselves before they are killed.
///
/// Ending a session may take two seconds in total; finding and killing the remaining processes takes less than one,
/// even on a busy machine.
pub const END_GRACE: Duration = Duration::from_secs(1);
/// Environment variable that identifies all descendants of a session.
pub const SESSION_VARIABLE: &str = "JANGDAN_SESSION";
/// Name of the socket in a session's folder.
pub const SOCKET_NAME: &str = "socket";
/// Name of the file in a session's folder with the token that clients must present.
pub const TOKEN_NAME: &str = "token";
