//! Room for worktrees. Where there is none nothing new begins, and that is nobody's failure.

use domain::{
    AttemptFailure, EscalationCause, EscalationSubject, EscalationType, Event, SessionId, Severity,
};

use super::{DecisionContext, escalation::NewEscalation};
use crate::{rejection::Rejection, state::TaskStage};

impl DecisionContext<'_> {
    /// A session got no worktree: its task goes back, and nothing new begins until there is room.
    pub(super) fn report_disk_budget_exceeded(
        &mut self,
        session: SessionId,
        reason: String,
    ) -> Result<(), Rejection> {
        self.check_session_running(session)?;
        let refused = self.run.session(session);
        let own = refused.task.filter(|task| self.run.task(*task).session == Some(session));
        let Some(task) = own.filter(|_| !refused.dismissed) else { return self.report_lost(session, reason) };
        let escalation = self.run.disk_budget_escalation.unwrap_or_else(|| {
            let problem = NewEscalation {
                kind: EscalationType::Dependency,
                severity: Severity::Medium,
                title: EscalationCause::DiskBudgetExhausted.into(),
                description: reason.clone(),
                context: "no new task begins; those that have begun go on".to_owned(),
            };
            self.raise(EscalationSubject::Run, None, problem)
        });
        self.emit(Event::SessionLost { session, reason: reason.clone() });
        self.close_session(session, "it got no worktree");
        let state = self.run.task(task);
        let (id, attempt) = (state.planned.id.clone(), state.attempt);
        let has_slot = self.run.schedule.running().contains(&state.node);
        // One that waits for something else begins anew when it may go on.
        if state.stage == TaskStage::Running && !state.is_blocked() && has_slot {
            let failure = AttemptFailure::Lost { reason };
            self.emit(Event::AttemptFailed { task: id.clone(), attempt, failure, counted: false });
            self.emit(Event::TaskRetried { task: id.clone(), hint: None, resets_attempts: false });
        }
        self.emit(Event::DiskBudgetExhausted { escalation, task: id });
        Ok(())
    }

    /// There is room again: whoever was told that there is none is told so.
    pub(super) fn report_disk_space_available(&mut self) -> Result<(), Rejection> {
        let escalation = self.run.disk_budget_escalation.ok_or(Rejection::StaleReport)?;
        let note = "its cause went away: there is room again".to_owned();
        self.emit(Event::EscalationResolved { escalation, action: None, note });
        Ok(())
    }
}
