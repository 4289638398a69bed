//! How the file is opened: for the one writer, and for readers.

use std::{path::Path, sync::Arc, time::Duration};

use rusqlite::{Connection, OpenFlags};

use crate::StoreError;

/// The name of the log's file.
pub const LOG_FILE: &str = "log.sqlite3";

/// How long somebody who looks into the file with a tool of their own may keep us waiting.
const BUSY_MAX: Duration = Duration::from_secs(5);

/// How many pages are written to the side file before they are moved into the main one: 4 MiB. Moving costs two more
/// waits for the disk, so not too often; what was not moved is read again at the next start, so not too rarely.
const CHECKPOINT_PAGES: u32 = 1024;

/// Every statement that there is, and some more.
const STATEMENTS_MAX: usize = 32;

/// Opens the file for writing, and creates it where it is missing. Changes nothing in it.
pub fn open_writer(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let connection = open(path, flags)?;
    // SQLite opens a file that can't be written for reading, without a word.
    if connection.is_readonly("main").map_err(|error| StoreError::using(path, error))? {
        return Err(StoreError::ReadOnly { path: path.to_owned() });
    }
    Ok(connection)
}

/// Sees to it that a commit returns only when it is on the disk, and that readers do not wait for it.
pub fn make_durable(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let set = || {
        connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
        connection.pragma_update(None, "synchronous", "full")?;
        // The writer gives out the runs' numbers itself; SQLite need not look each of them up again.
        connection.pragma_update(None, "foreign_keys", false)?;
        connection.pragma_update_and_check(None, "wal_autocheckpoint", CHECKPOINT_PAGES, |_| Ok(()))
    };
    set().map_err(|error| StoreError::using(path, error))
}

/// Opens the file for reading, beside the writer.
pub fn open_reader(path: &Path) -> Result<Connection, StoreError> {
    open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
}

fn open(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    // A connection is used by one thread at a time, so that SQLite need not lock it.
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(|error| StoreError::Open { path: path.to_owned(), source: Arc::new(error) })?;
    connection.busy_timeout(BUSY_MAX).map_err(|error| StoreError::using(path, error))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    Ok(connection)
}
