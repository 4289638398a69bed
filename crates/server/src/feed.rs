//! The news of all runs in the order of the log, the latest of them at hand.
//!
//! Runs have a loop each, so that what one recorded later may be told earlier. Here it waits for what stands before it:
//! whoever has come to a place has seen everything up to it.
//! Invariant: what is kept are entries without a gap, the last of them at `head`.

mod event_stream;
mod frames;
mod missed;
mod told;
mod wanted;

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use domain::RunId;
use runtime::HostEvent;
use store::{Log, Position, StoreError};
use tokio::{
    sync::{broadcast, watch},
    time::{Instant, timeout_at},
};

#[cfg(test)]
pub(crate) use event_stream::KEEP_ALIVE;
pub use event_stream::{EventStream, StreamContext};
#[cfg(feature = "typescript")]
pub use frames::{Changed, Glimpsed};
pub use frames::{Frames, PROBLEM, SEEN, SeenFrames};
use missed::Missed;
pub use missed::{end_of, is_taken};
use told::Told;
pub use wanted::Wanted;

/// How many bytes of news are at hand. Whoever is further behind reads the log.
const KEPT_BYTES_MAX: usize = 8 << 20;
/// How much that is only seen a listener may be behind before it misses some.
const SEEN_MAX: usize = 1024;
/// How many entries are read from the log for everybody. Who is further behind reads them alone.
const REACH_ENTRIES_MAX: u64 = 5000;
/// How long news waits for what stands before it, until that is read from the log.
const GAP_MAX: Duration = Duration::from_millis(500);
/// Entries that may wait for an earlier one, until that is read from the log.
const EARLY_MAX: usize = 4096;

/// The news of all runs.
pub struct Feed {
    kept: Mutex<Kept>,
    head: watch::Sender<Position>,
    seen: broadcast::Sender<Arc<SeenFrames>>,
}

/// The latest entries; the last is always there, however large it is.
struct Kept {
    entries: VecDeque<Arc<Frames>>,
    bytes: usize,
    bytes_max: usize,
    head: Position,
    /// When the last one came.
    came_at: Instant,
    /// The last chunk. Streams that wait at the same position share it.
    told: Option<Batch>,
}

/// All of some entries that follow each other.
struct Batch {
    after: Position,
    upto: Position,
    /// The head when it was put together.
    head: Position,
    /// The run, where all are of one.
    run: Option<RunId>,
    text: Bytes,
}

/// What there is behind a place.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// The next entry.
    Entry(Arc<Frames>),
    /// Nothing yet.
    Nothing,
    /// What is not at hand any more.
    Gone,
}

impl Feed {
    /// Begins where the log ends.
    pub fn at_the_end_of(log: &dyn Log) -> Result<Self, StoreError> {
        Ok(Self::behind(end_of(log)?, KEPT_BYTES_MAX))
    }

    fn behind(head: Position, bytes_max: usize) -> Self {
        let kept =
            Kept { entries: VecDeque::new(), bytes: 0, bytes_max, head, came_at: Instant::now(), told: None };
        let (seen, _) = broadcast::channel(SEEN_MAX);
        Self { kept: Mutex::new(kept), head: watch::Sender::new(head), seen }
    }

    /// Returns the place of the last entry.
    pub fn head(&self) -> Position {
        *self.head.borrow()
    }

    /// Returns when the last entry came.
    pub fn came_at(&self) -> Instant {
        self.kept().came_at
    }

    /// Returns a way to wait for more.
    pub fn watch(&self) -> watch::Receiver<Position> {
        self.head.subscribe()
    }

    /// Returns what is only seen, from now on.
    pub fn seen(&self) -> broadcast::Receiver<Arc<SeenFrames>> {
        self.seen.subscribe()
    }

    /// Returns what stands behind a place.
    pub fn next(&self, at: Position) -> Next {
        let kept = self.kept();
        if kept.head <= at {
            return Next::Nothing;
        }
        kept.index_behind(at)
            .and_then(|index| kept.entries.get(index))
            .map_or(Next::Gone, |frames| Next::Entry(frames.clone()))
    }

    /// Returns all that is at hand behind a place, within bounds, and how far that is, where one who wants everything of
    /// a run, or of all, is told the same as others.
    fn told_behind(&self, at: Position, only: Option<&RunId>) -> Option<(Bytes, Position)> {
        let mut kept = self.kept();
        let is_told = |batch: &&Batch| batch.after == at && batch.head == kept.head;
        if kept.told.as_ref().filter(is_told).is_none() {
            kept.told = Some(kept.gather(at)?);
        }
        let batch = kept.told.as_ref()?;
        let is_wanted = only.is_none_or(|only| batch.run.as_ref() == Some(only));
        is_wanted.then(|| (batch.text.clone(), batch.upto))
    }

    /// Takes the entry behind the last one. Any other is not taken.
    fn push(&self, frames: Frames) {
        let position = frames.position;
        {
            let mut kept = self.kept();
            if position.0 != kept.head.0 + 1 {
                return;
            }
            kept.head = position;
            kept.came_at = Instant::now();
            kept.bytes += frames.text.len();
            kept.entries.push_back(Arc::new(frames));
            while kept.bytes > kept.bytes_max && kept.entries.len() > 1 {
                let first = kept.entries.pop_front();
                kept.bytes -= first.map_or(0, |first| first.text.len());
            }
        }
        self.head.send_replace(position);
    }

    /// Reads the entries between a position and the oldest that is kept from the log, and keeps them for all streams:
    /// clients that reconnect to a restarted server share one log read. Returns `false` if that is too much to keep.
    pub fn reach_back(&self, log: &Arc<dyn Log>, to: Position) -> Result<bool, StoreError> {
        let (first, bytes_max) = {
            let kept = self.kept();
            (Position(kept.head.0 - kept.entries.len() as u64), kept.bytes_max / 2)
        };
        if to >= first {
            return Ok(self.next(to) != Next::Gone);
        }
        if first.0 - to.0 > REACH_ENTRIES_MAX {
            return Ok(false);
        }
        let mut missed = Missed::behind(Arc::clone(log), to, None);
        let (mut older, mut bytes) = (Vec::new(), 0);
        while missed.at() < first
            && let Some(page) = missed.next_page()?
        {
            bytes += page.iter().map(|frames| frames.text.len()).sum::<usize>();
            if bytes > bytes_max {
                return Ok(false);
            }
            older.extend(page.into_iter().filter(|frames| frames.position <= first));
        }
        self.put_before(first, older);
        Ok(self.next(to) != Next::Gone)
    }

    /// Puts entries before the first that is kept, if that is still the one.
    fn put_before(&self, first: Position, older: Vec<Frames>) {
        let mut kept = self.kept();
        let is_first = kept.head.0 - kept.entries.len() as u64 == first.0;
        let is_whole = older.last().is_none_or(|frames| frames.position == first);
        if is_first && is_whole {
            for frames in older.into_iter().rev() {
                kept.bytes += frames.text.len();
                kept.entries.push_front(Arc::new(frames));
            }
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // What is inside is whole after each step.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads from the log what was not told.
    async fn fill(self: &Arc<Self>, log: &Arc<dyn Log>) {
        let mut missed = Missed::behind(Arc::clone(log), self.head(), None);
        let feed = Arc::clone(self);
        let reading = tokio::task::spawn_blocking(move || {
            while let Some(page) = missed.next_page()? {
                page.into_iter().for_each(|frames| feed.push(frames));
            }
            Ok::<_, StoreError>(())
        });
        // What could not be read is read with the next news.
        drop(reading.await);
    }
}

impl Kept {
    /// Returns where the entry behind a place is, if it is at hand.
    fn index_behind(&self, at: Position) -> Option<usize> {
        let behind = self.head.0.checked_sub(at.0).filter(|behind| *behind > 0)?;
        self.entries.len().checked_sub(usize::try_from(behind).ok()?)
    }

    /// Puts together what is behind a place, about as much as is told in one go.
    fn gather(&self, at: Position) -> Option<Batch> {
        let entries = self.entries.range(self.index_behind(at)?..);
        let mut told = Told::default();
        let mut batch: Option<Batch> = None;
        for frames in entries {
            let head = self.head;
            let batch = batch.get_or_insert_with(|| Batch {
                after: at,
                upto: at,
                head,
                run: Some(frames.run.clone()),
                text: Bytes::new(),
            });
            batch.upto = frames.position;
            batch.run.take_if(|run| *run != frames.run);
            if told.add(Some(frames.text.clone())) {
                break;
            }
        }
        let batch = batch?;
        Some(Batch { text: told.text()?, ..batch })
    }
}

/// Follows the news until nobody can tell any more.
pub async fn follow(feed: Arc<Feed>, log: Arc<dyn Log>, mut news: broadcast::Receiver<Arc<HostEvent>>) {
    // What came before its time.
    let mut early: BTreeMap<Position, Arc<HostEvent>> = BTreeMap::new();
    let mut patience = Instant::now() + GAP_MAX;
    loop {
        let heard = if early.is_empty() {
            patience = Instant::now() + GAP_MAX;
            Some(news.recv().await)
        } else {
            timeout_at(patience, news.recv()).await.ok()
        };
        let must_read_log = match heard {
            Some(Ok(published)) => match &*published {
                HostEvent::Recorded { position, .. } if *position > feed.head() => {
                    early.insert(*position, published);
                    early.len() > EARLY_MAX
                }
                HostEvent::Recorded { .. } => false,
                HostEvent::Activity { run, session, activity: what } => {
                    // Written once for all streams. Sending fails only if there is none.
                    if feed.seen.receiver_count() > 0 {
                        drop(feed.seen.send(Arc::new(SeenFrames::of(run, *session, what))));
                    }
                    false
                }
            },
            Some(Err(broadcast::error::RecvError::Closed)) => return,
            Some(Err(broadcast::error::RecvError::Lagged(_))) | None => true,
        };
        if must_read_log {
            early.clear();
            feed.fill(&log).await;
        }
        while let Some(first) = early.first_entry() {
            if first.key().0 > feed.head().0 + 1 {
                break;
            }
            if let HostEvent::Recorded { run, position, sequence, changes } = &*first.remove() {
                feed.push(Frames::of(run, *position, *sequence, changes));
            }
            patience = Instant::now() + GAP_MAX;
        }
    }
}

#[cfg(test)]
mod tests;
