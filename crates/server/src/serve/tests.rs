//! Nobody keeps a connection by doing nothing. The clock is one that leaps wherever everybody waits.

use std::{io, sync::Arc, time::Duration};

use axum::serve::Listener;
use domain::{Actor, Timestamp};
use runtime::{DurableRun, Host};
use tempfile::TempDir;
use testkit::{
    run_loop::start_command,
    workloads::{GraphShape, generate},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
    net::{TcpSocket, TcpStream},
    sync::mpsc,
    time::{Instant, timeout},
};

use super::{CONNECTIONS_MAX, HEAD_WAIT_MAX, WRITE_WAIT_MAX, serve};
use crate::{Api, Problem, api::SUBSCRIBERS_MAX, feed::KEEP_ALIVE, request::BODY_WAIT_MAX};

/// Connections that a test makes.
struct Door(mpsc::Receiver<DuplexStream>);

impl Listener for Door {
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

/// Opens an interface to a run of many tasks, and gives the test a way to connect.
fn check<T: Future<Output = ()>>(test: impl FnOnce(mpsc::Sender<DuplexStream>) -> T) {
    on_clock(async |api| {
        let (door, connections) = mpsc::channel(1);
        tokio::spawn(async move { serve(&api, Door(connections), api.router()).await });
        test(door).await;
    });
}

/// Opens an interface to a run of many tasks.
fn on_clock<T: Future<Output = ()>>(test: impl FnOnce(Api) -> T) {
    let folder = TempDir::new().unwrap();
    let host = Host::open(folder.path()).unwrap();
    let mut durable_run = DurableRun::open(Arc::clone(host.log()), "r1".parse().unwrap()).unwrap();
    let work = generate(GraphShape::Random, 200, 1);
    durable_run.execute(Timestamp(1), &Actor::Person("ana".to_owned()), start_command(&work, 1)).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    runtime.unwrap().block_on(async { test(Api::open(host).unwrap()).await });
}

async fn connect(door: &mpsc::Sender<DuplexStream>) -> DuplexStream {
    let (ours, theirs) = duplex(1024);
    door.send(theirs).await.unwrap();
    ours
}

/// Opens an event stream, and returns it when the answer has begun.
async fn subscribe(door: &mpsc::Sender<DuplexStream>) -> DuplexStream {
    let mut stream = connect(door).await;
    stream.write_all(b"GET /api/live HTTP/1.1\r\n\r\n").await.unwrap();
    let mut head = [0; 13];
    stream.read_exact(&mut head).await.unwrap();
    assert_eq!(head, *b"HTTP/1.1 200 ");
    stream
}

/// Returns what comes until the server closes, and how long that takes.
async fn rest(stream: &mut DuplexStream) -> (String, Duration) {
    let (since, mut answer) = (Instant::now(), Vec::new());
    // One that is cut off may find that out by an error.
    let _ = stream.read_to_end(&mut answer).await;
    (String::from_utf8_lossy(&answer).into_owned(), since.elapsed())
}

fn is_about(found: Duration, expected: Duration) -> bool {
    found >= expected && found < expected + Duration::from_secs(1)
}

#[test]
fn a_head_that_does_not_come_is_not_waited_for() {
    check(async |door| {
        for half in ["", "GET /api/st"] {
            let mut stream = connect(&door).await;
            stream.write_all(half.as_bytes()).await.unwrap();
            let (answer, waited) = rest(&mut stream).await;
            assert!(is_about(waited, HEAD_WAIT_MAX), "{half}: {waited:?} {answer}");
        }
    });
}

#[test]
fn a_body_that_does_not_come_is_not_waited_for() {
    check(async |door| {
        let mut stream = connect(&door).await;
        let head = "POST /api/stop HTTP/1.1\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{";
        stream.write_all(head.as_bytes()).await.unwrap();
        let (answer, waited) = rest(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
        assert!(is_about(waited, BODY_WAIT_MAX), "{waited:?}");
    });
}

#[test]
fn one_who_does_not_listen_to_the_answer_is_cut_off() {
    check(async |door| {
        let mut stream = connect(&door).await;
        stream.write_all(b"GET /api/live?after=0 HTTP/1.1\r\n\r\n").await.unwrap();
        let mut byte = [0];
        stream.read_exact(&mut byte).await.unwrap();
        tokio::time::sleep(WRITE_WAIT_MAX + Duration::from_secs(1)).await;
        let left = timeout(Duration::from_secs(1), rest(&mut stream)).await;
        let (answer, _) = left.expect("nothing follows what had been written");
        assert!(answer.len() < 3000, "{}", answer.len());
    });
}

#[test]
fn one_who_listens_and_hears_nothing_is_kept() {
    check(async |door| {
        let mut stream = connect(&door).await;
        stream.write_all(b"GET /api/live HTTP/1.0\r\n\r\n").await.unwrap();
        let listening = timeout(Duration::from_secs(100), rest(&mut stream)).await;
        assert!(listening.is_err(), "nobody ends it");
    });
}

#[test]
fn when_there_are_too_many_the_next_waits_until_one_goes() {
    check(async |door| {
        let mut idle = Vec::new();
        for _ in 0..CONNECTIONS_MAX {
            idle.push(connect(&door).await);
        }
        let since = Instant::now();
        let mut next = connect(&door).await;
        next.write_all(b"GET /api/status HTTP/1.1\r\nconnection: close\r\n\r\n").await.unwrap();
        let (answer, _) = rest(&mut next).await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        assert!(is_about(since.elapsed(), HEAD_WAIT_MAX), "{:?}", since.elapsed());
        drop(idle);
    });
}

#[test]
fn the_257th_event_stream_is_refused_and_other_requests_are_served() {
    check(async |door| {
        let mut streams = Vec::new();
        for _ in 0..SUBSCRIBERS_MAX {
            streams.push(subscribe(&door).await);
        }
        let mut refused = connect(&door).await;
        refused.write_all(b"GET /api/live HTTP/1.1\r\nconnection: close\r\n\r\n").await.unwrap();
        let answer = rest(&mut refused).await.0;
        assert!(streams.len() == 256 && answer.starts_with("HTTP/1.1 503 "), "{answer}");
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.contains("content-type: application/problem+json"), "{head}");
        let problem: Problem = serde_json::from_str(body).unwrap();
        assert_eq!((problem.code.as_str(), problem.status), ("too-many-subscribers", 503));
        assert!(problem.detail.contains("256 event streams"), "{problem:?}");
        assert!(problem.hint.contains("close a page"), "{problem:?}");
        let mut asking = connect(&door).await;
        asking.write_all(b"GET /api/runs HTTP/1.1\r\nconnection: close\r\n\r\n").await.unwrap();
        assert!(rest(&mut asking).await.0.starts_with("HTTP/1.1 "));
        // A stream that is closed makes room for the next.
        drop(streams);
        subscribe(&door).await;
    });
}

/// Connects over loopback; neither side keeps much of what the other has not taken.
async fn connect_narrow(api: &Api) -> TcpStream {
    let socket = || {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_send_buffer_size(1).unwrap();
        socket.set_recv_buffer_size(1).unwrap();
        socket
    };
    let listening = socket();
    listening.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let listener = listening.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let api = api.clone();
    tokio::spawn(async move { serve(&api, listener, api.router()).await });
    socket().connect(address).await.unwrap()
}

#[test]
fn one_who_listens_over_loopback_and_takes_nothing_is_cut_off_too() {
    on_clock(async |api| {
        let mut stream = connect_narrow(&api).await;
        stream.write_all(b"GET /api/live?after=0 HTTP/1.1\r\n\r\n").await.unwrap();
        let mut byte = [0];
        stream.read_exact(&mut byte).await.unwrap();
        tokio::time::sleep(WRITE_WAIT_MAX + Duration::from_secs(1)).await;
        // Nothing is written any more while this reads.
        let mut stream = stream.into_std().unwrap();
        stream.set_nonblocking(false).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut answer = Vec::new();
        let read = std::io::Read::read_to_end(&mut stream, &mut answer);
        assert!(read.is_ok_and(|_| !answer.ends_with(b"0\r\n\r\n")), "it was cut off");
    });
}

#[test]
fn one_who_listens_over_loopback_and_goes_leaves_its_place() {
    on_clock(async |api| {
        let n_free = || api.subscribers.available_permits();
        let mut stream = connect_narrow(&api).await;
        stream.write_all(b"GET /api/live HTTP/1.1\r\n\r\n").await.unwrap();
        let mut byte = [0];
        stream.read_exact(&mut byte).await.unwrap();
        assert_eq!(n_free(), SUBSCRIBERS_MAX - 1);
        drop(stream);
        // Before the next word, which would find out as well.
        let since = Instant::now();
        while n_free() < SUBSCRIBERS_MAX {
            assert!(since.elapsed() < KEEP_ALIVE / 2, "it has a place and is gone");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    });
}

#[test]
fn one_who_listens_over_loopback_and_hears_nothing_is_told_a_word_now_and_then() {
    on_clock(async |api| {
        let mut stream = connect_narrow(&api).await;
        stream.write_all(b"GET /api/live HTTP/1.1\r\n\r\n").await.unwrap();
        let (since, mut heard) = (Instant::now(), Vec::new());
        while since.elapsed() < KEEP_ALIVE * 10 {
            let mut bytes = [0; 512];
            let due = KEEP_ALIVE + Duration::from_secs(1);
            let n_read = timeout(due, stream.read(&mut bytes)).await.expect("a keep-alive is due").unwrap();
            assert_ne!(n_read, 0, "nobody ends it");
            heard.extend_from_slice(&bytes[..n_read]);
        }
        let n_words = heard.windows(7).filter(|bytes| bytes == b"3\r\n:\n\n\r").count();
        assert!((9..=15).contains(&n_words), "{n_words}");
    });
}
