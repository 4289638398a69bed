//! The merge queue's step: a task's branch into the run's, without a working tree.
//!
//! Makes the merge and moves nothing; [`Run::advance`] moves the branch when the merged tree was checked. A crash in between
//! leaves a commit that nobody sees.

use domain::TaskId;

use crate::{
    CommitId, Conflict, GitIdentity, RepoError, RunRepository,
    conflicts::{self, MergeTree},
};

/// The merges of a run that are looked through for one that was done already.
const MERGES_MAX: &str = "10000";

/// What came of trying a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeAttempt {
    /// It merges. The run's branch is still where it was.
    Merged {
        /// Where the run's branch is.
        onto: CommitId,
        /// The merge, with both as parents.
        commit: CommitId,
        /// Its tree, for receipts.
        tree: String,
    },
    /// The run's branch has all of it.
    AlreadyMerged {
        /// The merge that brought it, or the branch's tip where none did.
        commit: CommitId,
    },
    /// Files differ in a way that git can't join.
    Conflicted {
        /// Where the run's branch is.
        onto: CommitId,
        /// Which, and how; sorted by path.
        conflicts: Vec<Conflict>,
    },
}

impl RunRepository {
    /// Merges what a task committed into the run's tip, as a commit that no branch has yet.
    ///
    /// [`Run::commit_work`] comes first: what is uncommitted is not merged.
    pub fn merge_task(&self, task: &TaskId, author: &GitIdentity) -> Result<MergeAttempt, RepoError> {
        let branch = self.task_branch(task);
        let onto = self.run_tip()?;
        let tip =
            self.tip_of(&branch)?.ok_or_else(|| RepoError::BranchNotFound { branch: branch.clone() })?;
        if self.is_ancestor(&tip, &onto)? {
            let commit = self.merge_of(&tip, &onto)?.unwrap_or(onto);
            return Ok(MergeAttempt::AlreadyMerged { commit });
        }
        match conflicts::merge_tree(&self.repository.git, &onto, &tip)? {
            MergeTree::Conflicted(conflicts) => Ok(MergeAttempt::Conflicted { onto, conflicts }),
            MergeTree::Merged { tree } => {
                let message = format!("Merge task {task}\n");
                let commit = self.commit_tree(&tree, &[onto.clone(), tip], author, &message)?;
                Ok(MergeAttempt::Merged { onto, commit, tree })
            }
        }
    }

    /// Finds the merge on the run's branch whose second parent is a commit.
    pub(crate) fn merge_of(&self, tip: &CommitId, onto: &CommitId) -> Result<Option<CommitId>, RepoError> {
        let options = ["rev-list", "--first-parent", "--merges", "--parents", "-n", MERGES_MAX];
        let answer = self.repository.git.call(options).arg(onto.as_str()).arg(format!("^{tip}")).run()?;
        let brings = |line: &str| {
            let mut names = line.split(' ');
            let merge = names.next()?;
            names.skip(1).any(|parent| parent == tip.as_str()).then(|| CommitId::parse(merge))?
        };
        Ok(answer.line().lines().find_map(brings))
    }
}
