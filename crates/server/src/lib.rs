//! The HTTP interface of Jangdan: commands and rows over HTTP, changes as a stream of server-sent events.
//!
//! [`Api`] has the router, which does not depend on the transport. [`Server`] serves it on a Unix socket in the data
//! directory and, behind an access check, to browsers on loopback. [`Client`] is the other end of the socket. Rules of
//! runs are in the engine, not here.

mod access;
mod api;
mod bodies;
mod change_feed;
mod client;
mod connect_or_start;
mod extract;
mod idempotency;
mod loopback;
mod page;
mod problem;
mod problem_code;
mod problem_korean;
mod project_config;
mod projects;
mod rejection_status;
mod request_trace;
mod routes;
mod serve;
mod server;
mod socket;
mod start_facts;
mod stop_signal;
mod token;
#[cfg(feature = "typescript")]
mod typescript;

pub use api::Api;
pub use bodies::{DamagedRunEntry, InboxEntry, SecretText, ServerStatus};
pub use client::{
    Client, ClientError, LiveEvent, LiveStream, LiveStreamHandle, RowChange, RunRows, SessionActivity,
};
pub use connect_or_start::{ConnectOrStartError, RunningServer, connect_or_start};
pub use loopback::LoopbackMode;
pub use problem::Problem;
pub use problem_korean::korean_problem;
pub use server::Server;
pub use socket::{ServerError, socket_path};
#[cfg(feature = "typescript")]
pub use typescript::{DuplicateTypeName, typescript_declarations};
