//! Permission requests of agents, and the policy that decides them.

use serde::{Deserialize, Serialize};

/// Decides permission requests without asking the user.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct PermissionPolicy {
    pub mode: PermissionMode,
    /// Allowed patterns, e.g. `edit:src/**`, `run:cargo test*`.
    pub allow: Vec<String>,
    /// Denied patterns; they take precedence.
    pub deny: Vec<String>,
}

/// What is allowed without a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum PermissionMode {
    /// Every request is asked.
    Ask,
    /// Edits inside the worktree, and the project's own check commands.
    #[default]
    Worktree,
    All,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PermissionRequest {
    /// The agent's own id of the prompt.
    pub prompt: String,
    pub kind: PermissionKind,
    /// A path, command line or URL; several paths are separated by newlines.
    pub subject: String,
    /// Whether all paths are inside the agent's worktree.
    #[serde(default)]
    pub in_worktree: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum PermissionKind {
    Edit,
    Run,
    Read,
    Fetch,
    Other,
}

impl PermissionKind {
    /// Prefix in patterns.
    pub fn pattern_name(self) -> &'static str {
        match self {
            Self::Edit => "edit",
            Self::Run => "run",
            Self::Read => "read",
            Self::Fetch => "fetch",
            Self::Other => "other",
        }
    }
}

/// How long a permission decision applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum PermissionScope {
    #[default]
    Once,
    Task,
    Run,
    Project,
}
