//! Result of bringing the work of a run into a branch of the user.

use serde::{Deserialize, Serialize};

use crate::CheckObstacle;

/// Result of bringing the work of a run into its target branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum LandReport {
    /// The branch was moved.
    Landed {
        /// Name of the target branch.
        branch: String,
        /// The new commit of the branch.
        commit: String,
        /// Its previous commit, if it had one.
        from: Option<String>,
        /// Number of commits of the run that the branch did not have.
        n_commits: u32,
        /// How the branch got them.
        #[serde(default)]
        kind: LandKind,
        /// Whether the run's work was merged with other commits and no check is set that examines the result.
        #[serde(default)]
        is_unchecked: bool,
    },
    /// The branch would be moved. Reported for a dry run.
    Planned {
        /// Name of the target branch.
        branch: String,
        /// Current commit of the branch, if it has one.
        from: Option<String>,
        /// Number of commits of the run that the branch does not have.
        n_commits: u32,
        /// How the branch would get them.
        kind: LandKind,
        /// Files that would change.
        files: Vec<String>,
        /// Command that would check the merged result before the branch moves.
        check: Option<String>,
        /// Whether the run's work would be merged with other commits and no check is set that examines the result.
        #[serde(default)]
        is_unchecked: bool,
    },
    /// The branch already contained the work.
    AlreadyLanded {
        /// Name of the target branch.
        branch: String,
    },
    /// The branch is being rebased, or is checked out and was not to be moved there.
    CheckedOut {
        /// Name of the target branch.
        branch: String,
        /// Working tree that has the branch checked out.
        path: String,
    },
    /// The branch has commits that conflict with the run's. Nothing was changed.
    Conflicted {
        /// Name of the target branch.
        branch: String,
        /// Files with conflicts.
        files: Vec<String>,
        /// How to merge by hand.
        manual_merge: ManualMerge,
    },
    /// Files in the working tree that has the branch checked out would be overwritten. Nothing was changed.
    Dirty {
        /// Name of the target branch.
        branch: String,
        /// Files with uncommitted changes, and untracked files in the way.
        files: Vec<String>,
    },
    /// The check failed on the merged result. The branch was not moved.
    CheckFailed {
        /// Name of the target branch.
        branch: String,
        /// Command of the check.
        command: String,
        /// End of its output.
        output: String,
        /// How to merge by hand.
        manual_merge: ManualMerge,
    },
    /// The check of the merged result could not run, which says nothing about the work. The branch was not moved.
    CheckNotRun {
        /// Name of the target branch.
        branch: String,
        /// Command of the check.
        command: String,
        /// What prevented it.
        obstacle: CheckObstacle,
        /// End of its output.
        output: String,
    },
    /// No phase is approved.
    NotApproved {
        /// The run's own branch, which has the merged tasks.
        branch: String,
    },
    /// No branch was checked out when the run started; the run's own branch has the work.
    NoTarget {
        /// The run's own branch.
        branch: String,
    },
    /// The requested target branch does not exist.
    UnknownBranch {
        /// Name of the branch.
        branch: String,
    },
    /// The requested target branch is one that only Jangdan moves.
    OwnBranch {
        /// Name of the branch.
        branch: String,
    },
    /// Git, the disk or a program that moved the branch meanwhile prevented it. The branch was not moved.
    Failed { reason: String },
}

/// How a branch gets the work of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum LandKind {
    /// It moves to a commit of the run.
    #[default]
    FastForward,
    /// It gets a merge commit.
    Merge,
    /// It gets copies of the run's commits.
    Rebase,
    /// It gets a merge commit, because the run's commits conflict one by one although the whole work does not.
    MergeInsteadOfRebase,
    /// It gets one commit with all changes.
    Squash,
}

/// Shell commands that merge the work of a run by hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ManualMerge {
    /// Commands that start the merge.
    pub start: Vec<String>,
    /// Commands that complete it after the files were edited.
    pub finish: Vec<String>,
}
