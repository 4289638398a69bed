//! The state that request handlers share, and the shutdown of the server.

use std::{
    error::Error,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use axum::Router;
use domain::Timestamp;
use runtime::{Host, ShutdownMode};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};
use tracing::{Span, error, warn};

use crate::{
    access::{ConnectionOwners, SharedToken},
    change_feed::{ChangeFeed, StreamContext, run_feed},
    idempotency::IdempotencyKeys,
    problem::ApiError,
    project_config::AgentListCache,
    routes,
    socket::ServerError,
    stop_signal::{ServerStage, StopSignal},
};

/// Event streams that may be open at once, over the socket and the port together.
pub(crate) const SUBSCRIBERS_MAX: usize = 256;
/// Streams that may read the log at once: rebuilding rows uses the processor.
const READERS_MAX: usize = 2;
/// Terminal connections that may be open at once: each uses a thread.
const TERMINALS_MAX: usize = 32;
/// Callers that may be looked up at once: each reads the open files of every process, on a thread of its own.
const CALLER_LOOKUPS_MAX: usize = 2;
/// Requests with a plan that may be handled at once: each may need some hundred megabytes.
const PLAN_REQUESTS_MAX: usize = 2;
/// Time that a further one waits.
const PLAN_WAIT_MAX: Duration = Duration::from_secs(20);
/// Time to publish the last events when the server stops.
const FINAL_EVENTS_WAIT_MAX: Duration = Duration::from_secs(2);

/// The interface to the runs of a data directory.
#[derive(Clone)]
pub struct Api {
    pub(crate) host: Host,
    pub(crate) feed: Arc<ChangeFeed>,
    pub(crate) stop: StopSignal,
    pub(crate) started_at: Timestamp,
    /// Address for browsers; `None` if the server listens on its socket only.
    pub(crate) address: Option<String>,
    pub(crate) access: Arc<SharedToken>,
    pub(crate) connection_owners: Arc<ConnectionOwners>,
    pub(crate) agents: AgentListCache,
    pub(crate) idempotency_keys: Arc<IdempotencyKeys>,
    pub(crate) subscribers: Arc<Semaphore>,
    readers: Arc<Semaphore>,
    terminals: Arc<Semaphore>,
    pub(crate) caller_lookups: Arc<Semaphore>,
    plan_requests: Arc<Semaphore>,
}

impl Api {
    /// Opens the interface. Must be called in a tokio runtime, on which the change feed runs.
    pub fn open(host: Host) -> Result<Self, ServerError> {
        let data = host.data_directory();
        let failed = |source| ServerError::Token { path: data.to_owned(), source };
        let access = Arc::new(SharedToken::open(data).map_err(failed)?);
        // Subscribe before the end of the log is determined, so that no event is lost in between.
        let events = host.subscribe();
        let feed = Arc::new(ChangeFeed::starting_at_log_end(&**host.log())?);
        tokio::spawn(run_feed(Arc::clone(&feed), Arc::clone(host.log()), events));
        Ok(Self {
            host,
            feed,
            stop: StopSignal::new(),
            started_at: now(),
            address: None,
            access,
            connection_owners: Arc::default(),
            agents: AgentListCache::default(),
            idempotency_keys: Arc::default(),
            terminals: Arc::new(Semaphore::new(TERMINALS_MAX)),
            caller_lookups: Arc::new(Semaphore::new(CALLER_LOOKUPS_MAX)),
            plan_requests: Arc::new(Semaphore::new(PLAN_REQUESTS_MAX)),
            subscribers: Arc::new(Semaphore::new(SUBSCRIBERS_MAX)),
            readers: Arc::new(Semaphore::new(READERS_MAX)),
        })
    }

    /// Returns the router without access checks.
    pub fn router(&self) -> Router {
        routes::router_without_access_checks(self.clone())
    }

    /// Requests the shutdown, as `POST /api/stop` does.
    pub fn request_stop(&self, agents: ShutdownMode) {
        self.stop.request(agents);
    }

    /// Waits for a stop request, stops the runs and publishes their last events.
    pub(crate) async fn stop_when_requested(&self) {
        let agents = self.stop.wait_for_request().await;
        let host = self.host.clone();
        let stopping = tokio::task::spawn_blocking(move || {
            host.stop(agents);
            host.log().last_position()
        });
        match stopping.await {
            Ok(Ok(end)) => {
                let mut head = self.feed.watch_head();
                // A client that misses the last events finds them in the log.
                let _ = timeout(FINAL_EVENTS_WAIT_MAX, head.wait_for(|head| *head >= end)).await;
            }
            Ok(Err(error)) => warn!(error = &error as &dyn Error, "cannot read the last events of the log"),
            Err(error) => error!(error = &error as &dyn Error, "cannot stop the runs"),
        }
        self.stop.mark_stopped();
    }

    /// Returns whether no stop was requested.
    pub(crate) fn is_serving(&self) -> bool {
        *self.stop.watch().borrow() == ServerStage::Serving
    }

    /// Waits until the runs have stopped.
    pub(crate) async fn wait_until_stopped(&self) {
        let mut stage = self.stop.watch();
        // `self` owns the sender, so this cannot fail.
        let _ = stage.wait_for(|stage| *stage == ServerStage::Stopped).await;
    }

    /// Returns the context of a new event stream; `None` if [`SUBSCRIBERS_MAX`] are open.
    pub(crate) fn stream_context(&self) -> Option<StreamContext> {
        Some(StreamContext {
            feed: Arc::clone(&self.feed),
            stage: self.stop.watch(),
            log: Arc::clone(self.host.log()),
            readers: Arc::clone(&self.readers),
            _permit: Arc::clone(&self.subscribers).try_acquire_owned().ok()?,
        })
    }

    /// Returns a permit for a terminal connection; `None` if [`TERMINALS_MAX`] are open.
    pub(crate) fn terminal_permit(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.terminals).try_acquire_owned().ok()
    }

    /// Returns a permit for a request with a plan; `None` if others take too long.
    pub(crate) async fn plan_permit(&self) -> Option<OwnedSemaphorePermit> {
        timeout(PLAN_WAIT_MAX, Arc::clone(&self.plan_requests).acquire_owned()).await.ok()?.ok()
    }

    /// Runs work that may block on a thread of its own pool.
    pub(crate) async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Host) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let (host, span) = (self.host.clone(), Span::current());
        match tokio::task::spawn_blocking(move || span.in_scope(|| work(&host))).await {
            Ok(result) => result,
            // The panic hook has logged it.
            Err(_) => Err(ApiError::internal()),
        }
    }
}

pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
