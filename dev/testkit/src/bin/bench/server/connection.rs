//! A connection to a server on loopback that sends one request after another.

use std::{
    io::{Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};

/// Far longer than any response takes, for a busy machine.
const RESPONSE_WAIT_MAX: Duration = Duration::from_secs(60);

/// A port on loopback and the headers of its requests.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    pub port: u16,
    /// Complete header lines, or empty.
    pub headers: String,
}

impl Address {
    pub(crate) fn socket_address(&self) -> SocketAddr {
        SocketAddr::from((Ipv4Addr::LOCALHOST, self.port))
    }

    /// Returns a request as bytes.
    pub(crate) fn request_bytes(&self, method: &str, path: &str, body: &str) -> Vec<u8> {
        let (port, headers, length) = (self.port, &self.headers, body.len());
        let head = format!("{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n{headers}");
        match method {
            "GET" => format!("{head}\r\n").into_bytes(),
            _ => {
                let kind = "content-type: application/json\r\n";
                format!("{head}{kind}content-length: {length}\r\n\r\n{body}").into_bytes()
            }
        }
    }
}

/// Connects with a time limit, which applies to every read and write too.
pub(crate) fn connect(address: &Address) -> Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&address.socket_address(), RESPONSE_WAIT_MAX)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(RESPONSE_WAIT_MAX))?;
    stream.set_write_timeout(Some(RESPONSE_WAIT_MAX))?;
    Ok(stream)
}

/// Returns a free port.
pub(crate) fn free_port() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// A persistent connection.
pub(crate) struct Connection {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Connection {
    pub(crate) fn open(address: &Address) -> Result<Self> {
        Ok(Self { stream: connect(address)?, read: Vec::new() })
    }

    /// Sends a request; returns the body of the response, which must be a success.
    pub(crate) fn exchange(&mut self, request: &[u8]) -> Result<Vec<u8>> {
        self.stream.write_all(request)?;
        let (status, body) = self.read_response()?;
        ensure!((200..300).contains(&status), "{status}: {}", String::from_utf8_lossy(&body));
        Ok(body)
    }

    fn read_response(&mut self) -> Result<(u16, Vec<u8>)> {
        let end = loop {
            if let Some(end) = memchr::memmem::find(&self.read, b"\r\n\r\n") {
                break end + 4;
            }
            self.read_more()?;
        };
        let head = String::from_utf8_lossy(self.read.get(..end).unwrap_or_default()).to_ascii_lowercase();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).context("a status")?;
        let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
        let length: usize = match length {
            Some(length) => length.trim().parse()?,
            None if status == 204 => 0,
            None => bail!("a response without a length:\n{head}"),
        };
        while self.read.len() < end + length {
            self.read_more()?;
        }
        let rest = self.read.split_off(end + length);
        let body = std::mem::replace(&mut self.read, rest).split_off(end);
        Ok((status, body))
    }

    fn read_more(&mut self) -> Result<()> {
        let mut buffer = [0; 16 << 10];
        let length = self.stream.read(&mut buffer)?;
        ensure!(length > 0, "the server closed the connection");
        self.read.extend_from_slice(buffer.get(..length).unwrap_or_default());
        Ok(())
    }
}
