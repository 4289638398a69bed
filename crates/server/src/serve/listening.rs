//! A connection on which somebody asks for the live stream first thing, and then only listens.
//!
//! A thousand of them wait most of the time. The HTTP library keeps room for what each may still ask, 16 KiB; one who
//! listens asks nothing more, so that the stream is written without it. Anything unusual about the request, and the
//! library gets it as it is: it has only been looked at.

use std::{io, time::SystemTime};

use axum::{Router, body::Body};
use bytes::{Buf, Bytes};
use http_body_util::BodyExt;
use hyper::{
    Method, Request, Response, Uri, Version,
    header::{
        CONNECTION, CONTENT_LENGTH, DATE, EXPECT, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING,
        UPGRADE,
    },
    service::Service,
};
use hyper_util::service::TowerToHyperService;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpStream, UnixStream},
    time::timeout,
};

use super::{HEAD_WAIT_MAX, HEADERS_MAX};

/// What such a request begins with.
const BEGINNING: &[u8] = b"GET /api/live";
/// Heads that are larger go to the library.
const HEAD_BYTES_MAX: usize = 4 << 10;

/// A connection that can be looked at.
pub trait Connection: AsyncRead + AsyncWrite + Send + Sync + 'static {
    /// Returns how much of what was sent first was copied; nothing where it can't be looked at.
    fn look(&self, _buffer: &mut [u8]) -> impl Future<Output = io::Result<usize>> + Send {
        async { Ok(0) }
    }
}

impl Connection for TcpStream {
    async fn look(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.peek(buffer).await
    }
}

impl Connection for UnixStream {}

/// A request for the live stream, and how long its head is.
pub struct Asked {
    request: Request<Body>,
    length: usize,
}

/// Returns what somebody asks for, where it is the live stream and nothing else.
pub async fn asked(io: &impl Connection) -> Option<Asked> {
    let mut buffer = vec![0; HEAD_BYTES_MAX];
    let length = timeout(HEAD_WAIT_MAX, io.look(&mut buffer)).await.ok()?.ok()?;
    let head = buffer.get(..length)?;
    if !head.starts_with(BEGINNING) {
        return None;
    }
    Some(Asked { request: parse(head)?, length })
}

/// Reads a whole head, with nothing behind it.
fn parse(head: &[u8]) -> Option<Request<Body>> {
    let mut found = [httparse::EMPTY_HEADER; HEADERS_MAX];
    let mut parsed = httparse::Request::new(&mut found);
    let is_whole = parsed.parse(head).is_ok_and(|status| status == httparse::Status::Complete(head.len()));
    if !is_whole || parsed.method != Some("GET") || parsed.version != Some(1) {
        return None;
    }
    let uri: Uri = parsed.path?.parse().ok()?;
    if uri.path() != "/api/live" || uri.authority().is_some() {
        return None;
    }
    let mut headers = HeaderMap::new();
    for header in parsed.headers.iter() {
        let name = HeaderName::from_bytes(header.name.as_bytes()).ok()?;
        headers.append(name, HeaderValue::from_bytes(header.value).ok()?);
    }
    // Whoever sends more than a head, or wants to go on otherwise, is no listener.
    if [CONTENT_LENGTH, TRANSFER_ENCODING, EXPECT, UPGRADE].iter().any(|name| headers.contains_key(name)) {
        return None;
    }
    let mut request = Request::new(Body::empty());
    (*request.method_mut(), *request.uri_mut(), *request.version_mut()) =
        (Method::GET, uri, Version::HTTP_11);
    *request.headers_mut() = headers;
    Some(request)
}

/// Answers, and goes on until the stream ends or nobody listens any more.
pub async fn tell<I>(io: &mut I, Asked { request, length }: Asked, router: Router) -> io::Result<()>
where
    I: AsyncRead + AsyncWrite + Unpin,
{
    // It was looked at, and is there.
    io.read_exact(&mut vec![0; length]).await?;
    let Ok(response) = Box::pin(TowerToHyperService::new(router).call(request)).await;
    let (head, mut body) = split(response);
    io.write_all_buf(&mut head.as_slice()).await?;
    drop(head);
    let mut more = [0; 1];
    loop {
        let frame = tokio::select! {
            frame = body.frame() => frame,
            // Nobody is there any more, or somebody who does not only listen.
            _ = io.read(&mut more) => return Ok(()),
        };
        let Some(Ok(frame)) = frame else { break };
        let Ok(data) = frame.into_data() else { continue };
        io.write_all_buf(&mut chunk(data)).await?;
        io.flush().await?;
    }
    io.write_all(b"0\r\n\r\n").await?;
    io.shutdown().await
}

/// Writes the head of an answer whose length nobody knows.
fn split(response: Response<Body>) -> (Vec<u8>, Body) {
    let (mut parts, body) = response.into_parts();
    let headers = &mut parts.headers;
    headers.remove(CONTENT_LENGTH);
    headers.insert(TRANSFER_ENCODING, HeaderValue::from_static("chunked"));
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    if let Ok(now) = HeaderValue::from_str(&httpdate::fmt_http_date(SystemTime::now())) {
        headers.insert(DATE, now);
    }
    let mut head = format!("HTTP/1.1 {}\r\n", parts.status).into_bytes();
    for (name, value) in headers.iter() {
        head.extend_from_slice(name.as_str().as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value.as_bytes());
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    (head, body)
}

/// Puts a piece into the frame of a stream whose length nobody knows.
fn chunk(data: Bytes) -> impl Buf {
    let size = Bytes::from(format!("{:x}\r\n", data.len()));
    size.chain(data).chain(Bytes::from_static(b"\r\n"))
}
