//! What two unfinished tasks both changed.

use serde::{Deserialize, Serialize};

use crate::TaskId;

/// Files that two unfinished tasks both changed, each in its own worktree: a conflict, when the second is merged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskOverlap {
    /// The two, in order.
    pub tasks: [TaskId; 2],
    /// The files, sorted; the first of them where there are many.
    pub files: Vec<String>,
    /// How many there are.
    pub n_files: u32,
}
