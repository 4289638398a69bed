//! The interface of Jangdan: wishes and rows over HTTP, and what happens as a live stream.
//!
//! [`Api`] has the router, which does not know where its requests come from. [`Server`] answers on a Unix socket in the
//! data directory, and to browsers on loopback behind a guard, on a thread of its own. [`Client`] is the other end.
//! Nothing is decided here.

mod api;
mod bodies;
mod client;
mod code;
mod configured;
mod ensure;
mod feed;
mod guard;
mod loopback;
mod once;
mod page;
mod problem;
mod projects;
mod request;
mod routes;
mod serve;
mod server;
mod socket;
mod stop;
mod token;
#[cfg(feature = "typescript")]
mod typescript;

pub use api::Api;
pub use bodies::{InboxItem, Status};
pub use client::{Changed, Client, ClientError, HangUp, Live, LiveEvent, RunRows, Seen};
pub use ensure::{EnsureError, Running, ensure};
pub use loopback::Loopback;
pub use problem::Problem;
pub use serve::serve;
pub use server::Server;
pub use socket::{ServerError, socket_path};
#[cfg(feature = "typescript")]
pub use typescript::{SameName, declarations};
