//! Phases, gates and escalations: the order of gates, and their bounded failures.

use domain::{
    EscalationAction, EscalationLevel, EscalationSubject, EscalationType, GateReport, PhaseNumber, SessionId,
};

use super::Model;
use crate::rule::Rule;

/// Number of failures after which a gate is escalated: the first and one after each rework.
const GATE_FAILURES_MAX: u32 = 4;

/// A phase with its gate.
#[derive(Debug, Clone, Default)]
pub(crate) struct Phase {
    /// The phases whose gates it waits for.
    pub after: Vec<PhaseNumber>,
    /// The check command of the phase.
    pub verify: Option<String>,
    pub paused: bool,
    pub cancelled: bool,
    pub gate: Gate,
}

/// The gate at the end of a phase.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gate {
    /// Number of times it was opened.
    pub round: u32,
    /// Whether the report of its checks is expected.
    pub checking: bool,
    /// The session of its verifier.
    pub verifier: Option<SessionId>,
    /// Whether a verifier started in this round and has not accepted.
    pub needs_verdict: bool,
    /// Whether it has passed and waits for approval.
    pub passed: bool,
    pub approved: bool,
    /// The commit that the current round examined.
    pub examined_commit: Option<String>,
    /// Number of failures since the last decision of a person.
    pub failures: u32,
}

/// A problem that is handed to a higher level.
#[derive(Debug, Clone)]
pub(crate) struct Escalation {
    pub kind: EscalationType,
    pub subject: EscalationSubject,
    /// The level that handles it.
    pub level: EscalationLevel,
    /// The session that handles it.
    pub session: Option<SessionId>,
    /// The session that it is about.
    pub origin: Option<SessionId>,
    /// Suggested actions for its resolution.
    pub suggested: Vec<EscalationAction>,
    /// Whether no task starts while it is open.
    pub withholds_starts: bool,
    /// Whether it is not resolved.
    pub open: bool,
}

impl Model {
    /// Opens the gate of a phase; none of its tasks may be open.
    pub(super) fn open_gate(&mut self, number: PhaseNumber, round: u32) {
        let open: Vec<String> = self
            .tasks
            .iter()
            .filter(|(_, task)| {
                task.plan.phase == number && (task.slot || !self.is_task_ready_for_gate(task))
            })
            .map(|(id, task)| format!("{id} {:?}", task.stage))
            .collect();
        if !open.is_empty() {
            self.add_violation(Rule::GateFirst, format!("the gate of phase {number} opens before {open:?}"));
        }
        let Some(phase) = self.phases.get_mut(&number) else { return };
        let gate = &mut phase.gate;
        let (before, was_approved) = (gate.round, gate.approved);
        gate.round = round;
        gate.checking = true;
        gate.passed = false;
        gate.needs_verdict = false;
        if was_approved || round != before + 1 {
            self.add_violation(
                Rule::GateFirst,
                format!("phase {number}: round {round} follows round {before}"),
            );
        }
    }

    /// Tells whether the gate of its phase can open as far as this task is concerned.
    fn is_task_ready_for_gate(&self, task: &super::Task) -> bool {
        let is_marked =
            || task.reasons.iter().any(|reason| matches!(reason, domain::BlockReason::Approval { .. }));
        task.stage.has_ended() || is_marked()
    }

    /// Applies the report of the gate's checks.
    pub(super) fn apply_gate_report(&mut self, number: PhaseNumber, round: u32, report: &GateReport) {
        let Some(phase) = self.phases.get_mut(&number) else { return };
        let expected = phase.gate.checking && phase.gate.round == round;
        phase.gate.checking = false;
        phase.gate.verifier = None;
        phase.gate.examined_commit.clone_from(&report.commit);
        if !expected {
            let how = format!(
                "the gate of phase {number} gets a report of round {round}, passed {}",
                report.passed
            );
            self.add_violation(Rule::StaleReports, how);
        }
    }

    /// Applies the verdict of a verifier, which must be the one of this round.
    pub(super) fn apply_verdict(&mut self, number: PhaseNumber, session: SessionId, accepted: bool) {
        let Some(phase) = self.phases.get_mut(&number) else { return };
        if phase.gate.verifier != Some(session) {
            let how = format!("{session} judges phase {number}, whose verifier is {:?}", phase.gate.verifier);
            self.add_violation(Rule::Verdict, how);
        } else if accepted {
            phase.gate.needs_verdict = false;
        }
    }

    /// Passes a gate. A verifier that was asked must have accepted the phase.
    pub(super) fn pass_gate(&mut self, number: PhaseNumber) {
        let Some(phase) = self.phases.get_mut(&number) else { return };
        phase.gate.passed = true;
        phase.gate.verifier = None;
        if phase.gate.needs_verdict {
            let how = format!("phase {number} passes although its verifier has not accepted it");
            self.add_violation(Rule::Verdict, how);
        }
    }

    /// Counts a failure of the gate.
    pub(super) fn fail_gate(&mut self, number: PhaseNumber, by_person: bool) {
        let Some(phase) = self.phases.get_mut(&number) else { return };
        let gate = &mut phase.gate;
        gate.checking = false;
        gate.passed = false;
        gate.verifier = None;
        gate.examined_commit = None;
        gate.failures = if by_person { 0 } else { gate.failures + 1 };
        if gate.failures > GATE_FAILURES_MAX {
            self.add_violation(
                Rule::AttemptsBounded,
                format!("the gate of phase {number} fails more than {GATE_FAILURES_MAX} times"),
            );
        }
    }

    /// A task of the phase works again: nothing of its last examination counts.
    pub(super) fn reopen_gate(&mut self, number: PhaseNumber) {
        self.update_phase(number, |phase| {
            phase.gate.checking = false;
            phase.gate.passed = false;
            phase.gate.verifier = None;
            phase.gate.examined_commit = None;
        });
    }

    /// Resets the failures of a gate after its problem is resolved.
    pub(super) fn reset_gate_failures(&mut self, subject: &EscalationSubject) {
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
