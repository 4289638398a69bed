//! Recognizes failures that are caused by a full disk, and not by the agent's work. The engine decides when the effect is
//! executed again.

use std::{error::Error, io, path::Path};

use super::run_context::RunContext;
use crate::{HostError, error_chain::error_chain};

/// An effect could not be executed because the disk is full. Nothing of it has taken effect.
#[derive(Debug)]
pub(crate) struct DiskFull {
    pub(crate) error: String,
}

/// Why a step of an effect failed.
#[derive(Debug)]
pub(super) enum JobError {
    DiskFull(DiskFull),
    Failed(String),
}

impl JobError {
    /// Classifies an error. A failed program does not report an error code: then the disks are asked for free space.
    pub(super) fn new(context: &RunContext, error: &(dyn Error + 'static)) -> Self {
        if has_disk_full_code(error) || context.has_full_disk() {
            Self::DiskFull(DiskFull { error: error_chain(error) })
        } else {
            Self::Failed(error_chain(error))
        }
    }

    /// Classifies the error of an operation on a file. `action` is a verb.
    pub(super) fn from_io(
        context: &RunContext,
        action: &'static str,
        path: &Path,
        source: io::Error,
    ) -> Self {
        Self::new(context, &HostError::Io { action, path: path.to_owned(), source })
    }

    pub(super) fn into_text(self) -> String {
        match self {
            Self::DiskFull(DiskFull { error }) | Self::Failed(error) => error,
        }
    }
}

impl RunContext {
    /// Tells whether a disk that the run writes to is full.
    pub(super) fn has_full_disk(&self) -> bool {
        let worktrees = self.host.data.join("worktrees");
        let folders: [&Path; 3] = [&self.host.data, &worktrees, &self.environment.project];
        folders.into_iter().any(repo::is_disk_full)
    }
}

/// Tells whether the operating system reported a full disk or an exceeded quota.
fn has_disk_full_code(error: &(dyn Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        let io_error = error.downcast_ref::<io::Error>();
        let kind = io_error.map(io::Error::kind);
        if matches!(kind, Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)) {
            return true;
        }
        // An error inside an IO error is not its source.
        let inner = io_error.and_then(io::Error::get_ref);
        next = inner.map(|inner| inner as &(dyn Error + 'static)).or_else(|| error.source());
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_disk_is_recognized_by_its_code_anywhere_in_the_chain() {
        let nested = |code: i32| io::Error::other(io::Error::from_raw_os_error(code));
        let (no_space, quota, no_entry) = (28, 122, 2);
        assert!(has_disk_full_code(&io::Error::from_raw_os_error(no_space)));
        assert!(has_disk_full_code(&nested(quota)));
        assert!(!has_disk_full_code(&nested(no_entry)));
        assert!(!has_disk_full_code(&io::Error::other("No space left on device")));
    }
}
