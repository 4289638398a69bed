//! The port on loopback, for browsers: never on another address, and the same one after a restart where it is free.

use std::{
    fs, io,
    net::{Ipv4Addr, SocketAddr},
    path::Path,
};

use domain::RunId;
use tokio::net::{TcpListener, TcpSocket};

use crate::{
    client::{Client, ClientError},
    socket::ServerError,
    token::Token,
};

/// Where the port is remembered, so that a link stays good.
const FILE: &str = "port";
/// Clients that may wait to be accepted: all may reconnect at once when a server starts again.
const BACKLOG: u32 = 1024;

/// Whether a server listens on loopback too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loopback {
    /// It does not.
    Off,
    /// It does.
    Port {
        /// The port; 0 takes that of the last time, or else any that is free.
        port: u16,
    },
}

/// A port that is listened on.
pub struct Opened {
    /// The listener.
    pub listener: TcpListener,
    /// The port.
    pub port: u16,
    /// Who is let in.
    pub token: Token,
}

impl Loopback {
    /// Listens. Only for whoever has the data directory's lock.
    pub fn open(self, data: &Path) -> Result<Option<Opened>, ServerError> {
        let Self::Port { port } = self else { return Ok(None) };
        let failed = |source| ServerError::Token { path: data.to_owned(), source };
        let token = Token::of(data).map_err(failed)?;
        let remembered = || fs::read_to_string(data.join(FILE)).ok()?.trim().parse().ok();
        let listener = match port {
            0 => remembered().and_then(|port| listen(port).ok()).map_or_else(|| listen(0), Ok),
            port => listen(port),
        };
        let bound = listener.and_then(|listener| Ok((listener.local_addr()?.port(), listener)));
        let (port, listener) = bound.map_err(|source| ServerError::Port { port, source })?;
        // One that can't be remembered is a new one after a restart, and nothing worse.
        if remembered() != Some(port) {
            let _ = fs::write(data.join(FILE), port.to_string());
        }
        Ok(Some(Opened { listener, port, token }))
    }
}

fn listen(port: u16) -> io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    // The port of a server that just ended can be had at once.
    socket.set_reuseaddr(true)?;
    socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
    socket.listen(BACKLOG)
}

/// Returns the address of a port on loopback.
pub fn address(port: u16) -> String {
    format!("http://127.0.0.1:{port}")
}

impl Client {
    /// Returns the link that opens the page in a browser, at a run or at the list of them; nothing where the server has
    /// none.
    ///
    /// Whoever has it has everything, so it is for the eyes of the data directory's owner.
    pub fn link(&self, run: Option<&RunId>) -> Result<Option<String>, ClientError> {
        let status = self.status()?;
        let failed = |source| ServerError::Token { path: status.data.clone(), source };
        let token = Token::read(&status.data).map_err(failed)?;
        let place = run.map_or_else(String::new, |run| format!("runs/{run}"));
        Ok(status
            .address
            .zip(token)
            .map(|(address, token)| format!("{address}/{place}?token={}", token.text())))
    }
}
