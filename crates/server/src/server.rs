//! The server of a data directory: a few threads, a socket, a port where one is wanted, and a way to end it.

use std::{
    path::{Path, PathBuf},
    sync::mpsc::sync_channel,
    thread::JoinHandle,
    time::Duration,
};

use axum::{Router, serve::ListenerExt};
use runtime::{Host, ShutdownMode};
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::net::{TcpListener, UnixListener};

use crate::{
    api::Api,
    loopback::{Loopback, Opened, address},
    routes::guarded,
    serve::{CONNECTIONS_MAX, serve},
    socket::{Bound, ServerError, identity, socket_path},
};

/// How long work that nobody waits for any more may hold up the end.
const LEFT_MAX: Duration = Duration::from_secs(5);

/// How many threads answer.
const ANSWERERS: usize = 2;

/// Open files of this process: the connections of the socket and the port, and as many again for runs.
const FILES: u64 = 4 * CONNECTIONS_MAX as u64;

/// A server that runs inside of this process. Dropped, it goes on until somebody asks for its end.
pub struct Server {
    api: Api,
    socket: PathBuf,
    /// Which file the socket is.
    file: Option<(u64, u64)>,
    thread: JoinHandle<()>,
}

impl Server {
    /// Listens on the socket of a data directory, and on loopback where that is wanted. Clients are let in when this
    /// returns.
    pub fn start(host: Host, data: &Path, loopback: Loopback) -> Result<Self, ServerError> {
        let socket = socket_path(data)?;
        let data = data.to_owned();
        let (sender, started) = sync_channel(1);
        let thread = std::thread::Builder::new().name("server".to_owned()).spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(ANSWERERS)
                .thread_name("server")
                .enable_all()
                .build();
            let runtime = match runtime.map_err(ServerError::Thread) {
                Ok(runtime) => runtime,
                Err(error) => return drop(sender.send(Err(error))),
            };
            runtime.block_on(async {
                match open(host, &data, loopback) {
                    Ok(open) => {
                        drop(sender.send(Ok(open.api.clone())));
                        open.serve().await;
                    }
                    Err(error) => drop(sender.send(Err(error))),
                }
            });
            runtime.shutdown_timeout(LEFT_MAX);
        });
        let thread = thread.map_err(ServerError::Thread)?;
        let gone = |_| Err(ServerError::Thread(std::io::Error::other("it ended at once")));
        let api = started.recv().unwrap_or_else(gone)?;
        Ok(Self { api, file: identity(&socket), socket, thread })
    }

    /// Returns where it listens.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Returns whether somebody can still ask for its end, and nobody has.
    pub fn is_reachable(&self) -> bool {
        self.api.is_serving() && self.file.is_some() && identity(&self.socket) == self.file
    }

    /// Ends it, and returns when its runs have stopped and its clients are told.
    pub fn stop(self, agents: ShutdownMode) {
        self.api.stop(agents);
        self.wait();
    }

    /// Waits until somebody asks for the end, and it has come.
    pub fn wait(self) {
        // One that panicked has said so itself.
        drop(self.thread.join());
    }
}

/// A server that listens.
struct Open {
    api: Api,
    listener: UnixListener,
    loopback: Option<(TcpListener, Router)>,
    /// The socket's file goes with it.
    _bound: Bound,
}

impl Open {
    async fn serve(self) {
        let Self { api, listener, loopback, _bound } = self;
        let on_socket = serve(&api, listener, api.router());
        let on_loopback = async {
            if let Some((listener, router)) = loopback {
                // News is small and comes often: held back until the last of it is acknowledged, it would come late.
                let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
                serve(&api, listener, router).await;
            }
        };
        tokio::join!(on_socket, on_loopback, api.end_when_asked());
    }
}

fn open(host: Host, data: &Path, loopback: Loopback) -> Result<Open, ServerError> {
    let (bound, listener) = Bound::listen(data)?;
    let mut api = Api::open(host)?;
    let opened = loopback.open(data)?;
    if opened.is_some() {
        make_room_for_files();
    }
    api.address = opened.as_ref().map(|opened| address(opened.port));
    let loopback = opened.map(|Opened { listener, port, token }| (listener, guarded(&api, token, port)));
    Ok(Open { api, listener, loopback, _bound: bound })
}

/// Raises the limit of open files to [`FILES`], as far as the user may: every connection is one.
fn make_room_for_files() {
    let mut limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(FILES, |most| most.min(FILES));
    if limit.current.is_some_and(|current| current < wanted) {
        limit.current = Some(wanted);
        // If it fails, some connections have to wait.
        let _ = setrlimit(Resource::Nofile, limit);
    }
}
