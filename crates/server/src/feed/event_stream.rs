//! The event stream of one client: the log behind its position first, then the feed, without a gap and without
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
    Feed, Next,
    frames::{self, Frames, SeenFrames},
    missed::Missed,
    told::Told,
    wanted::Wanted,
};
use crate::{problem::Failure, stop::Stage};

/// Events that follow the last write within this time are written together; about the time of a screen frame.
pub(super) const COALESCE: Duration = Duration::from_millis(16);
/// Time without a write after which a keep-alive comment is sent.
pub(crate) const KEEP_ALIVE: Duration = Duration::from_secs(15);
const KEEP_ALIVE_COMMENT: Bytes = Bytes::from_static(b":\n\n");

/// The event stream of one client.
pub struct EventStream {
    context: StreamContext,
    pub(super) wanted: Wanted,
    source: Source,
    head: watch::Receiver<Position>,
    seen: broadcast::Receiver<Arc<SeenFrames>>,
    /// When the newest event of the last chunk was published.
    published_at: Option<Instant>,
    sent_at: Instant,
    /// Wakes the stream when a keep-alive may be due. Reset only then, not with every chunk: timers share one lock.
    keep_alive: Pin<Box<Sleep>>,
}

/// What every stream of a server shares, and the permit of this one.
pub struct StreamContext {
    pub feed: Arc<Feed>,
    pub stage: watch::Receiver<Stage>,
    pub log: Arc<dyn Log>,
    /// Permits to read a page of the log.
    pub readers: Arc<Semaphore>,
    /// Counts this stream against the limit until it is dropped.
    pub _permit: OwnedSemaphorePermit,
}

/// Where the next entry comes from.
enum Source {
    /// Nothing was sent yet.
    Start,
    /// The log: its reader, and the rest of the page that was read last.
    Log(Box<Missed>, std::vec::IntoIter<Frames>),
    /// The entries that the feed keeps in memory.
    Feed,
    End,
}

/// The result of reading on in the log.
enum Page {
    Entries(Vec<Frames>),
    /// What follows is in the feed.
    CaughtUp,
}

/// Why a stream that has sent everything wakes up.
enum Wake {
    NewEntries,
    /// Something to send that is not in the log.
    Chunk(Bytes),
    End,
}

impl EventStream {
    /// Opens a stream behind `wanted.after`.
    pub fn new(context: StreamContext, wanted: Wanted) -> Self {
        let (head, seen) = (context.feed.watch(), context.feed.seen());
        Self {
            context,
            wanted,
            source: Source::Start,
            head,
            seen,
            published_at: None,
            sent_at: Instant::now(),
            keep_alive: Box::pin(sleep(KEEP_ALIVE)),
        }
    }

    /// Returns the next chunk; `None` when the server has ended or the client was too slow.
    pub async fn next(&mut self) -> Option<Bytes> {
        let chunk = self.next_chunk().await?;
        self.sent_at = Instant::now();
        Some(chunk)
    }

    async fn next_chunk(&mut self) -> Option<Bytes> {
        loop {
            match &mut self.source {
                Source::End => return None,
                Source::Start => {
                    let Wanted { after, only, .. } = &self.wanted;
                    self.source = match self.context.feed.next(*after) {
                        Next::Entry(_) | Next::Nothing => Source::Feed,
                        Next::Gone => {
                            let missed = Missed::behind(Arc::clone(&self.context.log), *after, only.clone());
                            Source::Log(Box::new(missed), Vec::new().into_iter())
                        }
                    };
                    return Some(frames::beginning(*after));
                }
                Source::Log(missed, page) => {
                    let mut chunk = Told::default();
                    for frames in page.by_ref() {
                        if chunk.add(frames.wanted(&self.wanted)) {
                            break;
                        }
                    }
                    if let Some(text) = chunk.text() {
                        return Some(text);
                    }
                    if self.context.feed.next(missed.at()) != Next::Gone {
                        (self.wanted.after, self.source) = (missed.at(), Source::Feed);
                    } else if let Err(problem) = self.read_page().await {
                        return Some(problem);
                    }
                }
                Source::Feed => match self.context.feed.next(self.wanted.after) {
                    Next::Entry(_) => {
                        coalesce(self.published_at).await;
                        let published_at = self.context.feed.came_at();
                        if let Some(text) = self.next_from_feed() {
                            self.published_at = Some(published_at);
                            return Some(text);
                        }
                    }
                    Next::Nothing => match self.wait().await {
                        Wake::NewEntries => {}
                        Wake::Chunk(text) => return Some(text),
                        Wake::End => self.source = Source::End,
                    },
                    Next::Gone => self.source = Source::End,
                },
            }
        }
    }

    /// Takes entries from the feed, about as much as fits into one chunk.
    fn next_from_feed(&mut self) -> Option<Bytes> {
        let feed = &self.context.feed;
        if self.wanted.is_whole()
            && let Some((text, upto)) = feed.told_behind(self.wanted.after, self.wanted.only.as_ref())
        {
            self.wanted.after = upto;
            return Some(text);
        }
        let mut chunk = Told::default();
        while let Next::Entry(frames) = feed.next(self.wanted.after) {
            self.wanted.after = frames.position;
            if chunk.add(frames.wanted(&self.wanted)) {
                break;
            }
        }
        chunk.text()
    }

    /// Reads the next page of the log. On failure returns the event that says why, and ends the stream.
    async fn read_page(&mut self) -> Result<(), Bytes> {
        let Source::Log(mut missed, _) = std::mem::replace(&mut self.source, Source::End) else {
            return Ok(());
        };
        let permit = Arc::clone(&self.context.readers).acquire_owned().await;
        let (feed, log) = (Arc::clone(&self.context.feed), Arc::clone(&self.context.log));
        let read = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let page = match feed.reach_back(&log, missed.at()) {
                Ok(true) => Ok(Page::CaughtUp),
                Ok(false) => missed.next_page().map(|page| page.map_or(Page::CaughtUp, Page::Entries)),
                Err(error) => Err(error),
            };
            (missed, page)
        });
        let failed = |failure: Failure| frames::problem(&failure.problem);
        let (missed, page) = read.await.map_err(|_| failed(Failure::ours()))?;
        let page = page.map_err(|error: StoreError| failed(error.into()))?;
        (self.wanted.after, self.source) = match page {
            Page::Entries(page) => (self.wanted.after, Source::Log(missed, page.into_iter())),
            Page::CaughtUp => (missed.at(), Source::Feed),
        };
        Ok(())
    }

    /// Waits for entries, for what is only seen, for the time of a keep-alive, or for the end of the server.
    async fn wait(&mut self) -> Wake {
        loop {
            tokio::select! {
                // Entries that are there are sent before the stream ends.
                biased;
                () = until(&mut self.head, |head| *head > self.wanted.after) => return Wake::NewEntries,
                () = until(&mut self.context.stage, |stage| *stage == Stage::Over) => return Wake::End,
                received = self.seen.recv() => match received {
                    Ok(seen) if self.wanted.is_seen(&seen.run, seen.session) => {
                        return Wake::Chunk(self.with_more_seen(&seen).await);
                    }
                    // What is only seen may be lost.
                    Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => return Wake::End,
                },
                () = &mut self.keep_alive => {
                    let due = self.sent_at + KEEP_ALIVE;
                    if due <= Instant::now() {
                        self.keep_alive.as_mut().reset(Instant::now() + KEEP_ALIVE);
                        return Wake::Chunk(KEEP_ALIVE_COMMENT);
                    }
                    self.keep_alive.as_mut().reset(due);
                }
            }
        }
    }

    /// Returns what was seen together with what follows within [`COALESCE`].
    async fn with_more_seen(&mut self, first: &SeenFrames) -> Bytes {
        coalesce(self.published_at).await;
        let mut chunk = Told::default();
        let mut is_full = chunk.add(Some(first.text.clone()));
        while !is_full && let Ok(seen) = self.seen.try_recv() {
            let text = self.wanted.is_seen(&seen.run, seen.session).then(|| seen.text.clone());
            is_full = chunk.add(text);
        }
        self.published_at = Some(Instant::now());
        chunk.text().unwrap_or_default()
    }
}

/// Waits until [`COALESCE`] has passed since the last chunk's events.
async fn coalesce(published_at: Option<Instant>) {
    if let Some(next) = published_at.map(|published_at| published_at + COALESCE)
        && next > Instant::now()
    {
        sleep_until(next).await;
    }
}

/// Waits for the predicate. The sender outlives all streams.
async fn until<T>(watched: &mut watch::Receiver<T>, predicate: impl FnMut(&T) -> bool) {
    let _ = watched.wait_for(predicate).await;
}
