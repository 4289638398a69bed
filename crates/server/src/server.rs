//! The server of a data directory: one thread, a socket, and a way to end it.

use std::{
    path::{Path, PathBuf},
    sync::mpsc::sync_channel,
    thread::JoinHandle,
    time::Duration,
};

use runtime::{AfterStop, Host};
use tokio::net::UnixListener;

use crate::{
    api::Api,
    serve::serve,
    socket::{Bound, ServerError, socket_path},
};

/// How long work that nobody waits for any more may hold up the end.
const LEFT_MAX: Duration = Duration::from_secs(5);

/// A server that runs inside of this process. Dropped, it goes on until somebody asks for its end.
pub struct Server {
    api: Api,
    socket: PathBuf,
    thread: JoinHandle<()>,
}

impl Server {
    /// Listens on the socket of a data directory. Clients are let in when this returns.
    pub fn start(host: Host, data: &Path) -> Result<Self, ServerError> {
        let socket = socket_path(data)?;
        let data = data.to_owned();
        let (sender, started) = sync_channel(1);
        let thread = std::thread::Builder::new().name("server".to_owned()).spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = match runtime.map_err(ServerError::Thread) {
                Ok(runtime) => runtime,
                Err(error) => return drop(sender.send(Err(error))),
            };
            runtime.block_on(async {
                match open(host, &data) {
                    Ok((api, bound, listener)) => {
                        drop(sender.send(Ok(api.clone())));
                        tokio::join!(serve(&api, listener), api.end_when_asked());
                        drop(bound);
                    }
                    Err(error) => drop(sender.send(Err(error))),
                }
            });
            runtime.shutdown_timeout(LEFT_MAX);
        });
        let thread = thread.map_err(ServerError::Thread)?;
        let gone = |_| Err(ServerError::Thread(std::io::Error::other("it ended at once")));
        let api = started.recv().unwrap_or_else(gone)?;
        Ok(Self { api, socket, thread })
    }

    /// Returns where it listens.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Ends it, and returns when its runs have stopped and its clients are told.
    pub fn stop(self, agents: AfterStop) {
        self.api.stop(agents);
        self.wait();
    }

    /// Waits until somebody asks for the end, and it has come.
    pub fn wait(self) {
        // One that panicked has said so itself.
        drop(self.thread.join());
    }
}

fn open(host: Host, data: &Path) -> Result<(Api, Bound, UnixListener), ServerError> {
    let (bound, listener) = Bound::listen(data)?;
    Ok((Api::open(host)?, bound, listener))
}
