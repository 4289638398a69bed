//! Files above the size limit in the worktree of a task, and what the user decided about them.

use std::collections::BTreeMap;

use domain::{LargeFile, LargeFileDecision};

/// The large files of a task. A decision is about a file of this size: when it grows, the user is asked again.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct LargeFiles {
    /// Files that the last checkpoint left out.
    pub(crate) left_out: Vec<LargeFile>,
    decisions: BTreeMap<LargeFile, LargeFileDecision>,
}

impl LargeFiles {
    /// Returns the files that the user has to decide about before the work is merged.
    pub(crate) fn undecided(&self) -> Vec<LargeFile> {
        self.left_out.iter().filter(|file| !self.decisions.contains_key(file)).cloned().collect()
    }

    /// Returns the files that are committed with the work.
    pub(crate) fn committed(&self) -> Vec<LargeFile> {
        let of_work = self.decisions.iter().filter(|(_, decision)| **decision == LargeFileDecision::Commit);
        of_work.map(|(file, _)| file.clone()).collect()
    }

    pub(crate) fn decide(&mut self, files: &[LargeFile], decision: LargeFileDecision) {
        self.decisions.extend(files.iter().map(|file| (file.clone(), decision)));
    }
}
