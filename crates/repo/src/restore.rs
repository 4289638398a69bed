//! Restores a worktree to a checkpoint, after taking a snapshot of its current state.

use std::path::PathBuf;

use crate::{
    CommitId, RepoError, RunRepository, TaskWorktree, WorktreeSnapshot, names::branch_ref,
    repository::find_commit,
};

impl RunRepository {
    /// Restores a worktree to a commit, and returns the snapshot of the state before.
    ///
    /// If the commit is a snapshot, changes that were uncommitted then are uncommitted again. Ignored files and
    /// excluded untracked files are left as they are,
    /// and so are files above the size limit unless the commit has them. No other process may write to the worktree meanwhile.
    pub fn restore_worktree(
        &self,
        worktree: &TaskWorktree,
        to: &CommitId,
        excluded: &[PathBuf],
    ) -> Result<WorktreeSnapshot, RepoError> {
        let git = &worktree.slot.git;
        if find_commit(git, to.as_str())?.is_none() {
            return Err(RepoError::CommitNotFound { path: worktree.path.clone(), revision: to.to_string() });
        }
        let head = self.branch_commit_of_snapshot(worktree, to)?;
        let before = self.snapshot_worktree(worktree, "before restore", excluded)?;
        if !before.large_files.is_empty() {
            // They stay where they are unless the commit has a file there.
            self.snapshot_with_large_files(&worktree.slot, "before restore", excluded)?;
        }
        self.preserve_unreachable_commits(&worktree.slot)?;
        self.preserve_branch_tip(worktree, &head)?;
        quit_rebase(worktree)?;
        // Add everything to the index first, so that git removes files that the target tree lacks.
        git.call(["read-tree", "--reset", before.commit.as_str()]).run()?;
        git.call(["read-tree", "--reset", "-u", to.as_str()]).run()?;
        self.update_submodules(worktree)?;
        git.call(["symbolic-ref", "-m", "jangdan: restore", "HEAD", &branch_ref(&worktree.branch)]).run()?;
        git.call(["reset", "--quiet", "--mixed", head.as_str()]).run()?;
        Ok(before)
    }

    /// Preserves the tip of a branch that is about to move, unless a snapshot contains it.
    fn preserve_branch_tip(&self, worktree: &TaskWorktree, head: &CommitId) -> Result<(), RepoError> {
        let Some(tip) = self.branch_tip(&worktree.branch)? else { return Ok(()) };
        if self.is_ancestor(&tip, head)? {
            return Ok(());
        }
        let containing = ["for-each-ref", "--count=1", "--contains", tip.as_str(), "refs/jangdan/keep/"];
        if self.repository.git.call(containing).run()?.output.is_empty() {
            self.preserve_commit(&worktree.slot.name, &tip, &self.snapshot_refs(&worktree.slot.name)?)?;
        }
        Ok(())
    }

    /// Returns the commit of the branch at a snapshot, or the commit itself if it is not a snapshot.
    fn branch_commit_of_snapshot(
        &self,
        worktree: &TaskWorktree,
        to: &CommitId,
    ) -> Result<CommitId, RepoError> {
        let snapshot_ref = self
            .snapshot_refs(&worktree.slot.name)?
            .into_iter()
            .find(|snapshot_ref| snapshot_ref.commit == *to);
        // A preserved commit of the agent is not a snapshot; its message does not start with our prefix.
        let subject =
            worktree.slot.git.call(["show", "--no-patch", "--format=%s", to.as_str()]).run()?.trimmed_text();
        let parent = snapshot_ref
            .filter(|_| subject.starts_with("keep: "))
            .and_then(|snapshot_ref| CommitId::parse(&snapshot_ref.parents));
        Ok(parent.unwrap_or_else(|| to.clone()))
    }
}

/// Quits a rebase in progress, whose commits are already preserved. `reset` ends all other operations.
fn quit_rebase(worktree: &TaskWorktree) -> Result<(), RepoError> {
    for (folder, command) in [("rebase-merge", "rebase"), ("rebase-apply", "am")] {
        if worktree.slot.git_dir.join(folder).exists() {
            worktree.slot.git.call([command, "--quit"]).run()?;
        }
    }
    Ok(())
}
