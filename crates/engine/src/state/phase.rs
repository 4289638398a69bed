//! State of a phase: its gate, its counts and its budget.

use std::collections::BTreeMap;

use domain::{EscalationId, GateReport, GateVerdict, PhaseNumber, PlannedPhase, SessionId, TaskId};

use super::{TaskIndex, task::BudgetUsage};
use crate::{effect::MergedCommits, graph::Node};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GateState {
    /// Some task of the phase is unfinished.
    Closed,
    Checking,
    Verifying(SessionId),
    /// Passed, and waits for approval.
    Review,
    /// Failed too often; the escalation is open.
    Escalated(EscalationId),
    Approved,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Phase {
    pub(crate) name: String,
    /// The phases whose gates it depends on.
    pub(crate) after: Vec<PhaseNumber>,
    pub(crate) verify: Option<String>,
    /// Glob patterns of the files that it must produce.
    pub(crate) artefacts: Vec<String>,
    /// The barrier that tasks of later phases depend on.
    pub(crate) node: Node,
    pub(crate) tasks: Vec<TaskIndex>,
    /// Operator session of the phase, opened by its first task.
    pub(crate) leader: Option<SessionId>,
    pub(crate) paused: bool,
    pub(crate) gate: GateState,
    /// Number of times the gate was opened.
    pub(crate) rounds: u32,
    /// Failed rounds since the last decision of a user or agent.
    pub(crate) failures: u32,
    /// Verifier processes lost since then.
    pub(crate) losses: u32,
    /// Documents that agents reported as written, by task. A later report of the same task replaces its list.
    pub(crate) documents: BTreeMap<TaskIndex, Vec<String>>,
    /// The task whose agent reported the phase as complete.
    pub(crate) marked_by: Option<TaskIndex>,
    pub(crate) last_done: Option<TaskIndex>,
    /// Tasks that the verifier rejected, with reasons.
    pub(crate) objections: Vec<(TaskId, String)>,
    /// The verdict that the verifier stated in a message.
    pub(crate) verdict: Option<GateVerdict>,
    /// Whether the verifier reported a task of the phase as done, which accepts the phase.
    pub(crate) is_acceptance_reported: bool,
    /// What the checks of the current round found.
    pub(crate) report: Option<Box<GateReport>>,
    /// Tasks to redo after the last failed round.
    pub(crate) rework: Vec<TaskIndex>,
    /// Merges of its tasks, oldest first.
    pub(crate) merges: Vec<MergedCommits>,
    /// Commit that the current round examined.
    pub(crate) examined_commit: Option<String>,
    /// Commit that the last failed or rejected round examined.
    pub(crate) rejected_commit: Option<String>,
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
            documents: BTreeMap::new(),
            marked_by: None,
            last_done: None,
            objections: Vec::new(),
            verdict: None,
            is_acceptance_reported: false,
            report: None,
            rework: Vec::new(),
            merges: Vec::new(),
            examined_commit: None,
            rejected_commit: None,
            budget_usage: BudgetUsage::new(planned.budgets.iter().copied()),
        }
    }

    /// Returns the documents that agents reported as written, each once.
    pub(crate) fn reported_documents(&self) -> Vec<String> {
        let mut documents: Vec<String> = self.documents.values().flatten().cloned().collect();
        documents.sort();
        documents.dedup();
        documents
    }
}
