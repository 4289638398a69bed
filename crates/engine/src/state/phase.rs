//! One phase and its gate.

use domain::{EscalationId, PhaseNumber, PlannedPhase, SessionId, TaskId};

use super::{TaskRef, task::BudgetUsage};
use crate::graph::Node;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GateState {
    /// Some task of the phase is open.
    Closed,
    Checking,
    Verifying(SessionId),
    /// It waits for approval.
    Review,
    /// It failed too often, and somebody has it in hand.
    Escalated(EscalationId),
    Approved,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Phase {
    pub(crate) name: String,
    /// The phases whose gates it waits for.
    pub(crate) after: Vec<PhaseNumber>,
    pub(crate) verify: Option<String>,
    /// Patterns of what it is to leave behind.
    pub(crate) artefacts: Vec<String>,
    /// The node that the phases behind wait for.
    pub(crate) node: Node,
    pub(crate) tasks: Vec<TaskRef>,
    /// The session that leads it, from its first task on.
    pub(crate) leader: Option<SessionId>,
    pub(crate) paused: bool,
    pub(crate) gate: GateState,
    /// How often it was at its gate.
    pub(crate) rounds: u32,
    /// How often it did not pass since somebody last said how to go on.
    pub(crate) failures: u32,
    /// How often its verifier was lost in the meantime.
    pub(crate) losses: u32,
    /// What agents say they wrote.
    pub(crate) documents: Vec<String>,
    /// The task whose agent said that the phase is complete.
    pub(crate) marked_by: Option<TaskRef>,
    /// The task that was done last.
    pub(crate) last_done: Option<TaskRef>,
    /// What the verifier wants to be done again, and why.
    pub(crate) objections: Vec<(TaskId, String)>,
    /// What is to be done again since it last did not pass.
    pub(crate) rework: Vec<TaskRef>,
    pub(crate) budget_usage: BudgetUsage,
}

impl Phase {
    pub(crate) fn new(planned: &PlannedPhase, node: Node) -> Self {
        Self {
            name: planned.name.clone(),
            after: planned.after.clone(),
            verify: planned.verify.clone(),
            artefacts: planned.artefacts.clone(),
            node,
            tasks: Vec::new(),
            leader: None,
            paused: false,
            gate: GateState::Closed,
            rounds: 0,
            failures: 0,
            losses: 0,
            documents: Vec::new(),
            marked_by: None,
            last_done: None,
            objections: Vec::new(),
            rework: Vec::new(),
            budget_usage: BudgetUsage::new(planned.budgets.iter().copied()),
        }
    }
}
