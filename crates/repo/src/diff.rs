//! Diffs, trees and file lists of a task's work.

use std::path::{Path, PathBuf};

use domain::{RunId, TaskId};

use crate::{
    CommitId, RepoError, RunRepository, leftover::remove_temporary_file, repository::find_commit,
    worktree_tree::write_worktree_tree,
};

/// What a path of a commit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    File,
    /// A link, a folder or a submodule.
    Other,
}

impl RunRepository {
    /// Returns what a task changed since it branched off, including uncommitted work; without a worktree, the diff of
    /// its branch.
    pub fn task_diff(&self, task: &TaskId) -> Result<String, RepoError> {
        let branch = self.task_branch(task);
        let tip =
            self.branch_tip(&branch)?.ok_or_else(|| RepoError::BranchNotFound { branch: branch.clone() })?;
        let end = match self.open_worktree(task) {
            Some(worktree) => write_worktree_tree(&worktree.slot, &[])?.tree,
            None => tip.to_string(),
        };
        let git = &self.repository.git;
        let base = match self.merge_base_with_run(&tip)? {
            // Fully merged: diff against the base of its merge.
            Some(base) if base == tip => self.base_of_merged_task(&tip)?.unwrap_or(base),
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
        Ok(self.repository.git.call(["rev-parse", "--verify", &tree]).run()?.trimmed_text())
    }

    /// Returns the files of a commit that match a pattern of the plan: `docs/**`, `src/*.rs`, a folder, a file.
    pub fn files_matching(&self, commit: &CommitId, pattern: &str) -> Result<Vec<PathBuf>, RepoError> {
        let git = &self.repository.git;
        // Only the index can be matched against pathspecs, so the commit is read into a separate one.
        let index = fresh_index_path(&self.worktrees_folder, &self.run_id)?;
        let read = git.call(["read-tree", commit.as_str()]).env("GIT_INDEX_FILE", index.as_os_str());
        let listed = read.run().and_then(|_| {
            let call = git.call(["ls-files", "-z", "--", &format!(":(glob){pattern}")]);
            // Pathspecs are literal by default; this one is a pattern.
            call.env("GIT_INDEX_FILE", index.as_os_str()).env("GIT_LITERAL_PATHSPECS", "0").run()
        });
        remove_temporary_file(&index);
        Ok(listed?.paths().collect())
    }

    /// Returns what a path of a commit is, `None` if the commit does not have it.
    pub fn entry_kind(&self, commit: &CommitId, path: &Path) -> Result<Option<EntryKind>, RepoError> {
        let call = self.repository.git.call(["ls-tree", "-z", "--full-tree", commit.as_str(), "--"]);
        let listed = call.arg(path).run()?;
        // Each entry is `100644 blob ID\tPATH`; links have mode 120000.
        let first = listed.output.split(|byte| *byte == 0).find(|entry| !entry.is_empty());
        let is_file = |entry: &[u8]| entry.starts_with(b"100644 ") || entry.starts_with(b"100755 ");
        Ok(first.map(|entry| if is_file(entry) { EntryKind::File } else { EntryKind::Other }))
    }

    fn merge_base_with_run(&self, tip: &CommitId) -> Result<Option<CommitId>, RepoError> {
        let onto = self.run_tip()?;
        let answer = self
            .repository
            .git
            .call(["merge-base", tip.as_str(), onto.as_str()])
            .run_accepting_codes(&[1])?;
        Ok(CommitId::parse(&answer.trimmed_text()))
    }

    /// Returns the commit at which a merged task branched off: the merge base of its merge's parents.
    fn base_of_merged_task(&self, tip: &CommitId) -> Result<Option<CommitId>, RepoError> {
        let Some(merge) = self.find_merge_of(tip, &self.run_tip()?)? else { return Ok(None) };
        let git = &self.repository.git;
        let Some(first) = find_commit(git, &format!("{merge}^1"))? else { return Ok(None) };
        let answer = git.call(["merge-base", tip.as_str(), first.as_str()]).run_accepting_codes(&[1])?;
        Ok(CommitId::parse(&answer.trimmed_text()))
    }
}

/// Returns the path for a temporary index, after removing a leftover one.
fn fresh_index_path(folder: &Path, run: &RunId) -> Result<PathBuf, RepoError> {
    let path = folder.join(format!("{run}-index"));
    match std::fs::remove_file(&path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(RepoError::Io { operation: "remove", path, source })
        }
        _ => Ok(path),
    }
}
