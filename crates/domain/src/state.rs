//! Values that events carry: why a task waits, why it failed, what was used.

use serde::{Deserialize, Serialize};

use crate::{
    Actor, CheckpointId, EscalationId, InvocationId, PhaseNumber, QuestionId, Receipt, RequestId, Sequence,
    TaskId, Timestamp,
};

/// Names what the world is told to do: the event that asked for it, and which of its effects it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EffectId {
    /// The event.
    pub sequence: Sequence,
    /// Its place among the effects of that event, from 0.
    pub index: u32,
}

/// Why a task does not go on. It may have several reasons; it goes on when the last one is gone.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum BlockReason {
    /// Its question has no answer yet.
    #[serde(alias = "input")]
    Question {
        /// The question.
        question: QuestionId,
    },
    /// Its request is not provided yet.
    #[serde(alias = "dependency")]
    Request {
        /// The request.
        request: RequestId,
    },
    /// Its call is not over yet.
    #[serde(alias = "call")]
    Invocation {
        /// The call.
        invocation: InvocationId,
    },
    /// It said that its phase is complete, and the gate has not said so yet.
    Approval {
        /// The phase.
        phase: PhaseNumber,
    },
    /// A limit of its agent's is used up until then.
    RateLimited {
        /// When it is tried again.
        until: Timestamp,
    },
    /// A problem that somebody has in hand.
    Escalated {
        /// The escalation.
        escalation: EscalationId,
    },
    /// Somebody wants it to wait.
    Paused {
        /// Who.
        by: Actor,
    },
}

/// Why a try at a task came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum AttemptFailure {
    /// The agent said so.
    #[serde(alias = "said")]
    Reported {
        /// Why.
        reason: String,
    },
    /// Its process ended before the task was done.
    Exited {
        /// Its exit status; none where a signal ended it.
        exit_status: Option<i32>,
    },
    /// Its process is gone, nobody knows how.
    Lost {
        /// What is known.
        reason: String,
    },
    /// Its checks or tests failed too often.
    Checks,
    /// Its work could not be merged.
    Merge {
        /// What is known.
        reason: String,
    },
    /// It reported an error that ends it.
    Error {
        /// The error.
        message: String,
    },
    /// Somebody gave it up.
    #[serde(alias = "givenUp")]
    MarkedFailed,
}

impl AttemptFailure {
    /// Tells whether a process went away without a word, as one does that somebody else kills.
    #[must_use]
    pub fn is_loss(&self) -> bool {
        matches!(self, Self::Lost { .. } | Self::Exited { exit_status: None })
    }
}

/// How far somebody's silence reaches: what waits behind a question, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct BlockedWork {
    /// The time on the longest way to the end, as it is estimated.
    pub time_ms: u64,
    /// The tasks behind it.
    pub tasks: u32,
}

/// How a task came to be called done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ClaimSource {
    /// The agent said DONE.
    #[serde(alias = "said")]
    DoneMessage,
    /// The agent's turn ended.
    TurnEnd,
    /// The agent said that its phase is complete.
    PhaseMarker,
    /// Its process ended well.
    Exit,
}

/// What stands behind a task that is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum CompletionProof {
    /// A receipt.
    Checked,
    /// The agent's word alone.
    Unchecked,
    /// Somebody who let it pass.
    Waived,
}

/// Why a task went back to its agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReturnReason {
    /// Its check failed.
    Check,
    /// Its tester found failures.
    Test,
    /// It does not merge.
    Conflict,
    /// Its phase did not pass.
    Rework,
}

/// What came of a merge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum MergeOutcome {
    /// It is in the run's branch.
    Merged {
        /// The commit.
        commit: String,
        /// The check on the merged tree, where there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        receipt: Option<Box<Receipt>>,
        /// The tree of the run's branch with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tree: Option<String>,
    },
    /// Files differ in a way that git can't join.
    Conflicted {
        /// Which.
        files: Vec<String>,
    },
    /// It merges, but the check fails on the merged tree; nothing was kept.
    CheckFailed {
        /// The check.
        receipt: Receipt,
    },
    /// Git could not do it.
    Failed {
        /// Why.
        error: String,
    },
}

/// What a gate found out by itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct GateReport {
    /// Whether its checks passed.
    pub passed: bool,
    /// What ran.
    pub receipts: Vec<Receipt>,
    /// What the phase left behind.
    pub artefacts: Vec<String>,
    /// What was promised and is not there.
    pub missing: Vec<String>,
    /// The tasks that are to blame, where that is known.
    pub tasks: Vec<TaskId>,
    /// The report in words.
    pub summary: String,
}

/// How a run came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RunOutcome {
    /// All that was to be done is done.
    Done,
    /// Something failed, and nothing can move.
    Failed,
    /// Somebody called it off.
    Cancelled,
}

/// How a session waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ParkMode {
    /// Its turn ended, its process lives.
    Hot,
    /// All its processes are stopped.
    Frozen,
    /// Its process is ended; it can be resumed.
    Cold,
}

/// What was used since the last report.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    /// Tokens that went in.
    pub input_tokens: u64,
    /// Tokens that came out.
    pub output_tokens: u64,
    /// Tokens that went in and were known already.
    pub cached_tokens: u64,
    /// The cost in millionths of a US dollar.
    pub cost_micros: u64,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How full the context window is, from 0 to 1000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_permille: Option<u32>,
}

impl Usage {
    /// Returns the tokens that count against a budget.
    pub fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

/// Why a checkpoint is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum CheckpointReason {
    /// A turn ended.
    TurnEnd,
    /// The session is parked.
    Park,
    /// An error asked for it.
    Error,
    /// The try failed.
    Failure,
    /// A phase is at its gate.
    Gate,
    /// Somebody asked for it.
    #[serde(alias = "asked")]
    Requested,
}

/// What came of making a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum CheckpointOutcome {
    /// It is there.
    Made {
        /// The kept commit.
        commit: String,
        /// The agent's own session id, where it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent_session: Option<String>,
        /// The tree that the task's work is then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tree: Option<String>,
    },
    /// It could not be made.
    Failed {
        /// Why.
        error: String,
    },
}

/// Names a checkpoint or nothing; `None` goes back to the task's beginning.
pub type RewindTarget = Option<CheckpointId>;

/// Who gets a question next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum QuestionRoute {
    /// The run's orchestrator agent.
    Orchestrator,
    /// The person.
    Person,
}

/// What a question is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum QuestionKind {
    /// Free text is wanted.
    Text,
    /// One of the options is wanted.
    Selection,
    /// A yes or a no is wanted.
    Confirmation,
    /// May the agent do this?
    Permission,
}

/// How a feedback loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LoopOutcome {
    /// The tests pass.
    Success,
    /// The task came to another end.
    Failed,
    /// It was tried too often.
    Escalated,
}

/// Where in a session's output a message began. Messages of a session are heard in this order, each once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageOffset {
    /// The offset of its first byte.
    pub start: u64,
    /// Which of several with that offset it is; only screens have more than one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ordinal: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's skip_serializing_if passes a reference")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}
