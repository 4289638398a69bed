//! What a client is told when something can't be done: what is wrong, what to do, and a fitting status.

use std::error::Error;

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use engine::Rejection;
use runtime::HostError;
use serde::{Deserialize, Serialize};
use store::StoreError;
use utoipa::ToSchema;

/// How much of what a client sent is said back to it.
const ECHO_SIGNS_MAX: usize = 80;
/// The status for a full disk, which the crate `http` calls by its name only.
const DISK_FULL: StatusCode = StatusCode::INSUFFICIENT_STORAGE;

/// What is wrong, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// What is wrong.
    pub error: String,
    /// What to do.
    pub hint: String,
    /// The questions that may have been meant, where several wait for an answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<String>,
}

/// A problem and its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The status.
    pub status: StatusCode,
    /// The problem.
    pub problem: Problem,
}

impl Failure {
    /// Says what is wrong and what to do.
    pub fn new(status: StatusCode, error: impl Into<String>, hint: impl Into<String>) -> Self {
        let problem = Problem { error: error.into(), hint: hint.into(), pending: Vec::new() };
        Self { status, problem }
    }

    /// Says that the mistake is ours.
    pub fn ours() -> Self {
        let hint = "this is a mistake in Jangdan; please report it";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "something broke while this was done", hint)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        (self.status, Json(self.problem)).into_response()
    }
}

impl From<Rejection> for Failure {
    fn from(rejection: Rejection) -> Self {
        let hint = match &rejection {
            Rejection::SeveralPending { .. } => "name the question, or its task",
            Rejection::NotStarted | Rejection::UnknownTask { .. } | Rejection::UnknownPhase { .. } => {
                "look at what there is: GET /api/runs/RUN/rows"
            }
            Rejection::NotYours => "people can't wish this",
            _ => "look at how it stands, then wish something else",
        };
        let mut failure = Self::new(StatusCode::CONFLICT, rejection.to_string(), hint);
        if let Rejection::SeveralPending { questions } = &rejection {
            failure.problem.pending = questions.iter().map(ToString::to_string).collect();
        }
        failure
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let (status, hint) = match &error {
            StoreError::DiskFull { .. } => (DISK_FULL, "make room on the disk, then try again"),
            StoreError::Busy { .. } => {
                (StatusCode::SERVICE_UNAVAILABLE, "close the other program, then try again")
            }
            StoreError::Stopped => {
                (StatusCode::SERVICE_UNAVAILABLE, "the server is about to end; start it again")
            }
            StoreError::TooLarge { .. } => (StatusCode::PAYLOAD_TOO_LARGE, "say it in less"),
            _ => (StatusCode::INTERNAL_SERVER_ERROR, "look at the data directory and its disk"),
        };
        Self::new(status, chain(&error), hint)
    }
}

impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        let (status, hint) = match &error {
            HostError::Rejected(rejection) => return rejection.clone().into(),
            HostError::Store(error) => return error.clone().into(),
            HostError::UnknownRun { .. } => (StatusCode::NOT_FOUND, "GET /api/runs lists all"),
            HostError::InPlace { .. } => {
                (StatusCode::CONFLICT, "its agents work in the project's own folder: look there")
            }
            HostError::Stopping => {
                (StatusCode::SERVICE_UNAVAILABLE, "the server is about to end; start it again")
            }
            HostError::Git(error) => (StatusCode::CONFLICT, error.hint()),
            HostError::Session(_) => {
                (StatusCode::INTERNAL_SERVER_ERROR, "look at the sessions: jangdan session list")
            }
            HostError::Io { .. } => {
                (StatusCode::INTERNAL_SERVER_ERROR, "look at the file, its folder and the disk")
            }
        };
        Self::new(status, chain(&error), hint)
    }
}

/// Returns an error and its causes in a line.
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

/// Returns what a client sent, or as much of it as a person wants to read again.
pub fn echo(sent: &str) -> String {
    match sent.char_indices().nth(ECHO_SIGNS_MAX) {
        None => sent.to_owned(),
        Some((end, _)) => format!("{}…", sent.get(..end).unwrap_or_default()),
    }
}
