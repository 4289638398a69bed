//! What the fold must know and no screen shows: who waits for whom, and what is behind a state.

use std::collections::{BTreeMap, BTreeSet};

use domain::{GateApproval, OfferId, PhaseNumber, QuestionId, Sequence, SessionId, TaskId};

use crate::rows::{InboxItem, PendingCounts, ResponsibleParty, SessionState, TaskState};

/// What is known beside the rows.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    pub tasks: BTreeMap<TaskId, TaskFacts>,
    pub phases: BTreeMap<PhaseNumber, PhaseFacts>,
    pub sessions: BTreeMap<SessionId, SessionFacts>,
    /// The tasks that wait for something outside of the plan.
    pub externals: BTreeMap<String, BTreeSet<TaskId>>,
    pub externals_met: BTreeSet<String>,
    pub open: OpenItems,
    /// The change of the plan that waits for the person.
    pub offer: Option<OfferId>,
    pub question_expires_after_ms: Option<u64>,
    pub gate_approval: GateApproval,
    /// Whether the run has a command that judges what has none of its own.
    pub has_check: bool,
    /// The question that was just answered in the chat.
    pub answered_in_chat: Option<QuestionId>,
}

/// What is known of a task.
#[derive(Debug, Clone)]
pub struct TaskFacts {
    /// Its state, were it not blocked and had a slot.
    pub base: TaskState,
    /// Whether it has a slot. It gives it back when it is blocked, and goes on when it has one again.
    pub has_slot: bool,
    /// Whether somebody or something looks at it when it is called done.
    pub has_review: bool,
    /// Those who wait for it.
    pub dependents: BTreeSet<TaskId>,
    /// What it waits for still, first the tasks that came to nothing.
    pub lost_tasks: BTreeSet<TaskId>,
    pub unmet_tasks: BTreeSet<TaskId>,
    pub unmet_phases: BTreeSet<PhaseNumber>,
    pub unmet_externals: BTreeSet<String>,
    /// Its questions without an answer, the oldest first.
    pub questions: Vec<QuestionId>,
    pub n_turns: u32,
    /// The receipts of its checks, the oldest first.
    pub receipts: Vec<(Sequence, u32)>,
    /// Whether what was merged of it is the end.
    pub is_merged: bool,
}

impl TaskFacts {
    pub fn new(base: TaskState, has_review: bool) -> Self {
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

    /// Returns the state that it shows; whether it is blocked is the caller's to know.
    pub fn state(&self, is_blocked: bool) -> TaskState {
        let is_started = matches!(self.base, TaskState::Running | TaskState::Checking | TaskState::Merging);
        match (is_blocked, is_started && !self.has_slot) {
            (_, _) if self.base.is_final() => self.base,
            (true, _) => TaskState::Blocked,
            (false, true) => TaskState::Ready,
            (false, false) => self.base,
        }
    }

    /// Notes how a task stands that this one comes after.
    pub fn note(&mut self, task: &TaskId, standing: DependencyState) {
        self.lost_tasks.remove(task);
        self.unmet_tasks.remove(task);
        match standing {
            DependencyState::Met => {}
            DependencyState::Open => drop(self.unmet_tasks.insert(task.clone())),
            DependencyState::Failed => drop(self.lost_tasks.insert(task.clone())),
        }
    }

    pub fn n_unmet(&self) -> usize {
        self.lost_tasks.len() + self.unmet_tasks.len() + self.unmet_phases.len() + self.unmet_externals.len()
    }
}

/// What a task is to those who wait for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DependencyState {
    /// It is done, or left out.
    Met,
    /// It may still be done.
    Open,
    /// It failed or was cancelled: a user must act.
    Failed,
}

/// What is known of a phase.
#[derive(Debug, Clone, Default)]
pub struct PhaseFacts {
    /// Whether it has a command that judges its tasks.
    pub has_check: bool,
    pub tasks: BTreeSet<TaskId>,
    /// The phases that wait for its gate.
    pub later: BTreeSet<PhaseNumber>,
    /// The tasks that wait for its gate's word.
    pub at_gate: BTreeSet<TaskId>,
    /// The receipts of its gate.
    pub receipts: Vec<(Sequence, u32)>,
}

/// What is known of a session.
#[derive(Debug, Clone)]
pub struct SessionFacts {
    /// Its state, were nothing asked.
    pub base: SessionState,
    /// What it waits for.
    pub waits: BTreeSet<InboxItem>,
}

/// What is open, and with whom: so that a run can say for whom it waits without looking at everything.
#[derive(Debug, Clone, Default)]
pub struct OpenItems {
    items: BTreeMap<InboxItem, ResponsibleParty>,
    pub counts: PendingCounts,
}

impl OpenItems {
    /// Says with whom something is, or that it is over.
    pub fn set(&mut self, item: InboxItem, party: Option<ResponsibleParty>) {
        let before = match party.clone() {
            Some(party) => self.items.insert(item, party),
            None => self.items.remove(&item),
        };
        for (party, is_added) in [(before, false), (party, true)] {
            let Some(count) = party.and_then(|party| self.counts.of(&party)) else { continue };
            *count = if is_added { count.saturating_add(1) } else { count.saturating_sub(1) };
        }
    }
}
