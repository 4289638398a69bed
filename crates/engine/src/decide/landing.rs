//! Commands of users that act on the project or on processes: landing, cleaning up, ending a process.

use domain::{CleanupId, CleanupReport, LandReport, LandingId, RunAction, SessionAction, SessionId, events};

use super::DecisionContext;
use crate::{effect::Effect, rejection::Rejection, run::RunStatus, state::EffectKey};

impl DecisionContext<'_> {
    pub(super) fn request_landing(
        &mut self,
        all: bool,
        into: Option<String>,
        squash: bool,
    ) -> Result<(), Rejection> {
        self.run.check_run_action(RunAction::Land)?;
        let landing = LandingId(self.run.landings + 1);
        self.emit(events::LandingRequested { landing, all, into, squash });
        Ok(())
    }

    pub(super) fn handle_landing_report(
        &mut self,
        landing: LandingId,
        report: Box<LandReport>,
    ) -> Result<(), Rejection> {
        match self.run.pending_effects.find_by_key(&EffectKey::LandRun) {
            Some(Effect::LandRun { landing: pending, .. }) if *pending == landing => {}
            Some(_) | None => return Err(Rejection::StaleReport),
        }
        self.emit(events::LandingFinished { landing, report });
        Ok(())
    }

    pub(super) fn request_cleanup(&mut self, refs: bool) -> Result<(), Rejection> {
        self.run.check_run_action(RunAction::Clean)?;
        if refs && !matches!(self.run.status, RunStatus::Ended(_)) {
            let (state, hint) = ("still active", "wait for its end, or cancel it");
            return Err(Rejection::WrongRunState { object: "the run".to_owned(), state, hint });
        }
        let cleanup = CleanupId(self.run.cleanups + 1);
        self.emit(events::CleanupRequested { cleanup, refs });
        Ok(())
    }

    pub(super) fn handle_cleanup_report(
        &mut self,
        cleanup: CleanupId,
        report: Box<CleanupReport>,
        error: Option<String>,
    ) -> Result<(), Rejection> {
        match self.run.pending_effects.find_by_key(&EffectKey::CleanRun) {
            Some(Effect::CleanRun { cleanup: pending, .. }) if *pending == cleanup => {}
            Some(_) | None => return Err(Rejection::StaleReport),
        }
        self.emit(events::CleanupFinished { cleanup, report, error });
        Ok(())
    }

    /// Requests the end of a session's process. Its report is handled like any other end of a process.
    pub(super) fn request_session_stop(&mut self, session: SessionId) -> Result<(), Rejection> {
        if !self.run.sessions.has(session.0)
            || !self.run.session_actions(session).contains(&SessionAction::Stop)
        {
            return Err(Rejection::UnknownSession { session });
        }
        // It is being ended already.
        if !self.run.pending_effects.has(&EffectKey::Stop(session)) {
            self.emit(events::SessionStopRequested { session });
        }
        Ok(())
    }
}
