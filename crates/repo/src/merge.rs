//! Merges a task's branch into the run's, without a working tree.
//!
//! Only creates the merge commit; [`RunRepository::advance_run_branch`] moves the branch after the merged tree was
//! checked. A crash in between leaves an unreferenced commit.

use domain::TaskId;

use crate::{
    CommitId, Conflict, GitIdentity, RepoError, RunRepository,
    conflicts::{self, MergeTreeResult},
    repository::find_commit,
};

/// Number of merges searched for one that already contains the task.
const MERGES_MAX: &str = "10000";

/// Result of merging a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeAttempt {
    /// The merge commit was created; the run's branch has not moved.
    Merged {
        /// Tip of the run's branch.
        onto: CommitId,
        /// The merge commit, with both tips as parents.
        commit: CommitId,
        /// Tree of the merge commit, for receipts.
        tree: String,
    },
    /// The run's branch already contains the task.
    AlreadyMerged {
        /// Merge that contains it, or the tip of the run's branch if there is none.
        commit: CommitId,
        /// Tip of the run's branch before that merge.
        onto: Option<CommitId>,
    },
    /// The branches conflict.
    Conflicted {
        /// Tip of the run's branch.
        onto: CommitId,
        /// Conflicting files, sorted by path.
        conflicts: Vec<Conflict>,
    },
}

impl RunRepository {
    /// Merges the commits of a task into the run's tip, as a commit that is on no branch yet.
    ///
    /// Call [`RunRepository::commit_work`] first: uncommitted work is not merged.
    pub fn merge_task(&self, task: &TaskId, author: &GitIdentity) -> Result<MergeAttempt, RepoError> {
        let branch = self.task_branch(task);
        let tip =
            self.branch_tip(&branch)?.ok_or_else(|| RepoError::BranchNotFound { branch: branch.clone() })?;
        self.merge_commit(&tip, author, &format!("Merge task {task}\n"))
    }

    /// Merges exactly this commit of a task, whatever its branch has since.
    pub fn merge_commit(
        &self,
        tip: &CommitId,
        author: &GitIdentity,
        message: &str,
    ) -> Result<MergeAttempt, RepoError> {
        let onto = self.run_tip()?;
        if self.is_ancestor(tip, &onto)? {
            let Some(merge) = self.find_merge_of(tip, &onto)? else {
                return Ok(MergeAttempt::AlreadyMerged { commit: onto, onto: None });
            };
            let before = find_commit(&self.repository.git, &format!("{merge}^1"))?;
            return Ok(MergeAttempt::AlreadyMerged { commit: merge, onto: before });
        }
        match conflicts::merge_tree(&self.repository.git, &onto, tip)? {
            MergeTreeResult::Conflicted(conflicts) => Ok(MergeAttempt::Conflicted { onto, conflicts }),
            MergeTreeResult::Merged { tree } => {
                let commit = self.commit_tree(&tree, &[onto.clone(), tip.clone()], author, message)?;
                Ok(MergeAttempt::Merged { onto, commit, tree })
            }
        }
    }

    /// Finds the merge on the run's branch whose second parent is `tip`.
    pub(crate) fn find_merge_of(
        &self,
        tip: &CommitId,
        onto: &CommitId,
    ) -> Result<Option<CommitId>, RepoError> {
        let options = ["rev-list", "--first-parent", "--merges", "--parents", "-n", MERGES_MAX];
        let answer = self.repository.git.call(options).arg(onto.as_str()).arg(format!("^{tip}")).run()?;
        let brings = |line: &str| {
            let mut names = line.split(' ');
            let merge = names.next()?;
            names.skip(1).any(|parent| parent == tip.as_str()).then(|| CommitId::parse(merge))?
        };
        Ok(answer.trimmed_text().lines().find_map(brings))
    }
}
