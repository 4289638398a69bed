//! The error of this crate.

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
        /// The cause.
        source: io::Error,
    },
    /// The name is not allowed.
    #[error("'{name}' can't be the name of a session: write letters, digits, '-', '_' and '.'")]
    BadName {
        /// The name.
        name: String,
    },
    /// The name of a new session is in use.
    #[error("there is a session '{name}' already")]
    Taken {
        /// The name.
        name: String,
    },
    /// No session has this name.
    #[error("there is no session '{name}'")]
    Unknown {
        /// The name.
        name: String,
        /// The names of all sessions.
        known: Vec<String>,
    },
    /// Several names begin with the given text.
    #[error("'{name}' begins the names of several sessions")]
    Ambiguous {
        /// The given text.
        name: String,
        /// The names.
        known: Vec<String>,
    },
    /// The session has ended.
    #[error("session '{name}' is over")]
    Over {
        /// The name.
        name: String,
    },
    /// A sandbox is required and not available.
    #[error("the required sandbox can't be had: {reason}")]
    NoSandbox {
        /// Why it is not available.
        reason: String,
    },
    /// The program to start does not exist.
    #[error("there is no program '{}'", .program.display())]
    NoProgram {
        /// The program.
        program: PathBuf,
    },
    /// The session's holder refuses or does not answer.
    #[error("session '{name}'")]
    Holder {
        /// The session's name.
        name: String,
        /// The cause.
        source: ClientError,
    },
    /// The session's output cannot be read.
    #[error("the output of session '{name}'")]
    Spool {
        /// The session's name.
        name: String,
        /// The cause.
        source: SpoolError,
    },
    /// Another process sends the session its inputs.
    #[error("another process speaks with session '{name}'")]
    InUse {
        /// The session's name.
        name: String,
    },
    /// The driver refuses an input.
    #[error("send the agent an input")]
    Refused(#[from] SendError),
    /// The queue of inputs is full.
    #[error("{INPUTS_MAX} inputs wait for the agent already")]
    QueueFull,
}

impl SessionError {
    /// Returns what turns an error of the holder's client into one of the session in a folder.
    pub(crate) fn holder(directory: &Path) -> impl Fn(ClientError) -> Self {
        move |source| Self::Holder { name: session_name(directory), source }
    }

    /// Returns what turns an error of the spool into one of the session in a folder.
    pub(crate) fn spool(directory: &Path) -> impl Fn(SpoolError) -> Self {
        move |source| Self::Spool { name: session_name(directory), source }
    }

    /// Returns what turns an IO error into one about a file or folder.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }
}

/// Returns the name of the session that a folder belongs to.
pub(crate) fn session_name(directory: &Path) -> String {
    directory.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
