//! Result of removing obsolete worktrees and refs of a run.

use serde::{Deserialize, Serialize};

use crate::{SessionId, TaskId};

/// Result of removing the finished worktrees of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CleanupReport {
    /// Tasks whose worktrees were removed.
    pub removed_tasks: Vec<TaskId>,
    /// Tasks whose worktrees are kept, each with the reason.
    pub kept_tasks: Vec<(TaskId, String)>,
    /// Sessions without a task whose worktrees were removed.
    #[serde(default)]
    pub removed_sessions: Vec<SessionId>,
    /// Sessions without a task whose worktrees are kept, each with the reason.
    #[serde(default)]
    pub kept_sessions: Vec<(SessionId, String)>,
    /// Branches and refs of the run, if their removal was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refs: Option<RefCleanupReport>,
}

/// Deleted and kept branches and refs of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RefCleanupReport {
    /// Full names of the deleted refs.
    pub deleted: Vec<String>,
    /// Full names of the other refs of the run, each with the reason.
    pub kept: Vec<(String, KeptRefReason)>,
    /// Size of the objects that only the deleted refs contained. Git frees it when it collects garbage.
    pub freed_bytes: u64,
}

/// Why a ref of a run is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum KeptRefReason {
    /// A worktree has the branch checked out.
    CheckedOut,
    /// No branch or tag of the user contains its work.
    UnmergedWork,
    /// Landing the rest of the run needs it: it tells which work was landed as other commits.
    NeededToLand,
    /// It is a saved state of this age.
    Recent {
        /// Age in seconds.
        age_s: u64,
    },
}
