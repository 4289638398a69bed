//! The tools that an agent used in a turn, as far as they are kept.

use serde::{Deserialize, Serialize};

/// How far a tool is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ToolStatus {
    /// It is about to begin, or under way. Of a turn that is over: nobody heard how it ended.
    Running,
    /// It is done.
    Done,
    /// It failed, or was not allowed.
    Failed,
}

/// The tools of one turn, in the order in which they were called.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TurnTools {
    /// The last of them.
    pub uses: Vec<ToolUse>,
    /// How many came before those and are not kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
    pub n_left_out: u64,
}

impl TurnTools {
    /// Tells whether no tool was used.
    pub fn is_empty(&self) -> bool {
        self.uses.is_empty() && self.n_left_out == 0
    }
}

/// One use of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ToolUse {
    /// How many lines of the turn's words come before it.
    pub line: u32,
    /// What is done. A command may have several lines.
    pub title: String,
    /// What came of it.
    pub status: ToolStatus,
    /// What it printed, where it printed anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub output: Option<ToolOutput>,
}

/// What a tool printed: its beginning and its end.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ToolOutput {
    /// All of it, or its beginning.
    pub head: String,
    /// How many bytes between beginning and end are not kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
    pub n_bytes_left_out: u64,
    /// Its end, where something is left out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
    pub tail: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks this way")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
