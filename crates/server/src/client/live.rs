//! Listens to what happens, and comes back by itself when it is cut off.
//!
//! Invariant: every change comes once. Those of an entry are given out together when its id is there, since without it
//! they come again.

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
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use sse_stream::{Sse, SseByteStream};
use store::Position;
use tokio::{runtime::Runtime, sync::watch, time::sleep};

use super::{ClientError, line, refused, unreachable};
use crate::{
    code::Code,
    feed::{PROBLEM, SEEN},
    problem::{Failure, Problem, chain},
};

/// How long it waits before it comes back, at first and at most.
const PAUSE: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));
/// How much of an answer is read that is no stream.
const REFUSAL_BYTES_MAX: usize = 1 << 20;

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum LiveEvent {
    /// A row is new, looks different, or is gone.
    Changed(Changed),
    /// Something is seen of a session, and not recorded.
    Seen(Seen),
    /// The line was cut. It is tried again, and nothing is missed.
    Lost {
        /// What is known.
        reason: String,
    },
    /// The server does not let it listen. Nothing follows.
    Refused(Box<Problem>),
}

/// A row that is new, looks different, or is gone.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Changed {
    /// What happened, as `task.changed`.
    #[serde(skip)]
    pub name: String,
    /// The run.
    pub run: RunId,
    /// The place in the run.
    pub sequence: Sequence,
    /// What it is a row of.
    pub kind: String,
    /// Its name within its kind.
    pub key: String,
    /// How it looks now; none where it is gone.
    pub row: Option<Value>,
}

impl Changed {
    /// Returns the row as what it is; nothing where it is gone, or of another kind.
    pub fn row<R: views::TableRow + DeserializeOwned>(&self) -> Option<R> {
        let row = self.row.as_ref().filter(|_| self.kind == R::KIND.name())?;
        R::deserialize(row).ok()
    }
}

/// Something that is seen of a session.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Seen {
    /// The run.
    pub run: RunId,
    /// The session.
    pub session: SessionId,
    /// What, with its `type`: `words`, `tool`, `plan` or `trouble`.
    pub what: Value,
}

/// Ends the listening from elsewhere.
#[derive(Debug, Clone)]
pub struct HangUp {
    is_over: Arc<watch::Sender<bool>>,
}

impl HangUp {
    /// Ends it. The one who listens gets nothing more.
    pub fn hang_up(&self) {
        self.is_over.send_replace(true);
    }
}

type Events = Pin<Box<dyn Stream<Item = Result<Sse, sse_stream::Error>> + Send>>;

/// Listens to what happens. Ends when somebody hangs up.
pub struct Live {
    runtime: Runtime,
    hang_up: HangUp,
    ear: Ear,
}

impl Live {
    pub(super) fn open(
        socket: PathBuf,
        after: Option<Position>,
        run: Option<RunId>,
    ) -> Result<Self, ClientError> {
        let runtime = line::runtime().map_err(|source| unreachable(&socket, source))?;
        let hang_up = HangUp { is_over: Arc::new(watch::Sender::new(false)) };
        let mut ear = Ear::new(socket, after, run);
        // What happens from this moment on is heard, whenever somebody asks for it.
        runtime.block_on(ear.begin())?;
        Ok(Self { runtime, hang_up, ear })
    }

    /// Returns the way to end it from elsewhere.
    pub fn hang_up(&self) -> HangUp {
        self.hang_up.clone()
    }

    /// Returns the place of the last entry that was heard whole.
    pub fn position(&self) -> Option<Position> {
        self.ear.last
    }
}

impl Iterator for Live {
    type Item = LiveEvent;

    fn next(&mut self) -> Option<LiveEvent> {
        let mut over = self.hang_up.is_over.subscribe();
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                _ = over.wait_for(|is_over| *is_over) => None,
                event = self.ear.next() => event,
            }
        })
    }
}

/// What is heard, and where to go on when the line is cut.
struct Ear {
    socket: PathBuf,
    run: Option<RunId>,
    last: Option<Position>,
    line: Option<Events>,
    /// How long to wait before the next try; none where nothing was cut since the last event.
    pause: Option<Duration>,
    /// Changes of an entry whose id is not there yet.
    held: Vec<LiveEvent>,
    ready: VecDeque<LiveEvent>,
    is_refused: bool,
}

/// Why a line ended.
enum Ended {
    Cut(String),
    Refused(Box<Problem>),
}

impl Ear {
    fn new(socket: PathBuf, last: Option<Position>, run: Option<RunId>) -> Self {
        let (held, ready) = (Vec::new(), VecDeque::new());
        Self { socket, run, last, line: None, pause: None, held, ready, is_refused: false }
    }

    async fn next(&mut self) -> Option<LiveEvent> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.is_refused {
                return None;
            }
            match self.hear().await {
                Ok(()) => self.pause = None,
                Err(Ended::Refused(problem)) => {
                    self.is_refused = true;
                    return Some(LiveEvent::Refused(problem));
                }
                Err(Ended::Cut(reason)) => {
                    (self.line, self.held) = (None, Vec::new());
                    let is_first = self.pause.is_none();
                    self.pause = Some(self.pause.map_or(PAUSE.0, |pause| (pause * 2).min(PAUSE.1)));
                    if is_first {
                        return Some(LiveEvent::Lost { reason });
                    }
                }
            }
        }
    }

    /// Gets a line, and hears where it starts.
    async fn begin(&mut self) -> Result<(), ClientError> {
        self.line = Some(dial(&self.socket, self.last, self.run.as_ref()).await?);
        match self.hear().await {
            Ok(()) => Ok(()),
            Err(Ended::Refused(problem)) => Err(ClientError::Refused { status: 500, problem }),
            Err(Ended::Cut(reason)) => {
                Err(ClientError::Cut { request: "GET /api/live".to_owned(), source: reason.into() })
            }
        }
    }

    /// Hears one event.
    async fn hear(&mut self) -> Result<(), Ended> {
        let events = match &mut self.line {
            Some(events) => events,
            None => {
                sleep(self.pause.unwrap_or_default()).await;
                self.line.insert(dial(&self.socket, self.last, self.run.as_ref()).await.map_err(ended)?)
            }
        };
        let event = match events.next().await {
            Some(Ok(event)) => event,
            Some(Err(error)) => return Err(Ended::Cut(chain(&error))),
            None => return Err(Ended::Cut("the server ended it".to_owned())),
        };
        self.take(event)
    }

    fn take(&mut self, event: Sse) -> Result<(), Ended> {
        let (name, data) = (event.event.unwrap_or_default(), event.data.unwrap_or_default());
        match name.as_str() {
            // Only a place.
            "" => {}
            SEEN => self.ready.push_back(LiveEvent::Seen(read(&data)?)),
            PROBLEM => return Err(Ended::Cut(read::<Problem>(&data)?.detail)),
            _ => self.held.push(LiveEvent::Changed(Changed { name, ..read(&data)? })),
        }
        if let Some(last) = event.id.and_then(|id| id.parse().ok()) {
            self.last = Some(Position(last));
            self.ready.extend(self.held.drain(..));
        }
        Ok(())
    }
}

/// Begins to listen.
async fn dial(socket: &Path, after: Option<Position>, run: Option<&RunId>) -> Result<Events, ClientError> {
    let after = after.map(|after| format!("after={after}"));
    let run = run.map(|run| format!("run={run}"));
    let query: Vec<_> = after.into_iter().chain(run).collect();
    let path = format!("/api/live?{}", query.join("&"));
    let broken = |broken: line::Broken| broken.on(socket, format!("GET {path}"));
    let (status, body) = line::send(socket, Method::GET, &path, Vec::new()).await.map_err(broken)?;
    if status.is_success() {
        return Ok(Box::pin(SseByteStream::new(BodyDataStream::new(body))));
    }
    let answer = Limited::new(body, REFUSAL_BYTES_MAX).collect().await;
    let answer = answer.map_err(line::Broken::Cut).map_err(broken)?;
    Err(refused(status, &answer.to_bytes()))
}

/// Tells whether it is any use to try again: that a server ends, or that too many streams are open, passes.
fn ended(error: ClientError) -> Ended {
    match error {
        ClientError::Refused { status, problem } if status < 500 => Ended::Refused(problem),
        error => Ended::Cut(chain(&error)),
    }
}

fn read<T: DeserializeOwned>(data: &str) -> Result<T, Ended> {
    serde_json::from_str(data).map_err(|error| {
        let detail = format!("what the server tells can't be understood: {error}");
        let hint = "use the same version as the server, or start the server again";
        Ended::Refused(Failure::new(Code::Broken, detail, hint).problem)
    })
}
