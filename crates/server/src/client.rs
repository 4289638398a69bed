//! A blocking client of the server's socket.
//!
//! Every call opens a connection: on a Unix socket that costs less than keeping one. Must not be used inside of an async
//! runtime.

mod connection;
mod live;

use std::{
    collections::BTreeMap,
    io,
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    time::Duration,
};

use axum::http::{Method, StatusCode};
use domain::{CleanupReport, LandReport, PhaseNumber, RunId, Sequence, TaskId, UserCommand};
use runtime::{LandOptions, NewRun, PhaseDiffScope, ShutdownMode};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use store::Position;
use tokio::runtime::Runtime;
use views::{RowKind, RunRow, TableRow};

use crate::{
    bodies::{
        CommandAccepted, CommandRequest, ConfirmationCode, InboxEntry, LinkRequest, PageLink, RunCreated,
        SecretText, ServerStatus, StopRequest,
    },
    problem::Problem,
    socket::{ServerError, socket_path},
};
pub use live::{LiveEvent, LiveStream, LiveStreamHandle, RowChange, SessionActivity};

/// Time limit for a response. Merging a large run takes longest.
const RESPONSE_WAIT_MAX: Duration = Duration::from_secs(600);

/// Time limit for merging into a branch. The check of the merged result has a shorter limit of its own.
const LAND_WAIT_MAX: Duration = Duration::from_secs(6 * 3600);

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The data directory cannot have a server.
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error("cannot connect to the server at {}", .path.display())]
    Unreachable { path: PathBuf, source: io::Error },
    #[error("the connection was closed before the response to {request}")]
    ConnectionLost { request: String, source: Box<dyn std::error::Error + Send + Sync> },
    #[error("no response to {request} within {} s", RESPONSE_WAIT_MAX.as_secs())]
    Timeout { request: String },
    /// The server returned an error.
    #[error("{}", .problem.detail)]
    Refused { status: u16, problem: Box<Problem> },
    /// The response has another format, usually because the server has another version.
    #[error("invalid response to {request}")]
    InvalidResponse { request: String, source: serde_json::Error },
}

impl ClientError {
    pub(crate) fn not_listening(socket: &Path) -> Self {
        unreachable_error(socket, io::ErrorKind::ConnectionRefused.into())
    }

    /// Returns whether no server is listening, or it stopped during the request.
    pub(crate) fn is_server_gone(&self) -> bool {
        match self {
            Self::ConnectionLost { .. } => true,
            Self::Unreachable { source, .. } => is_not_listening(source),
            Self::Server(_) | Self::Timeout { .. } | Self::Refused { .. } | Self::InvalidResponse { .. } => {
                false
            }
        }
    }

    /// Returns what to do next.
    pub fn hint(&self) -> &str {
        match self {
            Self::Server(error) => error.hint(),
            Self::Unreachable { .. } => "check the owner of the data directory",
            Self::ConnectionLost { .. } => "try again: acknowledged commands are kept",
            Self::Timeout { .. } => "check whether the server is busy, or restart it",
            Self::Refused { problem, .. } => &problem.hint,
            Self::InvalidResponse { .. } => "use the version of the server, or restart the server",
        }
    }
}

/// The rows of a run at a position of the log.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RunRows {
    position: u64,
    /// Sequence number of the last event in the run.
    pub sequence: Sequence,
    rows: BTreeMap<String, Vec<Value>>,
}

impl RunRows {
    /// Returns the position in the log of all runs; a live stream that starts here misses no change.
    pub fn position(&self) -> Position {
        Position(self.position)
    }

    /// Returns the rows of a kind; none if the kind was not requested.
    pub fn rows_of_kind<R: TableRow + DeserializeOwned>(&self) -> Result<Vec<R>, ClientError> {
        let rows = self.rows.get(R::KIND.name()).map_or(&[][..], Vec::as_slice);
        let read = rows.iter().map(R::deserialize).collect::<Result<_, _>>();
        read.map_err(|source| ClientError::InvalidResponse {
            request: format!("rows of {}", R::KIND.name()),
            source,
        })
    }
}

/// A blocking client of a server's socket.
pub struct Client {
    socket: PathBuf,
    runtime: Runtime,
}

impl Client {
    /// Connects to the server of a data directory; `None` if none is listening.
    pub fn connect(data: &Path) -> Result<Option<Self>, ClientError> {
        let socket = socket_path(data)?;
        match UnixStream::connect(&socket) {
            Ok(_) => {}
            Err(error) if is_not_listening(&error) => return Ok(None),
            Err(source) => return Err(ClientError::Unreachable { path: socket, source }),
        }
        let runtime = connection::runtime().map_err(|source| unreachable_error(&socket, source))?;
        Ok(Some(Self { socket, runtime }))
    }

    pub fn status(&self) -> Result<ServerStatus, ClientError> {
        self.get("/api/status")
    }

    /// Returns all runs, the oldest first.
    pub fn runs(&self) -> Result<Vec<RunRow>, ClientError> {
        self.get("/api/runs")
    }

    pub fn run_row(&self, run: &RunId) -> Result<RunRow, ClientError> {
        self.get(&format!("/api/runs/{run}"))
    }

    /// Returns the rows of a run; of all kinds if `kinds` is empty.
    pub fn rows(&self, run: &RunId, kinds: &[RowKind]) -> Result<RunRows, ClientError> {
        let kinds: Vec<_> = kinds.iter().map(|kind| format!("kind={}", kind.name())).collect();
        self.get(&format!("/api/runs/{run}/rows?{}", kinds.join("&")))
    }

    /// Starts a run.
    pub fn start_run(&self, new: &NewRun) -> Result<RunId, ClientError> {
        self.post("/api/runs", new).map(|RunCreated { run }| run)
    }

    /// Sends a command to a run. It has been carried out and is durable when this returns.
    pub fn send_command(
        &self,
        run: &RunId,
        person: &str,
        command: &UserCommand,
    ) -> Result<Sequence, ClientError> {
        self.send_command_with_values(run, person, command, BTreeMap::new())
    }

    /// Sends a command that provides variables, with their values.
    pub fn send_command_with_values(
        &self,
        run: &RunId,
        person: &str,
        command: &UserCommand,
        values: BTreeMap<String, SecretText>,
    ) -> Result<Sequence, ClientError> {
        let (person, command) = (person.to_owned(), command.clone());
        let request = CommandRequest { person, command, values, not_secret: Vec::new() };
        self.post(&format!("/api/runs/{run}/commands"), &request).map(|CommandAccepted { sequence }| sequence)
    }

    /// Returns the questions, requests, approvals and problems that wait for a person, the most urgent first.
    pub fn inbox(&self) -> Result<Vec<InboxEntry>, ClientError> {
        self.get("/api/inbox")
    }

    /// Returns the changes of a task as a git diff.
    pub fn task_diff(&self, run: &RunId, task: &TaskId) -> Result<String, ClientError> {
        let path = format!("/api/runs/{run}/tasks/{}/diff", percent_encoded(task.as_str()));
        let diff = self.request(&Method::GET, &path, Vec::new())?;
        Ok(String::from_utf8_lossy(&diff).into_owned())
    }

    /// Returns the changes of the merged tasks of a phase as a git diff.
    pub fn phase_diff(
        &self,
        run: &RunId,
        phase: PhaseNumber,
        scope: PhaseDiffScope,
    ) -> Result<String, ClientError> {
        let query = match scope {
            PhaseDiffScope::All => "",
            PhaseDiffScope::SinceRejection => "?sinceRejection=true",
        };
        let path = format!("/api/runs/{run}/phases/{phase}/diff{query}");
        let diff = self.request(&Method::GET, &path, Vec::new())?;
        Ok(String::from_utf8_lossy(&diff).into_owned())
    }

    /// Merges the approved phases of a run, or all merged tasks, into a branch.
    pub fn land(&self, run: &RunId, options: &LandOptions) -> Result<LandReport, ClientError> {
        let LandOptions { is_all, into, is_squash, is_dry_run } = options;
        let mut path = format!("/api/runs/{run}/land?all={is_all}&squash={is_squash}&dryRun={is_dry_run}");
        if let Some(branch) = into {
            path.push_str("&into=");
            path.push_str(&percent_encoded(branch));
        }
        let request = format!("POST {path}");
        // The check of the merged result may take long.
        let response = self.request_within(LAND_WAIT_MAX, &Method::POST, &path, b"null".to_vec())?;
        serde_json::from_slice(&response).map_err(|source| invalid_response_error(&request, source))
    }

    /// Removes the unused worktrees of a run, whose content is kept in git, and branches and refs that are not needed.
    pub fn remove_finished_worktrees(
        &self,
        run: &RunId,
        is_with_refs: bool,
    ) -> Result<CleanupReport, ClientError> {
        self.post(&format!("/api/runs/{run}/clean?refs={is_with_refs}"), &())
    }

    /// Creates a link that opens the page of a run, or the list of runs, once; `None` if the server has no page.
    pub fn link(&self, run: Option<&RunId>) -> Result<Option<String>, ClientError> {
        self.post("/api/links", &LinkRequest { run: run.cloned() }).map(|PageLink { link }| link)
    }

    /// Creates a code that the user types into the page to start a pasted plan with commands.
    pub fn create_confirmation_code(&self) -> Result<String, ClientError> {
        self.post("/api/codes", &()).map(|ConfirmationCode { code, .. }| code)
    }

    /// Replaces the token: all links and signed-in browsers are void.
    pub fn rotate_token(&self) -> Result<(), ClientError> {
        self.request(&Method::POST, "/api/token/rotate", b"null".to_vec()).map(drop)
    }

    /// Stops the server.
    pub fn stop_server(&self, agents: ShutdownMode) -> Result<(), ClientError> {
        let body = serde_json::to_vec(&StopRequest { agents });
        let body = body.map_err(|source| invalid_response_error("POST /api/stop", source))?;
        self.request(&Method::POST, "/api/stop", body).map(drop)
    }

    /// Opens a live stream of one run or all, after a position or from now on.
    pub fn open_live_stream(
        &self,
        after: Option<Position>,
        run: Option<RunId>,
    ) -> Result<LiveStream, ClientError> {
        LiveStream::open(self.socket.clone(), after, run)
    }

    /// Sends a GET request.
    pub fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        let response = self.request(&Method::GET, path, Vec::new())?;
        serde_json::from_slice(&response)
            .map_err(|source| invalid_response_error(&format!("GET {path}"), source))
    }

    /// Sends a POST request with a JSON body.
    pub fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T, ClientError> {
        let failed = |source| invalid_response_error(&format!("POST {path}"), source);
        let body = serde_json::to_vec(body).map_err(failed)?;
        let response = self.request(&Method::POST, path, body)?;
        serde_json::from_slice(&response).map_err(failed)
    }

    fn request(&self, method: &Method, path: &str, body: Vec<u8>) -> Result<Vec<u8>, ClientError> {
        self.request_within(RESPONSE_WAIT_MAX, method, path, body)
    }

    fn request_within(
        &self,
        wait_max: Duration,
        method: &Method,
        path: &str,
        body: Vec<u8>,
    ) -> Result<Vec<u8>, ClientError> {
        let request = format!("{method} {path}");
        let exchange = connection::request(&self.socket, method.clone(), path, body);
        let exchange = async { tokio::time::timeout(wait_max, exchange).await };
        let Ok(response) = self.runtime.block_on(exchange) else {
            return Err(ClientError::Timeout { request });
        };
        let (status, response) = response.map_err(|error| error.into_client_error(&self.socket, request))?;
        if status.is_success() { Ok(response) } else { Err(refused_error(status, &response)) }
    }
}

/// Encodes a value of a query or one segment of a path.
fn percent_encoded(value: &str) -> String {
    let encode = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    value.bytes().map(encode).collect()
}

fn unreachable_error(socket: &Path, source: io::Error) -> ClientError {
    ClientError::Unreachable { path: socket.to_owned(), source }
}

fn invalid_response_error(request: &str, source: serde_json::Error) -> ClientError {
    ClientError::InvalidResponse { request: request.to_owned(), source }
}

/// Reads the problem document of a response; makes one if the body is not a problem document.
fn refused_error(status: StatusCode, response: &[u8]) -> ClientError {
    let problem = serde_json::from_slice(response).unwrap_or_else(|_| Problem {
        code: "unknown".to_owned(),
        title: "Error of the server".to_owned(),
        status: status.as_u16(),
        detail: format!("The server returned {status}."),
        hint: "Use the version of the server.".to_owned(),
        pending: Vec::new(),
        diagnostics: Vec::new(),
    });
    ClientError::Refused { status: status.as_u16(), problem: Box::new(problem) }
}

fn is_not_listening(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused)
}
