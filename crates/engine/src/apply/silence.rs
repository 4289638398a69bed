//! A main agent of a thin run that says nothing while tasks wait for it to ask for them.

use domain::{EscalationId, EscalationSubject, EscalationType, OrchestrationMode, SessionId, Timestamp};

use super::{PATIENCE_MS, start::later};
use crate::{
    run::{Run, Status},
    state::Deadline,
};

impl Run {
    /// Returns the main agent, and how far it was read, while it is in a turn and tasks wait for it.
    fn waited_for(&self) -> Option<(SessionId, u64)> {
        if self.settings.mode != OrchestrationMode::Thin || self.status != Status::Going {
            return None;
        }
        let id = self.orchestrator()?;
        let main = self.session(id);
        // One that asked what is next, or asked a person, waits itself.
        let waits = main.limited || !main.questions.is_empty() || self.resolves.contains_key(&id);
        let is_at_it = main.in_turn && !waits;
        (is_at_it && self.tasks.iter().any(|task| task.can_be_asked_for())).then_some((id, main.read_from))
    }

    /// Begins to wait anew for a word of the main agent, where there is one or there is nothing to wait for.
    pub(super) fn watch_main(&mut self, at: Timestamp) {
        let now = self.waited_for();
        if now == self.watched {
            return;
        }
        self.watched = now;
        match now {
            Some(_) => self.timers.set(later(at, PATIENCE_MS), Deadline::Silence),
            None => self.timers.clear(Deadline::Silence),
        }
    }

    /// Notes that somebody is told of the silence, if that is what the problem is.
    pub(super) fn silence_told(
        &mut self,
        at: Timestamp,
        escalation: EscalationId,
        about: (EscalationType, &EscalationSubject, Option<SessionId>),
    ) {
        let (kind, subject, session) = about;
        let is_about_it =
            kind == EscalationType::Blocked && *subject == EscalationSubject::Run && session.is_some();
        if let Some(watched) = self.watched
            && is_about_it
            && session == Some(watched.0)
            && self.timers.is_due(at, Deadline::Silence)
        {
            self.timers.clear(Deadline::Silence);
            self.silence = Some((escalation, watched));
        }
    }

    /// Whoever says that it is no problem is told again if the silence goes on.
    pub(super) fn silence_settled(&mut self, escalation: EscalationId) {
        if self.silence.take_if(|(told, _)| *told == escalation).is_some() {
            self.watched = None;
        }
    }
}
