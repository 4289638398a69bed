//! The log in one SQLite file: a thread that writes, connections that read beside it.
//!
//! Never holds two transactions of its own at once: whoever wants to write waits in one bounded queue.

mod chain;
mod command;
mod connection;
mod group;
mod heads;
mod reader;
mod readers;
mod writer;

use std::{
    path::Path,
    sync::mpsc::{SyncSender, sync_channel},
    thread::{Builder, JoinHandle},
};

use domain::{RunId, Sequence};

use self::{
    command::{Answer, Command, Work},
    readers::Readers,
    writer::Writer,
};
pub use self::{connection::LOG_FILE, reader::SqliteReader};
use crate::{
    Appended, Entry, Log, NewEntry, Position, Row, RowChange, RunHead, StoreError, Then, lock::DirectoryLock,
    schema,
};

/// How many writing calls may wait; the next one blocks. A call waits for its answer, so there is one per thread.
const QUEUE_MAX: usize = 1024;

/// More at once belongs into a file: the whole of it is in memory, and everybody waits while it is written.
const WRITE_BYTES_MAX: usize = 64 << 20;

/// A log in a directory of this machine.
#[derive(Debug)]
pub struct SqliteLog {
    queue: SyncSender<Command>,
    readers: Readers,
    writer: Option<JoinHandle<()>>,
    // Dropped last, when the writer is done with the file.
    _lock: DirectoryLock,
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
        Ok(Self { queue: sender, readers: Readers::new(path), writer: Some(thread), _lock: lock })
    }

    /// Hands work to the writer, which answers. Work that is too large is refused at once.
    fn hand_over<T: 'static>(&self, bytes: usize, answer: Answer<T>, work: impl FnOnce(Answer<T>) -> Work) {
        if bytes > WRITE_BYTES_MAX {
            return answer.give(Err(StoreError::TooLarge { bytes, bytes_max: WRITE_BYTES_MAX }));
        }
        // A writer that has ended drops the answer, which the caller sees as `Stopped`.
        drop(self.queue.send(Command::Write { work: work(answer), bytes }));
    }
}

impl Drop for SqliteLog {
    fn drop(&mut self) {
        // The last connection to close tidies up behind the log, and only the writer's can.
        self.readers.close();
        // A writer that is gone already needs no word, and one that panicked has said so itself.
        let _ = self.queue.send(Command::Stop);
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

impl Log for SqliteLog {
    fn append_then(&self, run: &RunId, expected: Sequence, entries: Vec<NewEntry>, then: Then<Appended>) {
        let bytes = entries.iter().map(NewEntry::bytes).sum();
        let run = run.clone();
        let append = |answer| Work::Append { run, expected, entries, answer };
        self.hand_over(bytes, Answer(then), append);
    }

    fn read(&self, run: &RunId, after: Sequence, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.readers.entries_of(run, after, limit)
    }

    fn read_all(&self, after: Position, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.readers.entries(after, limit)
    }

    fn runs(&self) -> Result<Vec<RunHead>, StoreError> {
        self.readers.runs()
    }

    fn save_rows(
        &self,
        run: &RunId,
        up_to: Sequence,
        changes: Vec<RowChange>,
    ) -> Result<Sequence, StoreError> {
        let bytes = changes.iter().map(RowChange::bytes).sum();
        let run = run.clone();
        let (answer, given) = Answer::awaited();
        self.hand_over(bytes, answer, |answer| Work::SaveRows { run, up_to, changes, answer });
        given.recv().unwrap_or(Err(StoreError::Stopped))
    }

    fn rows_position(&self, run: &RunId) -> Result<Sequence, StoreError> {
        self.readers.rows_position(run)
    }

    fn rows(&self, run: &RunId) -> Result<Vec<Row>, StoreError> {
        self.readers.rows(run)
    }

    fn row(&self, run: &RunId, kind: &str, key: &str) -> Result<Option<Row>, StoreError> {
        self.readers.row(run, kind, key)
    }
}
