//! Lines of the server's log about requests: method, path, status and duration, in a span with the request's number.
//!
//! Only the path of a URL is logged: its query may contain the token.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{
    Router,
    extract::{Request, State},
    middleware::{Next, from_fn_with_state},
    response::Response,
};
use tracing::{Instrument, debug, info_span, warn};

use crate::problem::shorten_client_text;

/// Time after which a response is logged as slow. Event streams respond at once; large merges take longer.
const SLOW_MIN: Duration = Duration::from_secs(5);

/// Number of the last request.
type RequestCounter = Arc<AtomicU64>;

/// Adds the log lines to a router, with request numbers that start at 1.
pub(crate) fn with_request_trace(router: Router) -> Router {
    router.layer(from_fn_with_state(RequestCounter::default(), trace_request))
}

async fn trace_request(State(counter): State<RequestCounter>, request: Request, next: Next) -> Response {
    let number = counter.fetch_add(1, Ordering::Relaxed).saturating_add(1);
    let span = info_span!("request", request = number);
    let (method, path) = (request.method().clone(), shorten_client_text(request.uri().path()));
    let start = Instant::now();
    async {
        let response = next.run(request).await;
        let (status, duration) = (response.status(), start.elapsed());
        let ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        if status.is_server_error() {
            warn!(%method, path, status = status.as_u16(), ms, "request failed");
        } else if duration >= SLOW_MIN {
            warn!(%method, path, status = status.as_u16(), ms, "slow request");
        } else {
            debug!(%method, path, status = status.as_u16(), ms, "request");
        }
        response
    }
    .instrument(span)
    .await
}
