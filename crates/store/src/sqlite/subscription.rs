//! Follows the log: first by reading, and from the end of the file on by listening to the writer.

use std::{sync::Arc, time::Duration};

use super::{
    Shared,
    command::{Answer, Command},
    feed::{FeedEnd, FeedReader, feed},
};
use crate::{Entry, Position, StoreError, Subscription};

/// How many entries are read from the file at once.
const PAGE_ENTRIES: usize = 500;

/// A place in the log of a directory that moves on.
pub struct SqliteSubscription {
    shared: Arc<Shared>,
    position: Position,
    live: Option<Live>,
}

/// What comes, and the place before which it must still be read.
struct Live {
    from: Position,
    feed: FeedReader,
}

impl SqliteSubscription {
    /// Begins behind a place.
    pub fn new(shared: Arc<Shared>, after: Position) -> Self {
        Self { shared, position: after, live: None }
    }

    /// Asks the writer to tell us what it records from now on.
    fn listen(&self) -> Result<Live, StoreError> {
        let (feed, reader) = feed();
        let (answer, given) = Answer::awaited();
        let command = Command::Subscribe { feed, answer };
        self.shared.queue.send(command).map_err(|_| StoreError::Stopped)?;
        let from = given.recv().map_err(|_| StoreError::Stopped)??;
        Ok(Live { from, feed: reader })
    }

    /// Moves on behind some entries.
    fn pass(&mut self, entries: Vec<Entry>) -> Vec<Entry> {
        self.position = entries.last().map_or(self.position, |last| last.position);
        entries
    }
}

impl Subscription for SqliteSubscription {
    fn next(&mut self, wait_max: Duration) -> Result<Vec<Entry>, StoreError> {
        if self.live.is_none() {
            let page = self.shared.readers.entries(self.position, PAGE_ENTRIES)?;
            // Far from the end nobody listens yet: the feed would overflow while we read.
            if page.len() < PAGE_ENTRIES {
                self.live = Some(self.listen()?);
            }
            if !page.is_empty() {
                return Ok(self.pass(page));
            }
        }
        let Some(live) = &self.live else { return Ok(Vec::new()) };
        if self.position < live.from {
            let n_missing = usize::try_from(live.from.0 - self.position.0).unwrap_or(usize::MAX);
            let page = self.shared.readers.entries(self.position, n_missing.min(PAGE_ENTRIES))?;
            return Ok(self.pass(page));
        }
        match live.feed.next(wait_max) {
            Ok(group) => {
                // A place beyond the log's end may be waited for: what comes before it is not given out.
                let position = self.position;
                let is_new = |entry: &&Entry| entry.position > position;
                Ok(self.pass(group.entries.iter().filter(is_new).cloned().collect()))
            }
            Err(FeedEnd::Silence) => Ok(Vec::new()),
            Err(FeedEnd::Cut) => Err(StoreError::TooSlow { resume_after: self.position }),
            Err(FeedEnd::Stopped) => Err(StoreError::Stopped),
        }
    }

    fn position(&self) -> Position {
        self.position
    }
}
