//! One who listens: what was missed, then what comes, without a gap and without repetition.

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

/// What comes so soon after the last is told together: as often as a screen is painted.
pub(super) const TOGETHER: Duration = Duration::from_millis(16);
/// How often a word keeps the line open where nothing happens.
pub(crate) const QUIET_MAX: Duration = Duration::from_secs(15);

/// The word that keeps it open.
pub(crate) const QUIET: Bytes = Bytes::from_static(b":\n\n");

/// One who listens.
pub struct Listener {
    feed: Arc<Feed>,
    head: watch::Receiver<Position>,
    seen: broadcast::Receiver<Arc<SeenFrames>>,
    stage: watch::Receiver<Stage>,
    log: Arc<dyn Log>,
    readers: Arc<Semaphore>,
    pub(super) wanted: Wanted,
    source: Source,
    /// When the last that was told had come.
    told_at: Option<Instant>,
    /// When something was said the last time.
    said_at: Instant,
    /// Wakes it when it may have been quiet for too long. Moved only then: everybody's clock is one.
    quiet: Pin<Box<Sleep>>,
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

/// What comes next for one who reads the log.
enum Page {
    /// These.
    Read(Vec<Frames>),
    /// What is at hand.
    AtHand,
}

/// What is next for one who listens.
#[derive(Debug)]
pub enum Step {
    /// This is said.
    Say(Bytes),
    /// Nothing is missed: there is to be waited.
    Wait,
    /// Nothing comes any more, also for one who was too slow.
    End,
}

/// What is at hand for one who listens.
#[derive(Debug)]
pub enum AtHand {
    /// This.
    Text(Bytes),
    /// Nothing.
    Nothing,
    /// What is not at hand any more.
    Gone,
}

/// What a listener needs.
pub struct Line {
    /// The news in order.
    pub feed: Arc<Feed>,
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
        let Line { feed, stage, log, readers, place } = line;
        let (head, seen, source) = (feed.watch(), feed.seen(), Source::Beginning);
        let (said_at, quiet) = (Instant::now(), Box::pin(sleep(QUIET_MAX)));
        Self {
            feed,
            head,
            seen,
            stage,
            log,
            readers,
            wanted,
            source,
            told_at: None,
            said_at,
            quiet,
            _place: place,
        }
    }

    /// Returns the next piece of the stream; nothing where it ends, also for one who was too slow.
    pub async fn next(&mut self) -> Option<Bytes> {
        loop {
            let mut step = self.step().await;
            if let Step::Wait = step {
                step = self.wait().await;
            }
            match step {
                Step::Say(text) => {
                    self.said_at = Instant::now();
                    return Some(text);
                }
                Step::Wait => {}
                Step::End => return None,
            }
        }
    }

    /// Returns what is next, without waiting for news.
    pub async fn step(&mut self) -> Step {
        loop {
            match &mut self.source {
                Source::End => return Step::End,
                Source::Beginning => {
                    let Wanted { after, only, .. } = &self.wanted;
                    self.source = match self.feed.next(*after) {
                        Next::Entry(_) | Next::Nothing => Source::Feed,
                        Next::Gone => {
                            let missed = Missed::behind(Arc::clone(&self.log), *after, only.clone());
                            Source::Log(Box::new(missed), Vec::new().into_iter())
                        }
                    };
                    return Step::Say(frames::beginning(*after));
                }
                Source::Log(missed, page) => {
                    let wanted = &self.wanted;
                    let mut told = Told::default();
                    for frames in page.by_ref() {
                        if told.add(frames.wanted(wanted)) {
                            break;
                        }
                    }
                    if let Some(text) = told.text() {
                        return Step::Say(text);
                    }
                    if self.feed.next(missed.at()) != Next::Gone {
                        (self.wanted.after, self.source) = (missed.at(), Source::Feed);
                    } else if let Err(problem) = self.turn_page().await {
                        return Step::Say(problem);
                    }
                }
                Source::Feed => match self.feed.next(self.wanted.after) {
                    Next::Entry(_) => {
                        rest(self.told_at).await;
                        // By the time at which it came: that it takes a while to tell a crowd holds up nothing else.
                        let came_at = self.feed.came_at();
                        if let Some(text) = self.all_at_hand() {
                            self.told_at = Some(came_at);
                            return Step::Say(text);
                        }
                    }
                    Next::Nothing => return Step::Wait,
                    Next::Gone => self.source = Source::End,
                },
            }
        }
    }

    /// Lets nothing come any more.
    pub fn end(&mut self) {
        self.source = Source::End;
    }

    /// Returns how far it has come.
    pub fn at(&self) -> Position {
        self.wanted.after
    }

    /// Returns what is at hand of what it waits for, up to a place at least.
    pub fn at_hand(&mut self, head: Position) -> AtHand {
        while self.wanted.after < head {
            let before = self.wanted.after;
            if let Some(text) = self.all_at_hand() {
                return AtHand::Text(text);
            }
            if self.wanted.after == before {
                return AtHand::Gone;
            }
        }
        AtHand::Nothing
    }

    /// Returns what it wants of what is seen.
    pub fn of_seen(&self, seen: &[Arc<SeenFrames>]) -> Option<Bytes> {
        let mut told = Told::default();
        for seen in seen.iter().filter(|seen| self.wanted.is_seen(&seen.run, seen.session)) {
            if told.add(Some(seen.text.clone())) {
                break;
            }
        }
        told.text()
    }

    /// Returns what is at hand and wanted, within bounds.
    fn all_at_hand(&mut self) -> Option<Bytes> {
        let Wanted { after, only, .. } = &self.wanted;
        if self.wanted.is_whole()
            && let Some((text, upto)) = self.feed.told_behind(*after, only.as_ref())
        {
            self.wanted.after = upto;
            return Some(text);
        }
        let mut told = Told::default();
        while let Next::Entry(frames) = self.feed.next(self.wanted.after) {
            self.wanted.after = frames.position;
            if told.add(frames.wanted(&self.wanted)) {
                break;
            }
        }
        told.text()
    }

    /// Reads on in the log. What can't be read is said, and is the end.
    async fn turn_page(&mut self) -> Result<(), Bytes> {
        let Source::Log(mut missed, _) = std::mem::replace(&mut self.source, Source::End) else {
            return Ok(());
        };
        let permit = Arc::clone(&self.readers).acquire_owned().await;
        let (feed, log) = (Arc::clone(&self.feed), Arc::clone(&self.log));
        let read = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let page = match feed.reach_back(&log, missed.at()) {
                Ok(true) => Ok(Page::AtHand),
                Ok(false) => missed.next_page().map(|page| page.map_or(Page::AtHand, Page::Read)),
                Err(error) => Err(error),
            };
            (missed, page)
        });
        let failed = |failure: Failure| frames::problem(&failure.problem);
        let (missed, page) = read.await.map_err(|_| failed(Failure::ours()))?;
        let page = page.map_err(|error: StoreError| failed(error.into()))?;
        (self.wanted.after, self.source) = match page {
            Page::Read(page) => (self.wanted.after, Source::Log(missed, page.into_iter())),
            Page::AtHand => (missed.at(), Source::Feed),
        };
        Ok(())
    }

    /// Waits for news, for what can be seen, or for the moment when a word is due.
    async fn wait(&mut self) -> Step {
        loop {
            tokio::select! {
                // What is there to be told is told before the end.
                biased;
                () = until(&mut self.head, |head| *head > self.wanted.after) => return Step::Wait,
                () = until(&mut self.stage, |stage| *stage == Stage::Over) => return Step::End,
                heard = self.seen.recv() => match heard {
                    Ok(seen) if self.wanted.is_seen(&seen.run, seen.session) => {
                        return Step::Say(self.more_seen(&seen).await);
                    }
                    Ok(_) => {}
                    // What is only seen may be missed.
                    Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => return Step::End,
                },
                () = &mut self.quiet => {
                    let due = self.said_at + QUIET_MAX;
                    if due <= Instant::now() {
                        self.quiet.as_mut().reset(Instant::now() + QUIET_MAX);
                        return Step::Say(QUIET);
                    }
                    self.quiet.as_mut().reset(due);
                }
            }
        }
    }

    /// Returns what is seen, together with what else is within a moment.
    async fn more_seen(&mut self, first: &SeenFrames) -> Bytes {
        rest(self.told_at).await;
        let mut told = Told::default();
        let mut is_full = told.add(Some(first.text.clone()));
        while !is_full && let Ok(seen) = self.seen.try_recv() {
            let text = self.wanted.is_seen(&seen.run, seen.session).then(|| seen.text.clone());
            is_full = told.add(text);
        }
        self.told_at = Some(Instant::now());
        told.text().unwrap_or_default()
    }
}

/// Waits a moment where something was just told, so that what comes meanwhile is told in one go.
pub(crate) async fn rest(told_at: Option<Instant>) {
    if let Some(next) = told_at.map(|told_at| told_at + TOGETHER)
        && next > Instant::now()
    {
        sleep_until(next).await;
    }
}

/// Waits until something is so. Whoever could say so is there as long as somebody listens.
async fn until<T>(watched: &mut watch::Receiver<T>, is_so: impl FnMut(&T) -> bool) {
    let _ = watched.wait_for(is_so).await;
}
