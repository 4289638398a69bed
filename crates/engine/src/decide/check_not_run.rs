//! Checks that could not run: the user resolves them at once, because no change of the work would help.

use domain::{
    CheckObstacle, EscalationCause, EscalationSubject, EscalationType, PhaseNumber, Receipt, Severity,
};

use super::{DecisionContext, escalation::NewEscalation};
use crate::{check_output::end_of_output, state::TaskIndex};

impl DecisionContext<'_> {
    /// Blocks a task whose check, or whose check of the merge, could not run.
    pub(super) fn block_on_unrun_check(
        &mut self,
        task: TaskIndex,
        receipt: &Receipt,
        obstacle: &CheckObstacle,
    ) {
        let subject = EscalationSubject::Task { task: self.task_id(task) };
        self.block_on_escalation(task, new_escalation(subject, receipt, obstacle));
    }

    /// Escalates the gate of a phase whose check could not run. It is not a failed round of the gate.
    pub(super) fn escalate_unrun_gate_check(
        &mut self,
        phase: PhaseNumber,
        receipt: &Receipt,
        obstacle: &CheckObstacle,
    ) {
        let subject = EscalationSubject::Phase { phase };
        self.raise_escalation(subject.clone(), None, new_escalation(subject, receipt, obstacle));
    }
}

fn new_escalation(of: EscalationSubject, receipt: &Receipt, obstacle: &CheckObstacle) -> NewEscalation {
    let (command, obstacle) = (receipt.command.clone(), obstacle.clone());
    NewEscalation {
        kind: EscalationType::CheckNotRun,
        severity: Severity::High,
        title: EscalationCause::CheckNotRun { of, command, obstacle }.into(),
        description: "retry runs the check again, without the agent".to_owned(),
        context: end_of_output(&receipt.output_tail),
    }
}
