//! The log in one SQLite file: a thread that writes, connections that read beside it.
//!
//! Never holds two transactions of its own at once: whoever wants to write waits in one bounded queue.

mod chain;
mod command;
mod connection;
mod feed;
mod group;
mod heads;
mod reader;
mod readers;
mod subscription;
mod writer;

use std::{
    path::Path,
    sync::{
        Arc,
        mpsc::{SyncSender, sync_channel},
    },
    thread::{Builder, JoinHandle},
};

use domain::{RunId, Sequence};

use self::{
    command::{Answer, Command, Work},
    readers::Readers,
    subscription::SqliteSubscription,
    writer::Writer,
};
pub use self::{connection::LOG_FILE, reader::SqliteReader};
use crate::{
    Appended, Entry, Log, NewEntry, Position, Row, RowChange, RunHead, Snapshot, StoreError, Subscription,
    Then, lock::DirectoryLock, schema,
};

/// How many writing calls may wait; the next one blocks. A call waits for its answer, so there is one per thread.
const QUEUE_MAX: usize = 1024;

/// More at once belongs into a file: the whole of it is in memory, and everybody waits while it is written.
const WRITE_BYTES_MAX: usize = 64 << 20;

/// A log in a directory of this machine.
#[derive(Debug)]
pub struct SqliteLog {
    shared: Arc<Shared>,
    writer: Option<JoinHandle<()>>,
    // Dropped last, when the writer is done with the file.
    _lock: DirectoryLock,
}

/// What subscriptions need too.
#[derive(Debug)]
struct Shared {
    queue: SyncSender<Command>,
    readers: Readers,
}

impl SqliteLog {
    /// Opens the log of a directory, and makes one where there is none.
    pub fn open(directory: &Path) -> Result<Self, StoreError> {
        if !directory.is_dir() {
            return Err(StoreError::DirectoryMissing { path: directory.to_owned() });
        }
        let lock = DirectoryLock::take(directory)?;
        let path = directory.join(LOG_FILE);
        let mut connection = connection::open_writer(&path)?;
        schema::migrate(&mut connection, &path)?;
        connection::make_durable(&connection, &path)?;

        let (sender, queue) = sync_channel(QUEUE_MAX);
        let writer = Writer::new(connection, path.clone());
        let thread = Builder::new()
            .name("log-writer".to_owned())
            .spawn(move || writer.run(&queue))
            .map_err(|error| StoreError::locking(&path, error))?;
        let shared = Arc::new(Shared { queue: sender, readers: Readers::new(path) });
        Ok(Self { shared, writer: Some(thread), _lock: lock })
    }
}

impl Drop for SqliteLog {
    fn drop(&mut self) {
        // The last connection to close tidies up behind the log, and only the writer's can.
        self.shared.readers.close();
        // A writer that is gone already needs no word, and one that panicked has said so itself.
        let _ = self.shared.queue.send(Command::Stop);
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

impl Shared {
    /// Hands work to the writer and waits for what became of it.
    fn write<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce(Answer<T>) -> Work,
    ) -> Result<T, StoreError> {
        let (answer, given) = Answer::awaited();
        self.hand_over(bytes, answer, work);
        given.recv().unwrap_or(Err(StoreError::Stopped))
    }

    /// Hands work to the writer, which answers; what it can't take is answered at once.
    fn hand_over<T: 'static>(&self, bytes: usize, answer: Answer<T>, work: impl FnOnce(Answer<T>) -> Work) {
        if bytes > WRITE_BYTES_MAX {
            return answer.give(Err(StoreError::TooLarge { bytes, bytes_max: WRITE_BYTES_MAX }));
        }
        // A writer that is gone drops the answer, and that is one too.
        drop(self.queue.send(Command::Write { work: work(answer), bytes }));
    }
}

impl Log for SqliteLog {
    fn append_then(&self, run: &RunId, expected: Sequence, entries: Vec<NewEntry>, then: Then<Appended>) {
        let bytes = entries.iter().map(NewEntry::bytes).sum();
        let run = run.clone();
        let append = |answer| Work::Append { run, expected, entries, answer };
        self.shared.hand_over(bytes, Answer(then), append);
    }

    fn read(&self, run: &RunId, after: Sequence, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.shared.readers.entries_of(run, after, limit)
    }

    fn read_all(&self, after: Position, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.shared.readers.entries(after, limit)
    }

    fn subscribe(&self, after: Position) -> Result<Box<dyn Subscription>, StoreError> {
        Ok(Box::new(SqliteSubscription::new(Arc::clone(&self.shared), after)))
    }

    fn runs(&self) -> Result<Vec<RunHead>, StoreError> {
        self.shared.readers.runs()
    }

    fn save_snapshot(&self, run: &RunId, snapshot: Snapshot) -> Result<(), StoreError> {
        let run = run.clone();
        self.shared.write(snapshot.bytes.len(), |answer| Work::SaveSnapshot { run, snapshot, answer })
    }

    fn load_snapshot(&self, run: &RunId) -> Result<Option<Snapshot>, StoreError> {
        self.shared.readers.snapshot(run)
    }

    fn prune_snapshots(&self, run: &RunId, keep: usize) -> Result<(), StoreError> {
        let run = run.clone();
        self.shared.write(0, |answer| Work::PruneSnapshots { run, keep, answer })
    }

    fn save_rows(
        &self,
        run: &RunId,
        up_to: Sequence,
        changes: Vec<RowChange>,
    ) -> Result<Sequence, StoreError> {
        let bytes = changes.iter().map(RowChange::bytes).sum();
        let run = run.clone();
        self.shared.write(bytes, |answer| Work::SaveRows { run, up_to, changes, answer })
    }

    fn rows_position(&self, run: &RunId) -> Result<Sequence, StoreError> {
        self.shared.readers.rows_position(run)
    }

    fn rows(&self, run: &RunId) -> Result<Vec<Row>, StoreError> {
        self.shared.readers.rows(run)
    }

    fn row(&self, run: &RunId, kind: &str, key: &str) -> Result<Option<Row>, StoreError> {
        self.shared.readers.row(run, kind, key)
    }

    fn delete_rows(&self, run: &RunId) -> Result<(), StoreError> {
        let run = run.clone();
        self.shared.write(0, |answer| Work::DeleteRows { run, answer })
    }
}
