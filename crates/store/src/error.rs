//! Errors, distinguished by what a user can do about them.

use std::{
    error::Error,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use domain::{RunId, Sequence};
use rusqlite::ErrorCode;

/// Why a call of the store failed.
///
/// After a failed write nothing was acknowledged and nothing is partially visible; the same store works again when the
/// cause is removed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    #[error("directory {} does not exist", .path.display())]
    DirectoryMissing { path: PathBuf },
    #[error("{} is locked by another process", .path.display())]
    Locked {
        path: PathBuf,
        /// Process id from the lock file, if it is readable.
        holder: Option<u32>,
    },
    #[error("{} cannot be written", .path.display())]
    ReadOnly { path: PathBuf },
    #[error("no disk space left for {}", .path.display())]
    DiskFull { path: PathBuf },
    #[error("{} is damaged", .path.display())]
    Corrupt { path: PathBuf, source: Arc<dyn Error + Send + Sync> },
    /// The file is a database of another program.
    #[error("{} belongs to another program", .path.display())]
    Foreign { path: PathBuf },
    /// The file was written by a newer version of Jangdan.
    #[error("{} has schema {found}; this version supports up to {known}", .path.display())]
    NewerVersion { path: PathBuf, found: u32, known: u32 },
    /// The file was written by an older version of Jangdan; readers do not migrate.
    #[error("{} has schema {found} and must be migrated to {known} first", .path.display())]
    OlderVersion { path: PathBuf, found: u32, known: u32 },
    #[error("no log in {}", .path.display())]
    LogMissing { path: PathBuf },
    #[error("entry {sequence} of run {run} has the unknown type {kind}")]
    UnknownEvent { run: RunId, sequence: Sequence, kind: String },
    /// The entry was written by a newer version of Jangdan.
    #[error(
        "entry {sequence} of run {run} is a {kind} of version {found}; this version supports up to {known}"
    )]
    NewerEvent { run: RunId, sequence: Sequence, kind: String, found: u32, known: u32 },
    /// The payload does not match the type of the entry.
    #[error("entry {sequence} of run {run} is not a valid {kind}")]
    DamagedEvent { run: RunId, sequence: Sequence, kind: String, source: Arc<dyn Error + Send + Sync> },
    /// A bug: every event can be serialized.
    #[error("cannot serialize event {kind}")]
    Unwritable { kind: &'static str, source: Arc<serde_json::Error> },
    /// Another program holds a lock on the file.
    #[error("{} is locked by another program", .path.display())]
    Busy { path: PathBuf },
    #[error("cannot open {}", .path.display())]
    Open { path: PathBuf, source: Arc<rusqlite::Error> },
    #[error("cannot lock {}", .path.display())]
    Lock { path: PathBuf, source: Arc<io::Error> },
    /// The disk reported an error.
    #[error("cannot read or write {}", .path.display())]
    Io { path: PathBuf, source: Arc<rusqlite::Error> },
    /// A bug: the database rejected a statement.
    #[error("database error in {}", .path.display())]
    Database { path: PathBuf, source: Arc<rusqlite::Error> },
    /// The caller expected another last entry of the run.
    #[error("run {run} is at {actual}, expected {expected}")]
    Conflict { run: RunId, expected: Sequence, actual: Sequence },
    /// Rows were to be saved for a sequence that the log has not reached.
    #[error("rows up to {sequence} of run {run} are ahead of the log at {actual}")]
    AheadOfLog { run: RunId, sequence: Sequence, actual: Sequence },
    #[error("{bytes} bytes exceed the limit of {bytes_max} per write")]
    TooLarge { bytes: usize, bytes_max: usize },
    #[error("the store has stopped")]
    Stopped,
}

impl StoreError {
    /// Classifies an error of SQLite for an open file.
    pub(crate) fn from_sqlite_error(path: &Path, error: rusqlite::Error) -> Self {
        let path = path.to_owned();
        let codes = error.sqlite_error().map(|found| (found.code, found.extended_code));
        // The store can read all that it wrote: a value of another type is damage, and so is a missing row.
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
            // SQLite grows the shared-memory file only if there is disk space.
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

    /// Returns the error for a missing entry.
    pub(crate) fn missing_entry(path: &Path, position: u64) -> Self {
        Self::Corrupt { path: path.to_owned(), source: Arc::new(MissingEntry { position }) }
    }

    /// Classifies an error of the lock file.
    pub(crate) fn from_lock_error(path: &Path, error: io::Error) -> Self {
        let path = path.to_owned();
        let kind = error.kind();
        if matches!(kind, io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied) {
            Self::ReadOnly { path }
        } else if matches!(kind, io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) {
            Self::DiskFull { path }
        } else {
            Self::Lock { path, source: Arc::new(error) }
        }
    }
}

/// A gap in the log.
#[derive(Debug, thiserror::Error)]
#[error("entry {position} is missing")]
struct MissingEntry {
    position: u64,
}
