//! The changes of all runs in log order, the latest of them buffered in memory.
//!
//! Each run has its own loop, so entries may be published out of order. The feed holds an entry back until all earlier
//! ones are there: a stream at a position has received everything up to it.
//! Invariant: the buffered entries have no gap, and the last of them is at `head`.

mod chunk;
mod event_stream;
mod filter;
mod log_replay;
mod sse;

use std::{
    collections::{BTreeMap, VecDeque},
    error::Error,
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
use tracing::{error, warn};

use chunk::ChunkBuilder;
#[cfg(test)]
pub(crate) use event_stream::KEEP_ALIVE;
pub(crate) use event_stream::{EventStream, StreamContext};
pub(crate) use filter::StreamFilter;
use log_replay::LogReplay;
pub(crate) use sse::{ACTIVITY, ActivityFrame, EntryFrames, PROBLEM};
#[cfg(feature = "typescript")]
pub(crate) use sse::{RowChange, SessionActivity};

/// Size of the buffered entries. Streams that are further behind read the log.
const BUFFER_BYTES_MAX: usize = 8 << 20;
/// Session activity that a stream may lag behind before it misses some.
const ACTIVITY_QUEUE_MAX: usize = 1024;
/// Entries that are read from the log into the buffer. A stream that needs more reads them for itself.
const OLDER_ENTRIES_MAX: u64 = 5000;
/// Time to wait for a missing earlier entry before it is read from the log.
const GAP_WAIT_MAX: Duration = Duration::from_millis(500);
/// Entries that may wait for an earlier one before that is read from the log.
const OUT_OF_ORDER_MAX: usize = 4096;

/// The changes of all runs.
pub(crate) struct ChangeFeed {
    buffer: Mutex<FeedBuffer>,
    head: watch::Sender<Position>,
    activity: broadcast::Sender<Arc<ActivityFrame>>,
}

/// The latest entries; the last one is kept regardless of its size.
struct FeedBuffer {
    entries: VecDeque<Arc<EntryFrames>>,
    bytes: usize,
    bytes_max: usize,
    head: Position,
    last_entry_at: Instant,
    /// The last chunk. Streams that wait at the same position share it.
    chunk: Option<SharedChunk>,
}

/// The frames of consecutive entries.
struct SharedChunk {
    after: Position,
    upto: Position,
    /// The head when the chunk was built.
    head: Position,
    /// The run, if all entries are of one.
    run: Option<RunId>,
    text: Bytes,
}

/// The entry after a position.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NextEntry {
    Entry(Arc<EntryFrames>),
    /// There is none yet.
    CaughtUp,
    /// It is no longer buffered and must be read from the log.
    Evicted,
}

impl ChangeFeed {
    /// Starts at the end of the log.
    pub(crate) fn starting_at_log_end(log: &dyn Log) -> Result<Self, StoreError> {
        Ok(Self::starting_at(log.last_position()?, BUFFER_BYTES_MAX))
    }

    fn starting_at(head: Position, bytes_max: usize) -> Self {
        let buffer = FeedBuffer {
            entries: VecDeque::new(),
            bytes: 0,
            bytes_max,
            head,
            last_entry_at: Instant::now(),
            chunk: None,
        };
        let (activity, _) = broadcast::channel(ACTIVITY_QUEUE_MAX);
        Self { buffer: Mutex::new(buffer), head: watch::Sender::new(head), activity }
    }

    /// Returns the position of the last entry.
    pub(crate) fn head(&self) -> Position {
        *self.head.borrow()
    }

    /// Returns when the last entry was published.
    pub(crate) fn last_published_at(&self) -> Instant {
        self.buffer().last_entry_at
    }

    /// Returns a receiver of the head.
    pub(crate) fn watch_head(&self) -> watch::Receiver<Position> {
        self.head.subscribe()
    }

    /// Subscribes to session activity, from now on.
    pub(crate) fn subscribe_to_activity(&self) -> broadcast::Receiver<Arc<ActivityFrame>> {
        self.activity.subscribe()
    }

    pub(crate) fn entry_after(&self, after: Position) -> NextEntry {
        let buffer = self.buffer();
        if buffer.head <= after {
            return NextEntry::CaughtUp;
        }
        buffer
            .index_after(after)
            .and_then(|index| buffer.entries.get(index))
            .map_or(NextEntry::Evicted, |frames| NextEntry::Entry(frames.clone()))
    }

    /// Returns the chunk after a position and the position of its last entry, shared by all unfiltered streams of a run
    /// or of all runs. Returns `None` if entries are evicted, or some are of another run.
    fn shared_chunk(&self, after: Position, run: Option<&RunId>) -> Option<(Bytes, Position)> {
        let mut buffer = self.buffer();
        let is_current = |chunk: &&SharedChunk| chunk.after == after && chunk.head == buffer.head;
        if buffer.chunk.as_ref().filter(is_current).is_none() {
            buffer.chunk = Some(buffer.build_chunk(after)?);
        }
        let chunk = buffer.chunk.as_ref()?;
        let is_selected = run.is_none_or(|run| chunk.run.as_ref() == Some(run));
        is_selected.then(|| (chunk.text.clone(), chunk.upto))
    }

    /// Appends the entries after the head, which streams write together. Ignores any others.
    fn push(&self, entries: impl Iterator<Item = EntryFrames>) {
        let entries: Vec<EntryFrames> = entries.collect();
        let head = {
            let mut buffer = self.buffer();
            entries.into_iter().for_each(|frames| buffer.push(frames));
            buffer.head
        };
        self.head.send_if_modified(|current| std::mem::replace(current, head) != head);
    }

    /// Reads the entries between a position and the oldest buffered one from the log, and buffers them for all streams:
    /// clients that reconnect to a restarted server share one log read. Returns `false` if they are too large.
    pub(crate) fn load_older(&self, log: &Arc<dyn Log>, after: Position) -> Result<bool, StoreError> {
        let (first, bytes_max) = {
            let buffer = self.buffer();
            (Position(buffer.head.0 - buffer.entries.len() as u64), buffer.bytes_max / 2)
        };
        if after >= first {
            return Ok(self.entry_after(after) != NextEntry::Evicted);
        }
        if first.0 - after.0 > OLDER_ENTRIES_MAX {
            return Ok(false);
        }
        let mut replay = LogReplay::starting_after(Arc::clone(log), after, None);
        let (mut older, mut bytes) = (Vec::new(), 0);
        while replay.position() < first
            && let Some(page) = replay.next_page()?
        {
            bytes += page.iter().map(|frames| frames.text.len()).sum::<usize>();
            if bytes > bytes_max {
                return Ok(false);
            }
            older.extend(page.into_iter().filter(|frames| frames.position <= first));
        }
        self.prepend(first, older);
        Ok(self.entry_after(after) != NextEntry::Evicted)
    }

    /// Inserts entries before the oldest buffered one, unless that has changed meanwhile.
    fn prepend(&self, first: Position, older: Vec<EntryFrames>) {
        let mut buffer = self.buffer();
        let is_first = buffer.head.0 - buffer.entries.len() as u64 == first.0;
        let is_complete = older.last().is_none_or(|frames| frames.position == first);
        if is_first && is_complete {
            for frames in older.into_iter().rev() {
                buffer.bytes += frames.text.len();
                buffer.entries.push_front(Arc::new(frames));
            }
        }
    }

    fn buffer(&self) -> MutexGuard<'_, FeedBuffer> {
        // The state is consistent after each step, so a poisoned lock is safe.
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads entries that were not published from the log.
    async fn catch_up(self: &Arc<Self>, log: &Arc<dyn Log>) {
        let mut replay = LogReplay::starting_after(Arc::clone(log), self.head(), None);
        let feed = Arc::clone(self);
        let reading = tokio::task::spawn_blocking(move || {
            while let Some(page) = replay.next_page()? {
                feed.push(page.into_iter());
            }
            Ok::<_, StoreError>(())
        });
        // After a failure the next published entry triggers another read.
        match reading.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                warn!(error = &error as &dyn Error, "cannot read events that were not published")
            }
            Err(error) => error!(error = &error as &dyn Error, "cannot read events that were not published"),
        }
    }
}

impl FeedBuffer {
    fn push(&mut self, frames: EntryFrames) {
        if frames.position.0 != self.head.0 + 1 {
            return;
        }
        self.head = frames.position;
        self.last_entry_at = Instant::now();
        self.bytes += frames.text.len();
        self.entries.push_back(Arc::new(frames));
        while self.bytes > self.bytes_max && self.entries.len() > 1 {
            let first = self.entries.pop_front();
            self.bytes -= first.map_or(0, |first| first.text.len());
        }
    }

    /// Returns the index of the entry after a position, if it is buffered.
    fn index_after(&self, position: Position) -> Option<usize> {
        let behind = self.head.0.checked_sub(position.0).filter(|behind| *behind > 0)?;
        self.entries.len().checked_sub(usize::try_from(behind).ok()?)
    }

    fn build_chunk(&self, after: Position) -> Option<SharedChunk> {
        let entries = self.entries.range(self.index_after(after)?..);
        let mut builder = ChunkBuilder::default();
        let mut chunk: Option<SharedChunk> = None;
        for frames in entries {
            let head = self.head;
            let chunk = chunk.get_or_insert_with(|| SharedChunk {
                after,
                upto: after,
                head,
                run: Some(frames.run.clone()),
                text: Bytes::new(),
            });
            chunk.upto = frames.position;
            chunk.run.take_if(|run| *run != frames.run);
            if builder.add(Some(frames.text.clone())) {
                break;
            }
        }
        let chunk = chunk?;
        Some(SharedChunk { text: builder.text()?, ..chunk })
    }
}

/// Moves published events into the feed until all publishers are gone.
pub(crate) async fn run_feed(
    feed: Arc<ChangeFeed>,
    log: Arc<dyn Log>,
    mut events: broadcast::Receiver<Arc<HostEvent>>,
) {
    let mut out_of_order: BTreeMap<Position, Arc<HostEvent>> = BTreeMap::new();
    let mut gap_deadline = Instant::now() + GAP_WAIT_MAX;
    loop {
        let received = if out_of_order.is_empty() {
            gap_deadline = Instant::now() + GAP_WAIT_MAX;
            Some(events.recv().await)
        } else {
            timeout_at(gap_deadline, events.recv()).await.ok()
        };
        let must_read_log = match received {
            Some(Ok(published)) => match &*published {
                HostEvent::Recorded { events, .. } => match (events.first(), events.last()) {
                    (Some(first), Some(last)) if last.position > feed.head() => {
                        out_of_order.insert(first.position, published);
                        out_of_order.len() > OUT_OF_ORDER_MAX
                    }
                    _ => false,
                },
                HostEvent::Activity { run, session, activity } => {
                    // Formatted once for all streams. Sending fails only if there is none.
                    if feed.activity.receiver_count() > 0 {
                        drop(
                            feed.activity
                                .send(Arc::new(ActivityFrame::from_activity(run, *session, activity))),
                        );
                    }
                    false
                }
            },
            Some(Err(broadcast::error::RecvError::Closed)) => return,
            Some(Err(broadcast::error::RecvError::Lagged(_))) | None => true,
        };
        if must_read_log {
            out_of_order.clear();
            feed.catch_up(&log).await;
        }
        while let Some(first) = out_of_order.first_entry() {
            if first.key().0 > feed.head().0 + 1 {
                break;
            }
            if let HostEvent::Recorded { run, events } = &*first.remove() {
                feed.push(events.iter().map(|event| {
                    EntryFrames::from_changes(run, event.position, event.sequence, &event.changes)
                }));
            }
            gap_deadline = Instant::now() + GAP_WAIT_MAX;
        }
    }
}

#[cfg(test)]
mod tests;
