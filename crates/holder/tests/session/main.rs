//! Real holders, real processes, real terminals.
//!
//! Nothing here sleeps to be in time: every wait is for a condition, with a deadline.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on should stop")]

mod disk;
mod ending;
mod idle;
mod inputs;
mod kills;
mod limits;
mod masking;
mod protocol;
mod stage;
mod stopping;
mod terminal;
mod token;
