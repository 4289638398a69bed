//! Opens the file for the writer and for readers.

use std::{path::Path, sync::Arc, time::Duration};

use rusqlite::{Connection, OpenFlags};

use crate::StoreError;

pub const LOG_FILE: &str = "log.sqlite3";

/// Time that other programs may lock the file before a call fails.
const BUSY_MAX: Duration = Duration::from_secs(5);

/// Pages in the write-ahead log before a checkpoint: 4 MiB. A checkpoint waits twice for the disk, so it should be
/// rare; pages that are not checkpointed are read again at the next start, so it should not be too rare.
const CHECKPOINT_PAGES: u32 = 1024;

/// More than the number of statements.
const STATEMENTS_MAX: usize = 32;

/// Opens the file for writing, creates it if missing, and changes nothing in it.
pub(super) fn open_writer(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let connection = open(path, flags)?;
    // SQLite silently opens a file without write permission for reading.
    if connection.is_readonly("main").map_err(|error| StoreError::from_sqlite_error(path, error))? {
        return Err(StoreError::ReadOnly { path: path.to_owned() });
    }
    Ok(connection)
}

/// Makes commits durable, and lets readers continue during a commit.
pub(super) fn make_durable(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let set = || {
        connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
        connection.pragma_update(None, "synchronous", "full")?;
        // The writer assigns the ids of runs itself, so SQLite need not check them.
        connection.pragma_update(None, "foreign_keys", false)?;
        connection.pragma_update_and_check(None, "wal_autocheckpoint", CHECKPOINT_PAGES, |_| Ok(()))
    };
    set().map_err(|error| StoreError::from_sqlite_error(path, error))
}

/// Opens the file for reading, concurrently with the writer.
pub(super) fn open_reader(path: &Path) -> Result<Connection, StoreError> {
    open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
}

fn open(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    // Each connection is used by one thread at a time, so SQLite need not lock it.
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(|error| StoreError::Open { path: path.to_owned(), source: Arc::new(error) })?;
    connection.busy_timeout(BUSY_MAX).map_err(|error| StoreError::from_sqlite_error(path, error))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    Ok(connection)
}
