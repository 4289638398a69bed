//! The error type of this crate.

use std::{
    io,
    path::{Path, PathBuf},
};

use drivers::SendError;
use holder::{ClientError, spool::SpoolError};

use crate::input_queue::INPUTS_MAX;

/// Why a session cannot be started, found or used.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// A file or folder could not be used.
    #[error("{action} {}", .path.display())]
    Io {
        /// The operation that failed.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        source: io::Error,
    },
    #[error("invalid session name '{name}': use letters, digits, '-', '_' and '.'")]
    BadName { name: String },
    /// The name of a new session is in use.
    #[error("session '{name}' already exists")]
    NameInUse { name: String },
    /// No session has this name.
    #[error("no session '{name}'")]
    Unknown {
        name: String,
        /// The names of all sessions.
        known: Vec<String>,
    },
    /// Several names begin with the given text.
    #[error("several sessions have names that begin with '{name}'")]
    Ambiguous {
        /// The given text.
        name: String,
        known: Vec<String>,
    },
    /// The session has ended or its holder was killed.
    #[error("session '{name}' is not running")]
    NotRunning { name: String },
    /// A sandbox is required and not available.
    #[error("the required sandbox is not available: {reason}")]
    NoSandbox {
        /// Why it is not available.
        reason: String,
    },
    /// The program to start does not exist.
    #[error("program not found: {}", .program.display())]
    NoProgram { program: PathBuf },
    /// The session's holder refuses or does not answer.
    #[error("session '{name}'")]
    Holder { name: String, source: ClientError },
    /// The session's output cannot be read.
    #[error("cannot read the output of session '{name}'")]
    Spool { name: String, source: SpoolError },
    /// Another process sends the session its inputs.
    #[error("another process sends inputs to session '{name}'")]
    InUse { name: String },
    /// The driver refuses an input.
    #[error("cannot send the input")]
    Refused(#[from] SendError),
    /// The queue of inputs is full.
    #[error("{INPUTS_MAX} inputs are already waiting for the agent")]
    QueueFull,
}

impl SessionError {
    /// Returns a function that adds the session's name to an error of the holder's client.
    pub(crate) fn holder_error_mapper(directory: &Path) -> impl Fn(ClientError) -> Self {
        move |source| Self::Holder { name: session_name_from_directory(directory), source }
    }

    /// Returns a function that adds the session's name to an error of the spool.
    pub(crate) fn spool_error_mapper(directory: &Path) -> impl Fn(SpoolError) -> Self {
        move |source| Self::Spool { name: session_name_from_directory(directory), source }
    }

    /// Returns a function that adds the operation and the path to an IO error.
    pub(crate) fn io_error_mapper(action: &'static str, path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }
}

/// Returns the name of the session that a folder belongs to.
pub(crate) fn session_name_from_directory(directory: &Path) -> String {
    directory.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
