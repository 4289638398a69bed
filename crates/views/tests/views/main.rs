//! The fold from outside: a log in, rows out.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on should stop")]

mod engine_agrees;
mod golden;
mod korean;
mod layout;
mod names;
mod rules;
mod scale;
mod schedule;
mod sessions;
mod story;
mod world;
