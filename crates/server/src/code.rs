//! The kinds of problems: a word for programs, a title for people, a status for everything in between.

use axum::http::StatusCode;

/// What kind of problem it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// The request can't be understood.
    BadRequest,
    /// Nobody said who asks.
    NoToken,
    /// The token or cookie is not ours.
    WrongToken,
    /// A page of another site asks.
    ForeignOrigin,
    /// There is no such path.
    UnknownPath,
    /// There is no such run.
    UnknownRun,
    /// There is no such task.
    UnknownTask,
    /// There is no such session.
    UnknownSession,
    /// No such project is known.
    UnknownProject,
    /// The project has no such plan.
    UnknownPlan,
    /// The path is there, and does something else.
    WrongMethod,
    /// The body did not come.
    BodyLate,
    /// The rules of a run say no.
    Refused,
    /// The run has no worktrees.
    NoWorktrees,
    /// Git says no.
    Git,
    /// The place is none of this log.
    OtherLog,
    /// The session has no process that could be spoken to.
    SessionOver,
    /// What was written is not kept so far back, or not there yet.
    NoSuchOutput,
    /// The configuration has mistakes.
    BadConfiguration,
    /// The plan has mistakes.
    BadPlan,
    /// No agent is there that could work.
    NoAgent,
    /// The session is spoken with in its own protocol.
    NoTerminal,
    /// A request with the same key is at work.
    KeyBusy,
    /// Another request had the key.
    KeyTaken,
    /// The body, or what it says, is too large.
    TooLarge,
    /// The body is no JSON.
    NoJson,
    /// The request was meant for another host.
    WrongHost,
    /// Too many wrong tokens came.
    TooManyGuesses,
    /// The mistake is ours.
    Broken,
    /// Somebody else has it.
    Busy,
    /// The server is about to end.
    Stopping,
    /// As many event streams are open as the server allows.
    TooManySubscribers,
    /// As many terminals are open as the server allows.
    TooManyTerminals,
    /// The disk is full.
    DiskFull,
}

impl Code {
    /// Returns the word for programs.
    pub fn word(self) -> &'static str {
        self.said().0
    }

    /// Returns the status.
    pub fn status(self) -> StatusCode {
        self.said().1
    }

    /// Returns the title for people: the same for every problem of the kind.
    pub fn title(self) -> &'static str {
        self.said().2
    }

    #[rustfmt::skip] // A table is read by its columns.
    fn said(self) -> (&'static str, StatusCode, &'static str) {
        match self {
            Self::BadRequest => ("bad-request", StatusCode::BAD_REQUEST, "The request can't be understood"),
            Self::NoToken => ("no-token", StatusCode::UNAUTHORIZED, "A token is needed"),
            Self::WrongToken => ("wrong-token", StatusCode::UNAUTHORIZED, "The token is not right"),
            Self::ForeignOrigin => ("foreign-origin", StatusCode::FORBIDDEN, "Another site may not ask this"),
            Self::UnknownPath => ("unknown-path", StatusCode::NOT_FOUND, "There is no such path"),
            Self::UnknownRun => ("unknown-run", StatusCode::NOT_FOUND, "There is no such run"),
            Self::UnknownTask => ("unknown-task", StatusCode::NOT_FOUND, "There is no such task"),
            Self::UnknownSession => ("unknown-session", StatusCode::NOT_FOUND, "There is no such session"),
            Self::UnknownProject => ("unknown-project", StatusCode::NOT_FOUND, "There is no such project"),
            Self::UnknownPlan => ("unknown-plan", StatusCode::NOT_FOUND, "There is no such plan"),
            Self::WrongMethod => ("wrong-method", StatusCode::METHOD_NOT_ALLOWED, "The path does something else"),
            Self::BodyLate => ("body-late", StatusCode::REQUEST_TIMEOUT, "The body did not come"),
            Self::Refused => ("refused", StatusCode::CONFLICT, "The rules say no"),
            Self::NoWorktrees => ("no-worktrees", StatusCode::CONFLICT, "The run has no worktrees"),
            Self::Git => ("git", StatusCode::CONFLICT, "Git says no"),
            Self::OtherLog => ("other-log", StatusCode::CONFLICT, "The place is in another log"),
            Self::SessionOver => ("session-over", StatusCode::CONFLICT, "The session has no process"),
            Self::NoSuchOutput => ("no-such-output", StatusCode::CONFLICT, "The output is not there"),
            Self::BadConfiguration => ("bad-configuration", StatusCode::CONFLICT, "The configuration has mistakes"),
            Self::BadPlan => ("bad-plan", StatusCode::UNPROCESSABLE_ENTITY, "The plan has mistakes"),
            Self::NoAgent => ("no-agent", StatusCode::CONFLICT, "No agent can work here"),
            Self::NoTerminal => ("no-terminal", StatusCode::CONFLICT, "The session has no terminal"),
            Self::KeyBusy => ("key-busy", StatusCode::CONFLICT, "The idempotency key is at work"),
            Self::KeyTaken => ("key-taken", StatusCode::UNPROCESSABLE_ENTITY, "The idempotency key is taken"),
            Self::TooLarge => ("too-large", StatusCode::PAYLOAD_TOO_LARGE, "It is too large"),
            Self::NoJson => ("no-json", StatusCode::UNSUPPORTED_MEDIA_TYPE, "The body is no JSON"),
            Self::WrongHost => ("wrong-host", StatusCode::MISDIRECTED_REQUEST, "Another host was meant"),
            Self::TooManyGuesses => ("too-many-guesses", StatusCode::TOO_MANY_REQUESTS, "Too many wrong tokens came"),
            Self::Broken => ("broken", StatusCode::INTERNAL_SERVER_ERROR, "Something broke"),
            Self::Busy => ("busy", StatusCode::SERVICE_UNAVAILABLE, "Somebody else has it"),
            Self::Stopping => ("stopping", StatusCode::SERVICE_UNAVAILABLE, "The server is about to end"),
            Self::TooManySubscribers => ("too-many-subscribers", StatusCode::SERVICE_UNAVAILABLE, "Too many event streams are open"),
            Self::TooManyTerminals => ("too-many-terminals", StatusCode::SERVICE_UNAVAILABLE, "Too many terminals are open"),
            Self::DiskFull => ("disk-full", StatusCode::INSUFFICIENT_STORAGE, "The disk is full"),
        }
    }
}
