//! Tasks that need a worktree wait while there is no room for one.

use domain::{EscalationId, TaskId};

use crate::{run::Run, schedule::HoldReason};

impl Run {
    pub(super) fn disk_budget_exhausted(&mut self, escalation: EscalationId, refused: &TaskId) {
        self.disk_budget_escalation = Some(escalation);
        // It never had a process that could be lost.
        if let Some(task) = self.find(refused).and_then(|found| self.task_mut(found)) {
            task.losses = task.losses.saturating_sub(1);
        }
        for task in &self.tasks {
            if task.attempt == 0 || task.planned.id == *refused {
                self.schedule.hold(task.node, HoldReason::DiskBudget);
            }
        }
    }

    /// Lets everybody begin again who waited for room, if that was the problem.
    pub(super) fn disk_space_available(&mut self, escalation: EscalationId) {
        if self.disk_budget_escalation == Some(escalation) {
            self.disk_budget_escalation = None;
            for task in &self.tasks {
                self.schedule.release(task.node, HoldReason::DiskBudget);
            }
        }
    }
}
