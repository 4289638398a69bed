//! What a task has changed, as people read it.

use std::path::{Path, PathBuf};

use domain::{RunId, TaskId};

use crate::{CommitId, RepoError, RunRepository, contents::contents, repository::commit_of};

impl RunRepository {
    /// Returns what a task changed since it left the run's branch, committed or not; of a task without a worktree, what
    /// its branch has.
    pub fn task_diff(&self, task: &TaskId) -> Result<String, RepoError> {
        let branch = self.task_branch(task);
        let tip =
            self.tip_of(&branch)?.ok_or_else(|| RepoError::BranchNotFound { branch: branch.clone() })?;
        let end = match self.open_worktree(task) {
            Some(worktree) => contents(&worktree.slot, &[])?.tree,
            None => tip.to_string(),
        };
        let git = &self.repository.git;
        let base = match self.merge_base(&tip)? {
            // All of it is merged: what it brought is what its merge changed.
            Some(base) if base == tip => self.before_merge(&tip)?.unwrap_or(base),
            Some(base) => base,
            None => return Ok(String::new()),
        };
        let options = ["diff", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames"];
        let answer = git.call(options).arg(base.as_str()).arg(end).arg("--").run()?;
        Ok(String::from_utf8_lossy(&answer.output).into_owned())
    }

    /// Returns the tree of a commit, for receipts.
    pub fn tree_of(&self, commit: &CommitId) -> Result<String, RepoError> {
        let tree = format!("{commit}^{{tree}}");
        Ok(self.repository.git.call(["rev-parse", "--verify", &tree]).run()?.line())
    }

    /// Returns the files of a commit that a pattern of the plan names: `docs/**`, `src/*.rs`, a folder, a file.
    pub fn files_matching(&self, commit: &CommitId, pattern: &str) -> Result<Vec<PathBuf>, RepoError> {
        let git = &self.repository.git;
        // An empty index beside the user's: patterns are matched against a tree, and nothing else knows how.
        let index = tempfile_in(&self.worktrees_folder, &self.run_id)?;
        let read = git.call(["read-tree", commit.as_str()]).with("GIT_INDEX_FILE", index.as_os_str());
        let listed = read.run().and_then(|_| {
            let call = git.call(["ls-files", "-z", "--", &format!(":(glob){pattern}")]);
            // Everywhere else a path is a path; this one is a pattern.
            call.with("GIT_INDEX_FILE", index.as_os_str()).with("GIT_LITERAL_PATHSPECS", "0").run()
        });
        let _ = std::fs::remove_file(&index);
        Ok(listed?.paths().collect())
    }

    fn merge_base(&self, tip: &CommitId) -> Result<Option<CommitId>, RepoError> {
        let onto = self.run_tip()?;
        let answer = self.repository.git.call(["merge-base", tip.as_str(), onto.as_str()]).run_or(&[1])?;
        Ok(CommitId::parse(&answer.line()))
    }

    /// Returns where a merged task left the run's branch: the merge base of its merge's two parents.
    fn before_merge(&self, tip: &CommitId) -> Result<Option<CommitId>, RepoError> {
        let Some(merge) = self.merge_of(tip, &self.run_tip()?)? else { return Ok(None) };
        let git = &self.repository.git;
        let Some(first) = commit_of(git, &format!("{merge}^1"))? else { return Ok(None) };
        let answer = git.call(["merge-base", tip.as_str(), first.as_str()]).run_or(&[1])?;
        Ok(CommitId::parse(&answer.line()))
    }
}

/// Names a file for an index that nobody else uses.
fn tempfile_in(folder: &Path, run: &RunId) -> Result<PathBuf, RepoError> {
    let path = folder.join(format!("{run}-index"));
    match std::fs::remove_file(&path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(RepoError::Io { operation: "remove", path, source })
        }
        _ => Ok(path),
    }
}
