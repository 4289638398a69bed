//! State that the fold needs and no row shows: dependents, slots, open items.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    GateApproval, InputNumber, OfferId, PhaseNumber, QuestionId, Sequence, SessionId, TaskId, Timestamp,
};

use crate::rows::{
    ConversationId, InboxItem, MergedRange, PendingCounts, PermissionFacts, ResponsibleParty, SessionState,
    TaskState,
};

/// State of the fold beside the rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Facts {
    pub tasks: BTreeMap<TaskId, TaskFacts>,
    pub phases: BTreeMap<PhaseNumber, PhaseFacts>,
    pub sessions: BTreeMap<SessionId, SessionFacts>,
    /// Tasks by the external dependency that they wait for.
    pub externals: BTreeMap<String, BTreeSet<TaskId>>,
    pub externals_met: BTreeSet<String>,
    pub open: OpenItems,
    pub permissions: PermissionFacts,
    /// The plan change that waits for the user.
    pub offer: Option<OfferId>,
    pub question_expires_after_ms: Option<u64>,
    pub gate_approval: GateApproval,
    /// Whether the run has a check for tasks and phases without one.
    pub has_check: bool,
    /// The question that the last chat message answered.
    pub answered_in_chat: Option<QuestionId>,
    /// What users decided at a time, until the event that names where their command came from.
    pub decided: Vec<(Timestamp, InboxItem)>,
}

/// State of a task beside its row.
#[derive(Debug, Clone)]
pub(crate) struct TaskFacts {
    /// State without regard to blocks and slots.
    pub base: TaskState,
    /// Given back when the task is blocked; without a slot a started task shows as ready.
    pub has_slot: bool,
    /// Whether a check, a tester or a gate reviews the task before it is merged.
    pub has_review: bool,
    pub dependents: BTreeSet<TaskId>,
    /// Unmet dependencies: failed tasks first.
    pub lost_tasks: BTreeSet<TaskId>,
    pub unmet_tasks: BTreeSet<TaskId>,
    pub unmet_phases: BTreeSet<PhaseNumber>,
    pub unmet_externals: BTreeSet<String>,
    /// Unanswered questions, the oldest first.
    pub questions: Vec<QuestionId>,
    pub n_turns: u32,
    /// Receipts of its checks, the oldest first.
    pub receipts: Vec<(Sequence, u32)>,
    /// Whether the merged work is final; false again when the task is reopened.
    pub is_merged: bool,
}

impl TaskFacts {
    pub(crate) fn new(base: TaskState, has_review: bool) -> Self {
        Self {
            base,
            has_slot: false,
            has_review,
            dependents: BTreeSet::new(),
            lost_tasks: BTreeSet::new(),
            unmet_tasks: BTreeSet::new(),
            unmet_phases: BTreeSet::new(),
            unmet_externals: BTreeSet::new(),
            questions: Vec::new(),
            n_turns: 0,
            receipts: Vec::new(),
            is_merged: false,
        }
    }

    /// Returns the state that the row shows.
    pub(crate) fn state(&self, is_blocked: bool) -> TaskState {
        let is_started = matches!(self.base, TaskState::Running | TaskState::Checking | TaskState::Merging);
        match (is_blocked, is_started && !self.has_slot) {
            (_, _) if self.base.is_final() => self.base,
            (true, _) => TaskState::Blocked,
            (false, true) => TaskState::Ready,
            (false, false) => self.base,
        }
    }

    /// Updates the state of a dependency.
    pub(crate) fn set_dependency_state(&mut self, task: &TaskId, standing: DependencyState) {
        self.lost_tasks.remove(task);
        self.unmet_tasks.remove(task);
        match standing {
            DependencyState::Met => {}
            DependencyState::Open => drop(self.unmet_tasks.insert(task.clone())),
            DependencyState::Failed => drop(self.lost_tasks.insert(task.clone())),
        }
    }

    pub(crate) fn n_unmet(&self) -> usize {
        self.lost_tasks.len() + self.unmet_tasks.len() + self.unmet_phases.len() + self.unmet_externals.len()
    }
}

/// State of a task for the tasks that depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DependencyState {
    /// Done or skipped.
    Met,
    /// Not finished yet.
    Open,
    /// Failed or cancelled: a user must act.
    Failed,
}

/// State of a phase beside its row.
#[derive(Debug, Clone, Default)]
pub(crate) struct PhaseFacts {
    /// Whether the phase has a check for its tasks.
    pub has_check: bool,
    pub tasks: BTreeSet<TaskId>,
    /// Phases that wait for the gate of this one.
    pub later: BTreeSet<PhaseNumber>,
    /// Tasks that wait for the approval of the gate.
    pub at_gate: BTreeSet<TaskId>,
    /// Receipts of its gate.
    pub receipts: Vec<(Sequence, u32)>,
    /// Merges of its tasks, oldest first.
    pub merges: Vec<MergedRange>,
}

/// State of a session beside its row.
#[derive(Debug, Clone)]
pub(crate) struct SessionFacts {
    /// State without regard to open questions and requests.
    pub base: SessionState,
    /// Open questions and requests of the session.
    pub waits: BTreeSet<InboxItem>,
    /// Turns of a conversation of its own.
    pub n_turns: u32,
    /// Turns of the inputs that are not reported as sent.
    pub unsent_turns: BTreeMap<InputNumber, (ConversationId, u32)>,
}

impl SessionFacts {
    pub(crate) fn new(base: SessionState) -> Self {
        Self { base, waits: BTreeSet::new(), n_turns: 0, unsent_turns: BTreeMap::new() }
    }
}

/// Open items by the party that must act, counted so that the row of the run needs no search.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenItems {
    items: BTreeMap<InboxItem, ResponsibleParty>,
    pub counts: PendingCounts,
}

impl OpenItems {
    /// Sets the party of an item; `None` closes the item.
    pub(crate) fn set_party(&mut self, item: InboxItem, party: Option<ResponsibleParty>) {
        let before = match party.clone() {
            Some(party) => self.items.insert(item, party),
            None => self.items.remove(&item),
        };
        for (party, is_added) in [(before, false), (party, true)] {
            let Some(count) = party.and_then(|party| self.counts.count_mut(&party)) else { continue };
            *count = if is_added { count.saturating_add(1) } else { count.saturating_sub(1) };
        }
    }
}
