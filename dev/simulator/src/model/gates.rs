//! Phases, gates and escalations in the model.

use domain::{
    EscalationAction, EscalationLevel, EscalationSubject, EscalationType, GateReport, PhaseNumber, SessionId,
};

use super::Model;
use crate::rule::Rule;

/// A gate that fails so often is escalated.
const GATE_FAILURES_MAX: u32 = 3;

/// One phase.
#[derive(Debug, Clone, Default)]
pub struct Phase {
    /// The phases before it.
    pub after: Vec<PhaseNumber>,
    /// Its own check.
    pub verify: Option<String>,
    /// Whether it waits.
    pub paused: bool,
    /// Whether it was called off.
    pub cancelled: bool,
    /// Its gate.
    pub gate: Gate,
}

/// The gate at the end of a phase.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    /// Which time it is open; 0 where it never was.
    pub round: u32,
    /// Whether its checks are to be reported.
    pub checking: bool,
    /// The verifier that looks at it.
    pub judge: Option<SessionId>,
    /// Whether it passed and waits for approval.
    pub passed: bool,
    /// Whether it is approved.
    pub approved: bool,
    /// How often it failed since somebody last decided.
    pub failures: u32,
}

/// One escalation.
#[derive(Debug, Clone)]
pub struct Escalation {
    /// What kind of problem it is.
    pub kind: EscalationType,
    /// What it is about.
    pub subject: EscalationSubject,
    /// Who has it in hand.
    pub level: EscalationLevel,
    /// The session that has it in hand.
    pub session: Option<SessionId>,
    /// What could be done.
    pub suggested: Vec<EscalationAction>,
    /// Whether it is not settled.
    pub open: bool,
}

impl Model {
    /// A phase is at its gate: nothing of it may be open.
    pub(super) fn open_gate(&mut self, number: PhaseNumber, round: u32) {
        let open: Vec<String> = self
            .tasks
            .iter()
            .filter(|(_, task)| task.plan.phase == number && (task.slot || !self.is_at_rest(task)))
            .map(|(id, task)| format!("{id} {:?}", task.stage))
            .collect();
        if !open.is_empty() {
            self.breach(Rule::GateFirst, format!("the gate of phase {number} opens before {open:?}"));
        }
        let Some(phase) = self.phases.get_mut(&number) else { return };
        let gate = &mut phase.gate;
        let (before, was_approved) = (gate.round, gate.approved);
        gate.round = round;
        gate.checking = true;
        gate.passed = false;
        if was_approved || round != before + 1 {
            self.breach(Rule::GateFirst, format!("phase {number}: time {round} follows time {before}"));
        }
    }

    /// Tells whether a task no longer keeps its phase from its gate.
    fn is_at_rest(&self, task: &super::Task) -> bool {
        let said_complete =
            || task.reasons.iter().any(|reason| matches!(reason, domain::BlockReason::Approval { .. }));
        task.stage.is_over() || said_complete()
    }

    /// The gate's own checks are over.
    pub(super) fn check_gate(&mut self, number: PhaseNumber, round: u32, report: &GateReport) {
        let Some(phase) = self.phases.get_mut(&number) else { return };
        let expected = phase.gate.checking && phase.gate.round == round;
        phase.gate.checking = false;
        phase.gate.judge = None;
        if !expected {
            let how = format!("the gate of phase {number} hears of time {round}, passed {}", report.passed);
            self.breach(Rule::StaleReports, how);
        }
    }

    /// The phase did not pass.
    pub(super) fn fail_gate(&mut self, number: PhaseNumber, by_person: bool) {
        let Some(phase) = self.phases.get_mut(&number) else { return };
        let gate = &mut phase.gate;
        gate.checking = false;
        gate.passed = false;
        gate.judge = None;
        gate.failures = if by_person { 0 } else { gate.failures + 1 };
        if gate.failures > GATE_FAILURES_MAX {
            self.breach(Rule::TriesBounded, format!("the gate of phase {number} fails again and again"));
        }
    }

    /// A problem is settled: what was counted towards it is counted anew.
    pub(super) fn forgive(&mut self, subject: &EscalationSubject) {
        match subject {
            EscalationSubject::Phase { phase } => {
                if let Some(phase) = self.phases.get_mut(phase) {
                    phase.gate.failures = 0;
                }
            }
            EscalationSubject::Task { .. } | EscalationSubject::Run => {}
        }
    }
}
