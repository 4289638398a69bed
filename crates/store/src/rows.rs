//! Rows: what is made of the log, and can be made again at any time.
//!
//! The store keeps them as text under a kind and a key. What they hold is the business of whoever makes them.

use domain::{RunId, Sequence};

use crate::{Entry, Log, StoreError};

/// How many entries are turned into rows in one step.
const STEP_ENTRIES_MAX: usize = 1000;

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
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Put(row) => row.kind.len() + row.key.len() + row.json.len(),
            Self::Delete { kind, key } => kind.len() + key.len(),
        }
    }
}

/// Brings a run's rows to where its log is, from where they are, and returns that place.
///
/// `project` gets each entry once, in order, and says what it changes. Rows that were deleted are made anew.
pub fn catch_up(
    log: &dyn Log,
    run: &RunId,
    mut project: impl FnMut(&Entry) -> Vec<RowChange>,
) -> Result<Sequence, StoreError> {
    let mut position = log.rows_position(run)?;
    loop {
        let entries = log.read(run, position, STEP_ENTRIES_MAX)?;
        let Some(last) = entries.last() else { return Ok(position) };
        let up_to = last.sequence;
        let changes = entries.iter().flat_map(&mut project).collect();
        position = log.save_rows(run, up_to, changes)?;
    }
}
