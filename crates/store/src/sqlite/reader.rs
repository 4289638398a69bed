//! Reads the log of a directory beside whoever writes it, in this process or another. Changes nothing, needs no lock.

use std::path::Path;

use domain::{RunId, Sequence};

use super::{
    connection::{LOG_FILE, open_reader},
    readers::Readers,
};
use crate::{Entry, Position, Row, RunHead, StoreError, schema};

/// A log that is only read.
#[derive(Debug)]
pub struct SqliteReader {
    readers: Readers,
}

impl SqliteReader {
    /// Opens the log of a directory, which somebody else may be writing.
    pub fn open(directory: &Path) -> Result<Self, StoreError> {
        if !directory.is_dir() {
            return Err(StoreError::DirectoryMissing { path: directory.to_owned() });
        }
        let path = directory.join(LOG_FILE);
        if !path.is_file() {
            return Err(StoreError::LogMissing { path: directory.to_owned() });
        }
        schema::expect_newest(&open_reader(&path)?, &path)?;
        Ok(Self { readers: Readers::new(path) })
    }

    /// Returns a run's entries behind a place, `limit` at most; none for a run that nobody knows.
    pub fn read(&self, run: &RunId, after: Sequence, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.readers.entries_of(run, after, limit)
    }

    /// Returns the entries of all runs behind a position, `limit` at most, in the order in which they were recorded.
    pub fn read_all(&self, after: Position, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.readers.entries(after, limit)
    }

    /// Returns every run that has an entry, the oldest first.
    pub fn runs(&self) -> Result<Vec<RunHead>, StoreError> {
        self.readers.runs()
    }

    /// Returns a run's rows, sorted by kind and key.
    pub fn rows(&self, run: &RunId) -> Result<Vec<Row>, StoreError> {
        self.readers.rows(run)
    }
}
