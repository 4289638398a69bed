//! What every request needs, and the way down.

use std::{
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use axum::Router;
use domain::Timestamp;
use runtime::{Host, ShutdownMode};
use store::StoreError;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use crate::{
    configured::KnownAgents,
    feed::{Feed, StreamContext, follow},
    once::Answers,
    problem::Failure,
    routes,
    stop::{Stage, Stop},
};

/// Event streams that may be open at once, over the socket and the port together.
pub(crate) const SUBSCRIBERS_MAX: usize = 256;
/// How many may read the log anew at once: it is work for a processor.
const READERS_MAX: usize = 2;
/// How many may look at a terminal at once: each has a thread.
const TERMINALS_MAX: usize = 32;
/// How long the last news may take to be told.
const LAST_NEWS_MAX: Duration = Duration::from_secs(2);

/// The interface to the runs of a data directory.
#[derive(Clone)]
pub struct Api {
    pub(crate) host: Host,
    pub(crate) feed: Arc<Feed>,
    pub(crate) stop: Stop,
    pub(crate) started_at: Timestamp,
    /// Where browsers find it; none where it listens on its socket alone.
    pub(crate) address: Option<String>,
    pub(crate) agents: KnownAgents,
    pub(crate) answers: Arc<Answers>,
    pub(crate) subscribers: Arc<Semaphore>,
    readers: Arc<Semaphore>,
    terminals: Arc<Semaphore>,
}

impl Api {
    /// Opens the interface. Only inside of a tokio runtime, on which it follows the news.
    pub fn open(host: Host) -> Result<Self, StoreError> {
        // Heard before the end of the log is looked for, so that nothing is lost in between.
        let news = host.subscribe();
        let feed = Arc::new(Feed::at_the_end_of(&**host.log())?);
        tokio::spawn(follow(Arc::clone(&feed), Arc::clone(host.log()), news));
        Ok(Self {
            host,
            feed,
            stop: Stop::new(),
            started_at: now(),
            address: None,
            agents: KnownAgents::default(),
            answers: Arc::default(),
            terminals: Arc::new(Semaphore::new(TERMINALS_MAX)),
            subscribers: Arc::new(Semaphore::new(SUBSCRIBERS_MAX)),
            readers: Arc::new(Semaphore::new(READERS_MAX)),
        })
    }

    /// Returns the router, which does not know where its requests come from.
    pub fn router(&self) -> Router {
        routes::router(self.clone())
    }

    /// Asks for the end, as `POST /api/stop` does.
    pub fn stop(&self, agents: ShutdownMode) {
        self.stop.ask(agents);
    }

    /// Waits until somebody asks for the end, and carries that out: the runs stop, and what they did is told.
    pub(crate) async fn end_when_asked(&self) {
        let agents = self.stop.asked().await;
        let host = self.host.clone();
        let stopping = tokio::task::spawn_blocking(move || {
            host.stop(agents);
            crate::feed::end_of(&**host.log())
        });
        if let Ok(Ok(end)) = stopping.await {
            let mut head = self.feed.watch();
            // Whoever misses the last news finds it in the log.
            let _ = timeout(LAST_NEWS_MAX, head.wait_for(|head| *head >= end)).await;
        }
        self.stop.is_over();
    }

    /// Returns whether nobody has asked for the end.
    pub(crate) fn is_serving(&self) -> bool {
        *self.stop.watch().borrow() == Stage::Serving
    }

    /// Waits until everything is over.
    pub(crate) async fn over(&self) {
        let mut stage = self.stop.watch();
        // The sender is `self`'s, so there is an answer.
        let _ = stage.wait_for(|stage| *stage == Stage::Over).await;
    }

    /// Returns what an event stream needs; `None` if [`SUBSCRIBERS_MAX`] are open.
    pub(crate) fn stream_context(&self) -> Option<StreamContext> {
        Some(StreamContext {
            feed: Arc::clone(&self.feed),
            stage: self.stop.watch(),
            log: Arc::clone(self.host.log()),
            readers: Arc::clone(&self.readers),
            _permit: Arc::clone(&self.subscribers).try_acquire_owned().ok()?,
        })
    }

    /// Returns one of the few places of those who look at a terminal, unless all are taken.
    pub(crate) fn terminal_place(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.terminals).try_acquire_owned().ok()
    }

    /// Does what may take a while, away from everybody else.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Host) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let host = self.host.clone();
        match tokio::task::spawn_blocking(move || work(&host)).await {
            Ok(result) => result,
            Err(_) => Err(Failure::ours()),
        }
    }
}

pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
