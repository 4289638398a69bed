//! A main agent of a thin run that says nothing while tasks wait for it to ask for them.

use domain::{EscalationId, EscalationSubject, EscalationType, OrchestrationMode, SessionId, Timestamp};

use super::{AGENT_RESPONSE_MS_MAX, start::add_ms};
use crate::{
    run::{Run, RunStatus},
    state::Deadline,
};

impl Run {
    /// Returns the main agent, and how far it was read, while it is in a turn and tasks wait for it.
    fn awaited_orchestrator(&self) -> Option<(SessionId, u64)> {
        if self.settings.mode != OrchestrationMode::Thin || self.status != RunStatus::Active {
            return None;
        }
        let id = self.orchestrator()?;
        let main = self.session(id);
        // One that asked what is next, or asked a person, waits itself.
        let waits =
            main.rate_limited || !main.questions.is_empty() || self.resolve_requests.contains_key(&id);
        let is_at_it = main.in_turn && !waits;
        (is_at_it && self.tasks.iter().any(|task| task.is_requestable())).then_some((id, main.read_from))
    }

    /// Begins to wait anew for a word of the main agent, where there is one or there is nothing to wait for.
    pub(super) fn watch_orchestrator(&mut self, at: Timestamp) {
        let now = self.awaited_orchestrator();
        if now == self.watched_orchestrator {
            return;
        }
        self.watched_orchestrator = now;
        match now {
            Some(_) => self.timers.set(add_ms(at, AGENT_RESPONSE_MS_MAX), Deadline::OrchestratorSilence),
            None => self.timers.clear(Deadline::OrchestratorSilence),
        }
    }

    /// Notes that somebody is told of the silence, if that is what the problem is.
    pub(super) fn silence_escalated(
        &mut self,
        at: Timestamp,
        escalation: EscalationId,
        about: (EscalationType, &EscalationSubject, Option<SessionId>),
    ) {
        let (kind, subject, session) = about;
        let is_about_it =
            kind == EscalationType::Blocked && *subject == EscalationSubject::Run && session.is_some();
        if let Some(watched_orchestrator) = self.watched_orchestrator
            && is_about_it
            && session == Some(watched_orchestrator.0)
            && self.timers.is_due(at, Deadline::OrchestratorSilence)
        {
            self.timers.clear(Deadline::OrchestratorSilence);
            self.silence_escalation = Some((escalation, watched_orchestrator));
        }
    }

    /// Whoever says that it is no problem is told again if the silence goes on.
    pub(super) fn silence_resolved(&mut self, escalation: EscalationId) {
        if self.silence_escalation.take_if(|(told, _)| *told == escalation).is_some() {
            self.watched_orchestrator = None;
        }
    }
}
