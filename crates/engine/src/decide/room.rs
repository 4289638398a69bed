//! Room for worktrees. Where there is none nothing new begins, and that is nobody's failure.

use domain::{
    AttemptFailure, EscalationCause, EscalationSubject, EscalationType, Event, SessionId, Severity,
};

use super::{Deciding, escalation::Problem};
use crate::{rejection::Rejection, state::Stage};

impl Deciding<'_> {
    /// A session got no worktree: its task goes back, and nothing new begins until there is room.
    pub(super) fn report_no_room(&mut self, session: SessionId, reason: String) -> Result<(), Rejection> {
        self.must_live(session)?;
        let refused = self.run.session(session);
        let own = refused.task.filter(|task| self.run.task(*task).session == Some(session));
        let Some(task) = own.filter(|_| !refused.dismissed) else { return self.report_lost(session, reason) };
        let escalation = self.run.no_room.unwrap_or_else(|| {
            let problem = Problem {
                kind: EscalationType::Dependency,
                severity: Severity::Medium,
                words: EscalationCause::DiskBudgetExhausted.into(),
                description: reason.clone(),
                context: "no new task begins; those that have begun go on".to_owned(),
            };
            self.raise(EscalationSubject::Run, None, problem)
        });
        self.emit(Event::SessionLost { session, reason: reason.clone() });
        self.leave(session, "it got no worktree");
        let state = self.run.task(task);
        let (id, attempt) = (state.planned.id.clone(), state.attempt);
        let has_slot = self.run.schedule.running().contains(&state.node);
        // One that waits for something else begins anew when it may go on.
        if state.stage == Stage::Running && !state.is_blocked() && has_slot {
            let failure = AttemptFailure::Lost { reason };
            self.emit(Event::AttemptFailed { task: id.clone(), attempt, failure, counted: false });
            self.emit(Event::TaskRetried { task: id.clone(), hint: None, resets_attempts: false });
        }
        self.emit(Event::DiskBudgetExhausted { escalation, task: id });
        Ok(())
    }

    /// There is room again: whoever was told that there is none is told so.
    pub(super) fn report_room(&mut self) -> Result<(), Rejection> {
        let escalation = self.run.no_room.ok_or(Rejection::StaleReport)?;
        let note = "its cause went away: there is room again".to_owned();
        self.emit(Event::EscalationResolved { escalation, action: None, note });
        Ok(())
    }
}
