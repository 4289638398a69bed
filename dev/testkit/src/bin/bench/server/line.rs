//! A connection to a server on loopback that asks one thing after another.

use std::{
    io::{Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};

/// Far longer than any answer takes; a machine can be very busy.
const ANSWER_MAX: Duration = Duration::from_secs(60);

/// Who is asked, and the header that lets one in.
#[derive(Debug, Clone)]
pub struct Address {
    pub port: u16,
    /// Whole lines, or nothing.
    pub headers: String,
}

impl Address {
    pub fn socket(&self) -> SocketAddr {
        SocketAddr::from((Ipv4Addr::LOCALHOST, self.port))
    }

    /// Returns a request as bytes.
    pub fn request(&self, method: &str, path: &str, body: &str) -> Vec<u8> {
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

/// Connects within bounds: every read and write on the stream has one too.
pub fn connect(address: &Address) -> Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&address.socket(), ANSWER_MAX)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(ANSWER_MAX))?;
    stream.set_write_timeout(Some(ANSWER_MAX))?;
    Ok(stream)
}

/// Returns a port that nobody listens on.
pub fn free_port() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// A connection that is used again and again.
pub struct Line {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Line {
    pub fn open(address: &Address) -> Result<Self> {
        Ok(Self { stream: connect(address)?, read: Vec::new() })
    }

    /// Asks, and returns the body of an answer that must say yes.
    pub fn ask(&mut self, request: &[u8]) -> Result<Vec<u8>> {
        self.stream.write_all(request)?;
        let (status, body) = self.answer()?;
        ensure!((200..300).contains(&status), "{status}: {}", String::from_utf8_lossy(&body));
        Ok(body)
    }

    fn answer(&mut self) -> Result<(u16, Vec<u8>)> {
        let end = loop {
            if let Some(end) = memchr::memmem::find(&self.read, b"\r\n\r\n") {
                break end + 4;
            }
            self.more()?;
        };
        let head = String::from_utf8_lossy(self.read.get(..end).unwrap_or_default()).to_ascii_lowercase();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).context("a status")?;
        let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
        let length: usize = match length {
            Some(length) => length.trim().parse()?,
            None if status == 204 => 0,
            None => bail!("an answer without a length:\n{head}"),
        };
        while self.read.len() < end + length {
            self.more()?;
        }
        let rest = self.read.split_off(end + length);
        let body = std::mem::replace(&mut self.read, rest).split_off(end);
        Ok((status, body))
    }

    fn more(&mut self) -> Result<()> {
        let mut piece = [0; 16 << 10];
        let length = self.stream.read(&mut piece)?;
        ensure!(length > 0, "the server hung up");
        self.read.extend_from_slice(piece.get(..length).unwrap_or_default());
        Ok(())
    }
}
