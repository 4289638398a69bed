//! Reads the log of a directory without a lock, while this or another process may write it.

use std::path::Path;

use domain::{RunId, Sequence};

use super::{
    connection::{LOG_FILE, open_reader},
    reader_pool::ReaderPool,
};
use crate::{Entry, Position, Row, RunHead, StoreError, schema};

/// A read-only log.
#[derive(Debug)]
pub struct SqliteReader {
    readers: ReaderPool,
}

impl SqliteReader {
    /// Opens the log of a directory, which another process may be writing.
    pub fn open(directory: &Path) -> Result<Self, StoreError> {
        if !directory.is_dir() {
            return Err(StoreError::DirectoryMissing { path: directory.to_owned() });
        }
        let path = directory.join(LOG_FILE);
        if !path.is_file() {
            return Err(StoreError::LogMissing { path: directory.to_owned() });
        }
        schema::expect_newest(&open_reader(&path)?, &path)?;
        Ok(Self { readers: ReaderPool::new(path) })
    }

    /// Returns at most `limit` entries of a run after `after`; none for an unknown run.
    pub fn read(&self, run: &RunId, after: Sequence, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.readers.entries_of(run, after, limit)
    }

    /// Returns at most `limit` entries of all runs after a position, in the order in which they were recorded.
    pub fn read_all(&self, after: Position, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.readers.entries(after, limit)
    }

    /// Returns all runs with entries, the oldest first.
    pub fn runs(&self) -> Result<Vec<RunHead>, StoreError> {
        self.readers.runs()
    }

    /// Returns the rows of a run, sorted by kind and key.
    pub fn rows(&self, run: &RunId) -> Result<Vec<Row>, StoreError> {
        self.readers.rows(run)
    }
}
