//! The judgement of a verifier about a phase.

use serde::{Deserialize, Serialize};

use crate::{Severity, TaskId};

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct GateVerdict {
    pub accepted: bool,
    /// The reason, in the words of the verifier.
    pub summary: String,
    pub findings: Vec<GateFinding>,
}

/// A fault or remark. Also an accepted phase may have some.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct GateFinding {
    /// The task of the phase that it concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub task: Option<TaskId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub severity: Option<Severity>,
    /// Path of the file that it concerns, as the verifier wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub file: Option<String>,
    pub text: String,
}

/// A document that an agent reported as created, and whether it exists in the work of the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportedDocument {
    /// As the agent wrote it.
    pub path: String,
    pub state: DocumentState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum DocumentState {
    Found,
    Missing,
    /// Not a path inside the project.
    Outside,
    /// A link, a folder or a submodule.
    NotAFile,
}

impl ReportedDocument {
    /// Returns why it does not count as created, `None` if it exists.
    pub fn fault(&self) -> Option<&'static str> {
        match self.state {
            DocumentState::Found => None,
            DocumentState::Missing => Some("does not exist"),
            DocumentState::Outside => Some("is not a path inside the project"),
            DocumentState::NotAFile => Some("is not a regular file"),
        }
    }
}
