//! What the merges of a run changed: for the handoff to later tasks, and for the authors of a conflict.

use std::path::PathBuf;

use domain::TaskId;

use crate::{CommitId, RepoError, RunRepository};

impl RunRepository {
    /// Returns the files that a commit of the run's branch changed.
    pub fn files_of_merge(&self, commit: &CommitId) -> Result<Vec<PathBuf>, RepoError> {
        let options = ["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"];
        let call = self.repository.git.call(options).arg(format!("{commit}^1")).arg(commit.as_str());
        Ok(call.arg("--").run()?.paths().collect())
    }

    /// Returns the commits of the run's branch that changed one of the files and that a task does not have yet, the
    /// newest first.
    pub fn merges_beside_task(&self, task: &TaskId, files: &[String]) -> Result<Vec<CommitId>, RepoError> {
        let branch = self.task_branch(task);
        let tip =
            self.branch_tip(&branch)?.ok_or_else(|| RepoError::BranchNotFound { branch: branch.clone() })?;
        let call = self.repository.git.call(["rev-list", "--first-parent"]);
        let call = call.arg(self.run_tip()?.as_str()).arg(format!("^{tip}")).arg("--");
        let commits = call.run()?.trimmed_text();
        let mut found = Vec::new();
        for commit in commits.lines().filter_map(CommitId::parse) {
            let changed = self.files_of_merge(&commit)?;
            if changed.iter().any(|path| files.iter().any(|file| path.as_os_str() == file.as_str())) {
                found.push(commit);
            }
        }
        Ok(found)
    }
}
