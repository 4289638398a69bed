//! A server to talk to: the one that is there, or else one inside of this process.

use std::{
    path::{Path, PathBuf},
    thread::sleep,
    time::{Duration, Instant},
};

use runtime::{Host, HostError};
use store::StoreError;

use crate::{
    client::{Client, ClientError},
    loopback::Loopback,
    server::Server,
    socket::{ServerError, socket_path},
};

/// How long another process may have the data directory without listening: it takes its runs up, or ends.
const COMING_MAX: Duration = Duration::from_secs(20);
/// How often it is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum EnsureError {
    /// The one that is there can't be used.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// None can be started.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// The runs can't be opened.
    #[error("open the runs in {}", .data.display())]
    Host {
        /// The data directory.
        data: PathBuf,
        /// Why not.
        source: HostError,
    },
}

impl EnsureError {
    /// Returns what to do about it.
    pub fn hint(&self) -> &str {
        match self {
            Self::Client(error) => error.hint(),
            Self::Server(error) => error.hint(),
            Self::Host { source: HostError::Store(StoreError::Locked { .. }), .. } => {
                "another Jangdan has the data directory and does not answer; stop it first"
            }
            Self::Host { source: HostError::Git(error), .. } => error.hint(),
            Self::Host { .. } => "look at the data directory, who may write it, and its disk",
        }
    }
}

/// A server, wherever it runs.
pub struct Running {
    /// The way to it.
    pub client: Client,
    /// The server, where it runs inside of this process.
    pub inside: Option<Server>,
}

/// Finds the server of a data directory, or starts one inside of this process that listens where that is wanted.
pub fn ensure(data: &Path, loopback: Loopback) -> Result<Running, EnsureError> {
    // Before anything is opened: no server could ever listen there.
    socket_path(data)?;
    let deadline = Instant::now() + COMING_MAX;
    loop {
        if let Some(client) = Client::connect(data)? {
            match client.status() {
                Ok(_) => return Ok(Running { client, inside: None }),
                // It was killed as it started a process, which has its socket open until it is another program.
                Err(error) if error.is_gone() && Instant::now() < deadline => {
                    sleep(LOOK_EVERY);
                    continue;
                }
                Err(error) => return Err(error.into()),
            }
        }
        match Host::open(data) {
            Ok(host) => {
                let server = Server::start(host, data, loopback)?;
                let unreachable = || ClientError::gone(server.socket());
                let client = Client::connect(data)?.ok_or_else(unreachable)?;
                return Ok(Running { client, inside: Some(server) });
            }
            // Somebody else was faster, and will listen in a moment.
            Err(HostError::Store(StoreError::Locked { .. })) if Instant::now() < deadline => {
                sleep(LOOK_EVERY);
            }
            Err(source) => return Err(EnsureError::Host { data: data.to_owned(), source }),
        }
    }
}
