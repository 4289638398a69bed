//! Entries of the log and their positions, as plain data. `Log` says who may write them and when.

use std::fmt;

use domain::{RunId, Sequence, Timestamp};

/// A place in the log of all runs together. The first entry has 1; 0 stands before it. There are no gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Position(pub u64);

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A fact that is to be recorded. Its place is given by the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEntry {
    /// When it happened.
    pub at: Timestamp,
    /// Who made it happen.
    pub actor: String,
    /// The name of its type.
    pub kind: String,
    /// The version of that type.
    pub version: u32,
    /// What happened, as JSON.
    pub payload: String,
}

impl NewEntry {
    /// Returns how many bytes of text it holds.
    pub(crate) fn bytes(&self) -> usize {
        self.actor.len() + self.kind.len() + self.payload.len()
    }
}

/// A recorded fact, with its places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Whose fact it is.
    pub run: RunId,
    /// Its place in the run: 1, 2, 3 and so on.
    pub sequence: Sequence,
    /// Its place among all runs.
    pub position: Position,
    /// When it happened.
    pub at: Timestamp,
    /// Who made it happen.
    pub actor: String,
    /// The name of its type.
    pub kind: String,
    /// The version of that type.
    pub version: u32,
    /// What happened, as JSON.
    pub payload: String,
}

/// Where the log stands after an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appended {
    /// The place of the last entry in its run.
    pub sequence: Sequence,
    /// Its place among all runs.
    pub position: Position,
}

/// A run that the log knows, and how far it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunHead {
    /// The run.
    pub run: RunId,
    /// The place of its last entry.
    pub sequence: Sequence,
}
