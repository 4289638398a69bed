//! What a person sees of a run and does about it: real server, real git, real sessions, agents that are shell scripts.

#![expect(clippy::unwrap_used, reason = "a test that can't run its program has failed")]

mod alone;
mod commands;
mod office;
mod person;
mod plans;
mod projects;
mod subscribers;
mod watch;
mod wishes;
