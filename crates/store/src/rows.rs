//! Rows: projections of the log that can be rebuilt at any time.
//!
//! The store keeps them as JSON by kind and key; `views` defines their content.

use domain::Sequence;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub kind: String,
    pub key: String,
    pub json: String,
    /// The last entry that changed it.
    pub sequence: Sequence,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowChange {
    Put(Row),
    Delete { kind: String, key: String },
}

impl RowChange {
    /// Returns the size of its texts in bytes.
    pub fn size_bytes(&self) -> usize {
        match self {
            Self::Put(row) => row.kind.len() + row.key.len() + row.json.len(),
            Self::Delete { kind, key } => kind.len() + key.len(),
        }
    }
}
