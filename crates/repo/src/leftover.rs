//! Temporary files of git operations.

use std::{error::Error, fs, io, path::Path};

use tracing::warn;

/// Removes a temporary file that may not exist. A leftover is small and unused, so a failure is only logged.
pub(crate) fn remove_temporary_file(path: &Path) {
    log_leftover(path, fs::remove_file(path));
}

/// Logs that a temporary file or folder could not be removed.
pub(crate) fn log_leftover(path: &Path, removed: io::Result<()>) {
    if let Err(error) = removed
        && error.kind() != io::ErrorKind::NotFound
    {
        warn!(path = %path.display(), error = &error as &dyn Error, "cannot remove a temporary file");
    }
}
