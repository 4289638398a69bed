//! Brings a worktree back to a checkpoint, after keeping what is there now.

use std::path::PathBuf;

use crate::{
    CommitId, RepoError, RunRepository, TaskWorktree, WorktreeSnapshot, names::branch_ref,
    repository::commit_of,
};

impl RunRepository {
    /// Makes a worktree what it was at a commit, and returns what was kept of what it is now.
    ///
    /// Back at a keep-ref, what was uncommitted then is uncommitted again, on the commit that was checked out; at another
    /// commit everything is committed. Files that git ignores, and untracked files left out by name, stay as they are.
    /// Nobody may write there meanwhile.
    pub fn restore_worktree(
        &self,
        worktree: &TaskWorktree,
        to: &CommitId,
        leave_out: &[PathBuf],
    ) -> Result<WorktreeSnapshot, RepoError> {
        let git = &worktree.slot.git;
        if commit_of(git, to.as_str())?.is_none() {
            return Err(RepoError::CommitNotFound { path: worktree.path.clone(), revision: to.to_string() });
        }
        let head = self.head_of(worktree, to)?;
        let now = self.snapshot_worktree(worktree, "before going back", leave_out)?;
        self.keep_strays(&worktree.slot)?;
        self.keep_tip(worktree, &head)?;
        end_operations(worktree)?;
        // First the index knows all that is there, then git removes what the other tree has not.
        git.call(["read-tree", "--reset", now.commit.as_str()]).run()?;
        git.call(["read-tree", "--reset", "-u", to.as_str()]).run()?;
        self.follow_submodules(worktree)?;
        git.call(["symbolic-ref", "-m", "jangdan: go back", "HEAD", &branch_ref(&worktree.branch)]).run()?;
        git.call(["reset", "--quiet", "--mixed", head.as_str()]).run()?;
        Ok(now)
    }

    /// Keeps the tip of a branch that is about to move, where nothing else has it.
    fn keep_tip(&self, worktree: &TaskWorktree, head: &CommitId) -> Result<(), RepoError> {
        let Some(tip) = self.tip_of(&worktree.branch)? else { return Ok(()) };
        if self.is_ancestor(&tip, head)? {
            return Ok(());
        }
        let containing = ["for-each-ref", "--count=1", "--contains", tip.as_str(), "refs/jangdan/keep/"];
        if self.repository.git.call(containing).run()?.output.is_empty() {
            self.keep_commit(&worktree.slot.name, &tip, &self.keep_refs(&worktree.slot.name)?)?;
        }
        Ok(())
    }

    /// Returns where the branch was at a commit: a keep-ref stands on it.
    fn head_of(&self, worktree: &TaskWorktree, to: &CommitId) -> Result<CommitId, RepoError> {
        let kept = self.keep_refs(&worktree.slot.name)?.into_iter().find(|keep| keep.commit == *to);
        // A stray that was kept as it is has no message of ours.
        let subject =
            worktree.slot.git.call(["show", "--no-patch", "--format=%s", to.as_str()]).run()?.line();
        let parent =
            kept.filter(|_| subject.starts_with("keep: ")).and_then(|keep| CommitId::parse(&keep.parents));
        Ok(parent.unwrap_or_else(|| to.clone()))
    }
}

/// Forgets a rebase that was under way; what it had made is kept already. `reset` forgets the others.
fn end_operations(worktree: &TaskWorktree) -> Result<(), RepoError> {
    for (folder, command) in [("rebase-merge", "rebase"), ("rebase-apply", "am")] {
        if worktree.slot.git_dir.join(folder).exists() {
            worktree.slot.git.call([command, "--quit"]).run()?;
        }
    }
    Ok(())
}
