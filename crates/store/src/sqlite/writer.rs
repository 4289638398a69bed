//! The writer thread: queued requests share one transaction, and are answered when it is durable.

use std::{
    error::Error,
    path::PathBuf,
    sync::mpsc::{Receiver, RecvTimeoutError},
    time::{Duration, Instant},
};

use domain::RunId;
use rusqlite::{Connection, TransactionBehavior};
use tracing::{error, info};

use super::{
    command::{PendingReply, WriteRequest, WriterCommand},
    head_cache::HeadCache,
    transaction::OpenTransaction,
};
use crate::{NewEntry, StoreError};

/// Memory limit of one transaction.
const BATCH_BYTES_MAX: usize = 16 << 20;

/// Maximum number of requests in one transaction.
const BATCH_REQUESTS_MAX: usize = 1024;

/// Maximum time that a transaction waits for the callers of the previous one; the duration of a commit is the other
/// bound.
const BATCH_WAIT_MAX: Duration = Duration::from_millis(2);

/// The state of the writer thread.
pub(super) struct Writer {
    connection: Connection,
    path: PathBuf,
    heads: HeadCache,
    last: LastCommit,
    /// The failure of the last transactions, which callers repeat: it is logged once.
    failure: Option<RepeatedFailure>,
}

struct RepeatedFailure {
    text: String,
    n_transactions: u64,
}

/// Statistics of the last commit, used to size the next one.
#[derive(Default)]
struct LastCommit {
    n_requests: usize,
    duration: Duration,
}

/// Requests of one transaction.
#[derive(Default)]
struct WriteBatch {
    replies: Vec<PendingReply>,
    bytes: usize,
    // Freed with the batch, after all replies are sent.
    written_entries: Vec<Vec<NewEntry>>,
    is_last: bool,
}

impl Writer {
    pub(super) fn new(connection: Connection, path: PathBuf) -> Self {
        Self { connection, path, heads: HeadCache::default(), last: LastCommit::default(), failure: None }
    }

    /// Runs until it is stopped or all senders are gone.
    pub(super) fn run(mut self, queue: &Receiver<WriterCommand>) {
        while let Ok(command) = queue.recv() {
            let mut batch = WriteBatch::default();
            if let Some(request) = batch.add_command(command) {
                self.commit(request, queue, &mut batch);
            }
            if batch.is_last {
                return;
            }
        }
    }

    /// Executes all queued requests in one transaction, then replies to the callers.
    fn commit(&mut self, first: WriteRequest, queue: &Receiver<WriterCommand>, batch: &mut WriteBatch) {
        let run = first.run().clone();
        let committed = self.transact(first, queue, batch).map_err(|error| {
            self.heads.clear();
            StoreError::from_sqlite_error(&self.path, error)
        });
        self.trace_failure(&run, committed.as_ref().err());
        for reply in batch.replies.drain(..) {
            reply(committed.clone());
        }
    }

    /// Logs the first failure of its kind, and the next success. `run` is the run of the first request.
    fn trace_failure(&mut self, run: &RunId, error: Option<&StoreError>) {
        let Some(error) = error else {
            if let Some(failure) = self.failure.take() {
                info!(store = %self.path.display(), %run, failed = failure.n_transactions, "events are recorded again");
            }
            return;
        };
        let text = error.to_string();
        match &mut self.failure {
            Some(failure) if failure.text == text => failure.n_transactions += 1,
            Some(_) | None => {
                error!(store = %self.path.display(), %run, error = error as &dyn Error, "cannot record events");
                self.failure = Some(RepeatedFailure { text, n_transactions: 1 });
            }
        }
    }

    /// Fills a transaction and commits it. On failure only the pending replies remain.
    ///
    /// After a commit its callers return one by one. A transaction that ended with the first of them would delay the
    /// others by a whole commit, so it waits briefly for as many as last time. A single caller never waits.
    fn transact(
        &mut self,
        first: WriteRequest,
        queue: &Receiver<WriterCommand>,
        batch: &mut WriteBatch,
    ) -> rusqlite::Result<()> {
        let begun = self.connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = match begun {
            Ok(transaction) => transaction,
            Err(error) => {
                batch.replies.push(first.into_failed_reply());
                return Err(error);
            }
        };
        let mut open_transaction =
            OpenTransaction { connection: &transaction, heads: &mut self.heads, written_entries: Vec::new() };
        let until = Instant::now() + self.last.duration.min(BATCH_WAIT_MAX);
        let mut next = Some(first);
        loop {
            if let Some(request) = next.take() {
                let (reply, done) = open_transaction.execute(request);
                batch.replies.push(reply);
                done?;
            }
            if batch.is_full() {
                break;
            }
            let is_waiting = batch.replies.len() < self.last.n_requests;
            let left =
                if is_waiting { until.saturating_duration_since(Instant::now()) } else { Duration::ZERO };
            match queue.recv_timeout(left) {
                Ok(command) => next = batch.add_command(command),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => batch.is_last = true,
            }
        }
        batch.written_entries = open_transaction.written_entries;
        self.heads.write_index(&transaction)?;
        let start = Instant::now();
        transaction.commit()?;
        self.last = LastCommit { n_requests: batch.replies.len(), duration: start.elapsed() };
        Ok(())
    }
}

impl WriteBatch {
    /// Adds a command to the batch and returns its request.
    fn add_command(&mut self, command: WriterCommand) -> Option<WriteRequest> {
        match command {
            WriterCommand::Write { request, bytes } => {
                self.bytes += bytes;
                Some(request)
            }
            WriterCommand::Stop => {
                self.is_last = true;
                None
            }
        }
    }

    fn is_full(&self) -> bool {
        self.is_last || self.bytes >= BATCH_BYTES_MAX || self.replies.len() >= BATCH_REQUESTS_MAX
    }
}
