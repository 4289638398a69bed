//! What a client is told when something can't be done: what is wrong, what to do, and a fitting status (RFC 9457).

use std::error::Error;

use axum::{
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
};
use engine::Rejection;
use holder::spool::SpoolError;
use runtime::HostError;
use serde::{Deserialize, Serialize};
use sessions::SessionError;
use store::StoreError;
use utoipa::ToSchema;

use crate::{bodies::PlanMistake, code::Code};

/// How much of what a client sent is said back to it.
const ECHO_SIGNS_MAX: usize = 80;
/// What a problem is sent as.
pub const PROBLEM_TYPE: &str = "application/problem+json";

/// What is wrong, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Problem {
    /// What kind of problem it is, in a word for programs.
    #[schema(example = "unknown-run")]
    pub code: String,
    /// The same for people, without the details.
    #[schema(example = "There is no such run")]
    pub title: String,
    /// The status, once more.
    #[schema(example = 404)]
    pub status: u16,
    /// What is wrong here.
    #[schema(example = "there is no run 'r1'")]
    pub detail: String,
    /// What to do.
    pub hint: String,
    /// The questions that may have been meant, where several wait for an answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<String>,
    /// What is wrong with a plan, each mistake in its place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mistakes: Vec<PlanMistake>,
}

/// A problem on its way to a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What kind it is.
    pub code: Code,
    /// The problem.
    pub problem: Box<Problem>,
}

impl Failure {
    /// Says what is wrong and what to do.
    pub fn new(code: Code, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        let problem = Problem {
            code: code.word().to_owned(),
            title: code.title().to_owned(),
            status: code.status().as_u16(),
            detail: detail.into(),
            hint: hint.into(),
            pending: Vec::new(),
            mistakes: Vec::new(),
        };
        Self { code, problem: Box::new(problem) }
    }

    /// Says that the mistake is ours.
    pub fn ours() -> Self {
        let hint = "this is a mistake in Jangdan; please report it";
        Self::new(Code::Broken, "something broke while this was done", hint)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        // No field is a map, so that it can be written.
        let text = serde_json::to_string(&self.problem).unwrap_or_default();
        (self.code.status(), [(CONTENT_TYPE, PROBLEM_TYPE)], text).into_response()
    }
}

impl From<Rejection> for Failure {
    fn from(rejection: Rejection) -> Self {
        let hint = match &rejection {
            Rejection::SeveralPendingQuestions { .. } => "name the question, or its task",
            Rejection::NotStarted | Rejection::UnknownTask { .. } | Rejection::UnknownPhase { .. } => {
                "look at what there is: GET /api/runs/RUN/rows"
            }
            Rejection::ReservedForOtherActor => "people can't wish this",
            _ => "look at how it stands, then wish something else",
        };
        let mut failure = Self::new(Code::Refused, rejection.to_string(), hint);
        if let Rejection::SeveralPendingQuestions { questions } = &rejection {
            failure.problem.pending = questions.iter().map(ToString::to_string).collect();
        }
        failure
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let (code, hint) = match &error {
            StoreError::DiskFull { .. } => (Code::DiskFull, "make room on the disk, then try again"),
            StoreError::Busy { .. } => (Code::Busy, "close the other program, then try again"),
            StoreError::Stopped => (Code::Stopping, "the server is about to end; start it again"),
            StoreError::TooLarge { .. } => (Code::TooLarge, "say it in less"),
            _ => (Code::Broken, "look at the data directory and its disk"),
        };
        Self::new(code, chain(&error), hint)
    }
}

impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        Self::from(&error)
    }
}

impl From<&HostError> for Failure {
    fn from(error: &HostError) -> Self {
        let (code, hint) = match error {
            HostError::LoadFailed(error) => return Self::from(&**error),
            HostError::Rejected(rejection) => return rejection.clone().into(),
            HostError::Store(error) => return error.clone().into(),
            HostError::UnknownRun { .. } => (Code::UnknownRun, "GET /api/runs lists all"),
            HostError::OutsideProject { .. } => (Code::BadRequest, "name files below the project's folder"),
            HostError::InPlace { .. } => {
                (Code::NoWorktrees, "its agents work in the project's own folder: look there")
            }
            HostError::ShuttingDown => (Code::Stopping, "the server is about to end; start it again"),
            HostError::Git(error) => (Code::Git, error.hint()),
            HostError::UnknownSession { .. } => {
                (Code::UnknownSession, "GET /api/runs/RUN/rows?kind=session lists all")
            }
            HostError::NoProcess { .. } | HostError::Session(SessionError::NotRunning { .. }) => {
                (Code::SessionOver, "look at how it stands: GET /api/runs/RUN/rows?kind=session")
            }
            HostError::NoTerminal { .. } => (Code::NoTerminal, "say it in the chat, or answer what it asks"),
            HostError::Spool {
                source: SpoolError::Deleted { .. } | SpoolError::BeyondEnd { .. }, ..
            } => (Code::NoSuchOutput, "ask from 0 on, or from the last offset that was given"),
            HostError::Spool { .. } => (Code::Broken, "look at the sessions' folder and its disk"),
            HostError::Session(_) => (Code::Broken, "look at the sessions: jangdan session list"),
            HostError::Io { .. } => (Code::Broken, "look at the file, its folder and the disk"),
        };
        Self::new(code, chain(error), hint)
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
