//! One request over one connection.

use std::{error::Error, io, path::Path};

use axum::http::{
    Method, Request, StatusCode,
    header::{AUTHORIZATION, CONTENT_TYPE, HOST},
};
use http_body_util::{BodyExt, Full, Limited};
use hyper::{body::Incoming, client::conn::http1::handshake};
use hyper_util::rt::TokioIo;
use tokio::{
    net::UnixStream,
    runtime::{Builder, Runtime},
};

use super::ClientError;
use crate::token::Token;

/// Size limit of a response: the rows of a run of 5,000 tasks have a tenth of it.
const RESPONSE_BYTES_MAX: usize = 256 << 20;

/// Why a request has no response.
pub(super) enum ConnectionError {
    Unreachable(io::Error),
    /// The connection was closed before the response was complete.
    Lost(Box<dyn Error + Send + Sync>),
}

impl ConnectionError {
    pub(super) fn into_client_error(self, socket: &Path, request: String) -> ClientError {
        match self {
            Self::Unreachable(source) => super::unreachable_error(socket, source),
            Self::Lost(source) => ClientError::ConnectionLost { request, source },
        }
    }
}

/// Returns a runtime that drives a connection on the calling thread.
pub(super) fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// Sends a request and waits for the whole response.
pub(super) async fn request(
    socket: &Path,
    method: Method,
    path: &str,
    body: Vec<u8>,
) -> Result<(StatusCode, Vec<u8>), ConnectionError> {
    let (status, response) = open_response(socket, method, path, body).await?;
    let response =
        Limited::new(response, RESPONSE_BYTES_MAX).collect().await.map_err(ConnectionError::Lost)?;
    Ok((status, response.to_bytes().into()))
}

/// Sends a request and returns when the head of the response has arrived.
pub(super) async fn open_response(
    socket: &Path,
    method: Method,
    path: &str,
    body: Vec<u8>,
) -> Result<(StatusCode, Incoming), ConnectionError> {
    let lost = |error: hyper::Error| ConnectionError::Lost(error.into());
    let stream = UnixStream::connect(socket).await.map_err(ConnectionError::Unreachable)?;
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await.map_err(lost)?;
    // Ends with the response or the runtime.
    tokio::spawn(connection);
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header(HOST, "localhost")
        .header(CONTENT_TYPE, "application/json");
    // Read for every request: it may have been replaced. Without it the server explains what is missing.
    if let Some(Ok(Some(token))) = socket.parent().map(Token::read) {
        request = request.header(AUTHORIZATION, format!("Bearer {}", token.text()));
    }
    let request = request
        .body(Full::new(bytes::Bytes::from(body)))
        .map_err(|error| ConnectionError::Lost(error.into()))?;
    let (head, response) = sender.send_request(request).await.map_err(lost)?.into_parts();
    Ok((head.status, response))
}
