//! Connects to the server of a data directory, or starts one in this process.

use std::{
    path::{Path, PathBuf},
    thread::sleep,
    time::{Duration, Instant},
};

use runtime::{CallerOrigin, Host, HostError};
use store::StoreError;

use crate::{
    client::{Client, ClientError},
    loopback::LoopbackMode,
    server::Server,
    socket::{ServerError, socket_path},
};

/// Time that another process may hold the data directory without listening, while it starts or stops.
const START_WAIT_MAX: Duration = Duration::from_secs(20);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Why no server is available.
#[derive(Debug, thiserror::Error)]
pub enum ConnectOrStartError {
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error("cannot open the runs in {}", .data.display())]
    Host { data: PathBuf, source: HostError },
    /// This process belongs to a session of the data directory, which must not act as the user.
    #[error("this process belongs to session {session} of {}, which cannot act as the user", .data.display())]
    InSession { data: PathBuf, session: String },
}

impl ConnectOrStartError {
    /// Returns what to do next.
    pub fn hint(&self) -> &str {
        match self {
            Self::Client(error) => error.hint(),
            Self::Server(error) => error.hint(),
            Self::Host { source: HostError::Store(StoreError::Locked { .. }), .. } => {
                "another Jangdan process uses the data directory and does not respond; stop it first"
            }
            Self::InSession { .. } => {
                "run it in a terminal of your own, or use another data directory: --data"
            }
            Self::Host { source: HostError::ForeignDirectory { .. }, .. } => {
                "use a data directory of your own: --data DIR"
            }
            Self::Host {
                source: HostError::Store(StoreError::Corrupt { .. } | StoreError::Foreign { .. }),
                ..
            } => {
                "keep a copy of log.sqlite3 and restore it from a backup; without one, move it away: runs are then listed as damaged"
            }
            Self::Host { source: HostError::Git(error), .. } => error.hint(),
            Self::Host { .. } => "check the data directory, its permissions and its disk",
        }
    }
}

/// A connection to a server, which may run in this process.
pub struct RunningServer {
    pub client: Client,
    /// The server, if it runs in this process.
    pub embedded: Option<Server>,
}

/// Connects to the server of a data directory; starts one in this process if none is running.
pub fn connect_or_start(data: &Path, loopback: LoopbackMode) -> Result<RunningServer, ConnectOrStartError> {
    // Checked before anything is opened: no server can listen on a path that is too long.
    socket_path(data)?;
    let deadline = Instant::now() + START_WAIT_MAX;
    loop {
        if let Some(client) = Client::connect(data)? {
            match client.status() {
                Ok(_) => return Ok(RunningServer { client, embedded: None }),
                // The server was killed while it started a process, which holds the socket open until it executes its program.
                Err(error) if error.is_server_gone() && Instant::now() < deadline => {
                    sleep(POLL_INTERVAL);
                    continue;
                }
                Err(error) => return Err(error.into()),
            }
        }
        match Host::open(data) {
            Ok(host) => {
                if let CallerOrigin::Session { name } = host.caller_origin(std::process::id()) {
                    let data = data.to_owned();
                    return Err(ConnectOrStartError::InSession { data, session: name });
                }
                let server = Server::start(host, data, loopback)?;
                let unreachable = || ClientError::not_listening(server.socket());
                let client = Client::connect(data)?.ok_or_else(unreachable)?;
                return Ok(RunningServer { client, embedded: Some(server) });
            }
            // Another process was faster and will listen soon.
            Err(HostError::Store(StoreError::Locked { .. })) if Instant::now() < deadline => {
                sleep(POLL_INTERVAL);
            }
            Err(source) => return Err(ConnectOrStartError::Host { data: data.to_owned(), source }),
        }
    }
}
