//! Results of tests and checks: typed failures, and receipts for commands that ran.

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// Result of one round of testing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct TestFeedback {
    pub success: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<TestFailure>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metrics: Option<TestMetrics>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct TestFailure {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", alias = "stack_trace", alias = "stackTrace")]
    pub trace: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", alias = "suggested_fix")]
    pub suggested_fix: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct TestMetrics {
    pub total: u64,
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
    #[serde(alias = "duration")]
    pub seconds: f64,
}

/// Evidence that a command ran: which one, its outcome, and the tree it ran on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    pub command: String,
    /// `None` if a signal ended it.
    pub exit_status: Option<i32>,
    pub output_hash: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output_tail: String,
    /// Git tree the command ran on.
    pub tree: String,
    pub started_at: Timestamp,
    pub finished_at: Timestamp,
}

impl Receipt {
    pub fn passed(&self) -> bool {
        self.exit_status == Some(0)
    }
}
