//! Live events of a run, received by a thread: a bounded queue, and a socket that wakes a poll.

use std::{
    io::{self, Read, Write},
    os::{
        fd::{AsFd, BorrowedFd},
        unix::net::UnixStream,
    },
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use domain::RunId;
use server::{Client, LiveEvent, LiveStream, LiveStreamHandle};
use store::Position;

use crate::{failure::Failure, localized::localized, remote};

/// Size of the queue. If it is full, the thread stops reading, and the server disconnects a client that lags.
const EVENTS_MAX: usize = 1024;
/// How long a server may be unreachable before watching fails.
const DISCONNECTED_MAX: Duration = Duration::from_secs(10);

/// The live events of a run.
pub(crate) struct EventStream<'a> {
    client: &'a Client,
    events: Receiver<LiveEvent>,
    wake: UnixStream,
    live_stream: LiveStreamHandle,
    thread: Option<JoinHandle<()>>,
    /// Whether the connection was lost and no event was received since.
    is_cut: bool,
    /// Since when the server does not respond.
    disconnected_since: Option<Instant>,
}

impl<'a> EventStream<'a> {
    /// Subscribes to the events after a position of the log.
    pub(crate) fn open(client: &'a Client, run: &RunId, after: Position) -> Result<Self, Failure> {
        let live = client
            .open_live_stream(Some(after), Some(run.clone()))
            .map_err(|error| remote::client_failure(&error))?;
        let live_stream = live.handle();
        let (wake, bell) = wake_pair().map_err(|error| receive_failure(&error))?;
        let (sender, events) = sync_channel(EVENTS_MAX);
        let thread = std::thread::Builder::new().name("events".to_owned());
        let thread =
            thread.spawn(move || receive(live, &sender, bell)).map_err(|error| receive_failure(&error))?;
        Ok(Self {
            client,
            events,
            wake,
            live_stream,
            thread: Some(thread),
            is_cut: false,
            disconnected_since: None,
        })
    }

    /// Returns the next event; `None` if the queue is empty.
    pub(crate) fn next(&mut self) -> Result<Option<LiveEvent>, Failure> {
        let next = self.events.try_recv();
        self.handle_received(next.map_err(|error| error == TryRecvError::Disconnected))
    }

    /// Waits for the next event; `None` after the timeout.
    pub(crate) fn wait(&mut self, time: Duration) -> Result<Option<LiveEvent>, Failure> {
        let next = self.events.recv_timeout(time);
        self.handle_received(next.map_err(|error| error == RecvTimeoutError::Disconnected))
    }

    /// Returns a descriptor that is readable if there are events. Cleared by `clear_wake`.
    pub(crate) fn wake_descriptor(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }

    /// Clears the wake descriptor.
    pub(crate) fn clear_wake(&mut self) {
        let mut bells = [0; 4096];
        // It does not block; there may be nothing to read.
        let _ = self.wake.read(&mut bells);
    }

    /// Tells whether the server is unreachable. Fails after `DISCONNECTED_MAX`.
    pub(crate) fn is_disconnected(&mut self) -> Result<bool, Failure> {
        // A server that is stopping may still respond, so it is asked until an event arrives.
        if !self.is_cut || self.client.status().is_ok() {
            self.disconnected_since = None;
            return Ok(false);
        }
        if self.disconnected_since.get_or_insert_with(Instant::now).elapsed() > DISCONNECTED_MAX {
            return Err(server_stopped_failure());
        }
        Ok(true)
    }

    fn handle_received(&mut self, next: Result<LiveEvent, bool>) -> Result<Option<LiveEvent>, Failure> {
        match next {
            Ok(LiveEvent::Disconnected { .. }) => {
                self.is_cut = true;
                Ok(None)
            }
            Ok(LiveEvent::Refused(problem)) => {
                Err(Failure { what: problem.detail, hint: Some(problem.hint), exit: 1 })
            }
            Ok(event) => {
                self.is_cut = false;
                Ok(Some(event))
            }
            Err(true) => Err(server_stopped_failure()),
            Err(false) => Ok(None),
        }
    }
}

impl Drop for EventStream<'_> {
    fn drop(&mut self) {
        self.live_stream.close();
        // Drain the queue: the thread may be blocked on it.
        while self.events.recv_timeout(Duration::from_millis(1)) != Err(RecvTimeoutError::Disconnected) {}
        if let Some(thread) = self.thread.take() {
            // A panic was reported by the thread itself.
            drop(thread.join());
        }
    }
}

fn receive(live: LiveStream, events: &SyncSender<LiveEvent>, mut bell: UnixStream) {
    for event in live {
        if events.send(event).is_err() {
            return;
        }
        // If its buffer is full, the reader is woken anyway.
        let _ = bell.write(&[1]);
    }
}

/// Returns a pair of non-blocking sockets.
fn wake_pair() -> io::Result<(UnixStream, UnixStream)> {
    let (wake, bell) = UnixStream::pair()?;
    wake.set_nonblocking(true)?;
    bell.set_nonblocking(true)?;
    Ok((wake, bell))
}

fn receive_failure(error: &io::Error) -> Failure {
    Failure {
        what: localized(
            format!("Cannot receive events ({error})."),
            format!("이벤트를 받을 수 없습니다({error})."),
        ),
        hint: None,
        exit: 1,
    }
}

fn server_stopped_failure() -> Failure {
    Failure {
        what: localized("The server has stopped.", "서버가 중지되었습니다."),
        hint: Some(localized(
            "Agents keep working. Continue the run: jangdan resume",
            "에이전트는 계속 작업합니다. 실행 재개: jangdan resume",
        )),
        exit: 1,
    }
}
