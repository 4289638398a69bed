//! Rows: what is made of the log, and can be made again at any time.
//!
//! The store keeps them as text under a kind and a key. What they hold is the business of whoever makes them.

use std::collections::BTreeMap;

use domain::{RecordedEvent, RunId, Sequence};

use crate::{Entry, Log, StoreError};

/// How many entries are turned into rows in one step.
const STEP_ENTRIES_MAX: usize = 1000;

/// How many bytes of rows are saved in one step, but for what a single entry makes.
const STEP_BYTES_MAX: usize = 8 << 20;

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
    /// Returns the row that it is about.
    fn key(&self) -> (String, String) {
        match self {
            Self::Put(row) => (row.kind.clone(), row.key.clone()),
            Self::Delete { kind, key } => (kind.clone(), key.clone()),
        }
    }

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

/// Brings a run's rows to where its log is, by a fold that begins anew, and returns that place.
///
/// `project` gets every event of the run, since what an event changes depends on those before it; what the rows know
/// already is not saved again. Of several changes to a row only the last is saved.
pub fn catch_up_events(
    log: &dyn Log,
    run: &RunId,
    mut project: impl FnMut(&RecordedEvent) -> Vec<RowChange>,
) -> Result<Sequence, StoreError> {
    let saved = log.rows_position(run)?;
    let mut position = Sequence(0);
    loop {
        let entries = log.read(run, position, STEP_ENTRIES_MAX)?;
        if entries.is_empty() {
            return Ok(position);
        }
        let mut step = Step::default();
        for entry in &entries {
            let changes = project(&entry.recorded()?);
            position = entry.sequence;
            if position > saved {
                step.add(changes);
            }
            if step.bytes > STEP_BYTES_MAX {
                log.save_rows(run, position, step.take())?;
            }
        }
        if position > saved {
            log.save_rows(run, position, step.take())?;
        }
    }
}

/// What is to be saved together, each row once.
#[derive(Default)]
struct Step {
    changes: BTreeMap<(String, String), RowChange>,
    bytes: usize,
}

impl Step {
    fn add(&mut self, changes: Vec<RowChange>) {
        for change in changes {
            self.bytes += change.bytes();
            if let Some(before) = self.changes.insert(change.key(), change) {
                self.bytes -= before.bytes();
            }
        }
    }

    fn take(&mut self) -> Vec<RowChange> {
        std::mem::take(self).changes.into_values().collect()
    }
}
