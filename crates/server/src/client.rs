//! The other end of the socket, for programs that wait for their answers.
//!
//! Every call makes a connection of its own: on a Unix socket that costs less than keeping one. Not for use inside of
//! an async runtime.

mod line;
mod live;

use std::{
    collections::BTreeMap,
    io,
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    time::Duration,
};

use axum::http::{Method, StatusCode};
use domain::{Command, RunId, Sequence, TaskId};
use runtime::{CleanupReport, LandReport, NewRun, ShutdownMode};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use store::Position;
use tokio::runtime::Runtime;
use views::{RowKind, RunRow, TableRow};

use crate::{
    bodies::{Accepted, CommandRequest, InboxItem, Started, Status, StopRequest},
    problem::Problem,
    socket::{ServerError, socket_path},
};
pub use live::{Changed, HangUp, Live, LiveEvent, Seen};

/// How long an answer may take. Landing a large run takes the longest.
const ANSWER_WAIT_MAX: Duration = Duration::from_secs(600);

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// There can be no server there.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// The server can't be reached.
    #[error("reach the server at {}", .path.display())]
    Unreachable {
        /// Its socket.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The server went in the middle of it.
    #[error("the server went before it answered {request}")]
    Cut {
        /// What it was asked.
        request: String,
        /// What happened.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The server took too long.
    #[error("the server did not answer {request} in {} s", ANSWER_WAIT_MAX.as_secs())]
    Late {
        /// What it was asked.
        request: String,
    },
    /// The server says no.
    #[error("{}", .problem.detail)]
    Refused {
        /// The status.
        status: u16,
        /// Why, and what to do.
        problem: Box<Problem>,
    },
    /// The answer is not what it must be, as between two versions.
    #[error("the server's answer to {request} can't be understood")]
    NotUnderstood {
        /// What it was asked.
        request: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

impl ClientError {
    /// Says that nobody listens where somebody should.
    pub(crate) fn gone(socket: &Path) -> Self {
        unreachable(socket, io::ErrorKind::ConnectionRefused.into())
    }

    /// Tells whether nobody is there, or is not any more.
    pub(crate) fn is_gone(&self) -> bool {
        match self {
            Self::Cut { .. } => true,
            Self::Unreachable { source, .. } => is_nobody(source),
            _ => false,
        }
    }

    /// Returns what to do about it.
    pub fn hint(&self) -> &str {
        match self {
            Self::Server(error) => error.hint(),
            Self::Unreachable { .. } => "check who owns the data directory",
            Self::Cut { .. } => "try again: what was acknowledged is kept",
            Self::Late { .. } => "look whether the server is busy, or stop it and start it again",
            Self::Refused { problem, .. } => &problem.hint,
            Self::NotUnderstood { .. } => "use the same version as the server, or start the server again",
        }
    }
}

/// The rows of a run, and the place in the log that they stand for.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RunRows {
    position: u64,
    /// The place of the last event in the run.
    pub sequence: Sequence,
    rows: BTreeMap<String, Vec<Value>>,
}

impl RunRows {
    /// Returns the place in the log of all runs; listening from here on misses nothing.
    pub fn position(&self) -> Position {
        Position(self.position)
    }

    /// Returns the rows of a kind; none where it was not asked for.
    pub fn of<R: TableRow + DeserializeOwned>(&self) -> Result<Vec<R>, ClientError> {
        let rows = self.rows.get(R::KIND.name()).map_or(&[][..], Vec::as_slice);
        let read = rows.iter().map(R::deserialize).collect::<Result<_, _>>();
        read.map_err(|source| ClientError::NotUnderstood {
            request: format!("rows of {}", R::KIND.name()),
            source,
        })
    }
}

/// The other end of a server's socket.
pub struct Client {
    socket: PathBuf,
    runtime: Runtime,
}

impl Client {
    /// Looks for the server of a data directory; nothing where none listens.
    pub fn connect(data: &Path) -> Result<Option<Self>, ClientError> {
        let socket = socket_path(data)?;
        match UnixStream::connect(&socket) {
            Ok(_) => {}
            Err(error) if is_nobody(&error) => return Ok(None),
            Err(source) => return Err(ClientError::Unreachable { path: socket, source }),
        }
        let runtime = line::runtime().map_err(|source| unreachable(&socket, source))?;
        Ok(Some(Self { socket, runtime }))
    }

    /// Returns who serves.
    pub fn status(&self) -> Result<Status, ClientError> {
        self.get("/api/status")
    }

    /// Returns all runs, the oldest first.
    pub fn runs(&self) -> Result<Vec<RunRow>, ClientError> {
        self.get("/api/runs")
    }

    /// Returns how a run stands.
    pub fn run(&self, run: &RunId) -> Result<RunRow, ClientError> {
        self.get(&format!("/api/runs/{run}"))
    }

    /// Returns the rows of a run, of some kinds or of all where none is named.
    pub fn rows(&self, run: &RunId, kinds: &[RowKind]) -> Result<RunRows, ClientError> {
        let kinds: Vec<_> = kinds.iter().map(|kind| format!("kind={}", kind.name())).collect();
        self.get(&format!("/api/runs/{run}/rows?{}", kinds.join("&")))
    }

    /// Begins a run.
    pub fn start(&self, new: &NewRun) -> Result<RunId, ClientError> {
        self.post("/api/runs", new).map(|Started { run }| run)
    }

    /// Sends a command to a run. It has been carried out and is durable when this returns.
    pub fn send_command(
        &self,
        run: &RunId,
        person: &str,
        command: &Command,
    ) -> Result<Sequence, ClientError> {
        let request = CommandRequest { person: person.to_owned(), command: command.clone() };
        self.post(&format!("/api/runs/{run}/commands"), &request).map(|Accepted { sequence }| sequence)
    }

    /// Returns what waits for the person, the most urgent first.
    pub fn inbox(&self) -> Result<Vec<InboxItem>, ClientError> {
        self.get("/api/inbox")
    }

    /// Returns what a task has changed, as git shows it.
    pub fn diff(&self, run: &RunId, task: &TaskId) -> Result<String, ClientError> {
        let diff = self.ask(&Method::GET, &format!("/api/runs/{run}/tasks/{task}/diff"), Vec::new())?;
        Ok(String::from_utf8_lossy(&diff).into_owned())
    }

    /// Brings what the gates of a run have let pass, or all that is merged, onto the branch that it started from.
    pub fn land(&self, run: &RunId, is_all: bool) -> Result<LandReport, ClientError> {
        self.post(&format!("/api/runs/{run}/land?all={is_all}"), &())
    }

    /// Removes the worktrees of a run that nobody needs any more. What is in them is kept.
    pub fn clean(&self, run: &RunId) -> Result<CleanupReport, ClientError> {
        self.post(&format!("/api/runs/{run}/clean"), &())
    }

    /// Asks the server to end.
    pub fn stop(&self, agents: ShutdownMode) -> Result<(), ClientError> {
        let body = serde_json::to_vec(&StopRequest { agents });
        let body = body.map_err(|source| not_understood("POST /api/stop", source))?;
        self.ask(&Method::POST, "/api/stop", body).map(drop)
    }

    /// Listens from a place on, or from now; to one run or to all.
    pub fn live(&self, after: Option<Position>, run: Option<RunId>) -> Result<Live, ClientError> {
        Live::open(self.socket.clone(), after, run)
    }

    /// Asks for something.
    pub fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        let answer = self.ask(&Method::GET, path, Vec::new())?;
        serde_json::from_slice(&answer).map_err(|source| not_understood(&format!("GET {path}"), source))
    }

    /// Sends something.
    pub fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T, ClientError> {
        let failed = |source| not_understood(&format!("POST {path}"), source);
        let body = serde_json::to_vec(body).map_err(failed)?;
        let answer = self.ask(&Method::POST, path, body)?;
        serde_json::from_slice(&answer).map_err(failed)
    }

    fn ask(&self, method: &Method, path: &str, body: Vec<u8>) -> Result<Vec<u8>, ClientError> {
        let request = format!("{method} {path}");
        let asking = line::ask(&self.socket, method.clone(), path, body);
        let asking = async { tokio::time::timeout(ANSWER_WAIT_MAX, asking).await };
        let Ok(answer) = self.runtime.block_on(asking) else { return Err(ClientError::Late { request }) };
        let (status, answer) = answer.map_err(|broken| broken.on(&self.socket, request))?;
        if status.is_success() { Ok(answer) } else { Err(refused(status, &answer)) }
    }
}

fn unreachable(socket: &Path, source: io::Error) -> ClientError {
    ClientError::Unreachable { path: socket.to_owned(), source }
}

fn not_understood(request: &str, source: serde_json::Error) -> ClientError {
    ClientError::NotUnderstood { request: request.to_owned(), source }
}

/// Returns the problem of an answer, or says what little is known.
fn refused(status: StatusCode, answer: &[u8]) -> ClientError {
    let problem = serde_json::from_slice(answer).unwrap_or_else(|_| Problem {
        code: "unknown".to_owned(),
        title: "The server says no".to_owned(),
        status: status.as_u16(),
        detail: format!("the server says {status}"),
        hint: "use the same version as the server".to_owned(),
        pending: Vec::new(),
        mistakes: Vec::new(),
    });
    ClientError::Refused { status: status.as_u16(), problem: Box::new(problem) }
}

fn is_nobody(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused)
}
