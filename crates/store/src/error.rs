//! What can go wrong, told apart by what a person can do about it.

use std::{
    error::Error,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use domain::{RunId, Sequence};
use rusqlite::ErrorCode;

/// Why the store did not do what it was asked to.
///
/// Where it is about writing: nothing was acknowledged, nothing half-written is visible, and the same store works again
/// when the cause is gone.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The directory for the log does not exist.
    #[error("there is no directory {}", .path.display())]
    DirectoryMissing {
        /// The directory.
        path: PathBuf,
    },
    /// Another process has the log.
    #[error("{} is held by another process", .path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// The process, where the lock file says so.
        holder: Option<u32>,
    },
    /// The file or its directory can't be written.
    #[error("{} can't be written", .path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// There is no space left.
    #[error("no space is left for {}", .path.display())]
    DiskFull {
        /// The file.
        path: PathBuf,
    },
    /// The file is damaged.
    #[error("{} is damaged", .path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What was found.
        source: Arc<dyn Error + Send + Sync>,
    },
    /// The file is a database, and not ours.
    #[error("{} belongs to another program", .path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a newer Jangdan.
    #[error("{} has schema {found}, and {known} is the newest known here", .path.display())]
    NewerVersion {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// The file was written by an older Jangdan, and is only read here.
    #[error("{} has schema {found}, and is to be brought to {known} first", .path.display())]
    OlderVersion {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// There is no log in the directory.
    #[error("there is no log in {}", .path.display())]
    LogMissing {
        /// The directory.
        path: PathBuf,
    },
    /// An entry is of a type that is not known here.
    #[error("entry {sequence} of run {run} is a {kind}, which is not known here")]
    UnknownEvent {
        /// The run.
        run: RunId,
        /// Its place.
        sequence: Sequence,
        /// The name of its type.
        kind: String,
    },
    /// An entry was written by a newer Jangdan.
    #[error(
        "entry {sequence} of run {run} is a {kind} of version {found}, and {known} is the newest known here"
    )]
    NewerEvent {
        /// The run.
        run: RunId,
        /// Its place.
        sequence: Sequence,
        /// The name of its type.
        kind: String,
        /// Its version.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// An entry is not what its type says.
    #[error("entry {sequence} of run {run} is no {kind}")]
    DamagedEvent {
        /// The run.
        run: RunId,
        /// Its place.
        sequence: Sequence,
        /// The name of its type.
        kind: String,
        /// What was found.
        source: Arc<dyn Error + Send + Sync>,
    },
    /// An event can't be written as JSON: a mistake of ours.
    #[error("write a {kind} as JSON")]
    Unwritable {
        /// The name of its type.
        kind: &'static str,
        /// What is wrong.
        source: Arc<serde_json::Error>,
    },
    /// Another program is in the middle of a change to the file, and stays there.
    #[error("another program keeps {} busy", .path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The file can't be opened.
    #[error("open {}", .path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        source: Arc<rusqlite::Error>,
    },
    /// The lock file can't be made.
    #[error("lock {}", .path.display())]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// Why.
        source: Arc<io::Error>,
    },
    /// The disk did not do it.
    #[error("read or write {}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was reported.
        source: Arc<rusqlite::Error>,
    },
    /// The database refused a statement: a mistake of ours.
    #[error("use {}", .path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// What was reported.
        source: Arc<rusqlite::Error>,
    },
    /// The run is not where the caller thinks.
    #[error("run {run} was expected at {expected}, and is at {actual}")]
    Conflict {
        /// The run.
        run: RunId,
        /// Where the caller thinks it is.
        expected: Sequence,
        /// Where it is.
        actual: Sequence,
    },
    /// Rows were to be saved for a sequence that the log has not reached.
    #[error("run {run} is at {actual}, before {sequence}")]
    AheadOfLog {
        /// The run.
        run: RunId,
        /// The place.
        sequence: Sequence,
        /// Where the run is.
        actual: Sequence,
    },
    /// More bytes at once than the store takes.
    #[error("{bytes} bytes at once are more than {bytes_max}")]
    TooLarge {
        /// How many there are.
        bytes: usize,
        /// How many there may be.
        bytes_max: usize,
    },
    /// The store does not run any more.
    #[error("the store has stopped")]
    Stopped,
}

impl StoreError {
    /// Tells what SQLite's error means for a file that is open.
    pub(crate) fn using(path: &Path, error: rusqlite::Error) -> Self {
        let path = path.to_owned();
        let codes = error.sqlite_error().map(|found| (found.code, found.extended_code));
        // What we wrote we can read: a value of another form is damage, and so is a row that must be there and is not.
        let is_damage = matches!(
            error,
            rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::QueryReturnedNoRows
                | rusqlite::Error::Utf8Error(..)
        );
        let source = Arc::new(error);
        match codes {
            Some((ErrorCode::DiskFull, _)) => Self::DiskFull { path },
            // The shared memory beside the log grows by a file; that fails only where there is no space.
            Some((_, rusqlite::ffi::SQLITE_IOERR_SHMSIZE)) => Self::DiskFull { path },
            Some((ErrorCode::ReadOnly | ErrorCode::PermissionDenied, _)) => Self::ReadOnly { path },
            Some((ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase, _)) => Self::Corrupt { path, source },
            Some((ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked, _)) => Self::Busy { path },
            Some((ErrorCode::SystemIoFailure, _)) => Self::Io { path, source },
            Some((ErrorCode::CannotOpen, _)) => Self::Open { path, source },
            None if is_damage => Self::Corrupt { path, source },
            Some(_) | None => Self::Database { path, source },
        }
    }

    /// Tells that an entry is not where it must be.
    pub(crate) fn missing(path: &Path, place: u64) -> Self {
        Self::Corrupt { path: path.to_owned(), source: Arc::new(Missing { place }) }
    }

    /// Tells what went wrong with a lock file.
    pub(crate) fn locking(path: &Path, error: io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => Self::ReadOnly { path },
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            _ => Self::Lock { path, source: Arc::new(error) },
        }
    }
}

/// There are no gaps in a log, and here is one.
#[derive(Debug, thiserror::Error)]
#[error("entry {place} is missing")]
struct Missing {
    place: u64,
}
