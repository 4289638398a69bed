//! A log that stops, as when the server is killed: nothing is appended from then on.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use domain::{RunId, Sequence};
use store::{AppendResult, Callback, Entry, Log, NewEntry, Position, Row, RowChange, RunHead, StoreError};

pub(super) struct StoppingLog {
    log: Arc<dyn Log>,
    is_stopped: AtomicBool,
}

impl StoppingLog {
    pub(super) fn new(log: Arc<dyn Log>) -> Self {
        Self { log, is_stopped: AtomicBool::new(false) }
    }

    pub(super) fn stop(&self) {
        self.is_stopped.store(true, Ordering::SeqCst);
    }
}

impl Log for StoppingLog {
    fn append_with_callback(
        &self,
        run: &RunId,
        expected: Sequence,
        entries: Vec<NewEntry>,
        callback: Callback<AppendResult>,
    ) {
        if self.is_stopped.load(Ordering::SeqCst) {
            callback(Err(StoreError::Stopped));
        } else {
            self.log.append_with_callback(run, expected, entries, callback);
        }
    }

    fn read(&self, run: &RunId, after: Sequence, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.log.read(run, after, limit)
    }

    fn read_all(&self, after: Position, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.log.read_all(after, limit)
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
