//! What an agent left uncommitted becomes a commit of its own on the task's branch.

use std::{fs, path::PathBuf};

use crate::{
    CommitId, GitIdentity, RepoError, RunRepository, TaskWorktree,
    contents::{Contents, contents},
    names::branch_ref,
};

/// How uncommitted work is committed.
#[derive(Debug, Clone)]
pub struct CommitOptions {
    /// Who wrote it.
    pub author: GitIdentity,
    /// What is said about it.
    pub message: String,
    /// Files to leave out, by their path in the worktree.
    pub excluded: Vec<PathBuf>,
}

impl RunRepository {
    /// Commits what is uncommitted, and returns the tip of the task's branch. Nothing uncommitted makes no commit.
    ///
    /// What the agent committed itself stays as it is. A branch of its own that follows from the task's is taken in.
    pub fn commit_work(&self, worktree: &TaskWorktree, work: &CommitOptions) -> Result<CommitId, RepoError> {
        self.commit_submodules(worktree, work)?;
        let taken = contents(&worktree.slot, &work.excluded)?;
        if !taken.unmerged.is_empty() {
            return Err(RepoError::UnresolvedConflicts {
                path: worktree.path.clone(),
                files: taken.unmerged,
            });
        }
        let tip = self.tip_of(&worktree.branch)?;
        let tip = tip.ok_or_else(|| RepoError::BranchNotFound { branch: worktree.branch.clone() })?;
        let head = self.head_on_branch(worktree, &taken, &tip)?;
        let commit = self.committed(worktree, work, &taken, &head)?;
        let branch = branch_ref(&worktree.branch);
        let git = &worktree.slot.git;
        let is_on_branch = git.call(["symbolic-ref", "--quiet", "HEAD"]).run_or(&[1])?.line() == branch;
        // First the branch is where the agent is, then it goes on from there: each step can be the last one and done again.
        if !is_on_branch {
            self.move_branch(&worktree.branch, &tip, &head, "take in a branch of the agent's")?;
            git.call(["symbolic-ref", "-m", "jangdan: back to the task's branch", "HEAD", &branch]).run()?;
        }
        if commit != head {
            self.move_branch(&worktree.branch, &head, &commit, "commit what an agent left")?;
        }
        // Also where nothing was to do: a crash before this leaves an index that takes the commit back.
        git.call(["reset", "--quiet", "--mixed"]).run()?;
        Ok(commit)
    }

    /// Returns what is checked out, if the task's branch can be moved there.
    fn head_on_branch(
        &self,
        worktree: &TaskWorktree,
        taken: &Contents,
        tip: &CommitId,
    ) -> Result<CommitId, RepoError> {
        let strayed = |head: &str| RepoError::HeadDiverged {
            path: worktree.path.clone(),
            branch: worktree.branch.clone(),
            head: head.to_owned(),
        };
        let head = taken.head.clone().ok_or_else(|| strayed("a branch without a commit"))?;
        if self.is_ancestor(tip, &head)? { Ok(head) } else { Err(strayed(head.as_str())) }
    }

    fn committed(
        &self,
        worktree: &TaskWorktree,
        work: &CommitOptions,
        taken: &Contents,
        head: &CommitId,
    ) -> Result<CommitId, RepoError> {
        // A merge that the agent resolved and did not commit keeps its other side.
        let merging = fs::read_to_string(worktree.slot.git_dir.join("MERGE_HEAD")).unwrap_or_default();
        let mut parents = vec![head.clone()];
        parents.extend(merging.lines().filter_map(CommitId::parse));
        let tree_of_head = format!("{head}^{{tree}}");
        let before = worktree.slot.git.call(["rev-parse", "--verify", &tree_of_head]).run()?.line();
        if before == taken.tree && parents.len() == 1 {
            return Ok(head.clone());
        }
        self.commit_tree(&taken.tree, &parents, &work.author, &work.message)
    }
}
