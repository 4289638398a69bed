//! Rows: projections of the log, which can be made again from it at any time.
//!
//! The store keeps them as text under a kind and a key. `views` says what they hold.

use domain::Sequence;

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// What it is a row of.
    pub kind: String,
    /// Which one it is.
    pub key: String,
    /// What it holds.
    pub json: String,
    /// The entry that changed it last.
    pub sequence: Sequence,
}

/// What an entry does to a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowChange {
    /// The row is there now, and looks like this.
    Put(Row),
    /// The row is there no more.
    Delete {
        /// What it was a row of.
        kind: String,
        /// Which one it was.
        key: String,
    },
}

impl RowChange {
    /// Returns how many bytes of text it holds.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Put(row) => row.kind.len() + row.key.len() + row.json.len(),
            Self::Delete { kind, key } => kind.len() + key.len(),
        }
    }
}
