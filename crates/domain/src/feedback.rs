//! What a test or a check found: typed failures, and the proof that a command ran.

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// The outcome of one round of testing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct TestFeedback {
    /// Whether all is as it should be.
    pub success: bool,
    /// What is not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<TestFailure>,
    /// What the tester would do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
    /// How many tests there were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metrics: Option<TestMetrics>,
}

/// One thing that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct TestFailure {
    /// The test.
    pub name: String,
    /// What it wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What it got.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// Where it happened.
    #[serde(skip_serializing_if = "Option::is_none", alias = "stack_trace", alias = "stackTrace")]
    pub trace: Option<String>,
    /// How it could be mended.
    #[serde(skip_serializing_if = "Option::is_none", alias = "suggested_fix")]
    pub suggested_fix: Option<String>,
}

/// How many tests there were, and how they went.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct TestMetrics {
    /// In all.
    pub total: u64,
    /// Passed.
    pub passed: u64,
    /// Failed.
    pub failed: u64,
    /// Not run.
    pub skipped: u64,
    /// How long they took.
    #[serde(alias = "duration")]
    pub seconds: f64,
}

/// The proof that a command ran: what, with which outcome, on which tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// The command as it was run.
    pub command: String,
    /// Its exit status; none where a signal ended it.
    pub exit_status: Option<i32>,
    /// The hash of its output.
    pub output_hash: String,
    /// The end of its output, for people and for the agent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output_tail: String,
    /// The git tree it ran on.
    pub tree: String,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub finished_at: Timestamp,
}

impl Receipt {
    /// Tells whether the command succeeded.
    pub fn passed(&self) -> bool {
        self.exit_status == Some(0)
    }
}
