//! What tasks, phases and merges of a run changed.

use std::path::PathBuf;

use domain::{ChangeSummary, TaskId};
use engine::MergedCommits;
use repo::{CommitId, RepoError, TaskMerge};

use super::RunGit;

impl RunGit {
    /// Returns the files that a commit of the run's branch changed.
    pub(crate) fn files_of_merge(&self, commit: &str) -> Result<Vec<PathBuf>, RepoError> {
        let _lock = self.lock();
        CommitId::parse(commit).map_or(Ok(Vec::new()), |commit| self.run.files_of_merge(&commit))
    }

    /// Returns the commits of the run's branch that changed one of the files and that a task does not have yet.
    pub(crate) fn merges_beside_task(
        &self,
        task: &TaskId,
        files: &[String],
    ) -> Result<Vec<CommitId>, RepoError> {
        let _lock = self.lock();
        self.run.merges_beside_task(task, files)
    }

    /// Returns the command that shows what a task changed, for its worktree.
    pub(crate) fn task_diff_command(&self) -> String {
        format!("git diff --merge-base {}", self.run.run_branch())
    }

    /// Returns the command that shows what the run changed, for a worktree of its branch.
    pub(crate) fn run_log_command(&self) -> String {
        format!("git log --first-parent --stat {}..HEAD", self.base)
    }

    /// Returns the changes of a task since it branched off the run's branch.
    pub(crate) fn task_diff(&self, task: &TaskId) -> Result<String, RepoError> {
        let _lock = self.lock();
        self.run.task_diff(task)
    }

    /// Summarizes the files that merges changed; those since a commit if one is given.
    pub(crate) fn summarize_merges(
        &self,
        merges: &[MergedCommits],
        since: Option<&str>,
    ) -> Result<ChangeSummary, RepoError> {
        let _lock = self.lock();
        let since = since.map(|commit| self.run.repository.resolve_commit(commit)).transpose()?;
        self.run.summarize_merges(&task_merges(merges), since.as_ref())
    }

    /// Returns the diff of merges; the part since a commit if one is given.
    pub(crate) fn diff_merges(
        &self,
        merges: &[MergedCommits],
        since: Option<&str>,
    ) -> Result<String, RepoError> {
        let _lock = self.lock();
        let since = since.map(|commit| self.run.repository.resolve_commit(commit)).transpose()?;
        self.run.diff_merges(&task_merges(merges), since.as_ref())
    }
}

/// Returns the merges whose commits are known.
fn task_merges(merges: &[MergedCommits]) -> Vec<TaskMerge> {
    let parse = |merge: &MergedCommits| {
        Some(TaskMerge { onto: CommitId::parse(&merge.onto)?, commit: CommitId::parse(&merge.commit)? })
    };
    merges.iter().filter_map(parse).collect()
}
