//! The other end of a connection, and the session that it belongs to.

use std::{
    net::SocketAddr,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use domain::{CommandInterface, CommandOrigin};
use runtime::{CallerOrigin, Host};
use tokio::{
    net::{TcpStream, UnixStream},
    sync::OnceCell,
};

use super::{Credential, tcp_owner::ConnectionOwners};
use crate::Api;

/// Characters of a program's name that are recorded.
const PROGRAM_CHARS_MAX: usize = 100;

/// Where the other end of a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PeerAddress {
    /// A process; `None` if the kernel does not name it.
    Process(Option<u32>),
    Loopback {
        own: SocketAddr,
        peer: SocketAddr,
    },
    /// In the process of a test.
    #[cfg(test)]
    Internal,
}

/// A connection whose other end can be named.
pub(crate) trait PeerStream {
    fn peer_address(&self) -> PeerAddress;
}

impl PeerStream for UnixStream {
    fn peer_address(&self) -> PeerAddress {
        let pid = self.peer_cred().ok().and_then(|credentials| credentials.pid());
        PeerAddress::Process(pid.and_then(|pid| u32::try_from(pid).ok()).filter(|pid| *pid > 0))
    }
}

impl PeerStream for TcpStream {
    fn peer_address(&self) -> PeerAddress {
        match (self.local_addr(), self.peer_addr()) {
            (Ok(own), Ok(peer)) => PeerAddress::Loopback { own, peer },
            (Err(_), _) | (_, Err(_)) => PeerAddress::Process(None),
        }
    }
}

#[cfg(test)]
impl PeerStream for tokio::io::DuplexStream {
    fn peer_address(&self) -> PeerAddress {
        PeerAddress::Internal
    }
}

/// The other end of a connection. Stored in the extensions of its requests.
#[derive(Clone)]
pub(crate) struct ConnectionPeer {
    state: Arc<PeerState>,
}

struct PeerState {
    address: PeerAddress,
    /// The calling process and its program, looked up once.
    process: OnceCell<Option<(u32, Option<String>)>>,
    origin: OnceCell<CallerOrigin>,
    has_access: AtomicBool,
}

impl ConnectionPeer {
    pub(crate) fn new(address: PeerAddress) -> Self {
        Self {
            state: Arc::new(PeerState {
                address,
                process: OnceCell::new(),
                origin: OnceCell::new(),
                has_access: AtomicBool::new(false),
            }),
        }
    }

    /// Returns whether a request on this connection had a valid credential.
    pub(crate) fn has_access(&self) -> bool {
        self.state.has_access.load(Ordering::Relaxed)
    }

    pub(crate) fn grant_access(&self) {
        self.state.has_access.store(true, Ordering::Relaxed);
    }

    /// Returns where a process at the other end of a Unix socket comes from. Called when the connection is accepted: later
    /// the process may have ended.
    pub(crate) async fn find_origin_of_process(&self, api: &Api) {
        if matches!(self.state.address, PeerAddress::Process(_)) {
            self.origin(api).await;
        }
    }

    /// Returns where the other end comes from. Looked up once.
    pub(crate) async fn origin(&self, api: &Api) -> &CallerOrigin {
        let address = self.state.address;
        let find = async || {
            // The semaphore is never closed.
            let _permit = api.caller_lookups.acquire().await;
            let owners = Arc::clone(&api.connection_owners);
            let found = api.run_blocking(move |host| Ok(find_origin(host, &owners, address))).await;
            found.unwrap_or(CallerOrigin::Unknown)
        };
        self.state.origin.get_or_init(find).await
    }

    /// Returns the process at the other end, and the file name of its program.
    async fn process(&self, api: &Api) -> Option<(u32, Option<String>)> {
        let address = self.state.address;
        let find = async || {
            let owners = Arc::clone(&api.connection_owners);
            api.run_blocking(move |_| Ok(find_process(&owners, address))).await.unwrap_or(None)
        };
        self.state.process.get_or_init(find).await.clone()
    }

    /// Returns where a command on this connection comes from.
    pub(crate) async fn command_origin(&self, api: &Api, credential: Credential) -> CommandOrigin {
        let (process, program) = match self.process(api).await {
            Some((process, program)) => (Some(process), program),
            None => (None, None),
        };
        let is_own_program = program.is_some() && program == own_program_name();
        let interface = match credential {
            Credential::Cookie => CommandInterface::Page,
            Credential::Token if self.is_process() && is_own_program => CommandInterface::Terminal,
            Credential::Token => CommandInterface::Api,
        };
        CommandOrigin { interface, process, program }
    }

    /// Returns whether the other end is a process whose number the kernel guarantees.
    pub(crate) fn is_process(&self) -> bool {
        matches!(self.state.address, PeerAddress::Process(_))
    }
}

fn find_process(owners: &ConnectionOwners, address: PeerAddress) -> Option<(u32, Option<String>)> {
    let pid = match address {
        PeerAddress::Process(pid) => pid?,
        PeerAddress::Loopback { own, peer } => *owners.find(peer, own).first()?,
        #[cfg(test)]
        PeerAddress::Internal => std::process::id(),
    };
    let program = std::fs::read_link(format!("/proc/{pid}/exe")).ok();
    Some((pid, program.as_deref().and_then(file_name)))
}

fn own_program_name() -> Option<String> {
    std::env::current_exe().ok().as_deref().and_then(file_name)
}

/// Returns the file name of a program, bounded and without what the kernel appends after an upgrade.
fn file_name(program: &Path) -> Option<String> {
    let name = program.file_name()?.to_string_lossy();
    Some(name.trim_end_matches(" (deleted)").chars().take(PROGRAM_CHARS_MAX).collect())
}

fn find_origin(host: &Host, owners: &ConnectionOwners, address: PeerAddress) -> CallerOrigin {
    match address {
        PeerAddress::Process(Some(pid)) => host.caller_origin(pid),
        PeerAddress::Process(None) => CallerOrigin::Unknown,
        // Without a session, the search of all processes can find none. It would delay the first page.
        PeerAddress::Loopback { .. } if !host.has_sessions() => CallerOrigin::Outside,
        PeerAddress::Loopback { own, peer } => {
            // A child that becomes a session has its parent's connection until it is executed.
            let holds_still = |(pid, origin): &(u32, CallerOrigin)| {
                !matches!(origin, CallerOrigin::Session { .. }) || owners.is_held_by(*pid, peer, own)
            };
            let origins = owners.find(peer, own).into_iter().map(|pid| (pid, host.caller_origin(pid)));
            let origins = origins.filter(holds_still).map(|(_, origin)| origin);
            // A session may have passed its connection to another process, or the other way round.
            origins
                .max_by_key(|origin| matches!(origin, CallerOrigin::Session { .. }))
                .unwrap_or(CallerOrigin::Unknown)
        }
        #[cfg(test)]
        PeerAddress::Internal => CallerOrigin::Outside,
    }
}
