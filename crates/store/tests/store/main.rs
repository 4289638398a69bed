//! The store from outside, in one binary: building it links SQLite, and some tests start it again as a child.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on should stop")]

mod beside;
mod crash;
mod golden;
mod paging;
mod people;
mod properties;
mod rules;
mod sample;
mod trouble;
