//! Tasks that need a worktree wait while there is no room for one.

use domain::{EscalationId, TaskId};

use crate::{run::Run, schedule::HoldReason};

impl Run {
    pub(super) fn room_ran_out(&mut self, escalation: EscalationId, refused: &TaskId) {
        self.no_room = Some(escalation);
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
    pub(super) fn room_found(&mut self, escalation: EscalationId) {
        if self.no_room == Some(escalation) {
            self.no_room = None;
            for task in &self.tasks {
                self.schedule.release(task.node, HoldReason::DiskBudget);
            }
        }
    }
}
