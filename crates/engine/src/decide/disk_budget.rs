//! The disk budget for worktrees. While it is exhausted no new task starts; it counts as no failed attempt.

use domain::{
    AttemptFailure, EscalationCause, EscalationSubject, EscalationType, SessionId, Severity, events,
};

use super::{DecisionContext, escalation::NewEscalation};
use crate::rejection::Rejection;

impl DecisionContext<'_> {
    /// Returns the task of a session without a worktree to the queue, and starts nothing new until there is space.
    pub(super) fn handle_disk_budget_exceeded(
        &mut self,
        session: SessionId,
        reason: String,
    ) -> Result<(), Rejection> {
        self.check_session_running(session)?;
        let session_state = self.run.session(session);
        let own_task = session_state.task.filter(|task| self.run.task(*task).session() == Some(session));
        let Some(task) = own_task.filter(|_| session_state.is_alive()) else {
            return self.handle_session_lost(session, reason);
        };
        let escalation = self.run.disk_budget_escalation.unwrap_or_else(|| {
            let escalation = NewEscalation {
                kind: EscalationType::Dependency,
                severity: Severity::Medium,
                title: EscalationCause::DiskBudgetExhausted.into(),
                description: reason.clone(),
                context: "no new task starts; running tasks continue".to_owned(),
            };
            self.raise_escalation(EscalationSubject::Run, None, escalation)
        });
        self.emit(events::SessionLost { session, reason: reason.clone() });
        self.close_session_interactions(session, "it has no worktree");
        let state = self.run.task(task);
        let (id, attempt) = (state.planned.id.clone(), state.attempt());
        let has_slot = self.run.schedule.running().contains(&state.node);
        // A blocked task starts another attempt when it is unblocked.
        if state.stage.is_running() && !state.is_blocked() && has_slot {
            let failure = AttemptFailure::Lost { reason };
            self.emit(events::AttemptFailed { task: id.clone(), attempt, failure, counted: false });
            self.emit(events::TaskRetried { task: id.clone(), hint: None, resets_attempts: false });
        }
        self.emit(events::DiskBudgetExhausted { escalation, task: id });
        Ok(())
    }

    /// Resolves the escalation about the disk budget.
    pub(super) fn handle_disk_space_available(&mut self) -> Result<(), Rejection> {
        let escalation = self.run.disk_budget_escalation.ok_or(Rejection::StaleReport)?;
        let note = "the cause no longer exists: disk space is available again".to_owned();
        self.emit(events::EscalationResolved { escalation, action: None, note });
        Ok(())
    }
}
