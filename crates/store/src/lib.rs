//! The log of every run, and the rows that are made of it.
//!
//! Entries are a kind, a version and a payload; `recorded` knows which event that is. What events mean is the engine's;
//! nothing is decided in this crate. What was acknowledged is on the disk; what failed is not in the log.

mod entry;
mod error;
mod lock;
mod log;
mod recorded;
mod rows;
mod schema;
mod sql;
mod sqlite;

pub use entry::{Appended, Entry, NewEntry, Position, RunHead};
pub use error::StoreError;
pub use log::{Log, Then};
pub use rows::{Row, RowChange};
pub use schema::SCHEMA_VERSION;
pub use sqlite::{LOG_FILE, SqliteLog, SqliteReader};
