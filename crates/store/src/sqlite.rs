//! The log in one SQLite file: one writer thread, and reader connections.
//!
//! Never has two write transactions at once: writes wait in one bounded queue.

mod chain;
mod command;
mod connection;

mod head_cache;
mod reader;
mod reader_pool;
mod transaction;
mod writer;

use std::{
    fs, io,
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::Path,
    sync::mpsc::{SyncSender, sync_channel},
    thread::{Builder, JoinHandle},
};

use domain::{RunId, Sequence};

use self::{
    command::{Reply, WriteRequest, WriterCommand},
    reader_pool::ReaderPool,
    writer::Writer,
};
pub use self::{connection::LOG_FILE, reader::SqliteReader};
use crate::{
    AppendResult, Callback, Entry, Log, NewEntry, Position, Row, RowChange, RunHead, StoreError,
    lock::DirectoryLock, schema,
};

/// Maximum number of queued writes; the next one blocks. A caller waits for its reply, so there is one per thread.
const QUEUE_MAX: usize = 1024;

/// Larger data belongs in a file: a write is held in memory, and all other writes wait for it.
const WRITE_BYTES_MAX: usize = 64 << 20;

/// A log in a local directory.
#[derive(Debug)]
pub struct SqliteLog {
    queue: SyncSender<WriterCommand>,
    readers: ReaderPool,
    writer: Option<JoinHandle<()>>,
    // Dropped last, after the writer has closed the file.
    _lock: DirectoryLock,
}

impl SqliteLog {
    /// Opens the log of a directory, or creates it.
    pub fn open(directory: &Path) -> Result<Self, StoreError> {
        if !directory.is_dir() {
            return Err(StoreError::DirectoryMissing { path: directory.to_owned() });
        }
        let lock = DirectoryLock::take(directory)?;
        let path = directory.join(LOG_FILE);
        make_private(&path).map_err(|error| StoreError::from_lock_error(&path, error))?;
        let mut connection = connection::open_writer(&path)?;
        schema::migrate(&mut connection, &path)?;
        connection::make_durable(&connection, &path)?;

        let (sender, queue) = sync_channel(QUEUE_MAX);
        let writer = Writer::new(connection, path.clone());
        let thread = Builder::new()
            .name("log-writer".to_owned())
            .spawn(move || writer.run(&queue))
            .map_err(|error| StoreError::from_lock_error(&path, error))?;
        Ok(Self { queue: sender, readers: ReaderPool::new(path), writer: Some(thread), _lock: lock })
    }

    /// Sends a request to the writer, which replies. Rejects requests that are too large.
    fn send_request<T: 'static>(
        &self,
        bytes: usize,
        reply: Reply<T>,
        request: impl FnOnce(Reply<T>) -> WriteRequest,
    ) {
        if bytes > WRITE_BYTES_MAX {
            return reply.send(Err(StoreError::TooLarge { bytes, bytes_max: WRITE_BYTES_MAX }));
        }
        // A stopped writer drops the reply, which the caller sees as `Stopped`.
        drop(self.queue.send(WriterCommand::Write { request: request(reply), bytes }));
    }
}

impl Drop for SqliteLog {
    fn drop(&mut self) {
        // The last connection to close cleans up the side files, and only a writing connection can.
        self.readers.close_idle();
        // A stopped writer needs no command, and one that panicked has reported it.
        let _ = self.queue.send(WriterCommand::Stop);
        if let Some(writer) = self.writer.take() {
            // See above.
            let _ = writer.join();
        }
    }
}

impl Log for SqliteLog {
    fn append_with_callback(
        &self,
        run: &RunId,
        expected: Sequence,
        entries: Vec<NewEntry>,
        callback: Callback<AppendResult>,
    ) {
        let bytes = entries.iter().map(NewEntry::size_bytes).sum();
        let run = run.clone();
        let append = |reply| WriteRequest::Append { run, expected, entries, reply };
        self.send_request(bytes, Reply(callback), append);
    }

    fn read(&self, run: &RunId, after: Sequence, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.readers.entries_of(run, after, limit)
    }

    fn read_all(&self, after: Position, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.readers.entries(after, limit)
    }

    fn last_position(&self) -> Result<Position, StoreError> {
        self.readers.last_position()
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
        let bytes = changes.iter().map(RowChange::size_bytes).sum();
        let run = run.clone();
        let (reply, receiver) = Reply::with_receiver();
        self.send_request(bytes, reply, |reply| WriteRequest::SaveRows { run, up_to, changes, reply });
        receiver.recv().unwrap_or(Err(StoreError::Stopped))
    }

    fn rows_sequence(&self, run: &RunId) -> Result<Sequence, StoreError> {
        self.readers.rows_sequence(run)
    }

    fn rows(&self, run: &RunId) -> Result<Vec<Row>, StoreError> {
        self.readers.rows(run)
    }

    fn row(&self, run: &RunId, kind: &str, key: &str) -> Result<Option<Row>, StoreError> {
        self.readers.row(run, kind, key)
    }
}

/// Creates a file that only its owner can read, or takes away the permissions of other users. SQLite gives the files beside
/// it the same permissions.
fn make_private(path: &Path) -> io::Result<()> {
    let file = fs::OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    let mut permissions = file.metadata()?.permissions();
    if permissions.mode() & 0o077 != 0 {
        permissions.set_mode(permissions.mode() & !0o077);
        file.set_permissions(permissions)?;
    }
    Ok(())
}
