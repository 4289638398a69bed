//! A log whose appends fail, as with a full disk or when the server is killed.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use domain::{RunId, Sequence};
use store::{AppendResult, Callback, Entry, Log, NewEntry, Position, Row, RowChange, RunHead, StoreError};

/// A log whose appends fail after a given number.
pub struct FailingLog {
    log: Arc<dyn Log>,
    /// Number of appends that still succeed.
    n_appends: AtomicU64,
    /// Limit of row bytes in one write. The limit of a real log is too large for a short test.
    rows_bytes_max: usize,
}

impl FailingLog {
    pub fn new(log: Arc<dyn Log>, n_appends: u64, rows_bytes_max: usize) -> Self {
        Self { log, n_appends: AtomicU64::new(n_appends), rows_bytes_max }
    }

    /// Lets this many further appends succeed, and all later ones fail.
    pub fn fail_after(&self, n_appends: u64) {
        self.n_appends.store(n_appends, Ordering::SeqCst);
    }
}

impl Log for FailingLog {
    fn append_with_callback(
        &self,
        run: &RunId,
        expected: Sequence,
        entries: Vec<NewEntry>,
        callback: Callback<AppendResult>,
    ) {
        let remaining = self.n_appends.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1));
        match remaining {
            Ok(_) => self.log.append_with_callback(run, expected, entries, callback),
            Err(_) => callback(Err(StoreError::Stopped)),
        }
    }

    fn read(&self, run: &RunId, after: Sequence, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.log.read(run, after, limit)
    }

    fn read_all(&self, after: Position, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.log.read_all(after, limit)
    }

    fn last_position(&self) -> Result<Position, StoreError> {
        self.log.last_position()
    }

    fn runs(&self) -> Result<Vec<RunHead>, StoreError> {
        self.log.runs()
    }

    fn save_rows(
        &self,
        run: &RunId,
        up_to: Sequence,
        changes: Vec<RowChange>,
    ) -> Result<Sequence, StoreError> {
        let (bytes, bytes_max) = (changes.iter().map(RowChange::size_bytes).sum(), self.rows_bytes_max);
        if bytes > bytes_max {
            return Err(StoreError::TooLarge { bytes, bytes_max });
        }
        self.log.save_rows(run, up_to, changes)
    }

    fn rows_sequence(&self, run: &RunId) -> Result<Sequence, StoreError> {
        self.log.rows_sequence(run)
    }

    fn rows(&self, run: &RunId) -> Result<Vec<Row>, StoreError> {
        self.log.rows(run)
    }

    fn row(&self, run: &RunId, kind: &str, key: &str) -> Result<Option<Row>, StoreError> {
        self.log.row(run, kind, key)
    }
}
