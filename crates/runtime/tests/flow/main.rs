//! Whole runs, point by point: questions, parking, crashes, checks, people, teams. Real git, real sessions, shell scripts.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that can't run its run has failed"
)]

#[path = "../common/mod.rs"]
mod common;

mod checks;
mod killed;
mod parking;
mod processes;
mod questions;
