//! Why a request to the host of all runs failed.

use std::{io, path::PathBuf, sync::Arc};

use domain::{RunId, Sequence, SessionId};
use engine::Rejection;
use holder::spool::SpoolError;
use repo::RepoError;
use sessions::SessionError;
use store::StoreError;

use crate::DurableRunError;

/// Why a request to a [`Host`] failed.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The engine rejected the command.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// The log failed.
    #[error("cannot read or write the event log")]
    Store(#[from] StoreError),
    /// A git operation failed.
    #[error(transparent)]
    Git(#[from] RepoError),
    /// A session failed.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The vault failed.
    #[error(transparent)]
    Vault(#[from] vault::VaultError),
    /// A value that a user provides cannot be stored.
    #[error("cannot provide {name}: {reason}")]
    InvalidValue {
        /// Name of the variable.
        name: String,
        /// Why not, without the value.
        reason: String,
    },
    /// The run does not exist.
    #[error("there is no run '{run}'")]
    UnknownRun {
        /// Id of the run.
        run: RunId,
    },
    /// A file or folder could not be used.
    #[error("cannot {action} {}", .path.display())]
    Io {
        /// The failed operation, as a verb.
        action: &'static str,
        /// File or folder of the operation.
        path: PathBuf,
        /// The IO error.
        source: io::Error,
    },
    /// The data directory belongs to another user, who could read and change everything in it.
    #[error("{} belongs to another user (id {owner})", .path.display())]
    ForeignDirectory {
        /// The data directory.
        path: PathBuf,
        /// User id of its owner.
        owner: u32,
    },
    /// The run works in the project's folder.
    #[error("run {run} has no worktrees")]
    InPlace {
        /// Id of the run.
        run: RunId,
    },
    /// The work was not merged into the target branch.
    #[error("cannot merge run {run}: {reason}")]
    NotLanded {
        /// Id of the run.
        run: RunId,
        /// What prevented it.
        reason: String,
    },
    /// Not everything that is not needed was removed.
    #[error("cannot clean up run {run}: {reason}")]
    NotCleaned {
        /// Id of the run.
        run: RunId,
        /// What prevented it.
        reason: String,
    },
    /// The process of a session could not be told to end.
    #[error("cannot end session {session}: {reason}")]
    NotStopped {
        /// Id of the session.
        session: SessionId,
        /// What prevented it.
        reason: String,
    },
    /// The session does not exist.
    #[error("run {run} has no session {session}")]
    UnknownSession {
        /// Id of the run.
        run: RunId,
        /// Id of the session.
        session: SessionId,
    },
    /// The session has no process, or not the requested one.
    #[error("session {session} has no such process")]
    NoProcess {
        /// Id of the session.
        session: SessionId,
    },
    /// The session's agent has its own protocol instead of a terminal.
    #[error("session {session} has no terminal")]
    NoTerminal {
        /// Id of the session.
        session: SessionId,
    },
    /// The spool of a session could not be read at the requested position.
    #[error("cannot read the output of session {session}")]
    Spool {
        /// Id of the session.
        session: SessionId,
        /// Error of the spool.
        source: SpoolError,
    },
    /// A file to copy into worktrees is not inside the project.
    #[error("{} is outside the project", .path.display())]
    OutsideProject {
        /// Path of the file.
        path: PathBuf,
    },
    /// The run could not be loaded.
    #[error(transparent)]
    LoadFailed(Arc<HostError>),
    /// The log has fewer events than were recorded.
    #[error("the log ends at event {last} of run {run}, but event {recorded} was recorded")]
    EventsLost {
        /// Id of the run.
        run: RunId,
        /// The last event in the log.
        last: Sequence,
        /// The last event that was recorded.
        recorded: Sequence,
    },
    /// The host is shutting down.
    #[error("the server is shutting down")]
    ShuttingDown,
}

impl From<DurableRunError> for HostError {
    fn from(error: DurableRunError) -> Self {
        match error {
            DurableRunError::Rejected(rejection) => Self::Rejected(rejection),
            DurableRunError::Store { source, .. } => Self::Store(source),
        }
    }
}
