//! The fold from outside: a log in, rows out.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot continue should stop")]

mod conversations;
mod engine_agrees;
mod engine_run;
mod event_names;
mod golden;
mod layout;
mod report;
mod rules;
mod sample_log;
mod scale;
mod schedule;
mod sentences;
mod sessions;
