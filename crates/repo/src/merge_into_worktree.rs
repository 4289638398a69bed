//! Prepares a conflict for an agent: merges the run's branch into the task's worktree, with conflict markers.

use crate::{
    GitIdentity, RepoError, RunRepository, TaskWorktree, confined_folder::ConfinedFolder, git::nul_list,
    worktree_tree::write_worktree_tree,
};

/// First line of a conflict marker.
const CONFLICT_MARKER: &[u8] = b"<<<<<<< ";

impl RunRepository {
    /// Merges the run's tip into a task's worktree; conflicts are marked in the files.
    ///
    /// Uncommitted work must have been committed before. A merge in progress is left as it is.
    pub fn merge_run_into_worktree(&self, worktree: &TaskWorktree) -> Result<(), RepoError> {
        if worktree.slot.git_dir.join("MERGE_HEAD").exists() {
            return Ok(());
        }
        let tip = self.run_tip()?;
        // Git refuses to overwrite changes that are not committed.
        self.discard_leftovers(worktree, &tip)?;
        let options = ["merge", "--quiet", "--no-commit", "--no-ff", "--no-stat", "--no-rerere-autoupdate"];
        // Git requires a committer even if it does not commit.
        let committer = GitIdentity::jangdan();
        let call = worktree.slot.git.call(options).arg(tip.as_str());
        let call = call.env("GIT_COMMITTER_NAME", committer.name).env("GIT_COMMITTER_EMAIL", committer.email);
        // Status 1 means conflicts, which are expected here.
        call.run_accepting_codes(&[1])?;
        self.update_submodules(worktree)
    }

    /// Marks conflicted files as resolved if none of them contains a conflict marker.
    ///
    /// An agent that removed the markers has resolved the conflict, even if it did not run `git add`.
    pub fn mark_resolved_if_no_markers(&self, worktree: &TaskWorktree) -> Result<(), RepoError> {
        let tree = write_worktree_tree(&worktree.slot, &[])?;
        let folder = ConfinedFolder::open(&worktree.path).map_err(|_| worktree.slot.replaced_error())?;
        let is_marked = |file: &&std::path::PathBuf| {
            // A deleted file has no markers; git reports an unreadable one below.
            let bytes = folder.read(file).unwrap_or_default();
            bytes.split(|byte| *byte == b'\n').any(|line| line.starts_with(CONFLICT_MARKER))
        };
        if tree.unmerged.is_empty() || tree.unmerged.iter().any(|file| is_marked(&file)) {
            return Ok(());
        }
        let add = ["update-index", "-z", "--add", "--remove", "--replace", "--stdin"];
        worktree.slot.git.call(add).input(nul_list(&tree.unmerged)).run().map(drop)
    }
}
