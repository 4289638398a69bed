//! Recognizes failures that are not caused by the agent's work: a full disk, a ref that another program moved. The engine
//! decides when the effect is executed again.

use std::{error::Error, io, path::Path};

use domain::{EffectId, MovedRef, Report};
use repo::RepoError;

use super::run_context::RunContext;
use crate::{HostError, error_chain::error_chain};

/// Why an effect could not be executed. Nothing of it has taken effect.
#[derive(Debug)]
pub(crate) enum EffectObstacle {
    DiskFull { error: String },
    RefMoved(MovedRef),
}

impl EffectObstacle {
    pub(super) fn into_report(self, effect: EffectId) -> Report {
        match self {
            Self::DiskFull { error } => Report::DiskFull { effect, error },
            Self::RefMoved(moved) => Report::RefMoved { effect: Some(effect), moved },
        }
    }

    pub(super) fn into_text(self) -> String {
        match self {
            Self::DiskFull { error } => error,
            Self::RefMoved(moved) => moved.to_string(),
        }
    }
}

/// Why a step of an effect failed.
#[derive(Debug)]
pub(super) enum JobError {
    Obstacle(EffectObstacle),
    Failed(String),
}

impl JobError {
    /// Classifies an error. A failed program does not report an error code: then the disks are asked for free space.
    pub(super) fn new(context: &RunContext, error: &(dyn Error + 'static)) -> Self {
        if let Some(moved) = moved_ref(error) {
            Self::Obstacle(EffectObstacle::RefMoved(moved))
        } else if has_disk_full_code(error) || context.has_full_disk() {
            Self::Obstacle(EffectObstacle::DiskFull { error: error_chain(error) })
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
            Self::Obstacle(obstacle) => obstacle.into_text(),
            Self::Failed(error) => error,
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

/// Returns the ref that another program moved, if that is the error.
pub(super) fn moved_ref(error: &(dyn Error + 'static)) -> Option<MovedRef> {
    let Some(RepoError::RefMoved { name, found, recorded }) = error.downcast_ref() else { return None };
    Some(MovedRef { name: name.clone(), found: found.clone(), recorded: recorded.clone() })
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
