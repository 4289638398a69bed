//! Untracked files above the size limit, which are committed only if the user says so, and other files that are not part of
//! the work.

use std::fmt;

use serde::{Deserialize, Serialize};

const MIB: u64 = 1 << 20;

/// An untracked file above `worktree.max_file_mib`. A file of another size is another file. Displays as path and size.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LargeFile {
    /// Path in the worktree.
    pub path: String,
    pub bytes: u64,
}

impl LargeFile {
    /// Returns the size in MiB with at most one decimal.
    pub fn size_text(&self) -> String {
        let tenths = (u128::from(self.bytes) * 10 + u128::from(MIB / 2)) / u128::from(MIB);
        match tenths % 10 {
            0 => format!("{} MiB", tenths / 10),
            tenth => format!("{}.{tenth} MiB", tenths / 10),
        }
    }

    /// Lists files in one line.
    pub fn list_text(files: &[Self]) -> String {
        files.iter().map(Self::to_string).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for LargeFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.path, self.size_text())
    }
}

/// Limit of the listed files of each kind.
const LISTED_MAX: usize = 100;

/// Files in a worktree that are not part of the checked work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LeftOutFiles {
    /// Untracked files above the size limit.
    pub large: Vec<LargeFile>,
    /// Paths that the check itself created, changed or deleted.
    pub changed_by_check: Vec<String>,
    /// Number of files that are not listed, because there are too many.
    pub n_unlisted: u32,
}

impl LeftOutFiles {
    /// Lists files, as many as a receipt has room for; `None` if there are none.
    pub fn list(mut large: Vec<LargeFile>, mut changed_by_check: Vec<String>) -> Option<Self> {
        let excess = |length: usize| u32::try_from(length.saturating_sub(LISTED_MAX)).unwrap_or(u32::MAX);
        let n_unlisted = excess(large.len()).saturating_add(excess(changed_by_check.len()));
        large.truncate(LISTED_MAX);
        changed_by_check.truncate(LISTED_MAX);
        let is_empty = large.is_empty() && changed_by_check.is_empty();
        (!is_empty).then_some(Self { large, changed_by_check, n_unlisted })
    }
}

/// What happens to large files. Displays as the answer of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum LargeFileDecision {
    /// They are committed with the work.
    Commit,
    /// They stay in the worktree.
    LeaveOut,
}

impl LargeFileDecision {
    pub const ALL: [Self; 2] = [Self::Commit, Self::LeaveOut];

    /// Parses an answer; `None` if it is an instruction for the agent.
    pub fn parse(answer: &str) -> Option<Self> {
        match answer.trim().to_lowercase().as_str() {
            "commit" | "commit them" | "커밋" => Some(Self::Commit),
            "leave out" | "leave them out" | "제외" => Some(Self::LeaveOut),
            _ => None,
        }
    }
}

impl fmt::Display for LargeFileDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Commit => "commit",
            Self::LeaveOut => "leave out",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{LISTED_MAX, LargeFile, LargeFileDecision, LeftOutFiles};

    #[test]
    fn sizes_have_at_most_one_decimal() {
        for (bytes, text) in [(20 << 20, "20 MiB"), ((10 << 20) + (1 << 19), "10.5 MiB"), (1, "0 MiB")] {
            assert_eq!(LargeFile { path: String::new(), bytes }.size_text(), text);
        }
    }

    #[test]
    fn answers_are_decisions_or_instructions() {
        for decision in LargeFileDecision::ALL {
            assert_eq!(LargeFileDecision::parse(&decision.to_string()), Some(decision));
        }
        assert_eq!(LargeFileDecision::parse(" 커밋 "), Some(LargeFileDecision::Commit));
        assert_eq!(LargeFileDecision::parse("delete it"), None);
    }

    #[test]
    fn the_list_of_left_out_files_is_bounded() {
        let paths = (0..LISTED_MAX + 2).map(|number| number.to_string()).collect();
        let files = LeftOutFiles::list(Vec::new(), paths).unwrap();
        assert_eq!((files.changed_by_check.len(), files.n_unlisted), (LISTED_MAX, 2));
        assert_eq!(LeftOutFiles::list(Vec::new(), Vec::new()), None);
    }
}
