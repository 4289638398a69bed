//! One task: how far it is, what it waits for, what it used.

use domain::{
    AttemptNumber, BlockReason, CompletionProof, EscalationId, LoopId, PlannedTask, SessionId, SessionInput,
    Timestamp,
};

use crate::{graph::Node, schedule::AgentIndex};

/// Names a task within the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TaskRef(pub(crate) u32);

/// What a task looks like from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskState {
    /// Something that it waits for is not there.
    Waiting,
    /// It may start, or go on, when there is a slot.
    Ready,
    /// An agent works at it.
    Running,
    /// What the agent claims is checked.
    Checking,
    /// It is merged, or waits for its turn to be.
    Merging,
    /// It is done.
    Done,
    /// It failed.
    Failed,
    /// It was left out.
    Skipped,
    /// It was called off.
    Cancelled,
    /// It does not go on, for these reasons.
    Blocked(Vec<BlockReason>),
}

/// How far a task is, blocked or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum TaskStage {
    Waiting,
    Ready,
    Running,
    /// Its agent says that it is done; the check is next.
    Claimed,
    Checking,
    /// Its check passed; the tester, or the merge, is next.
    Checked,
    /// Its check or its tester found failures; its agent, or a person, is next.
    ChecksFailed,
    Testing,
    /// It waits for its turn to be merged.
    Mergeable,
    Merging,
    /// It does not go together with what others did.
    Conflicted,
    /// It is merged; its phase's gate may be next.
    Merged,
    /// Its try came to nothing; another try, or somebody's word, is next.
    AttemptFailed,
    Done,
    Failed,
    Skipped,
    Cancelled,
}

impl TaskStage {
    /// Tells whether an attempt is under way.
    pub(crate) fn is_in_progress(self) -> bool {
        match self {
            Self::Running
            | Self::Claimed
            | Self::Checking
            | Self::Checked
            | Self::ChecksFailed
            | Self::Testing
            | Self::Mergeable
            | Self::Merging
            | Self::Conflicted
            | Self::Merged
            | Self::AttemptFailed => true,
            Self::Waiting | Self::Ready | Self::Done | Self::Failed | Self::Skipped | Self::Cancelled => {
                false
            }
        }
    }

    /// Tells whether nothing more will happen by itself.
    pub(crate) fn is_final(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Skipped | Self::Cancelled)
    }

    /// Returns the word for people.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Ready => "ready",
            Self::Running | Self::AttemptFailed => "running",
            Self::Claimed | Self::Checking | Self::Checked | Self::ChecksFailed | Self::Testing => "checking",
            Self::Mergeable | Self::Merging | Self::Conflicted | Self::Merged => "merging",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Cancelled => "cancelled",
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Task {
    pub(crate) planned: Box<PlannedTask>,
    pub(crate) node: Node,
    pub(crate) agent: AgentIndex,
    pub(crate) stage: TaskStage,
    /// Why it does not go on; empty while it may.
    pub(crate) block_reasons: Vec<BlockReason>,
    /// How many tries were started.
    pub(crate) attempt: AttemptNumber,
    /// How many of them count as failed.
    pub(crate) failures: u32,
    /// How often a process that worked for it was lost since somebody last said how to go on.
    pub(crate) losses: u32,
    /// The session of the present try, or of the last one.
    pub(crate) session: Option<SessionId>,
    pub(crate) tester: Option<SessionId>,
    /// Advice for the next try.
    pub(crate) hint: Option<String>,
    /// What its session has to be told, when it goes on.
    pub(crate) pending_inputs: Vec<SessionInput>,
    /// How long it has run so far, without waiting.
    pub(crate) worked_ms: u64,
    pub(crate) working_since: Option<Timestamp>,
    /// Nothing where somebody waived it.
    pub(crate) timeout_ms: Option<u64>,
    pub(crate) budget_usage: BudgetUsage,
    /// Whether its agent was asked to say a word.
    pub(crate) reminded: bool,
    /// Whether a conflict was sent back to its agent already.
    pub(crate) conflict_returned: bool,
    /// How often, and since when, it waits for a limit of its agent's.
    pub(crate) rate_limit_waits: u32,
    pub(crate) rate_limited_since: Option<Timestamp>,
    pub(crate) feedback_loop: Option<LoopId>,
    pub(crate) proof: CompletionProof,
    /// Whether its agent said that the phase is complete.
    pub(crate) phase_marked: bool,
    pub(crate) escalations: Vec<EscalationId>,
    /// Choices about permissions that hold while it lasts.
    pub(crate) permission_rules: Vec<(String, bool)>,
    /// Whether the main agent asked for it.
    pub(crate) requested: bool,
    /// Whether somebody added it by hand, so that no plan file has it.
    pub(crate) is_outside_plan_file: bool,
    /// Whether the plan no longer has it.
    pub(crate) is_removed: bool,
}

/// Tokens and money, against what may be used.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct BudgetUsage {
    pub(crate) tokens: u64,
    pub(crate) cost_micros: u64,
    pub(crate) tokens_max: Option<u64>,
    pub(crate) cost_micros_max: Option<u64>,
    /// The escalation that says so.
    pub(crate) warned: Option<EscalationId>,
}

impl BudgetUsage {
    pub(crate) fn new(budgets: impl IntoIterator<Item = domain::Budget>) -> Self {
        let mut spent = Self::default();
        for budget in budgets {
            spent.set_max(budget);
        }
        spent
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

    /// Tells whether so many hundredths of something are used.
    pub(crate) fn has_reached(&self, percent: u64) -> bool {
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
            attempt: 0,
            failures: 0,
            losses: 0,
            session: None,
            tester: None,
            hint: None,
            pending_inputs: Vec::new(),
            worked_ms: 0,
            working_since: None,
            budget_usage,
            reminded: false,
            conflict_returned: false,
            rate_limit_waits: 0,
            rate_limited_since: None,
            feedback_loop: None,
            proof: CompletionProof::Unchecked,
            phase_marked: false,
            escalations: Vec::new(),
            permission_rules: Vec::new(),
            requested: false,
            is_outside_plan_file: false,
            is_removed: false,
        }
    }

    pub(crate) fn is_blocked(&self) -> bool {
        !self.block_reasons.is_empty()
    }

    /// Tells whether a main agent could ask for it now, and has not.
    pub(crate) fn is_requestable(&self) -> bool {
        self.stage == TaskStage::Ready && !self.requested && !self.is_blocked()
    }
}
