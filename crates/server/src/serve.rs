//! Takes connections and answers them, within bounds, until everything is over.

mod crowd;
mod listening;

use std::{sync::Arc, time::Duration};

use axum::{Router, serve::Listener};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{sync::Semaphore, task::JoinSet, time::timeout};
use tokio_io_timeout::TimeoutStream;

use crate::{Api, api::LISTENERS_MAX};
use crowd::Crowd;
use listening::Connection;
pub use listening::Handover;

/// How many connections there are at once; more wait until one ends. Listeners leave room for those who ask.
const CONNECTIONS_MAX: usize = LISTENERS_MAX + 256;
/// How long the head of a request may take, and so how long a connection may have nothing to say.
const HEAD_WAIT_MAX: Duration = Duration::from_secs(10);
/// How long a client may take nothing of what it is told.
const WRITE_WAIT_MAX: Duration = Duration::from_secs(20);
/// How large the head of a request can be.
const HEAD_BYTES_MAX: usize = 32 << 10;
/// How many headers it can have.
const HEADERS_MAX: usize = 64;
/// How long answers that are under way may take at the end.
const GOODBYE_MAX: Duration = Duration::from_secs(5);

/// Answers whoever comes, until the end was asked for and carried out.
pub async fn serve<L: Listener<Io: Connection>>(api: &Api, listener: L, router: Router) {
    serve_with(Crowd::new(api), api, listener, router).await;
}

async fn serve_with<L: Listener<Io: Connection>>(crowd: Crowd, api: &Api, mut listener: L, router: Router) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let crowd = Arc::new(crowd);
    let mut connections = JoinSet::new();
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await.ok();
            (place, listener.accept().await.0)
        };
        let (place, io) = tokio::select! {
            next = next => next,
            () = api.over() => break,
        };
        let (router, api, crowd) = (router.clone(), api.clone(), Arc::clone(&crowd));
        connections.spawn(async move {
            if let Some(io) = io.listen(&crowd, &router).await {
                // Of its own: it is much larger than one who only listens.
                Box::pin(connection(&api, io, router)).await;
            }
            drop(place);
        });
        while connections.try_join_next().is_some() {}
    }
    drop(listener);
    // Whoever is not done by then is cut off.
    let _ = timeout(GOODBYE_MAX, connections.join_all()).await;
}

async fn connection(api: &Api, io: impl Connection, router: Router) {
    let mut io = TimeoutStream::new(io);
    io.set_write_timeout(Some(WRITE_WAIT_MAX));
    let io = Box::pin(io);
    let io = TokioIo::new(io);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WAIT_MAX)
        .max_buf_size(HEAD_BYTES_MAX)
        .max_headers(HEADERS_MAX)
        .serve_connection(io, TowerToHyperService::new(router))
        .with_upgrades();
    tokio::pin!(connection);
    tokio::select! {
        // That a client went is no mistake of ours, and there is nobody left to tell.
        _ = connection.as_mut() => return,
        () = api.over() => {}
    }
    connection.as_mut().graceful_shutdown();
    drop(connection.await);
}

#[cfg(test)]
mod tests;
