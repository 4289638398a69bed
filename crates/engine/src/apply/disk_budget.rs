//! Tasks that need a new worktree wait while the disk budget is exhausted.

use domain::{EscalationId, TaskId};

use crate::{run::Run, schedule::HoldReason};

impl Run {
    pub(super) fn apply_disk_budget_exhausted(&mut self, escalation: EscalationId, refused_task: &TaskId) {
        self.disk_budget_escalation = Some(escalation);
        // The refused session never had a process: it does not count as a loss.
        if let Some(task) = self.find_task(refused_task).and_then(|task_ref| self.task_mut(task_ref)) {
            task.losses = task.losses.saturating_sub(1);
        }
        for task in &self.tasks {
            if task.attempt() == 0 || task.planned.id == *refused_task {
                self.schedule.hold(task.node, HoldReason::DiskBudget);
            }
        }
    }

    /// Lets held tasks start again, if this escalation was about the disk budget.
    pub(super) fn release_disk_budget_holds(&mut self, escalation: EscalationId) {
        if self.disk_budget_escalation == Some(escalation) {
            self.disk_budget_escalation = None;
            for task in &self.tasks {
                self.schedule.release(task.node, HoldReason::DiskBudget);
            }
        }
    }
}
