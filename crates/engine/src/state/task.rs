//! The state of one task.

use std::collections::BTreeMap;

use domain::{
    AttemptNumber, BlockReason, CheckpointId, CompletionProof, EscalationId, LoopId, PlannedTask, SessionId,
    SessionInput, Timestamp,
};

use super::{LargeFiles, TaskClaim, TaskHistory, WorkRound};
use crate::{graph::Node, schedule::AgentIndex};

/// Limits what an agent says about its result in the prompts of others.
const SUMMARY_BYTES_MAX: usize = 300;

/// Index of a task within the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TaskIndex(pub(crate) u32);

/// The state of a task as clients see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskState {
    /// Some dependency is not met.
    Waiting,
    /// It starts, or resumes, as soon as a slot is free.
    Ready,
    Running,
    /// Its check or its tester runs.
    Checking,
    /// It is being merged, or waits for the merge before it.
    Merging,
    Done,
    Failed,
    Skipped,
    Cancelled,
    Blocked(Vec<BlockReason>),
}

/// The progress of a task, independent of whether it is blocked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskStage {
    Waiting,
    Ready,
    Running(WorkState),
    /// The agent reported it as done; the evidence is examined next.
    Claimed(TaskClaim),
    /// Its claim has evidence; its check is next.
    Accepted,
    Checking,
    /// Its check passed; the tester or the merge is next.
    Checked,
    /// Its check or its tester found failures; the agent or an escalation is next.
    ChecksFailed,
    Testing,
    /// It waits for the merge before it.
    Mergeable(CompletionProof),
    Merging(CompletionProof),
    /// It conflicts with work merged before.
    Conflicted,
    /// Merged; the gate of its phase may be next.
    Merged(CompletionProof),
    /// The attempt failed; another attempt or an escalation is next.
    AttemptFailed,
    Done,
    Failed,
    Skipped,
    Cancelled,
}

impl TaskStage {
    /// Returns whether an attempt is in progress.
    pub(crate) fn is_in_progress(self) -> bool {
        match self {
            Self::Running(_)
            | Self::Claimed(_)
            | Self::Accepted
            | Self::Checking
            | Self::Checked
            | Self::ChecksFailed
            | Self::Testing
            | Self::Mergeable(_)
            | Self::Merging(_)
            | Self::Conflicted
            | Self::Merged(_)
            | Self::AttemptFailed => true,
            Self::Waiting | Self::Ready | Self::Done | Self::Failed | Self::Skipped | Self::Cancelled => {
                false
            }
        }
    }

    /// Returns whether an agent works on the task, or continues when it is unblocked.
    pub(crate) fn is_running(self) -> bool {
        matches!(self, Self::Running(_))
    }

    /// Returns whether the agent reported the task as done, and the report was neither refuted nor overtaken.
    pub(crate) fn is_claim_accepted(self) -> bool {
        match self {
            Self::Claimed(_)
            | Self::Accepted
            | Self::Checking
            | Self::Checked
            | Self::Testing
            | Self::Mergeable(_)
            | Self::Merging(_)
            | Self::Merged(_)
            | Self::Done => true,
            Self::Waiting
            | Self::Ready
            | Self::Running(_)
            | Self::ChecksFailed
            | Self::Conflicted
            | Self::AttemptFailed
            | Self::Failed
            | Self::Skipped
            | Self::Cancelled => false,
        }
    }

    pub(crate) fn is_merging(self) -> bool {
        matches!(self, Self::Merging(_))
    }

    /// Returns the proof of work that waits for its merge.
    pub(crate) fn queued_proof(self) -> Option<CompletionProof> {
        if let Self::Mergeable(proof) = self { Some(proof) } else { None }
    }

    /// Returns whether the task has ended.
    pub(crate) fn is_final(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Skipped | Self::Cancelled)
    }

    /// Returns the name of the state for messages.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Ready => "ready",
            Self::Running(_) | Self::AttemptFailed => "running",
            Self::Claimed(_)
            | Self::Accepted
            | Self::Checking
            | Self::Checked
            | Self::ChecksFailed
            | Self::Testing => "checking",
            Self::Mergeable(_) | Self::Merging(_) | Self::Conflicted | Self::Merged(_) => "merging",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Cancelled => "cancelled",
        }
    }
}

/// The work of an agent on its task, from a start or return to the next claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct WorkState {
    /// Since when the time counts; `None` while the task is blocked or has no slot.
    pub(crate) since: Option<Timestamp>,
}

/// The current or last attempt at a task.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Attempt {
    pub(crate) number: AttemptNumber,
    pub(crate) session: SessionId,
    /// The session that tested it last.
    pub(crate) tester: Option<SessionId>,
    /// Working time until the last interruption, without waiting time.
    pub(crate) worked_ms: u64,
    /// Whether its agent claimed it by reporting the phase as complete.
    pub(crate) is_phase_marked: bool,
}

/// How often, and since when, a task waits for rate limits of its agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RateLimitWaits {
    pub(crate) count: u32,
    pub(crate) since: Timestamp,
}

/// A task. Only what is valid in every stage is beside the stage: decision 0411 explains each field.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Task {
    pub(crate) planned: Box<PlannedTask>,
    pub(crate) node: Node,
    pub(crate) agent: AgentIndex,
    pub(crate) stage: TaskStage,
    /// Empty unless blocked.
    pub(crate) block_reasons: Vec<BlockReason>,
    /// `None` until it is started.
    pub(crate) last_attempt: Option<Attempt>,
    /// Number of failed attempts that count towards the limit.
    pub(crate) failures: u32,
    /// Processes lost since the last decision of a user or agent.
    pub(crate) losses: u32,
    /// How often agents started it again since a user last did.
    pub(crate) agent_retries: u32,
    pub(crate) round: WorkRound,
    pub(crate) large_files: LargeFiles,
    /// Why the next attempt is needed; the user's hint is kept beside it.
    pub(crate) hint: Option<String>,
    /// The user's hint of a retry, for every attempt until the task is done.
    pub(crate) user_hint: Option<String>,
    /// The rework that a rejected gate requests, for every attempt until the task is done again.
    pub(crate) rework: Option<SessionInput>,
    /// Inputs for its session, sent when it continues.
    pub(crate) pending_inputs: Vec<SessionInput>,
    /// `None` if the timeout was waived.
    pub(crate) timeout_ms: Option<u64>,
    pub(crate) budget_usage: BudgetUsage,
    /// Whether a merge conflict was already returned to its agent.
    pub(crate) conflict_returned: bool,
    /// `None` if its agent met no rate limit since the last decision of a user.
    pub(crate) rate_limit: Option<RateLimitWaits>,
    pub(crate) feedback_loop: Option<LoopId>,
    pub(crate) history: TaskHistory,
    /// Fields that its agent reported with DONE last, in any attempt.
    pub(crate) reported: BTreeMap<String, String>,
    /// What its agent said last about the result: the reason of its DONE, or the summary of a step.
    pub(crate) summary: Option<String>,
    /// The commit that merged it last.
    pub(crate) merged_commit: Option<String>,
    /// Tree on which its check passed last, in any attempt.
    pub(crate) checked_tree: Option<String>,
    /// Commit that passed the check since the last claim.
    pub(crate) checked_commit: Option<String>,
    /// The checkpoint of its last turn, until it is finished; inputs wait for it, also those of the next attempt.
    pub(crate) turn_checkpoint: Option<CheckpointId>,
    pub(crate) escalations: Vec<EscalationId>,
    /// Saved permission answers for this task: pattern, and whether it is allowed.
    pub(crate) permission_rules: Vec<(String, bool)>,
    /// Whether the main agent requested it (thin mode).
    pub(crate) requested: bool,
    pub(crate) origin: TaskOrigin,
}

/// Whether a task is in the plan file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskOrigin {
    PlanFile,
    /// A user added it to the run.
    User,
    /// It was in the plan file, and was removed.
    RemovedFromPlan,
}

/// Tokens and cost used, and their limits.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct BudgetUsage {
    pub(crate) tokens: u64,
    pub(crate) cost_micros: u64,
    pub(crate) tokens_max: Option<u64>,
    pub(crate) cost_micros_max: Option<u64>,
    /// The escalation about reaching the limit, open or resolved.
    pub(crate) warned: Option<EscalationId>,
}

impl BudgetUsage {
    pub(crate) fn new(budgets: impl IntoIterator<Item = domain::Budget>) -> Self {
        let mut usage = Self::default();
        for budget in budgets {
            usage.set_max(budget);
        }
        usage
    }

    pub(crate) fn set_max(&mut self, budget: domain::Budget) {
        match budget {
            domain::Budget::Tokens(tokens) => self.tokens_max = Some(tokens),
            domain::Budget::Cents(cents) => self.cost_micros_max = Some(cents.saturating_mul(10_000)),
        }
    }

    pub(crate) fn add(&mut self, usage: &domain::Usage) {
        self.tokens = self.tokens.saturating_add(usage.tokens());
        self.cost_micros = self.cost_micros.saturating_add(usage.cost_micros);
    }

    /// Returns whether this percentage of a limit is used.
    pub(crate) fn has_reached_percent(&self, percent: u64) -> bool {
        let reached = |used: u64, max: Option<u64>| {
            max.is_some_and(|max| u128::from(used) * 100 >= u128::from(max) * u128::from(percent))
        };
        reached(self.tokens, self.tokens_max) || reached(self.cost_micros, self.cost_micros_max)
    }
}

impl Task {
    pub(crate) fn new(planned: PlannedTask, node: Node, agent: AgentIndex, timeout_ms: u64) -> Self {
        let budget_usage = BudgetUsage::new(planned.budget);
        Self {
            timeout_ms: Some(planned.timeout_ms.unwrap_or(timeout_ms)),
            planned: Box::new(planned),
            node,
            agent,
            stage: TaskStage::Waiting,
            block_reasons: Vec::new(),
            last_attempt: None,
            failures: 0,
            losses: 0,
            agent_retries: 0,
            round: WorkRound::default(),
            large_files: LargeFiles::default(),
            hint: None,
            user_hint: None,
            rework: None,
            pending_inputs: Vec::new(),
            budget_usage,
            conflict_returned: false,
            rate_limit: None,
            feedback_loop: None,
            history: TaskHistory::default(),
            reported: BTreeMap::new(),
            summary: None,
            merged_commit: None,
            checked_tree: None,
            checked_commit: None,
            turn_checkpoint: None,
            escalations: Vec::new(),
            permission_rules: Vec::new(),
            requested: false,
            origin: TaskOrigin::PlanFile,
        }
    }

    /// Sets what its agent said about the result, within a bound.
    pub(crate) fn set_summary(&mut self, text: &str) {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if !line.is_empty() {
            let summary = &line[..line.floor_char_boundary(SUMMARY_BYTES_MAX)];
            self.summary = Some(summary.to_owned());
            self.history.tried = Some(summary.to_owned());
        }
    }

    /// Returns whether a session is the one that works on it.
    pub(crate) fn is_worked_on_by(&self, session: SessionId) -> bool {
        self.stage.is_running() && self.session() == Some(session)
    }

    /// Returns the number of attempts started.
    pub(crate) fn attempt(&self) -> AttemptNumber {
        self.last_attempt.as_ref().map_or(0, |attempt| attempt.number)
    }

    /// Returns the session of the current or last attempt.
    pub(crate) fn session(&self) -> Option<SessionId> {
        self.last_attempt.as_ref().map(|attempt| attempt.session)
    }

    /// Returns the session that tested the current or last attempt last.
    pub(crate) fn tester(&self) -> Option<SessionId> {
        self.last_attempt.as_ref().and_then(|attempt| attempt.tester)
    }

    /// Returns the working time of the current or last attempt until its last interruption.
    pub(crate) fn worked_ms(&self) -> u64 {
        self.last_attempt.as_ref().map_or(0, |attempt| attempt.worked_ms)
    }

    /// Starts or restarts the clock of a running task.
    pub(crate) fn start_clock(&mut self, at: Timestamp) {
        if let TaskStage::Running(work) = &mut self.stage {
            work.since = Some(at);
        }
    }

    /// Stops the clock, if it runs, and adds its time to the attempt.
    pub(crate) fn stop_clock(&mut self, at: Timestamp) {
        if let TaskStage::Running(work) = &mut self.stage
            && let Some(since) = work.since.take()
            && let Some(attempt) = &mut self.last_attempt
        {
            attempt.worked_ms = attempt.worked_ms.saturating_add(u64::try_from(at.0 - since.0).unwrap_or(0));
        }
    }

    pub(crate) fn is_blocked(&self) -> bool {
        !self.block_reasons.is_empty()
    }

    /// Returns whether a main agent could request it now, and has not.
    pub(crate) fn awaits_main_agent_request(&self) -> bool {
        self.stage == TaskStage::Ready && !self.requested && !self.is_blocked()
    }
}
