//! Reads the live stream of a server and reconnects by itself.
//!
//! Invariant: every change is returned once. The changes of an entry are returned together when its id has arrived,
//! because a reconnect repeats an entry without its id.

use std::{
    collections::VecDeque,
    path::{Path, PathBuf},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use axum::http::Method;
use domain::{RunId, Sequence, SessionId};
use futures_util::{Stream, StreamExt};
use http_body_util::{BodyDataStream, BodyExt, Limited};
use runtime::error_chain;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use sse_stream::{Sse, SseByteStream};
use store::Position;
use tokio::{runtime::Runtime, sync::watch, time::sleep};

use super::{ClientError, connection, refused_error, unreachable_error};
use crate::{
    change_feed::{ACTIVITY, PROBLEM},
    problem::{ApiError, Problem},
    problem_code::ProblemCode,
};

/// Delay before a reconnect: the first, and the maximum.
const RECONNECT_DELAY: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));
/// Size limit of an error response.
const ERROR_BYTES_MAX: usize = 1 << 20;

/// An event of a live stream.
#[derive(Debug, Clone, PartialEq)]
pub enum LiveEvent {
    Changed(RowChange),
    Activity(SessionActivity),
    /// The connection was lost. The stream reconnects and misses no change.
    Disconnected {
        reason: String,
    },
    /// The server refuses the stream; the last event.
    Refused(Box<Problem>),
}

/// A row that was added, changed or removed.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RowChange {
    /// Name of the event, such as `task.changed`.
    #[serde(skip)]
    pub name: String,
    pub run: RunId,
    /// Sequence number in the run.
    pub sequence: Sequence,
    /// Kind of the row, such as `task`.
    pub kind: String,
    /// Key of the row, unique within its kind.
    pub key: String,
    /// The row after the change; `None` if it was removed.
    pub row: Option<Value>,
}

impl RowChange {
    /// Returns the row; `None` if it was removed or is of another kind.
    pub fn row<R: views::TableRow + DeserializeOwned>(&self) -> Option<R> {
        let row = self.row.as_ref().filter(|_| self.kind == R::KIND.name())?;
        R::deserialize(row).ok()
    }
}

/// Current activity of a session. It is not recorded in the log.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct SessionActivity {
    pub run: RunId,
    pub session: SessionId,
    /// Has the field `type`: `text`, `tool`, `plan` or `warning`.
    pub activity: Value,
}

/// Closes a live stream from another thread.
#[derive(Debug, Clone)]
pub struct LiveStreamHandle {
    is_closed: Arc<watch::Sender<bool>>,
}

impl LiveStreamHandle {
    /// Closes the stream; its reader gets no more events.
    pub fn close(&self) {
        self.is_closed.send_replace(true);
    }

    pub fn is_closed(&self) -> bool {
        *self.is_closed.borrow()
    }
}

type SseEvents = Pin<Box<dyn Stream<Item = Result<Sse, sse_stream::Error>> + Send>>;

/// Iterates over the events of a server. Ends when it is closed.
pub struct LiveStream {
    runtime: Runtime,
    handle: LiveStreamHandle,
    reader: LiveReader,
}

impl LiveStream {
    pub(super) fn open(
        socket: PathBuf,
        after: Option<Position>,
        run: Option<RunId>,
    ) -> Result<Self, ClientError> {
        let runtime = connection::runtime().map_err(|source| unreachable_error(&socket, source))?;
        let handle = LiveStreamHandle { is_closed: Arc::new(watch::Sender::new(false)) };
        let mut reader = LiveReader::new(socket, after, run);
        // Connect now, so that no event from this moment on is missed.
        runtime.block_on(reader.open())?;
        Ok(Self { runtime, handle, reader })
    }

    pub fn handle(&self) -> LiveStreamHandle {
        self.handle.clone()
    }

    /// Returns the position of the last entry that was received completely.
    pub fn position(&self) -> Option<Position> {
        self.reader.last
    }
}

impl Iterator for LiveStream {
    type Item = LiveEvent;

    fn next(&mut self) -> Option<LiveEvent> {
        let mut closed = self.handle.is_closed.subscribe();
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                _ = closed.wait_for(|is_closed| *is_closed) => None,
                event = self.reader.next() => event,
            }
        })
    }
}

/// Reads events, and reconnects after the last position.
struct LiveReader {
    socket: PathBuf,
    run: Option<RunId>,
    last: Option<Position>,
    connection: Option<SseEvents>,
    /// Delay before the next reconnect; `None` if an event arrived since the last one.
    delay: Option<Duration>,
    /// Changes of an entry whose id has not arrived yet.
    incomplete: Vec<LiveEvent>,
    ready: VecDeque<LiveEvent>,
    is_refused: bool,
}

/// Why a connection ended.
enum StreamEnd {
    Disconnected(String),
    Refused(Box<Problem>),
}

impl LiveReader {
    fn new(socket: PathBuf, last: Option<Position>, run: Option<RunId>) -> Self {
        let (incomplete, ready) = (Vec::new(), VecDeque::new());
        Self { socket, run, last, connection: None, delay: None, incomplete, ready, is_refused: false }
    }

    async fn next(&mut self) -> Option<LiveEvent> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.is_refused {
                return None;
            }
            match self.read_event().await {
                Ok(()) => self.delay = None,
                Err(StreamEnd::Refused(problem)) => {
                    self.is_refused = true;
                    return Some(LiveEvent::Refused(problem));
                }
                Err(StreamEnd::Disconnected(reason)) => {
                    (self.connection, self.incomplete) = (None, Vec::new());
                    let is_first = self.delay.is_none();
                    self.delay = Some(
                        self.delay.map_or(RECONNECT_DELAY.0, |delay| (delay * 2).min(RECONNECT_DELAY.1)),
                    );
                    if is_first {
                        return Some(LiveEvent::Disconnected { reason });
                    }
                }
            }
        }
    }

    /// Connects and reads the first frame.
    async fn open(&mut self) -> Result<(), ClientError> {
        self.connection = Some(connect(&self.socket, self.last, self.run.as_ref()).await?);
        match self.read_event().await {
            Ok(()) => Ok(()),
            Err(StreamEnd::Refused(problem)) => Err(ClientError::Refused { status: 500, problem }),
            Err(StreamEnd::Disconnected(reason)) => Err(ClientError::ConnectionLost {
                request: "GET /api/live".to_owned(),
                source: reason.into(),
            }),
        }
    }

    /// Reads one event; connects first if necessary.
    async fn read_event(&mut self) -> Result<(), StreamEnd> {
        let events = match &mut self.connection {
            Some(events) => events,
            None => {
                sleep(self.delay.unwrap_or_default()).await;
                self.connection
                    .insert(connect(&self.socket, self.last, self.run.as_ref()).await.map_err(to_stream_end)?)
            }
        };
        let event = match events.next().await {
            Some(Ok(event)) => event,
            Some(Err(error)) => return Err(StreamEnd::Disconnected(error_chain(&error))),
            None => return Err(StreamEnd::Disconnected("the server closed the stream".to_owned())),
        };
        self.queue_event(event)
    }

    fn queue_event(&mut self, event: Sse) -> Result<(), StreamEnd> {
        let (name, data) = (event.event.unwrap_or_default(), event.data.unwrap_or_default());
        match name.as_str() {
            // An id alone.
            "" => {}
            ACTIVITY => self.ready.push_back(LiveEvent::Activity(parse_data(&data)?)),
            PROBLEM => return Err(StreamEnd::Disconnected(parse_data::<Problem>(&data)?.detail)),
            _ => self.incomplete.push(LiveEvent::Changed(RowChange { name, ..parse_data(&data)? })),
        }
        if let Some(last) = event.id.and_then(|id| id.parse().ok()) {
            self.last = Some(Position(last));
            self.ready.extend(self.incomplete.drain(..));
        }
        Ok(())
    }
}

/// Opens an event stream.
async fn connect(
    socket: &Path,
    after: Option<Position>,
    run: Option<&RunId>,
) -> Result<SseEvents, ClientError> {
    let after = after.map(|after| format!("after={after}"));
    let run = run.map(|run| format!("run={run}"));
    let query: Vec<_> = after.into_iter().chain(run).collect();
    let path = format!("/api/live?{}", query.join("&"));
    let error = |error: connection::ConnectionError| error.into_client_error(socket, format!("GET {path}"));
    let (status, body) =
        connection::open_response(socket, Method::GET, &path, Vec::new()).await.map_err(error)?;
    if status.is_success() {
        return Ok(Box::pin(SseByteStream::new(BodyDataStream::new(body))));
    }
    let response = Limited::new(body, ERROR_BYTES_MAX).collect().await;
    let response = response.map_err(connection::ConnectionError::Lost).map_err(error)?;
    Err(refused_error(status, &response.to_bytes()))
}

/// Decides whether to reconnect: a stopping server and too many open streams are temporary.
fn to_stream_end(error: ClientError) -> StreamEnd {
    match error {
        ClientError::Refused { status, problem } if status < 500 => StreamEnd::Refused(problem),
        error @ ClientError::Server(_)
        | error @ ClientError::Unreachable { .. }
        | error @ ClientError::ConnectionLost { .. }
        | error @ ClientError::Timeout { .. }
        | error @ ClientError::Refused { .. }
        | error @ ClientError::InvalidResponse { .. } => StreamEnd::Disconnected(error_chain(&error)),
    }
}

fn parse_data<T: DeserializeOwned>(data: &str) -> Result<T, StreamEnd> {
    serde_json::from_str(data).map_err(|error| {
        let detail = format!("invalid event of the server: {error}");
        let hint = "use the version of the server, or restart the server";
        StreamEnd::Refused(ApiError::new(ProblemCode::InternalError, detail, hint).problem)
    })
}
