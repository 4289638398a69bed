//! Stores the log of every run, and the rows made from it.
//!
//! An entry has a kind, a version and a payload; `event_entry` converts events. Nothing is decided in this crate.
//! Acknowledged entries are durable; entries of a failed call are not in the log.

mod entry;
mod error;
mod event_entry;
mod lock;
mod log;

mod rows;
mod schema;
mod sql;
mod sqlite;

pub use entry::{AppendResult, Entry, NewEntry, Position, RunHead};
pub use error::StoreError;
pub use log::{Callback, Log};
pub use rows::{Row, RowChange};
pub use schema::SCHEMA_VERSION;
pub use sqlite::{LOG_FILE, SqliteLog, SqliteReader};
