//! Commits what an agent left uncommitted to the task's branch.

use std::path::PathBuf;

use crate::{
    CommitId, GitIdentity, RepoError, RunRepository, TaskWorktree,
    confined_folder::read_regular_file,
    names::branch_ref,
    worktree_tree::{WorktreeTree, write_worktree_tree},
};

/// How uncommitted work is committed.
#[derive(Debug, Clone)]
pub struct CommitOptions {
    /// Author of the commit.
    pub author: GitIdentity,
    /// Full commit message.
    pub message: String,
    /// Paths in the worktree that are not committed.
    pub excluded: Vec<PathBuf>,
}

impl RunRepository {
    /// Commits uncommitted work and returns the tip of the task's branch; creates no commit if there is nothing to
    /// commit.
    ///
    /// The agent's own commits stay as they are. If the agent switched to another branch that descends from the
    /// task's branch, the task's branch is moved there.
    pub fn commit_work(
        &self,
        worktree: &TaskWorktree,
        options: &CommitOptions,
    ) -> Result<CommitId, RepoError> {
        self.commit_submodules(&worktree.slot, options)?;
        let tree = write_worktree_tree(&worktree.slot, &options.excluded)?;
        if !tree.unmerged.is_empty() {
            return Err(RepoError::UnresolvedConflicts { path: worktree.path.clone(), files: tree.unmerged });
        }
        let tip = self.branch_tip(&worktree.branch)?;
        let tip = tip.ok_or_else(|| RepoError::BranchNotFound { branch: worktree.branch.clone() })?;
        let head = self.checked_out_commit(worktree, &tree, &tip)?;
        let commit = self.commit_if_changed(worktree, options, &tree, &head)?;
        let branch = branch_ref(&worktree.branch);
        let git = &worktree.slot.git;
        let is_on_branch =
            git.call(["symbolic-ref", "--quiet", "HEAD"]).run_accepting_codes(&[1])?.trimmed_text() == branch;
        // First move the branch to the agent's commit, then to the new one: after a crash, either step can be
        // repeated.
        if !is_on_branch {
            self.move_branch(&worktree.branch, &tip, &head, "adopt the agent's branch")?;
            git.call(["symbolic-ref", "-m", "jangdan: return to the task's branch", "HEAD", &branch])
                .run()?;
        }
        if commit != head {
            self.move_branch(&worktree.branch, &head, &commit, "commit uncommitted work")?;
        }
        // Needed even without a new commit: after a crash before this line the index would revert the commit.
        git.call(["reset", "--quiet", "--mixed"]).run()?;
        Ok(commit)
    }

    /// Returns the checked-out commit if the task's branch can be fast-forwarded to it.
    fn checked_out_commit(
        &self,
        worktree: &TaskWorktree,
        tree: &WorktreeTree,
        tip: &CommitId,
    ) -> Result<CommitId, RepoError> {
        let diverged = |head: &str| RepoError::HeadDiverged {
            path: worktree.path.clone(),
            branch: worktree.branch.clone(),
            head: head.to_owned(),
        };
        let head = tree.head.clone().ok_or_else(|| diverged("a branch without a commit"))?;
        if self.is_ancestor(tip, &head)? { Ok(head) } else { Err(diverged(head.as_str())) }
    }

    fn commit_if_changed(
        &self,
        worktree: &TaskWorktree,
        options: &CommitOptions,
        tree: &WorktreeTree,
        head: &CommitId,
    ) -> Result<CommitId, RepoError> {
        // A merge that the agent resolved but did not commit keeps its second parent.
        let path = worktree.slot.git_dir.join("MERGE_HEAD");
        let merge_heads = read_regular_file(&path);
        let merge_heads = merge_heads.map_err(|source| RepoError::Io { operation: "read", path, source })?;
        let merge_heads = merge_heads.unwrap_or_default();
        let merge_heads = String::from_utf8_lossy(&merge_heads);
        let mut parents = vec![head.clone()];
        parents.extend(merge_heads.lines().filter_map(CommitId::parse));
        let tree_of_head = format!("{head}^{{tree}}");
        let before = worktree.slot.git.call(["rev-parse", "--verify", &tree_of_head]).run()?.trimmed_text();
        if before == tree.tree && parents.len() == 1 {
            return Ok(head.clone());
        }
        self.commit_tree(&tree.tree, &parents, &options.author, &options.message)
    }
}
