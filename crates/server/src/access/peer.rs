//! The other end of a connection, and the session that it belongs to.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use runtime::{CallerOrigin, Host};
use tokio::{
    net::{TcpStream, UnixStream},
    sync::OnceCell,
};

use super::tcp_owner::ConnectionOwners;
use crate::Api;

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
    origin: OnceCell<CallerOrigin>,
    has_access: AtomicBool,
}

impl ConnectionPeer {
    pub(crate) fn new(address: PeerAddress) -> Self {
        Self {
            state: Arc::new(PeerState {
                address,
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
            let owners = Arc::clone(&api.connection_owners);
            let found = api.run_blocking(move |host| Ok(find_origin(host, &owners, address))).await;
            found.unwrap_or(CallerOrigin::Unknown)
        };
        self.state.origin.get_or_init(find).await
    }

    /// Returns whether the other end is a process whose number the kernel guarantees.
    pub(crate) fn is_process(&self) -> bool {
        matches!(self.state.address, PeerAddress::Process(_))
    }
}

fn find_origin(host: &Host, owners: &ConnectionOwners, address: PeerAddress) -> CallerOrigin {
    match address {
        PeerAddress::Process(Some(pid)) => host.caller_origin(pid),
        PeerAddress::Process(None) => CallerOrigin::Unknown,
        PeerAddress::Loopback { own, peer } => {
            let origins = owners.find(peer, own).into_iter().map(|pid| host.caller_origin(pid));
            // A session may have passed its connection to another process, or the other way round.
            origins
                .max_by_key(|origin| matches!(origin, CallerOrigin::Session { .. }))
                .unwrap_or(CallerOrigin::Unknown)
        }
        #[cfg(test)]
        PeerAddress::Internal => CallerOrigin::Outside,
    }
}
