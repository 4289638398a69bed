//! Time limits and number of connections, with a paused clock that advances when all tasks are idle.

use std::{io, sync::Arc, time::Duration};

use axum::serve::Listener;
use domain::Timestamp;
use runtime::{DurableRun, Host};
use tempfile::TempDir;
use testkit::{
    run_loop::start_input,
    workloads::{GraphShape, generate},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
    net::{TcpSocket, TcpStream},
    sync::mpsc,
    time::{Instant, timeout},
};

use super::{CONNECTIONS_MAX, HEAD_WAIT_MAX, WRITE_WAIT_MAX, serve};
use crate::{Api, Problem, api::SUBSCRIBERS_MAX, change_feed::KEEP_ALIVE, extract::BODY_WAIT_MAX};

/// Accepts the connections that a test opens.
struct TestListener(mpsc::Receiver<DuplexStream>);

impl Listener for TestListener {
    type Io = DuplexStream;
    type Addr = ();

    async fn accept(&mut self) -> (DuplexStream, ()) {
        match self.0.recv().await {
            Some(stream) => (stream, ()),
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<()> {
        Ok(())
    }
}

/// Serves a run with many tasks; passes the test a channel for new connections.
fn with_test_server<T: Future<Output = ()>>(test: impl FnOnce(mpsc::Sender<DuplexStream>) -> T) {
    with_paused_clock(async |api| {
        let (connector, connections) = mpsc::channel(1);
        tokio::spawn(async move { serve(&api, TestListener(connections), api.router()).await });
        test(connector).await;
    });
}

/// Opens the API of a run with many tasks, with a paused clock.
fn with_paused_clock<T: Future<Output = ()>>(test: impl FnOnce(Api) -> T) {
    let folder = TempDir::new().unwrap();
    let host = Host::open(folder.path()).unwrap();
    let mut durable_run = DurableRun::open(Arc::clone(host.log()), "r1".parse().unwrap()).unwrap();
    let work = generate(GraphShape::Random, 200, 1);
    durable_run.execute(Timestamp(1), start_input(&work, 1)).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    runtime.unwrap().block_on(async { test(Api::open(host).unwrap()).await });
}

async fn connect(connector: &mpsc::Sender<DuplexStream>) -> DuplexStream {
    let (client, server) = duplex(1024);
    connector.send(server).await.unwrap();
    client
}

/// Opens an event stream; returns when the response has started.
async fn subscribe(connector: &mpsc::Sender<DuplexStream>) -> DuplexStream {
    let mut stream = connect(connector).await;
    stream.write_all(b"GET /api/live HTTP/1.1\r\n\r\n").await.unwrap();
    let mut head = [0; 13];
    stream.read_exact(&mut head).await.unwrap();
    assert_eq!(head, *b"HTTP/1.1 200 ");
    stream
}

/// Reads until the server closes the connection; returns the bytes and the time.
async fn read_to_end(stream: &mut DuplexStream) -> (String, Duration) {
    let (since, mut response) = (Instant::now(), Vec::new());
    // A closed connection may return an error.
    let _ = stream.read_to_end(&mut response).await;
    (String::from_utf8_lossy(&response).into_owned(), since.elapsed())
}

fn is_about(actual: Duration, expected: Duration) -> bool {
    actual >= expected && actual < expected + Duration::from_secs(1)
}

#[test]
fn incomplete_head_times_out() {
    with_test_server(async |connector| {
        for half in ["", "GET /api/st"] {
            let mut stream = connect(&connector).await;
            stream.write_all(half.as_bytes()).await.unwrap();
            let (response, waited) = read_to_end(&mut stream).await;
            assert!(is_about(waited, HEAD_WAIT_MAX), "{half}: {waited:?} {response}");
        }
    });
}

#[test]
fn incomplete_body_times_out() {
    with_test_server(async |connector| {
        let mut stream = connect(&connector).await;
        let head = "POST /api/stop HTTP/1.1\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{";
        stream.write_all(head.as_bytes()).await.unwrap();
        let (response, waited) = read_to_end(&mut stream).await;
        assert!(response.starts_with("HTTP/1.1 408 "), "{response}");
        assert!(is_about(waited, BODY_WAIT_MAX), "{waited:?}");
    });
}

#[test]
fn client_that_does_not_read_is_disconnected() {
    with_test_server(async |connector| {
        let mut stream = connect(&connector).await;
        stream.write_all(b"GET /api/live?after=0 HTTP/1.1\r\n\r\n").await.unwrap();
        let mut byte = [0];
        stream.read_exact(&mut byte).await.unwrap();
        tokio::time::sleep(WRITE_WAIT_MAX + Duration::from_secs(1)).await;
        let rest = timeout(Duration::from_secs(1), read_to_end(&mut stream)).await;
        let (response, _) = rest.expect("nothing follows the buffered bytes");
        assert!(response.len() < 3000, "{}", response.len());
    });
}

#[test]
fn silent_event_stream_stays_open() {
    with_test_server(async |connector| {
        let mut stream = connect(&connector).await;
        stream.write_all(b"GET /api/live HTTP/1.0\r\n\r\n").await.unwrap();
        let reading = timeout(Duration::from_secs(100), read_to_end(&mut stream)).await;
        assert!(reading.is_err(), "the stream stays open");
    });
}

#[test]
fn connection_over_the_limit_replaces_the_oldest_without_access() {
    with_test_server(async |connector| {
        let mut idle = Vec::new();
        for _ in 0..CONNECTIONS_MAX {
            idle.push(connect(&connector).await);
        }
        let since = Instant::now();
        let mut next = connect(&connector).await;
        next.write_all(b"GET /api/status HTTP/1.1\r\nconnection: close\r\n\r\n").await.unwrap();
        let (response, _) = read_to_end(&mut next).await;
        assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
        assert!(since.elapsed() < HEAD_WAIT_MAX / 2, "{:?}", since.elapsed());
        assert_eq!(read_to_end(&mut idle[0]).await.0, "", "the oldest was closed");
        drop(idle);
    });
}

#[test]
fn the_257th_event_stream_is_refused_and_other_requests_are_served() {
    with_test_server(async |connector| {
        let mut streams = Vec::new();
        for _ in 0..SUBSCRIBERS_MAX {
            streams.push(subscribe(&connector).await);
        }
        let mut refused = connect(&connector).await;
        refused.write_all(b"GET /api/live HTTP/1.1\r\nconnection: close\r\n\r\n").await.unwrap();
        let response = read_to_end(&mut refused).await.0;
        assert!(streams.len() == 256 && response.starts_with("HTTP/1.1 503 "), "{response}");
        let (head, body) = response.split_once("\r\n\r\n").unwrap();
        assert!(head.contains("content-type: application/problem+json"), "{head}");
        let problem: Problem = serde_json::from_str(body).unwrap();
        assert_eq!((problem.code.as_str(), problem.status), ("too-many-subscribers", 503));
        assert!(problem.detail.contains("256 event streams"), "{problem:?}");
        assert!(problem.hint.contains("Close a page"), "{problem:?}");
        let mut other = connect(&connector).await;
        other.write_all(b"GET /api/runs HTTP/1.1\r\nconnection: close\r\n\r\n").await.unwrap();
        assert!(read_to_end(&mut other).await.0.starts_with("HTTP/1.1 "));
        // A closed stream frees its permit.
        drop(streams);
        subscribe(&connector).await;
    });
}

/// Connects over loopback with minimal socket buffers.
async fn connect_small_buffers(api: &Api) -> TcpStream {
    let socket = || {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_send_buffer_size(1).unwrap();
        socket.set_recv_buffer_size(1).unwrap();
        socket
    };
    let server_socket = socket();
    server_socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let listener = server_socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let api = api.clone();
    tokio::spawn(async move { serve(&api, listener, api.router()).await });
    socket().connect(address).await.unwrap()
}

#[test]
fn loopback_subscriber_that_does_not_read_is_disconnected() {
    with_paused_clock(async |api| {
        let mut stream = connect_small_buffers(&api).await;
        stream.write_all(b"GET /api/live?after=0 HTTP/1.1\r\n\r\n").await.unwrap();
        let mut byte = [0];
        stream.read_exact(&mut byte).await.unwrap();
        tokio::time::sleep(WRITE_WAIT_MAX + Duration::from_secs(1)).await;
        // The server does not run while this reads.
        let mut stream = stream.into_std().unwrap();
        stream.set_nonblocking(false).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut response = Vec::new();
        let read = std::io::Read::read_to_end(&mut stream, &mut response);
        assert!(read.is_ok_and(|_| !response.ends_with(b"0\r\n\r\n")), "the stream was closed early");
    });
}

#[test]
fn closed_subscriber_frees_its_permit() {
    with_paused_clock(async |api| {
        let n_free = || api.subscribers.available_permits();
        let mut stream = connect_small_buffers(&api).await;
        stream.write_all(b"GET /api/live HTTP/1.1\r\n\r\n").await.unwrap();
        let mut byte = [0];
        stream.read_exact(&mut byte).await.unwrap();
        assert_eq!(n_free(), SUBSCRIBERS_MAX - 1);
        drop(stream);
        // Before the next keep-alive, which would detect it as well.
        let since = Instant::now();
        while n_free() < SUBSCRIBERS_MAX {
            assert!(since.elapsed() < KEEP_ALIVE / 2, "the closed stream holds a permit");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    });
}

#[test]
fn silent_loopback_subscriber_receives_keep_alives() {
    with_paused_clock(async |api| {
        let mut stream = connect_small_buffers(&api).await;
        stream.write_all(b"GET /api/live HTTP/1.1\r\n\r\n").await.unwrap();
        let (since, mut received) = (Instant::now(), Vec::new());
        while since.elapsed() < KEEP_ALIVE * 10 {
            let mut bytes = [0; 512];
            let due = KEEP_ALIVE + Duration::from_secs(1);
            let n_read = timeout(due, stream.read(&mut bytes)).await.expect("a keep-alive is due").unwrap();
            assert_ne!(n_read, 0, "the stream stays open");
            received.extend_from_slice(&bytes[..n_read]);
        }
        let n_keep_alives = received.windows(7).filter(|bytes| bytes == b"3\r\n:\n\n\r").count();
        assert!((9..=15).contains(&n_keep_alives), "{n_keep_alives}");
    });
}
