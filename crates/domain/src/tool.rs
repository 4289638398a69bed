//! Tool calls of a turn, in the form that the log stores.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ToolStatus {
    /// Running; in an ended turn: the outcome is unknown.
    Running,
    Done,
    /// Failed or denied.
    Failed,
}

/// Tool calls of one turn, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TurnTools {
    pub uses: Vec<ToolUse>,
    /// Number of earlier calls that are not stored.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
    #[serde(alias = "nLeftOut")]
    pub n_omitted: u64,
}

impl TurnTools {
    pub fn is_empty(&self) -> bool {
        self.uses.is_empty() && self.n_omitted == 0
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ToolUse {
    /// Number of text lines of the turn before this call.
    pub line: u32,
    /// May have several lines, e.g. for a shell script.
    pub title: String,
    pub status: ToolStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub output: Option<ToolOutput>,
}

/// Output of a tool, shortened in the middle.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ToolOutput {
    /// All of the output, or its beginning.
    pub head: String,
    /// Number of bytes omitted between head and tail.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
    #[serde(alias = "nBytesLeftOut")]
    pub n_bytes_omitted: u64,
    /// End of the output if something is omitted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
    pub tail: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks this way")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
