//! Accepts connections and serves HTTP/1.1 on them, with limits on time, size and number.

use std::{collections::VecDeque, error::Error, time::Duration};

use axum::{Router, http::Request, serve::Listener};
use hyper::{body::Incoming, server::conn::http1, service::Service};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    task::{AbortHandle, JoinSet},
    time::timeout,
};
use tokio_io_timeout::TimeoutStream;
use tracing::{debug, info};

use crate::{
    Api,
    access::{ConnectionPeer, PeerStream},
    api::SUBSCRIBERS_MAX,
};

/// Connections of one listener. A further client replaces the oldest that has shown no valid credential, or waits in the
/// backlog if all have. Event streams leave 256 for other requests.
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
pub(crate) async fn serve<L: Listener<Io: PeerStream>>(api: &Api, mut listener: L, router: Router) {
    let mut connections = JoinSet::new();
    let mut open: VecDeque<OpenConnection> = VecDeque::new();
    loop {
        let next = async {
            while !make_room(&mut open) {
                connections.join_next().await;
            }
            listener.accept().await.0
        };
        let io = tokio::select! {
            io = next => io,
            () = api.wait_until_stopped() => break,
        };
        let (router, api) = (router.clone(), api.clone());
        let peer = ConnectionPeer::new(io.peer_address());
        let service = PeerService { router: TowerToHyperService::new(router), peer: peer.clone() };
        let task = connections.spawn(async move { serve_connection(&api, io, service).await });
        open.push_back(OpenConnection { peer, task });
        while connections.try_join_next().is_some() {}
    }
    drop(listener);
    let join_all = async { while connections.join_next().await.is_some() {} };
    if timeout(SHUTDOWN_WAIT_MAX, join_all).await.is_err() {
        info!("connections that were still in use are closed");
    }
}

struct OpenConnection {
    peer: ConnectionPeer,
    task: AbortHandle,
}

/// Makes room for a connection; returns false if all connections have access.
fn make_room(open: &mut VecDeque<OpenConnection>) -> bool {
    if open.len() < CONNECTIONS_MAX {
        return true;
    }
    open.retain(|connection| !connection.task.is_finished());
    if open.len() < CONNECTIONS_MAX {
        return true;
    }
    let oldest = open.iter().position(|connection| !connection.peer.has_access());
    let Some(dropped) = oldest.and_then(|at| open.remove(at)) else { return false };
    dropped.task.abort();
    true
}

/// Adds the other end of a connection to its requests.
struct PeerService {
    router: TowerToHyperService<Router>,
    peer: ConnectionPeer,
}

impl Service<Request<Incoming>> for PeerService {
    type Response = <TowerToHyperService<Router> as Service<Request<Incoming>>>::Response;
    type Error = <TowerToHyperService<Router> as Service<Request<Incoming>>>::Error;
    type Future = <TowerToHyperService<Router> as Service<Request<Incoming>>>::Future;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        request.extensions_mut().insert(self.peer.clone());
        self.router.call(request)
    }
}

async fn serve_connection(api: &Api, io: impl AsyncRead + AsyncWrite + Send + 'static, service: PeerService) {
    service.peer.find_origin_of_process(api).await;
    let mut io = TimeoutStream::new(io);
    io.set_write_timeout(Some(WRITE_WAIT_MAX));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WAIT_MAX)
        .max_buf_size(BUFFER_BYTES_MAX)
        .max_headers(HEADERS_MAX)
        .serve_connection(TokioIo::new(Box::pin(io)), service)
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
