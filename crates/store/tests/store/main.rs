//! Tests of the store in one binary: building it links SQLite, and some tests start it again as a child.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on should stop")]

mod crash;
mod failures;
mod golden;
mod paging;
mod properties;
mod reader;
mod rules;
mod sample;
mod sql_views;
