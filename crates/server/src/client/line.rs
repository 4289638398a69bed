//! One request over one connection.

use std::{error::Error, io, path::Path};

use axum::http::{
    Method, Request, StatusCode,
    header::{CONTENT_TYPE, HOST},
};
use http_body_util::{BodyExt, Full, Limited};
use hyper::{body::Incoming, client::conn::http1::handshake};
use hyper_util::rt::TokioIo;
use tokio::{
    net::UnixStream,
    runtime::{Builder, Runtime},
};

use super::ClientError;

/// How large an answer can be: the rows of a run of 5,000 tasks have a tenth of it.
const ANSWER_BYTES_MAX: usize = 256 << 20;

/// Why there is no answer.
pub enum Broken {
    /// The server can't be reached.
    Unreachable(io::Error),
    /// It went before it had answered.
    Cut(Box<dyn Error + Send + Sync>),
}

impl Broken {
    /// Says on what it happened.
    pub fn on(self, socket: &Path, request: String) -> ClientError {
        match self {
            Self::Unreachable(source) => super::unreachable(socket, source),
            Self::Cut(source) => ClientError::Cut { request, source },
        }
    }
}

/// Returns what drives a connection, on the thread that waits for it.
pub fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// Asks, and waits for the whole answer.
pub async fn ask(
    socket: &Path,
    method: Method,
    path: &str,
    body: Vec<u8>,
) -> Result<(StatusCode, Vec<u8>), Broken> {
    let (status, answer) = send(socket, method, path, body).await?;
    let answer = Limited::new(answer, ANSWER_BYTES_MAX).collect().await.map_err(Broken::Cut)?;
    Ok((status, answer.to_bytes().into()))
}

/// Asks, and returns when the answer begins.
pub async fn send(
    socket: &Path,
    method: Method,
    path: &str,
    body: Vec<u8>,
) -> Result<(StatusCode, Incoming), Broken> {
    let cut = |error: hyper::Error| Broken::Cut(error.into());
    let stream = UnixStream::connect(socket).await.map_err(Broken::Unreachable)?;
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await.map_err(cut)?;
    // It ends with the answer, or with what drives it.
    tokio::spawn(connection);
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(HOST, "localhost")
        .header(CONTENT_TYPE, "application/json")
        .body(Full::new(bytes::Bytes::from(body)))
        .map_err(|error| Broken::Cut(error.into()))?;
    let (head, answer) = sender.send_request(request).await.map_err(cut)?.into_parts();
    Ok((head.status, answer))
}
