//! Files changed by two unfinished tasks.

use serde::{Deserialize, Serialize};

use crate::TaskId;

/// Files that two unfinished tasks both changed: a likely conflict when the second one is merged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskOverlap {
    pub tasks: [TaskId; 2],
    /// Sorted; only the first ones if there are many.
    pub files: Vec<String>,
    pub n_files: u32,
}
