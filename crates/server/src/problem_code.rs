//! The kinds of problems: a code for programs, a title for people and an HTTP status for each.
//!
//! Commands that the rules of a run reject are in [`crate::rejection_status`].

use axum::http::StatusCode;

/// The kind of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProblemCode {
    BadRequest,
    MissingToken,
    /// The token or cookie is not the one of this data directory.
    InvalidToken,
    /// A page of another site sent the request.
    CrossOrigin,
    /// The caller belongs to a session of this data directory.
    CallerInSession,
    /// A pasted plan with commands needs a code from a terminal.
    CodeRequired,
    /// The calling process has ended or hides where it comes from.
    UnknownCaller,
    UnknownPath,
    UnknownRun,
    UnknownSession,
    UnknownProject,
    UnknownPlan,
    MethodNotAllowed,
    BodyTimeout,
    /// The agents of the run work in the project folder.
    NoWorktrees,
    GitFailed,
    /// The log does not have the position, usually because it is another log.
    UnknownPosition,
    SessionNotRunning,
    /// The output has been truncated before the offset, or does not reach it yet.
    OutputUnavailable,
    InvalidConfiguration,
    InvalidPlan,
    /// No agent that could work is installed.
    NoAgent,
    /// Earlier runs did all open tasks of the plan.
    PlanDone,
    /// The session uses a protocol of its agent instead of a terminal.
    NoTerminal,
    /// A request with the same idempotency key is in progress.
    KeyInProgress,
    /// Another request used the idempotency key.
    KeyReused,
    TooLarge,
    NotJson,
    /// The `Host` header names another server.
    WrongHost,
    TooManyAttempts,
    InternalError,
    /// Another process uses the data directory.
    Busy,
    Stopping,
    TooManySubscribers,
    TooManyTerminals,
    DiskFull,
}

impl ProblemCode {
    /// Returns the code for programs.
    pub(crate) fn name(self) -> &'static str {
        self.name_status_title().0
    }

    pub(crate) fn status(self) -> StatusCode {
        self.name_status_title().1
    }

    /// Returns the title for people, which is the same for every problem of this kind.
    pub(crate) fn title(self) -> &'static str {
        self.name_status_title().2
    }

    #[rustfmt::skip] // A table is read by its columns.
    fn name_status_title(self) -> (&'static str, StatusCode, &'static str) {
        match self {
            Self::BadRequest => ("bad-request", StatusCode::BAD_REQUEST, "Invalid request"),
            Self::MissingToken => ("missing-token", StatusCode::UNAUTHORIZED, "Missing token"),
            Self::InvalidToken => ("invalid-token", StatusCode::UNAUTHORIZED, "Invalid token"),
            Self::CrossOrigin => ("cross-origin", StatusCode::FORBIDDEN, "Requests of other sites are not allowed"),
            Self::CallerInSession => ("caller-in-session", StatusCode::FORBIDDEN, "An agent cannot act as the user"),
            Self::CodeRequired => ("code-required", StatusCode::FORBIDDEN, "A code is required"),
            Self::UnknownCaller => ("unknown-caller", StatusCode::FORBIDDEN, "The calling process cannot be identified"),
            Self::UnknownPath => ("unknown-path", StatusCode::NOT_FOUND, "Unknown path"),
            Self::UnknownRun => ("unknown-run", StatusCode::NOT_FOUND, "Unknown run"),
            Self::UnknownSession => ("unknown-session", StatusCode::NOT_FOUND, "Unknown session"),
            Self::UnknownProject => ("unknown-project", StatusCode::NOT_FOUND, "Unknown project"),
            Self::UnknownPlan => ("unknown-plan", StatusCode::NOT_FOUND, "Unknown plan"),
            Self::MethodNotAllowed => ("method-not-allowed", StatusCode::METHOD_NOT_ALLOWED, "Method not allowed"),
            Self::BodyTimeout => ("body-timeout", StatusCode::REQUEST_TIMEOUT, "The request body did not arrive in time"),
            Self::NoWorktrees => ("no-worktrees", StatusCode::CONFLICT, "The run has no worktrees"),
            Self::GitFailed => ("git-failed", StatusCode::CONFLICT, "Git reported an error"),
            Self::UnknownPosition => ("unknown-position", StatusCode::CONFLICT, "Unknown position in the log"),
            Self::SessionNotRunning => ("session-not-running", StatusCode::CONFLICT, "The session is not running"),
            Self::OutputUnavailable => ("output-unavailable", StatusCode::CONFLICT, "Output unavailable"),
            Self::InvalidConfiguration => ("invalid-configuration", StatusCode::CONFLICT, "The configuration has errors"),
            Self::InvalidPlan => ("invalid-plan", StatusCode::UNPROCESSABLE_ENTITY, "The plan has errors"),
            Self::NoAgent => ("no-agent", StatusCode::CONFLICT, "No agent is available"),
            Self::PlanDone => ("plan-done", StatusCode::CONFLICT, "All tasks of the plan are done"),
            Self::NoTerminal => ("no-terminal", StatusCode::CONFLICT, "The session has no terminal"),
            Self::KeyInProgress => ("key-in-progress", StatusCode::CONFLICT, "A request with this idempotency key is in progress"),
            Self::KeyReused => ("key-reused", StatusCode::UNPROCESSABLE_ENTITY, "The idempotency key was used for another request"),
            Self::TooLarge => ("too-large", StatusCode::PAYLOAD_TOO_LARGE, "The request is too large"),
            Self::NotJson => ("not-json", StatusCode::UNSUPPORTED_MEDIA_TYPE, "The request body is not JSON"),
            Self::WrongHost => ("wrong-host", StatusCode::MISDIRECTED_REQUEST, "The request is for another host"),
            Self::TooManyAttempts => ("too-many-attempts", StatusCode::TOO_MANY_REQUESTS, "Too many invalid tokens"),
            Self::InternalError => ("internal-error", StatusCode::INTERNAL_SERVER_ERROR, "Internal error"),
            Self::Busy => ("busy", StatusCode::SERVICE_UNAVAILABLE, "Another process uses the data directory"),
            Self::Stopping => ("stopping", StatusCode::SERVICE_UNAVAILABLE, "The server is stopping"),
            Self::TooManySubscribers => ("too-many-subscribers", StatusCode::SERVICE_UNAVAILABLE, "Too many event streams are open"),
            Self::TooManyTerminals => ("too-many-terminals", StatusCode::SERVICE_UNAVAILABLE, "Too many terminals are open"),
            Self::DiskFull => ("disk-full", StatusCode::INSUFFICIENT_STORAGE, "The disk is full"),
        }
    }
}
