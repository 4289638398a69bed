//! What a log can do, whichever engine keeps it.
//!
//! Calls block until they are done, or call back; none needs an async runtime.

use std::sync::mpsc::sync_channel;

use domain::{RunId, Sequence};

use crate::{Appended, Entry, NewEntry, Position, Row, RowChange, RunHead, StoreError};

/// What is to happen with a result when it is there.
pub type Then<T> = Box<dyn FnOnce(Result<T, StoreError>) + Send>;

/// An append-only log of all runs, with the rows that are made of it.
///
/// An error of a writing call means that it was not acknowledged and is not visible; it may be tried again.
pub trait Log: Send + Sync {
    /// Records entries behind `expected`, the last place the caller knows of; all of them or none.
    ///
    /// Returns when they are durable. Refused with [`StoreError::Conflict`] where the run is elsewhere.
    fn append(
        &self,
        run: &RunId,
        expected: Sequence,
        entries: Vec<NewEntry>,
    ) -> Result<Appended, StoreError> {
        let (sender, answer) = sync_channel(1);
        // Whoever waits below is still there.
        let then: Then<Appended> = Box::new(move |result| drop(sender.try_send(result)));
        self.append_then(run, expected, entries, then);
        answer.recv().unwrap_or(Err(StoreError::Stopped))
    }

    /// Records entries like [`Log::append`], and says so by a call instead of a return: for callers that must not wait.
    ///
    /// Blocks only while the queue is full. `then` is called by the thread that writes, so it must be quick; where the
    /// store ends before, it is dropped.
    fn append_then(&self, run: &RunId, expected: Sequence, entries: Vec<NewEntry>, then: Then<Appended>);

    /// Returns a run's entries behind a place, `limit` at most; none for a run that nobody knows.
    fn read(&self, run: &RunId, after: Sequence, limit: usize) -> Result<Vec<Entry>, StoreError>;

    /// Returns the entries of all runs behind a place, `limit` at most, in the order in which they were recorded.
    fn read_all(&self, after: Position, limit: usize) -> Result<Vec<Entry>, StoreError>;

    /// Returns every run that has an entry, the oldest first.
    fn runs(&self) -> Result<Vec<RunHead>, StoreError>;

    /// Changes a run's rows to what they are after `up_to`, and returns the place that they stand at.
    ///
    /// Where they are there already nothing changes, so that saying it twice does it once. Refused with
    /// [`StoreError::AheadOfLog`] where the log has not come that far.
    fn save_rows(
        &self,
        run: &RunId,
        up_to: Sequence,
        changes: Vec<RowChange>,
    ) -> Result<Sequence, StoreError>;

    /// Returns the last entry of a run that its rows know of.
    fn rows_position(&self, run: &RunId) -> Result<Sequence, StoreError>;

    /// Returns a run's rows, sorted by kind and key.
    fn rows(&self, run: &RunId) -> Result<Vec<Row>, StoreError>;

    /// Returns one of a run's rows.
    fn row(&self, run: &RunId, kind: &str, key: &str) -> Result<Option<Row>, StoreError>;
}
