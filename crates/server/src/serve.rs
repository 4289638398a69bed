//! Accepts connections and serves HTTP/1.1 on them, with limits on time, size and number.

use std::{error::Error, sync::Arc, time::Duration};

use axum::{Router, serve::Listener};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::Semaphore,
    task::JoinSet,
    time::timeout,
};
use tokio_io_timeout::TimeoutStream;
use tracing::{debug, info};

use crate::{Api, api::SUBSCRIBERS_MAX};

/// Connections of one listener; further clients wait in its backlog. Event streams leave 256 for other requests.
pub(crate) const CONNECTIONS_MAX: usize = SUBSCRIBERS_MAX + 256;
/// Time for the head of a request, and so for an idle connection.
const HEAD_WAIT_MAX: Duration = Duration::from_secs(10);
/// Time in which a client must read some of its response; otherwise the connection is closed.
const WRITE_WAIT_MAX: Duration = Duration::from_secs(20);
/// Size limit of the head of a request, and about the size of the write buffer.
const BUFFER_BYTES_MAX: usize = 32 << 10;
const HEADERS_MAX: usize = 64;
/// Time for responses in progress when the server stops.
const SHUTDOWN_WAIT_MAX: Duration = Duration::from_secs(5);

/// Serves connections until the server has stopped.
pub async fn serve<L: Listener>(api: &Api, mut listener: L, router: Router) {
    let slots = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let mut connections = JoinSet::new();
    loop {
        let next = async {
            let slot = Arc::clone(&slots).acquire_owned().await.ok();
            (slot, listener.accept().await.0)
        };
        let (slot, io) = tokio::select! {
            next = next => next,
            () = api.wait_until_stopped() => break,
        };
        let (router, api) = (router.clone(), api.clone());
        connections.spawn(async move {
            serve_connection(&api, io, router).await;
            drop(slot);
        });
        while connections.try_join_next().is_some() {}
    }
    drop(listener);
    if timeout(SHUTDOWN_WAIT_MAX, connections.join_all()).await.is_err() {
        info!("connections that were still in use are closed");
    }
}

async fn serve_connection(api: &Api, io: impl AsyncRead + AsyncWrite + Send + 'static, router: Router) {
    let mut io = TimeoutStream::new(io);
    io.set_write_timeout(Some(WRITE_WAIT_MAX));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WAIT_MAX)
        .max_buf_size(BUFFER_BYTES_MAX)
        .max_headers(HEADERS_MAX)
        .serve_connection(TokioIo::new(Box::pin(io)), TowerToHyperService::new(router))
        .with_upgrades();
    tokio::pin!(connection);
    tokio::select! {
        ended = connection.as_mut() => return trace_disconnect(ended),
        () = api.wait_until_stopped() => {}
    }
    connection.as_mut().graceful_shutdown();
    trace_disconnect(connection.await);
}

/// Logs the error of a connection, which means that the client disconnected or was too slow.
fn trace_disconnect(ended: Result<(), hyper::Error>) {
    if let Err(error) = ended {
        debug!(error = &error as &dyn Error, "connection closed");
    }
}

#[cfg(test)]
mod tests;
