//! One who listens: what was missed, then what comes, without a gap and without repetition.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use domain::RunId;
use runtime::Published;
use store::{Log, Position, StoreError};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, broadcast, watch},
    time::sleep,
};

use super::{
    Feed, Next,
    frames::{self, Frames},
    missed::Missed,
};
use crate::{problem::Failure, stop::Stage};

/// How often a word keeps the line open where nothing happens.
const QUIET_MAX: Duration = Duration::from_secs(15);

/// What somebody wants to hear.
pub struct Wanted {
    /// The place behind which it starts.
    pub after: Position,
    /// The run; all where there is none.
    pub only: Option<RunId>,
}

/// One who listens.
pub struct Listener {
    feed: Arc<Feed>,
    head: watch::Receiver<Position>,
    news: broadcast::Receiver<Arc<Published>>,
    stage: watch::Receiver<Stage>,
    log: Arc<dyn Log>,
    readers: Arc<Semaphore>,
    wanted: Wanted,
    source: Source,
    /// One of the few places of those who listen.
    _place: OwnedSemaphorePermit,
}

/// Where the next entry comes from.
enum Source {
    /// Nothing was said yet.
    Beginning,
    /// The log.
    Log(Box<Missed>, std::vec::IntoIter<Frames>),
    /// What is at hand.
    Feed,
    /// Nothing comes any more.
    End,
}

/// What came of waiting.
enum Waited {
    More,
    Say(Bytes),
    End,
}

/// What a listener needs.
pub struct Line {
    /// The news in order.
    pub feed: Arc<Feed>,
    /// What is only seen.
    pub news: broadcast::Receiver<Arc<Published>>,
    /// How long there will be news.
    pub stage: watch::Receiver<Stage>,
    /// What was missed.
    pub log: Arc<dyn Log>,
    /// Who may read the log.
    pub readers: Arc<Semaphore>,
    /// One of the few places of those who listen.
    pub place: OwnedSemaphorePermit,
}

impl Listener {
    /// Begins to listen.
    pub fn new(line: Line, wanted: Wanted) -> Self {
        let Line { feed, news, stage, log, readers, place } = line;
        let (head, source) = (feed.watch(), Source::Beginning);
        Self { feed, head, news, stage, log, readers, wanted, source, _place: place }
    }

    /// Returns the next piece of the stream; nothing where it ends, also for one who was too slow.
    pub async fn next(&mut self) -> Option<Bytes> {
        loop {
            match &mut self.source {
                Source::End => return None,
                Source::Beginning => {
                    let Wanted { after, only } = &self.wanted;
                    self.source = match self.feed.next(*after) {
                        Next::Entry(_) | Next::Nothing => Source::Feed,
                        Next::Gone => {
                            let missed = Missed::behind(Arc::clone(&self.log), *after, only.clone());
                            Source::Log(Box::new(missed), Vec::new().into_iter())
                        }
                    };
                    return Some(frames::beginning(*after));
                }
                Source::Log(missed, page) => {
                    if let Some(frames) = page.next() {
                        return Some(frames.text);
                    }
                    if self.feed.next(missed.at()) != Next::Gone {
                        (self.wanted.after, self.source) = (missed.at(), Source::Feed);
                    } else if let Err(problem) = self.turn_page().await {
                        return Some(problem);
                    }
                }
                Source::Feed => match self.feed.next(self.wanted.after) {
                    Next::Entry(frames) => {
                        self.wanted.after = frames.position;
                        if self.concerns(&frames.run) {
                            return Some(frames.text.clone());
                        }
                    }
                    Next::Nothing => match self.wait().await {
                        Waited::More => {}
                        Waited::Say(text) => return Some(text),
                        Waited::End => self.source = Source::End,
                    },
                    Next::Gone => self.source = Source::End,
                },
            }
        }
    }

    /// Reads on in the log. What can't be read is said, and is the end.
    async fn turn_page(&mut self) -> Result<(), Bytes> {
        let Source::Log(mut missed, _) = std::mem::replace(&mut self.source, Source::End) else {
            return Ok(());
        };
        let permit = Arc::clone(&self.readers).acquire_owned().await;
        let read = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let page = missed.next_page();
            (missed, page)
        });
        let failed = |failure: Failure| frames::problem(&failure.problem);
        let (missed, page) = read.await.map_err(|_| failed(Failure::ours()))?;
        let page = page.map_err(|error: StoreError| failed(error.into()))?;
        (self.wanted.after, self.source) = match page {
            Some(page) => (self.wanted.after, Source::Log(missed, page.into_iter())),
            None => (missed.at(), Source::Feed),
        };
        Ok(())
    }

    /// Waits for news, for what can be seen, or for the moment when a word is due.
    async fn wait(&mut self) -> Waited {
        let quiet = sleep(QUIET_MAX);
        tokio::pin!(quiet);
        loop {
            tokio::select! {
                // What is there to be told is told before the end.
                biased;
                () = until(&mut self.head, |head| *head > self.wanted.after) => return Waited::More,
                () = until(&mut self.stage, |stage| *stage == Stage::Over) => return Waited::End,
                heard = self.news.recv() => match heard {
                    Ok(published) => if let Some(text) = self.glimpse(&published) { return Waited::Say(text) },
                    // What is only seen may be missed.
                    Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => return Waited::End,
                },
                () = &mut quiet => return Waited::Say(Bytes::from_static(b":\n\n")),
            }
        }
    }

    fn glimpse(&self, published: &Published) -> Option<Bytes> {
        match published {
            Published::Seen { run, session, what } if self.concerns(run) => {
                Some(frames::seen(run, *session, what))
            }
            Published::Seen { .. } | Published::Recorded { .. } => None,
        }
    }

    fn concerns(&self, run: &RunId) -> bool {
        self.wanted.only.as_ref().is_none_or(|only| only == run)
    }
}

/// Waits until something is so. Whoever could say so is there as long as somebody listens.
async fn until<T>(watched: &mut watch::Receiver<T>, is_so: impl FnMut(&T) -> bool) {
    let _ = watched.wait_for(is_so).await;
}
