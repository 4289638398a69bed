//! The port for browsers, on loopback only. A restarted server uses the same port if it is free.

use std::{
    error::Error,
    fs, io,
    net::{Ipv4Addr, SocketAddr},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use tokio::net::{TcpListener, TcpSocket};
use tracing::warn;

use crate::socket::ServerError;

/// File with the last port, so that links stay valid after a restart.
const FILE: &str = "port";
/// Clients that may wait to be accepted: all reconnect at once when a server restarts.
const BACKLOG: u32 = 1024;

/// Whether a server also listens on loopback.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopbackMode {
    Off,
    /// Port 0 selects the last port, or any free one.
    Port {
        port: u16,
    },
}

/// A bound port.
pub struct LoopbackListener {
    pub listener: TcpListener,
    pub port: u16,
}

impl LoopbackMode {
    /// Binds the port. The caller must hold the lock of the data directory.
    pub fn open(self, data: &Path) -> Result<Option<LoopbackListener>, ServerError> {
        let Self::Port { port } = self else { return Ok(None) };
        let last_port = || fs::read_to_string(data.join(FILE)).ok()?.trim().parse().ok();
        let listener = match port {
            0 => last_port().and_then(|port| listen(port).ok()).map_or_else(|| listen(0), Ok),
            port => listen(port),
        };
        let socket_file = listener.and_then(|listener| Ok((listener.local_addr()?.port(), listener)));
        let (port, listener) = socket_file.map_err(|source| ServerError::Port { port, source })?;
        // If this fails, a restart uses another port.
        if last_port() != Some(port)
            && let Err(error) = write_port(&data.join(FILE), port)
        {
            warn!(path = %data.join(FILE).display(), port, error = &error as &dyn Error, "cannot save the port");
        }
        Ok(Some(LoopbackListener { listener, port }))
    }
}

fn write_port(path: &Path, port: u16) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    io::Write::write_all(&mut file, port.to_string().as_bytes())
}

fn listen(port: u16) -> io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    // Allows binding the port of a server that just ended.
    socket.set_reuseaddr(true)?;
    socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
    socket.listen(BACKLOG)
}

pub(crate) fn address(port: u16) -> String {
    format!("http://127.0.0.1:{port}")
}
