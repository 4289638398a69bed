//! Results of tests and checks: typed failures, and receipts for commands that ran.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{AttemptNumber, LeftOutFiles, Timestamp};

/// Result of one round of testing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct TestFeedback {
    pub success: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<TestFailure>,
    /// Failures that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub n_unlisted: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metrics: Option<TestMetrics>,
    /// What a tester said in prose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct TestFailure {
    pub name: String,
    /// Path from the directory of the check, if the file is below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", alias = "stack_trace", alias = "stackTrace")]
    pub trace: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", alias = "suggested_fix")]
    pub suggested_fix: Option<String>,
}

/// A failed round of checks or tests of a task, or a failed attempt at it, that came before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EarlierFailure {
    pub attempt: AttemptNumber,
    /// Set if checks or tests failed; else the attempt itself did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// Names of the first failed tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
    pub n_failed: u32,
    /// Why, if no test is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What its agent had reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tried: Option<String>,
}

impl TestFailure {
    /// Returns where it failed: `path:line`, or the path if the line is unknown.
    pub fn location(&self) -> Option<String> {
        let file = self.file.as_ref()?;
        Some(self.line.map_or_else(|| file.clone(), |line| format!("{file}:{line}")))
    }
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

/// What the test tools of a check say about its tests. Whether the check passed is decided by its exit status.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct TestReport {
    pub tools: Vec<TestTool>,
    pub counts: TestCounts,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<TestFailure>,
    /// Failures that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub n_unlisted: u32,
}

/// Numbers of tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct TestCounts {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
}

/// A tool, or the format that many tools write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum TestTool {
    CargoTest,
    Nextest,
    RustCompiler,
    Pytest,
    GoTest,
    /// The JSON of jest and vitest.
    Jest,
    Tap,
    Junit,
}

/// Evidence that a command ran: which one, its outcome, and the tree it ran on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    pub command: String,
    /// `None` if a signal ended it, or if it never ran.
    pub exit_status: Option<i32>,
    /// Set if the command could not run, so that its result says nothing about the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub obstacle: Option<CheckObstacle>,
    /// How often the command ran until it passed or the configured repetitions were used.
    #[serde(default = "one")]
    pub attempts: u32,
    pub output_hash: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output_tail: String,
    /// What its test tools reported; absent if no report was recognized, and in older logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub tests: Option<Box<TestReport>>,
    /// Git tree the command ran on.
    pub tree: String,
    /// Commit with this tree; absent if the work could not be committed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub commit: Option<String>,
    /// Files that are not part of the work; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub left_out: Option<LeftOutFiles>,
    pub started_at: Timestamp,
    pub finished_at: Timestamp,
}

impl Receipt {
    pub fn passed(&self) -> bool {
        self.exit_status == Some(0) && self.obstacle.is_none()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's skip_serializing_if passes a reference")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

fn one() -> u32 {
    1
}

/// Names a signal: those with which other programs end a process by name, others by number.
pub fn signal_name(signal: i32) -> String {
    match signal {
        9 => "SIGKILL".to_owned(),
        15 => "SIGTERM".to_owned(),
        _ => format!("signal {signal}"),
    }
}

/// Why a check could not run. Only the user can remove it; an agent that changes files cannot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum CheckObstacle {
    /// The first word of the command is the name of a program that no folder of `PATH` has.
    ProgramNotFound { program: String },
    /// A signal that Jangdan did not send ended the command.
    Signal { signal: i32 },
    /// The command exited with the status that a shell has after a signal killed its child.
    ExitStatus { exit_status: i32, signal: i32 },
    /// The command was not started: a lock was not free, or a set-up command of its worktree did not end in time.
    NotStarted { reason: String },
}

impl fmt::Display for CheckObstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ProgramNotFound { program } => write!(f, "{program} is not on PATH"),
            Self::Signal { signal } => write!(f, "it was ended by {}", signal_name(*signal)),
            Self::ExitStatus { exit_status, signal } => {
                write!(f, "exit status {exit_status}, as after {}", signal_name(*signal))
            }
            Self::NotStarted { reason } => f.write_str(reason),
        }
    }
}
