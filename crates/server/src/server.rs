//! The server of a data directory: its threads, its socket and its optional port.

use std::{
    error::Error,
    path::{Path, PathBuf},
    sync::mpsc::sync_channel,
    thread::JoinHandle,
    time::Duration,
};

use axum::{Router, serve::ListenerExt};
use runtime::{Host, ShutdownMode};
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::net::{TcpListener, UnixListener};
use tracing::{debug, warn};

use crate::{
    api::Api,
    loopback::{LoopbackListener, LoopbackMode, address},
    routes::{guarded_router, socket_router},
    serve::{CONNECTIONS_MAX, serve},
    socket::{ServerError, SocketFile, file_id, socket_path},
    start_facts::log_start_facts,
};

/// Time that abandoned blocking work may delay the end of the server.
const BLOCKING_WORK_WAIT_MAX: Duration = Duration::from_secs(5);

const WORKER_THREADS: usize = 2;

/// Open files of this process: the connections of the socket and the port, and as many again for runs.
const OPEN_FILES: u64 = 4 * CONNECTIONS_MAX as u64;

/// A server in this process. Continues when dropped, until a client stops it.
pub struct Server {
    api: Api,
    socket: PathBuf,
    /// Identity of the socket file.
    file: Option<(u64, u64)>,
    thread: JoinHandle<()>,
}

impl Server {
    /// Starts a server. It accepts clients when this returns.
    pub fn start(host: Host, data: &Path, loopback: LoopbackMode) -> Result<Self, ServerError> {
        let socket = socket_path(data)?;
        let data = data.to_owned();
        let (sender, started) = sync_channel(1);
        let thread = std::thread::Builder::new().name("server".to_owned()).spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(WORKER_THREADS)
                .thread_name("server")
                .enable_all()
                .build();
            let runtime = match runtime.map_err(ServerError::Thread) {
                Ok(runtime) => runtime,
                Err(error) => return drop(sender.send(Err(error))),
            };
            // Sending fails only if the caller has stopped waiting.
            runtime.block_on(async {
                match open_listeners(host, &data, loopback) {
                    Ok(open) => {
                        drop(sender.send(Ok(open.api.clone())));
                        open.serve().await;
                    }
                    Err(error) => drop(sender.send(Err(error))),
                }
            });
            runtime.shutdown_timeout(BLOCKING_WORK_WAIT_MAX);
        });
        let thread = thread.map_err(ServerError::Thread)?;
        let gone = |_| Err(ServerError::Thread(std::io::Error::other("the thread ended at once")));
        let api = started.recv().unwrap_or_else(gone)?;
        Ok(Self { api, file: file_id(&socket), socket, thread })
    }

    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Returns whether clients can still stop the server, and none has.
    pub fn is_reachable(&self) -> bool {
        self.api.is_serving() && self.file.is_some() && file_id(&self.socket) == self.file
    }

    /// Returns the first file of the data directory that was removed or replaced while the server uses it.
    pub fn find_lost_file(&self) -> Option<PathBuf> {
        self.api.host.find_lost_file()
    }

    /// Stops the server; returns when its runs have stopped and clients have received the last events.
    pub fn stop(self, agents: ShutdownMode) {
        self.api.request_stop(agents);
        self.wait_until_stopped();
    }

    /// Waits until a client has stopped the server.
    pub fn wait_until_stopped(self) {
        // The panic hook has logged it.
        drop(self.thread.join());
    }
}

/// A server with bound listeners.
struct ListeningServer {
    api: Api,
    listener: UnixListener,
    loopback: Option<(TcpListener, Router)>,
    /// Removes the socket file when dropped.
    _socket_file: SocketFile,
}

impl ListeningServer {
    async fn serve(self) {
        let Self { api, listener, loopback, _socket_file } = self;
        let (socket, address) = (_socket_file.path().to_owned(), api.address.clone());
        // Not awaited: the runtime waits for it when it shuts down.
        drop(tokio::task::spawn_blocking(move || log_start_facts(&socket, address.as_deref())));
        let on_socket = serve(&api, listener, socket_router(&api));
        let on_loopback = async {
            if let Some((listener, router)) = loopback {
                // Events are small and frequent: Nagle's algorithm would delay them.
                let listener = listener.tap_io(|stream| {
                    if let Err(error) = stream.set_nodelay(true) {
                        debug!(error = &error as &dyn Error, "events of a connection are delayed");
                    }
                });
                serve(&api, listener, router).await;
            }
        };
        tokio::join!(on_socket, on_loopback, api.stop_when_requested());
    }
}

fn open_listeners(host: Host, data: &Path, loopback: LoopbackMode) -> Result<ListeningServer, ServerError> {
    // Creates the token first, so that every client that can connect finds it.
    let mut api = Api::open(host)?;
    let (socket_file, listener) = SocketFile::listen(data)?;
    let opened = loopback.open(data)?;
    if opened.is_some() {
        raise_file_limit();
    }
    api.address = opened.as_ref().map(|opened| address(opened.port));
    let loopback = opened.map(|LoopbackListener { listener, port }| (listener, guarded_router(&api, port)));
    Ok(ListeningServer { api, listener, loopback, _socket_file: socket_file })
}

/// Raises the limit of open files to [`OPEN_FILES`], as far as the hard limit allows: every connection is one.
fn raise_file_limit() {
    let mut limit = getrlimit(Resource::Nofile);
    let target = limit.maximum.map_or(OPEN_FILES, |maximum| maximum.min(OPEN_FILES));
    if limit.current.is_some_and(|current| current < target) {
        limit.current = Some(target);
        // If it fails, some connections must wait.
        if let Err(error) = setrlimit(Resource::Nofile, limit) {
            warn!(target, error = &error as &dyn Error, "cannot raise the limit of open files");
        }
    }
}
