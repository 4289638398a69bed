//! What an agent needs to solve a conflict: the run's branch in its worktree, with the places marked.

use std::fs;

use crate::{GitIdentity, RepoError, RunRepository, TaskWorktree, contents::contents};

/// Begins the first line of a place that does not go together.
const MARKER: &[u8] = b"<<<<<<< ";

impl RunRepository {
    /// Merges the run's tip into a task's worktree as far as it goes. What does not go together is marked in the files.
    ///
    /// What the agent left uncommitted must be committed before. A merge that is under way stays as it is.
    pub fn merge_run_into_worktree(&self, worktree: &TaskWorktree) -> Result<(), RepoError> {
        if worktree.slot.git_dir.join("MERGE_HEAD").exists() {
            return Ok(());
        }
        let tip = self.run_tip()?;
        let options = ["merge", "--quiet", "--no-commit", "--no-ff", "--no-stat", "--no-rerere-autoupdate"];
        // Git wants to know who merges, also where it commits nothing.
        let us = GitIdentity::jangdan();
        let call = worktree.slot.git.call(options).arg(tip.as_str());
        let call = call.with("GIT_COMMITTER_NAME", us.name).with("GIT_COMMITTER_EMAIL", us.email);
        // 1 says that something does not go together, which is why we are here.
        call.run_or(&[1])?;
        self.follow_submodules(worktree)
    }

    /// Takes files as solved that git still counts as in conflict, where no mark is left in any of them.
    ///
    /// An agent that edits the marks away has solved it, whether or not it told git.
    pub fn mark_conflicts_resolved(&self, worktree: &TaskWorktree) -> Result<(), RepoError> {
        let taken = contents(&worktree.slot, &[])?;
        let is_marked = |file: &&std::path::PathBuf| {
            let bytes = fs::read(worktree.path.join(file)).unwrap_or_default();
            bytes.split(|byte| *byte == b'\n').any(|line| line.starts_with(MARKER))
        };
        if taken.unmerged.is_empty() || taken.unmerged.iter().any(|file| is_marked(&file)) {
            return Ok(());
        }
        let mut call = worktree.slot.git.call(["add", "--all", "--"]);
        for file in &taken.unmerged {
            call = call.arg(file);
        }
        call.run().map(drop)
    }
}
