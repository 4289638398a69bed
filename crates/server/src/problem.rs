//! Error responses as problem documents (RFC 9457): what failed, why, and what to do next.

use axum::{
    http::{StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use engine::Rejection;
use holder::spool::SpoolError;
use runtime::{HostError, error_chain};
use serde::{Deserialize, Serialize};
use sessions::SessionError;
use store::StoreError;
use tracing::warn;
use utoipa::ToSchema;

use crate::{bodies::ProblemDiagnostic, problem_code::ProblemCode, rejection_status::status_and_title};

/// Characters of a client's text that are repeated in an error message.
const ECHO_CHARS_MAX: usize = 80;
/// Hint for a run that does not exist.
pub(crate) const UNKNOWN_RUN_HINT: &str = "Check the id in the list of runs.";
/// Content type of problem documents.
pub(crate) const PROBLEM_TYPE: &str = "application/problem+json";

/// A problem document: what failed, why, and what to do next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Problem {
    /// Kind of the problem, for programs.
    #[schema(example = "unknown-run")]
    pub code: String,
    /// Kind of the problem, for people.
    #[schema(example = "Unknown run")]
    pub title: String,
    #[schema(example = 404)]
    pub status: u16,
    /// What failed, on which object, and why.
    #[schema(example = "There is no run 'r1'.")]
    pub detail: String,
    /// What to do next.
    pub hint: String,
    /// Pending questions, if the command must name one of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<String>,
    /// Errors and warnings of a plan, with their locations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<ProblemDiagnostic>,
}

/// An error that is returned to a client as a problem document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApiError {
    pub status: StatusCode,
    pub problem: Box<Problem>,
}

/// What all problems with the same code have in common.
struct ProblemKind {
    code: &'static str,
    title: &'static str,
    status: StatusCode,
}

impl ApiError {
    /// The detail may be an error of a library: those are written in lower case and without a full stop.
    pub(crate) fn new(code: ProblemCode, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        let kind = ProblemKind { code: code.name(), title: code.title(), status: code.status() };
        Self::of_kind(kind, &detail.into(), capitalized(&hint.into()))
    }

    fn of_kind(kind: ProblemKind, detail: &str, hint: String) -> Self {
        let ProblemKind { code, title, status } = kind;
        let problem = Problem {
            code: code.to_owned(),
            title: title.to_owned(),
            status: status.as_u16(),
            detail: sentence(detail),
            hint,
            pending: Vec::new(),
            diagnostics: Vec::new(),
        };
        Self { status, problem: Box::new(problem) }
    }

    /// Returns the error for a bug in Jangdan.
    pub(crate) fn internal() -> Self {
        let hint = "This is a bug in Jangdan. Please report it.";
        Self::new(ProblemCode::InternalError, "The request failed because of an internal error.", hint)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        if self.status.is_server_error() {
            warn!(code = self.problem.code, "{}", self.problem.detail);
        }
        // Cannot fail: no field is a map.
        let text = serde_json::to_string(&self.problem).unwrap_or_default();
        let mut response = (self.status, [(CONTENT_TYPE, PROBLEM_TYPE)], text).into_response();
        // For a client that prefers another language.
        response.extensions_mut().insert(*self.problem);
        response
    }
}

impl From<Rejection> for ApiError {
    fn from(rejection: Rejection) -> Self {
        let (status, title) = status_and_title(&rejection);
        let kind = ProblemKind { code: rejection.code(), title, status };
        let mut error = Self::of_kind(kind, &rejection.to_string(), sentence(&rejection.hint()));
        if let Rejection::SeveralPendingQuestions { questions } = &rejection {
            error.problem.pending = questions.iter().map(ToString::to_string).collect();
        }
        error
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        let (code, hint) = match &error {
            StoreError::DiskFull { .. } => (ProblemCode::DiskFull, "Free disk space, then try again."),
            StoreError::Busy { .. } => (ProblemCode::Busy, "Close the other program, then try again."),
            StoreError::Stopped => (ProblemCode::Stopping, "The server is stopping. Start it again."),
            StoreError::TooLarge { .. } => (ProblemCode::TooLarge, "Shorten the text."),
            StoreError::DirectoryMissing { .. }
            | StoreError::Locked { .. }
            | StoreError::ReadOnly { .. }
            | StoreError::Corrupt { .. }
            | StoreError::Foreign { .. }
            | StoreError::NewerVersion { .. }
            | StoreError::OlderVersion { .. }
            | StoreError::LogMissing { .. }
            | StoreError::UnknownEvent { .. }
            | StoreError::NewerEvent { .. }
            | StoreError::DamagedEvent { .. }
            | StoreError::Unwritable { .. }
            | StoreError::Open { .. }
            | StoreError::Lock { .. }
            | StoreError::Io { .. }
            | StoreError::Database { .. }
            | StoreError::Conflict { .. }
            | StoreError::AheadOfLog { .. } => {
                (ProblemCode::InternalError, "Check the data directory and its disk.")
            }
        };
        Self::new(code, error_chain(&error), hint)
    }
}

impl From<HostError> for ApiError {
    fn from(error: HostError) -> Self {
        Self::from(&error)
    }
}

impl From<&HostError> for ApiError {
    fn from(error: &HostError) -> Self {
        let (code, hint) = match error {
            HostError::LoadFailed(error) => return Self::from(&**error),
            HostError::Rejected(rejection) => return rejection.clone().into(),
            HostError::Store(error) => return error.clone().into(),
            HostError::UnknownRun { .. } => (ProblemCode::UnknownRun, UNKNOWN_RUN_HINT),
            HostError::OutsideProject { .. } => {
                (ProblemCode::BadRequest, "Name files in the project folder.")
            }
            HostError::ForeignDirectory { .. } => {
                (ProblemCode::InternalError, "Use a data directory of your own: --data DIR.")
            }
            HostError::EventsLost { .. } => {
                (ProblemCode::InternalError, "See what is damaged and what to do: jangdan runs")
            }
            HostError::Vault(_) => (
                ProblemCode::InternalError,
                "Check the files vault.json and vault.key in the data directory.",
            ),
            HostError::InvalidValue { .. } => (
                ProblemCode::BadRequest,
                "Use names of environment variables, and values of 1 to 8192 bytes.",
            ),
            HostError::InPlace { .. } => {
                (ProblemCode::NoWorktrees, "Its agents work in the project folder. See the changes there.")
            }
            HostError::NotLanded { .. } => (
                ProblemCode::GitFailed,
                "Check the disk, and that no other program moves the branch. Then retry.",
            ),
            HostError::NotCleaned { .. } => (
                ProblemCode::GitFailed,
                "Check the disk, and that no program uses the worktrees. Then retry.",
            ),
            HostError::ShuttingDown => (ProblemCode::Stopping, "The server is stopping. Start it again."),
            HostError::Git(error) => (ProblemCode::GitFailed, error.hint()),
            HostError::UnknownSession { .. } => {
                (ProblemCode::UnknownSession, "Check the id in the list of sessions.")
            }
            HostError::NoProcess { .. }
            | HostError::NotStopped { .. }
            | HostError::Session(SessionError::NotRunning { .. }) => {
                (ProblemCode::SessionNotRunning, "Check its state in the list of sessions.")
            }
            HostError::NoTerminal { .. } => {
                (ProblemCode::NoTerminal, "Send a message to its task, or answer its question.")
            }
            HostError::Spool {
                source: SpoolError::Deleted { .. } | SpoolError::BeyondEnd { .. }, ..
            } => (
                ProblemCode::OutputUnavailable,
                "Start at offset 0, or at the last `next` that was returned.",
            ),
            HostError::Spool { .. } => {
                (ProblemCode::InternalError, "Check the folder of the sessions and its disk.")
            }
            HostError::Session(_) => (ProblemCode::InternalError, "List the sessions: jangdan session list"),
            HostError::Io { .. } => (ProblemCode::InternalError, "Check the file, its folder and the disk."),
        };
        Self::new(code, error_chain(error), hint)
    }
}

/// Returns a text as a sentence: with a capital letter, and with a full stop unless it ends with another sign.
fn sentence(text: &str) -> String {
    let text = capitalized(text);
    if text.ends_with(|last: char| last.is_alphanumeric() || matches!(last, '\'' | '"' | '`' | ')')) {
        format!("{text}.")
    } else {
        text
    }
}

/// Capitalizes the first word, unless it is an id, a path or a code.
fn capitalized(text: &str) -> String {
    let first = text.split_whitespace().next().unwrap_or_default();
    let is_word = first.trim_end_matches([',', ':']).chars().all(|char| char.is_ascii_lowercase());
    match text.get(..1) {
        Some(letter) if is_word && first != "jangdan" => {
            letter.to_ascii_uppercase() + text.get(1..).unwrap_or_default()
        }
        _ => text.to_owned(),
    }
}

/// Returns a text of a client, shortened for an error message.
pub(crate) fn shorten_client_text(text: &str) -> String {
    match text.char_indices().nth(ECHO_CHARS_MAX) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}
