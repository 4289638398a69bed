//! Detects a main agent (thin mode) that sends nothing while tasks wait for its request.

use domain::{EscalationId, EscalationSubject, EscalationType, OrchestrationMode, SessionId, Timestamp};

use super::{AGENT_RESPONSE_MS_MAX, start::add_ms};
use crate::{
    run::{Run, RunStatus},
    state::Deadline,
};

impl Run {
    /// Returns the main agent and its read position, while it is in a turn and tasks wait for it.
    fn awaited_orchestrator(&self) -> Option<(SessionId, u64)> {
        if self.settings.mode != OrchestrationMode::Thin || self.status != RunStatus::Active {
            return None;
        }
        let id = self.orchestrator()?;
        let state = self.session(id);
        // A main agent that asked for the next task or asked the user waits itself.
        let waits =
            state.rate_limited || !state.questions.is_empty() || self.resolve_requests.contains_key(&id);
        let is_working = state.in_turn && !waits;
        (is_working && self.tasks.iter().any(|task| task.awaits_main_agent_request()))
            .then_some((id, state.read_from))
    }

    /// Restarts the silence deadline when the main agent sent something, and clears it when no task waits.
    pub(super) fn update_silence_deadline(&mut self, at: Timestamp) {
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

    /// Records the escalation, if it is about the silent main agent.
    pub(super) fn record_silence_escalation(
        &mut self,
        at: Timestamp,
        escalation: EscalationId,
        about: (EscalationType, &EscalationSubject, Option<SessionId>),
    ) {
        let (kind, subject, session) = about;
        let is_about_silence =
            kind == EscalationType::Blocked && *subject == EscalationSubject::Run && session.is_some();
        if let Some(watched_orchestrator) = self.watched_orchestrator
            && is_about_silence
            && session == Some(watched_orchestrator.0)
            && self.timers.is_due(at, Deadline::OrchestratorSilence)
        {
            self.timers.clear(Deadline::OrchestratorSilence);
            self.silence_escalation = Some((escalation, watched_orchestrator));
        }
    }

    /// Watches the main agent again, so that a dismissed escalation is raised anew if the silence continues.
    pub(super) fn clear_silence_escalation(&mut self, escalation: EscalationId) {
        if self.silence_escalation.take_if(|(open, _)| *open == escalation).is_some() {
            self.watched_orchestrator = None;
        }
    }
}
