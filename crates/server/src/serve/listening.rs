//! A connection on which somebody asks for the live stream first thing, and then only listens.
//!
//! A thousand of them wait most of the time. The HTTP library keeps room for what each may still ask, 16 KiB; one who
//! listens asks nothing more, so that the stream is written without it. Anything unusual about the request, and the
//! library gets it as it is: it has only been looked at.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use axum::{Router, body::Body};
use bytes::Bytes;
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

use super::{HEAD_WAIT_MAX, HEADERS_MAX, WRITE_WAIT_MAX, crowd::Crowd};
use crate::feed::{Listener, Step};

/// What such a request begins with.
const BEGINNING: &[u8] = b"GET /api/live";
/// Heads that are larger go to the library.
const HEAD_BYTES_MAX: usize = 4 << 10;

/// A connection that may be one of somebody who only listens.
pub trait Connection: AsyncRead + AsyncWrite + Send + Sync + Sized + 'static {
    /// Serves one who only listens to the end. Any other is given back as it is.
    fn listen(self, _crowd: &Crowd, _router: &Router) -> impl Future<Output = Option<Self>> + Send {
        async { Some(self) }
    }
}

impl Connection for TcpStream {
    async fn listen(self, crowd: &Crowd, router: &Router) -> Option<Self> {
        // Not kept while the connection is: it is larger than all the rest.
        let Some(asked) = Box::pin(asked(&self)).await else { return Some(self) };
        // That a client went is no mistake of ours, and there is nobody left to tell.
        drop(tell(self, asked, router.clone(), crowd).await);
        None
    }
}

impl Connection for UnixStream {}

/// Where the handler leaves the listener for one who is written to without the library.
#[derive(Clone, Default)]
pub struct Handover(Arc<Mutex<Option<Listener>>>);

impl Handover {
    /// Leaves it there.
    pub fn leave(&self, listener: Listener) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(listener);
    }

    fn take(&self) -> Option<Listener> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A request for the live stream, and how long its head is.
struct Asked {
    request: Request<Body>,
    length: usize,
}

/// Returns what somebody asks for, where it is the live stream and nothing else.
async fn asked(io: &TcpStream) -> Option<Asked> {
    let mut buffer = vec![0; HEAD_BYTES_MAX];
    let length = timeout(HEAD_WAIT_MAX, io.peek(&mut buffer)).await.ok()?.ok()?;
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
async fn tell(
    mut io: TcpStream,
    Asked { mut request, length }: Asked,
    router: Router,
    crowd: &Crowd,
) -> io::Result<()> {
    // It was looked at, and is there.
    io.read_exact(&mut vec![0; length]).await?;
    let handover = Handover::default();
    request.extensions_mut().insert(handover.clone());
    let Ok(response) = Box::pin(TowerToHyperService::new(router).call(request)).await;
    let (head, mut body) = split(response);
    write(&mut io, head.into()).await?;
    if let Some(mut listener) = handover.take() {
        loop {
            match listener.step().await {
                Step::Say(text) => write(&mut io, framed(&text)).await?,
                Step::Wait => {
                    let Some(left) = crowd.sit(io, listener).await else { return Ok(()) };
                    (io, listener) = (left.io, left.listener);
                    write(&mut io, left.unsent).await?;
                }
                Step::End => break,
            }
        }
    }
    while let Some(Ok(frame)) = body.frame().await {
        if let Ok(data) = frame.into_data() {
            write(&mut io, framed(&data)).await?;
        }
    }
    write(&mut io, Bytes::from_static(b"0\r\n\r\n")).await?;
    io.shutdown().await
}

/// Writes all of it. One who takes nothing of it for a while is not waited for.
async fn write(io: &mut TcpStream, mut bytes: Bytes) -> io::Result<()> {
    while !bytes.is_empty() {
        timeout(WRITE_WAIT_MAX, io.write_buf(&mut bytes)).await??;
    }
    Ok(())
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
pub fn framed(data: &[u8]) -> Bytes {
    let mut framed = format!("{:x}\r\n", data.len()).into_bytes();
    framed.reserve_exact(data.len() + 2);
    framed.extend_from_slice(data);
    framed.extend_from_slice(b"\r\n");
    framed.into()
}
