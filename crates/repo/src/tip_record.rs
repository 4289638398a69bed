//! The commit at which the branch of a run must be. Agents can move the branch; they cannot move this.

use std::{
    fs,
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

use crate::{CommitId, RepoError};

/// The commit on which the branch of a run must be.
#[derive(Debug)]
pub struct TipRecord {
    expected: Mutex<CommitId>,
    /// File with the commit that the branch moves to, written before it moves.
    next_tip_file: PathBuf,
}

impl TipRecord {
    /// `recorded` is the tip that the log of the run names, and `found` that of the branch. They differ if a server was
    /// killed before it recorded a merge: then the file has the tip of the branch.
    pub fn new(recorded: CommitId, found: &CommitId, next_tip_file: PathBuf) -> Self {
        let is_announced = fs::read_to_string(&next_tip_file).is_ok_and(|next| next == found.as_str());
        let expected = if is_announced { found.clone() } else { recorded };
        Self { expected: Mutex::new(expected), next_tip_file }
    }

    pub(crate) fn expected(&self) -> CommitId {
        self.expected.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Records that the branch is about to move.
    pub(crate) fn announce(&self, to: &CommitId) -> Result<(), RepoError> {
        let new = self.next_tip_file.with_extension("new");
        let written = fs::write(&new, to.as_str()).and_then(|()| fs::rename(&new, &self.next_tip_file));
        written.map_err(|source| RepoError::Io {
            operation: "write",
            path: self.next_tip_file.clone(),
            source,
        })
    }

    pub(crate) fn set(&self, to: &CommitId) {
        self.expected.lock().unwrap_or_else(PoisonError::into_inner).clone_from(to);
    }
}
