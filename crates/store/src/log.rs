//! The interface of a log, independent of the database.
//!
//! Calls block until they are done or call back; none needs an async runtime.

use std::sync::mpsc::sync_channel;

use domain::{RunId, Sequence};

use crate::{AppendResult, Entry, NewEntry, Position, Row, RowChange, RunHead, StoreError};

/// Called with the result of a write.
pub type Callback<T> = Box<dyn FnOnce(Result<T, StoreError>) + Send>;

/// An append-only log of all runs, with the rows made from it.
///
/// If a write fails, it was not acknowledged and is not visible; it can be retried.
pub trait Log: Send + Sync {
    /// Appends entries after `expected`, the last entry that the caller knows; all of them or none.
    ///
    /// Returns when they are durable. Fails with [`StoreError::Conflict`] if the run has another last entry.
    fn append(
        &self,
        run: &RunId,
        expected: Sequence,
        entries: Vec<NewEntry>,
    ) -> Result<AppendResult, StoreError> {
        let (sender, answer) = sync_channel(1);
        // The receiver below still exists.
        let callback: Callback<AppendResult> = Box::new(move |result| drop(sender.try_send(result)));
        self.append_with_callback(run, expected, entries, callback);
        answer.recv().unwrap_or(Err(StoreError::Stopped))
    }

    /// Appends entries like [`Log::append`] and calls back, for callers that must not block.
    ///
    /// Blocks only while the queue is full. The writer thread runs `callback`, so it must be fast; if the store stops
    /// first, it is dropped.
    fn append_with_callback(
        &self,
        run: &RunId,
        expected: Sequence,
        entries: Vec<NewEntry>,
        callback: Callback<AppendResult>,
    );

    /// Returns at most `limit` entries of a run after `after`; none for an unknown run.
    fn read(&self, run: &RunId, after: Sequence, limit: usize) -> Result<Vec<Entry>, StoreError>;

    /// Returns at most `limit` entries of all runs after a position, in the order in which they were recorded.
    fn read_all(&self, after: Position, limit: usize) -> Result<Vec<Entry>, StoreError>;

    /// Returns the position of the last entry; 0 for an empty log.
    fn last_position(&self) -> Result<Position, StoreError>;

    /// Returns all runs with entries, the oldest first.
    fn runs(&self) -> Result<Vec<RunHead>, StoreError>;

    /// Changes the rows of a run to their state after `up_to`, and returns the sequence of the rows.
    ///
    /// Rows that are already there stay unchanged, so a repeated call has no effect. Fails with
    /// [`StoreError::AheadOfLog`] if the log has not reached `up_to`.
    fn save_rows(
        &self,
        run: &RunId,
        up_to: Sequence,
        changes: Vec<RowChange>,
    ) -> Result<Sequence, StoreError>;

    /// Returns the last entry that is included in the rows of a run.
    fn rows_sequence(&self, run: &RunId) -> Result<Sequence, StoreError>;

    /// Returns the rows of a run, sorted by kind and key.
    fn rows(&self, run: &RunId) -> Result<Vec<Row>, StoreError>;

    /// Returns one row of a run.
    fn row(&self, run: &RunId, kind: &str, key: &str) -> Result<Option<Row>, StoreError>;
}
