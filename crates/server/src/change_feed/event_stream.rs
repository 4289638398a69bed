//! The event stream of one client: the log after its position first, then the feed, without a gap and without
//! repetition.
//!
//! A stream has a position and no queue. It is asked for the next chunk when the HTTP library has room to write, so a
//! slow client costs its connection's buffer and delays no other. One that falls behind the feed is cut off; its client
//! reconnects with the last id and is served from the log.

use std::{pin::Pin, sync::Arc, time::Duration};

use bytes::Bytes;
use store::{Log, Position, StoreError};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, broadcast, watch},
    time::{Instant, Sleep, sleep, sleep_until},
};

use super::{
    ChangeFeed, NextEntry,
    chunk::ChunkBuilder,
    filter::StreamFilter,
    log_replay::LogReplay,
    sse::{self, ActivityFrame, EntryFrames},
};
use crate::{problem::ApiError, stop_signal::ServerStage};

/// Events that follow the last write within this time are written together; about the time of a screen frame.
pub(super) const COALESCE: Duration = Duration::from_millis(16);
/// Time without a write after which a keep-alive comment is sent.
pub(crate) const KEEP_ALIVE: Duration = Duration::from_secs(15);
const KEEP_ALIVE_COMMENT: Bytes = Bytes::from_static(b":\n\n");

/// The event stream of one client.
pub(crate) struct EventStream {
    context: StreamContext,
    pub(super) filter: StreamFilter,
    source: EntrySource,
    head: watch::Receiver<Position>,
    activity: broadcast::Receiver<Arc<ActivityFrame>>,
    /// When the newest event of the last chunk was published.
    published_at: Option<Instant>,
    sent_at: Instant,
    /// Wakes the stream when a keep-alive may be due. Reset only then, not with every chunk: timers share one lock.
    keep_alive: Pin<Box<Sleep>>,
}

/// State shared by all streams of a server, and the permit of this one.
pub(crate) struct StreamContext {
    pub feed: Arc<ChangeFeed>,
    pub stage: watch::Receiver<ServerStage>,
    pub log: Arc<dyn Log>,
    /// Permits to read a page of the log.
    pub readers: Arc<Semaphore>,
    /// Counts this stream against the limit until it is dropped.
    pub _permit: OwnedSemaphorePermit,
}

/// Where the next entry comes from.
enum EntrySource {
    /// Nothing has been sent yet.
    Start,
    /// The log: its reader and the rest of the last page read.
    Log(Box<LogReplay>, std::vec::IntoIter<EntryFrames>),
    /// The buffered entries of the feed.
    Feed,
    End,
}

/// The result of reading the next page of the log.
enum LogReadResult {
    Entries(Vec<EntryFrames>),
    /// The following entries are in the feed.
    CaughtUp,
}

/// Why a stream that has sent everything wakes up.
enum WakeReason {
    NewEntries,
    /// Session activity or a keep-alive.
    Chunk(Bytes),
    End,
}

impl EventStream {
    /// Opens a stream that starts after `filter.after`.
    pub(crate) fn new(context: StreamContext, filter: StreamFilter) -> Self {
        let (head, activity) = (context.feed.watch_head(), context.feed.subscribe_to_activity());
        Self {
            context,
            filter,
            source: EntrySource::Start,
            head,
            activity,
            published_at: None,
            sent_at: Instant::now(),
            keep_alive: Box::pin(sleep(KEEP_ALIVE)),
        }
    }

    /// Returns the next chunk; `None` when the server has stopped or the client is too slow.
    pub(crate) async fn next(&mut self) -> Option<Bytes> {
        let chunk = self.next_chunk().await?;
        self.sent_at = Instant::now();
        Some(chunk)
    }

    async fn next_chunk(&mut self) -> Option<Bytes> {
        loop {
            match &mut self.source {
                EntrySource::End => return None,
                EntrySource::Start => {
                    let StreamFilter { after, run, .. } = &self.filter;
                    self.source = match self.context.feed.entry_after(*after) {
                        NextEntry::Entry(_) | NextEntry::CaughtUp => EntrySource::Feed,
                        NextEntry::Evicted => {
                            let replay =
                                LogReplay::starting_after(Arc::clone(&self.context.log), *after, run.clone());
                            EntrySource::Log(Box::new(replay), Vec::new().into_iter())
                        }
                    };
                    return Some(sse::stream_start(*after));
                }
                EntrySource::Log(replay, page) => {
                    let mut chunk = ChunkBuilder::default();
                    for frames in page.by_ref() {
                        if chunk.add(frames.filtered(&self.filter)) {
                            break;
                        }
                    }
                    if let Some(text) = chunk.text() {
                        return Some(text);
                    }
                    if self.context.feed.entry_after(replay.position()) != NextEntry::Evicted {
                        (self.filter.after, self.source) = (replay.position(), EntrySource::Feed);
                    } else if let Err(problem) = self.read_page().await {
                        return Some(problem);
                    }
                }
                EntrySource::Feed => match self.context.feed.entry_after(self.filter.after) {
                    NextEntry::Entry(_) => {
                        wait_to_coalesce(self.published_at).await;
                        let published_at = self.context.feed.last_published_at();
                        if let Some(text) = self.next_from_feed() {
                            self.published_at = Some(published_at);
                            return Some(text);
                        }
                    }
                    NextEntry::CaughtUp => match self.wait().await {
                        WakeReason::NewEntries => {}
                        WakeReason::Chunk(text) => return Some(text),
                        WakeReason::End => self.source = EntrySource::End,
                    },
                    NextEntry::Evicted => self.source = EntrySource::End,
                },
            }
        }
    }

    /// Takes one chunk of entries from the feed.
    fn next_from_feed(&mut self) -> Option<Bytes> {
        let feed = &self.context.feed;
        if self.filter.is_unfiltered()
            && let Some((text, upto)) = feed.shared_chunk(self.filter.after, self.filter.run.as_ref())
        {
            self.filter.after = upto;
            return Some(text);
        }
        let mut chunk = ChunkBuilder::default();
        while let NextEntry::Entry(frames) = feed.entry_after(self.filter.after) {
            self.filter.after = frames.position;
            if chunk.add(frames.filtered(&self.filter)) {
                break;
            }
        }
        chunk.text()
    }

    /// Reads the next page of the log. On failure returns the frame of the problem, and the stream ends.
    async fn read_page(&mut self) -> Result<(), Bytes> {
        let EntrySource::Log(mut replay, _) = std::mem::replace(&mut self.source, EntrySource::End) else {
            return Ok(());
        };
        let permit = Arc::clone(&self.context.readers).acquire_owned().await;
        let (feed, log) = (Arc::clone(&self.context.feed), Arc::clone(&self.context.log));
        let read = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let page = match feed.load_older(&log, replay.position()) {
                Ok(true) => Ok(LogReadResult::CaughtUp),
                Ok(false) => replay
                    .next_page()
                    .map(|page| page.map_or(LogReadResult::CaughtUp, LogReadResult::Entries)),
                Err(error) => Err(error),
            };
            (replay, page)
        });
        let failed = |failure: ApiError| sse::problem_frame(&failure.problem);
        let (replay, page) = read.await.map_err(|_| failed(ApiError::internal()))?;
        let page = page.map_err(|error: StoreError| failed(error.into()))?;
        (self.filter.after, self.source) = match page {
            LogReadResult::Entries(page) => (self.filter.after, EntrySource::Log(replay, page.into_iter())),
            LogReadResult::CaughtUp => (replay.position(), EntrySource::Feed),
        };
        Ok(())
    }

    /// Waits for entries, session activity, a due keep-alive or the end of the server.
    async fn wait(&mut self) -> WakeReason {
        loop {
            tokio::select! {
                // Available entries are sent before the stream ends.
                biased;
                () = wait_for_value(&mut self.head, |head| *head > self.filter.after) => return WakeReason::NewEntries,
                () = wait_for_value(&mut self.context.stage, |stage| *stage == ServerStage::Stopped) => return WakeReason::End,
                received = self.activity.recv() => match received {
                    Ok(frame) if self.filter.includes_activity(&frame.run, frame.session) => {
                        return WakeReason::Chunk(self.with_more_activity(&frame).await);
                    }
                    // Session activity may be lost.
                    Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => return WakeReason::End,
                },
                () = &mut self.keep_alive => {
                    let due = self.sent_at + KEEP_ALIVE;
                    if due <= Instant::now() {
                        self.keep_alive.as_mut().reset(Instant::now() + KEEP_ALIVE);
                        return WakeReason::Chunk(KEEP_ALIVE_COMMENT);
                    }
                    self.keep_alive.as_mut().reset(due);
                }
            }
        }
    }

    /// Returns session activity together with more that follows within [`COALESCE`].
    async fn with_more_activity(&mut self, first: &ActivityFrame) -> Bytes {
        wait_to_coalesce(self.published_at).await;
        let mut chunk = ChunkBuilder::default();
        let mut is_full = chunk.add(Some(first.text.clone()));
        while !is_full && let Ok(frame) = self.activity.try_recv() {
            let text = self.filter.includes_activity(&frame.run, frame.session).then(|| frame.text.clone());
            is_full = chunk.add(text);
        }
        self.published_at = Some(Instant::now());
        chunk.text().unwrap_or_default()
    }
}

/// Waits until [`COALESCE`] has passed since the last chunk's events.
async fn wait_to_coalesce(published_at: Option<Instant>) {
    if let Some(next) = published_at.map(|published_at| published_at + COALESCE)
        && next > Instant::now()
    {
        sleep_until(next).await;
    }
}

/// Waits for the predicate. The sender outlives all streams.
async fn wait_for_value<T>(watched: &mut watch::Receiver<T>, predicate: impl FnMut(&T) -> bool) {
    // Fails only if the sender is gone.
    let _ = watched.wait_for(predicate).await;
}
