//! Entries of the log and their positions, as plain data.

use std::fmt;

use domain::{RunId, Sequence, Timestamp};

/// Position in the log of all runs. The first entry has position 1; there are no gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Position(pub u64);

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An entry to append. The log assigns its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEntry {
    pub at: Timestamp,
    pub actor: String,
    pub kind: String,
    pub version: u32,
    /// The event as JSON.
    pub payload: String,
}

impl NewEntry {
    /// Returns the size of its texts in bytes.
    pub(crate) fn size_bytes(&self) -> usize {
        self.actor.len() + self.kind.len() + self.payload.len()
    }
}

/// A recorded entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub run: RunId,
    /// Position in its run, from 1.
    pub sequence: Sequence,
    pub position: Position,
    pub at: Timestamp,
    pub actor: String,
    pub kind: String,
    pub version: u32,
    /// The event as JSON.
    pub payload: String,
}

/// Position of the last appended entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AppendResult {
    pub sequence: Sequence,
    pub position: Position,
}

/// A run in the log, with its last entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunHead {
    pub run: RunId,
    pub sequence: Sequence,
}
