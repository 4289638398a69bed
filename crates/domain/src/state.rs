//! Values carried by events: reasons, outcomes, usage.

use serde::{Deserialize, Serialize};

use crate::{
    Actor, ChangeSummary, CheckpointId, EscalationId, InvocationId, LargeFile, PhaseNumber, QuestionId,
    Receipt, ReportedDocument, RequestId, Sequence, TaskId, Timestamp,
};

/// Identifies an effect by the event that caused it and its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EffectId {
    pub sequence: Sequence,
    /// Position among the effects of that event, from 0.
    pub index: u32,
}

/// Why an effect is executed again later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PostponementCause {
    #[default]
    DiskFull,
    /// No thread could be started, or the thread panicked.
    ExecutionFailed,
    /// Another program moved a ref of the run.
    RefMoved,
}

impl PostponementCause {
    pub(crate) fn is_disk_full(&self) -> bool {
        *self == Self::DiskFull
    }
}

/// Why a task is blocked. It continues when its last reason is gone.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum BlockReason {
    #[serde(alias = "input")]
    Question {
        question: QuestionId,
    },
    #[serde(alias = "dependency")]
    Request {
        request: RequestId,
    },
    #[serde(alias = "call")]
    Invocation {
        invocation: InvocationId,
    },
    /// The agent reported its phase as complete and waits for the gate.
    Approval {
        phase: PhaseNumber,
    },
    RateLimited {
        until: Timestamp,
    },
    Escalated {
        escalation: EscalationId,
    },
    Paused {
        by: Actor,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum AttemptFailure {
    /// The agent reported a failure.
    #[serde(alias = "said")]
    Reported {
        reason: String,
    },
    /// The process ended before the task was done.
    Exited {
        /// `None` if a signal ended it.
        exit_status: Option<i32>,
    },
    /// The process disappeared without an exit status.
    Lost {
        reason: String,
    },
    /// Checks or tests failed too often.
    Checks,
    Merge {
        reason: String,
    },
    /// The agent reported a fatal error.
    Error {
        message: String,
    },
    /// A user marked the task as failed.
    #[serde(alias = "givenUp")]
    MarkedFailed,
}

impl AttemptFailure {
    /// Whether the process was killed or disappeared, so that the attempt is not the agent's fault.
    #[must_use]
    pub fn is_process_loss(&self) -> bool {
        matches!(self, Self::Lost { .. } | Self::Exited { exit_status: None })
    }
}

/// Work that cannot proceed until a question, request, gate or escalation is settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct BlockedWork {
    /// Estimated time on the critical path.
    pub time_ms: u64,
    pub tasks: u32,
}

/// What made a task count as done by its agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ClaimSource {
    /// A DONE message.
    #[serde(alias = "said")]
    DoneMessage,
    TurnEnd,
    /// A PHASE_COMPLETE marker.
    PhaseMarker,
    /// The process exited with status 0.
    Exit,
}

/// Evidence behind a done task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum CompletionProof {
    /// A receipt of a passed check.
    Checked,
    /// Only the agent's claim.
    Unchecked,
    /// A user accepted it despite a failed check.
    Waived,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TaskReturnReason {
    Check,
    Test,
    Conflict,
    /// The phase did not pass its gate.
    Rework,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum MergeOutcome {
    /// Merged into the run's branch.
    Merged {
        commit: String,
        /// Check on the merged tree, if one is configured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        receipt: Option<Box<Receipt>>,
        /// Tree of the run's branch after the merge.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tree: Option<String>,
        /// Tip of the run's branch before; absent if the task brought no changes, and in logs of earlier versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        onto: Option<String>,
    },
    Conflicted {
        files: Vec<String>,
    },
    /// The check failed on the merged tree; the merge was discarded.
    CheckFailed {
        receipt: Receipt,
    },
    /// A git error.
    Failed {
        error: String,
    },
}

/// Results of the checks of a gate.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct GateReport {
    pub passed: bool,
    pub receipts: Vec<Receipt>,
    pub artefacts: Vec<String>,
    /// Expected artefacts that do not exist.
    pub missing: Vec<String>,
    /// Documents that agents reported as created. Logs of earlier versions do not have them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
    pub documents: Vec<ReportedDocument>,
    /// Tasks that caused the failure, if known.
    pub tasks: Vec<TaskId>,
    pub summary: String,
    /// Commit of the run's branch that was examined.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub commit: Option<String>,
    /// Files that the tasks of the phase changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub changes: Option<ChangeSummary>,
    /// The part of it since the last round that failed or was rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub changes_since_rejection: Option<ChangeSummary>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RunOutcome {
    Done,
    Failed,
    Cancelled,
}

/// How a session waits, from fast to cheap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ParkMode {
    /// The turn ended; the process is alive.
    Hot,
    /// All processes are suspended.
    Frozen,
    /// The process was ended and can be resumed.
    Cold,
}

/// Usage since the last report.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    /// Without those read from a cache.
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// Input tokens read from a cache.
    pub cached_tokens: u64,
    /// Millionths of a US dollar; 0 if the agent does not report its cost.
    pub cost_micros: u64,
    /// Whether the cost was calculated from configured prices instead of reported by the agent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_cost_estimated: bool,
    /// Whether the agent may have used more tokens than it reports.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_partial: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Fill level of the context window, from 0 to 1000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_permille: Option<u32>,
}

impl Usage {
    /// Tokens that count against a budget.
    pub fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// Returns whether it cost something that is unknown.
    pub fn is_unpriced(&self) -> bool {
        let has_tokens = self.tokens() > 0 || self.cached_tokens > 0;
        self.cost_micros == 0 && (has_tokens || self.is_partial)
    }

    /// Calculates the cost from prices unless the agent reported one.
    pub fn estimate_cost(&mut self, price: ModelPrice) {
        let micros = |tokens: u64, price: u64| u128::from(tokens) * u128::from(price) / 1_000_000;
        if self.cost_micros == 0 {
            let sum = micros(self.input_tokens, price.input)
                + micros(self.output_tokens, price.output)
                + micros(self.cached_tokens, price.cached);
            self.cost_micros = u64::try_from(sum).unwrap_or(u64::MAX);
            self.is_cost_estimated = self.cost_micros > 0;
        }
    }
}

/// Prices of a model, in millionths of a US dollar per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ModelPrice {
    pub input: u64,
    pub output: u64,
    /// Of input tokens read from a cache.
    pub cached: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum CheckpointReason {
    TurnEnd,
    /// A claim is examined.
    Claim,
    Park,
    Error,
    Failure,
    Gate,
    /// A user or agent asked for it.
    #[serde(alias = "asked")]
    Requested,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum CheckpointOutcome {
    Made {
        commit: String,
        /// The agent's own session id, if it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent_session: Option<String>,
        /// Tree of the task's work.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tree: Option<String>,
        /// Untracked files above the size limit, which neither have.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        large_files: Vec<LargeFile>,
    },
    Failed {
        error: String,
    },
}

/// A checkpoint, or `None` for the start of the task.
pub type RewindTarget = Option<CheckpointId>;

/// Who receives a question next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum QuestionRoute {
    Orchestrator,
    Person,
}

/// Expected form of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum QuestionKind {
    Text,
    Selection,
    Confirmation,
    Permission,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FeedbackLoopOutcome {
    Success,
    /// The task ended for another reason.
    Failed,
    /// Too many rounds failed.
    Escalated,
}

/// Where a message begins in a session's output. Messages of a session are processed in this order, each once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageOffset {
    /// Offset of the first byte in the spool.
    pub start: u64,
    /// Distinguishes messages with the same offset, which only terminal screens produce.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ordinal: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's skip_serializing_if passes a reference")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

#[cfg(test)]
mod tests {
    use super::{ModelPrice, Usage};

    #[test]
    fn cost_is_estimated_only_if_the_agent_reports_none() {
        let price = ModelPrice { input: 1_250_000, output: 10_000_000, cached: 125_000 };
        let mut usage = Usage {
            input_tokens: 100_000,
            output_tokens: 10_000,
            cached_tokens: 1_000_000,
            ..Usage::default()
        };
        assert!(usage.is_unpriced());
        usage.estimate_cost(price);
        assert_eq!((usage.cost_micros, usage.is_cost_estimated), (125_000 + 100_000 + 125_000, true));
        let mut reported = Usage { input_tokens: 1_000_000, cost_micros: 7, ..Usage::default() };
        reported.estimate_cost(price);
        assert_eq!((reported.cost_micros, reported.is_cost_estimated), (7, false));
    }
}
