//! Whole runs, point by point: questions, parking, crashes, checks, people, teams. Real git, real sessions, shell scripts.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that can't run its run has failed"
)]

mod checks;
mod control;
mod desks;
mod killed;
mod lab;
mod landing;
mod overlaps;
mod parking;
mod places;
mod plans;
mod processes;
mod questions;
mod room;
mod team;
mod turns;
mod voices;
mod whole;
