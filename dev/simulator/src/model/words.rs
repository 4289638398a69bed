//! Whose words are whose: what an agent may say, by its role.

use domain::{Role, Said, SessionId};

use super::{Model, Session};
use crate::rule::Rule;

impl Model {
    /// An agent's message was taken: was it its to say?
    pub(super) fn own_words(&mut self, id: SessionId, said: &Said) {
        let Some(session) = self.sessions.get(&id) else { return };
        let wrong = match said.target() {
            Some(name) if self.role(name).is_none() => Some(format!("names {name}, whom nobody knows")),
            Some(_) | None => (!self.may_say(id, session, said)).then(|| format!("says {}", said.name())),
        };
        if let Some(wrong) = wrong {
            self.breach(Rule::OwnWords, format!("{id}, a {:?}, {wrong}", session.role));
        }
    }

    fn may_say(&self, id: SessionId, session: &Session, said: &Said) -> bool {
        let leads = session.role == Role::Orchestrator;
        // One that was called ends the call with it, whatever task it names.
        let is_called = self.calls.values().any(|call| call.open && call.session == Some(id));
        let speaks_for =
            |task| session.role != Role::Worker || session.task.as_ref() == Some(task) || is_called;
        match said {
            Said::AskUser(_)
            | Said::Invoke(_)
            | Said::DeliverResult(_)
            | Said::StepComplete(_)
            | Said::Progress(_)
            | Said::Direct(_)
            | Said::DependencyRequest(_)
            | Said::UserQuestion(_)
            | Said::Error(_)
            // Jangdan's own words are text where an agent says them.
            | Said::Ready(_)
            | Said::PhaseDone(_)
            | Said::AllDone
            | Said::ResolveError(_) => true,
            Said::PhaseComplete(complete) => {
                let of_task = session.task.as_ref().and_then(|task| self.tasks.get(task));
                of_task.map_or(session.phase, |task| Some(task.plan.phase)) == Some(complete.phase) || leads
            }
            Said::NeedHuman(_) | Said::ResolveNext(_) | Said::Task(_) | Said::Custom(_) => leads,
            Said::Done(done) => speaks_for(&done.task_id),
            Said::Fail(fail) => speaks_for(&fail.task_id),
        }
    }
}
