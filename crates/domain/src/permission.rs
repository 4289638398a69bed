//! What agents may do without asking, and what they ask.

use serde::{Deserialize, Serialize};

/// The rules by which a permission prompt is answered without a person.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct PermissionPolicy {
    /// What passes without a pattern.
    pub mode: PermissionMode,
    /// Patterns of what passes: `edit:src/**`, `run:cargo test*`.
    pub allow: Vec<String>,
    /// Patterns of what never passes; they win.
    pub deny: Vec<String>,
}

/// What passes without a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum PermissionMode {
    /// Nothing: everything is asked.
    Ask,
    /// Edits below the worktree, and the project's own check commands.
    #[default]
    Worktree,
    /// Everything.
    All,
}

/// What an agent wants to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PermissionRequest {
    /// The prompt's own id, by which the agent knows the answer.
    pub prompt: String,
    /// What kind of act it is.
    pub kind: PermissionKind,
    /// What it acts on: a path, a command line, an address; several paths have a line each.
    pub subject: String,
    /// Whether a path lies below the agent's worktree, as the driver found out.
    #[serde(default)]
    pub in_worktree: bool,
    /// What the agent says about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// What kind of act an agent wants to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum PermissionKind {
    /// Change a file.
    Edit,
    /// Run a command.
    Run,
    /// Read a file.
    Read,
    /// Fetch from the network.
    Fetch,
    /// Anything else.
    Other,
}

impl PermissionKind {
    /// Returns the word by which patterns name it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Edit => "edit",
            Self::Run => "run",
            Self::Read => "read",
            Self::Fetch => "fetch",
            Self::Other => "other",
        }
    }
}

/// How long a choice is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum PermissionScope {
    /// For this prompt alone.
    #[default]
    Once,
    /// While the task lasts.
    Task,
    /// While the run lasts.
    Run,
    /// For every run of the project.
    Project,
}
