//! Reads the log of a directory beside whoever writes it, in this process or another. Changes nothing, needs no lock.

use std::{path::Path, sync::Arc, thread, time::Duration, time::Instant};

use domain::{RunId, Sequence};

use super::{
    connection::{LOG_FILE, open_reader},
    readers::Readers,
};
use crate::{Entry, Position, Row, RunHead, StoreError, Subscription, schema};

/// How often the file is looked at while nothing comes. A file tells nobody that it changed; a person does not notice
/// this much, and a look costs some microseconds.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How many entries are read from the file at once.
const PAGE_ENTRIES: usize = 500;

/// A log that is only read.
#[derive(Debug, Clone)]
pub struct SqliteReader {
    readers: Arc<Readers>,
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
        Ok(Self { readers: Arc::new(Readers::new(path)) })
    }

    /// Returns a run's entries behind a place, `limit` at most; none for a run that nobody knows.
    pub fn read(&self, run: &RunId, after: Sequence, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.readers.entries_of(run, after, limit)
    }

    /// Returns every run that has an entry, the oldest first.
    pub fn runs(&self) -> Result<Vec<RunHead>, StoreError> {
        self.readers.runs()
    }

    /// Returns a run's rows, sorted by kind and key.
    pub fn rows(&self, run: &RunId) -> Result<Vec<Row>, StoreError> {
        self.readers.rows(run)
    }

    /// Follows the log: what exists behind a place, then what comes, whoever records it.
    pub fn subscribe(&self, after: Position) -> Box<dyn Subscription> {
        Box::new(ReaderSubscription { readers: Arc::clone(&self.readers), position: after })
    }
}

/// A place in the file that moves on as the file grows.
struct ReaderSubscription {
    readers: Arc<Readers>,
    position: Position,
}

impl Subscription for ReaderSubscription {
    fn next(&mut self, wait_max: Duration) -> Result<Vec<Entry>, StoreError> {
        let start = Instant::now();
        loop {
            let page = self.readers.entries(self.position, PAGE_ENTRIES)?;
            let left = wait_max.saturating_sub(start.elapsed());
            if !page.is_empty() || left.is_zero() {
                self.position = page.last().map_or(self.position, |last| last.position);
                return Ok(page);
            }
            thread::sleep(left.min(LOOK_EVERY));
        }
    }

    fn position(&self) -> Position {
        self.position
    }
}
