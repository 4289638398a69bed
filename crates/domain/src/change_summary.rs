//! Changed files of a piece of work, with the number of lines.

use serde::{Deserialize, Serialize};

/// Changed files, of which only the first are listed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ChangeSummary {
    /// Sorted by path; at most [`ChangeSummary::FILES_MAX`].
    pub files: Vec<FileChange>,
    /// Number of all changed files.
    pub n_files: u32,
    /// Lines added to all files.
    pub n_added: u32,
    /// Lines removed from all files.
    pub n_removed: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FileChange {
    pub path: String,
    /// Lines added and removed; absent for a binary file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub lines: Option<LineCounts>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LineCounts {
    pub added: u32,
    pub removed: u32,
}

impl ChangeSummary {
    /// Limit of listed files.
    pub const FILES_MAX: usize = 200;

    /// Summarizes changed files, which are sorted by path.
    pub fn of_files(mut files: Vec<FileChange>) -> Self {
        let sum = |count: fn(&LineCounts) -> u32| {
            files.iter().filter_map(|file| file.lines.as_ref()).map(count).fold(0, u32::saturating_add)
        };
        let (n_added, n_removed) = (sum(|lines| lines.added), sum(|lines| lines.removed));
        let n_files = u32::try_from(files.len()).unwrap_or(u32::MAX);
        files.truncate(Self::FILES_MAX);
        Self { files, n_files, n_added, n_removed }
    }
}
