//! Whose words are whose: what an agent may say, by its role.

use domain::{AgentMessage, Role, SessionId};

use super::{Model, Session};
use crate::rule::Rule;

impl Model {
    /// An agent's message was taken: was it its to say?
    pub(super) fn own_words(&mut self, id: SessionId, said: &AgentMessage) {
        let Some(session) = self.sessions.get(&id) else { return };
        let wrong = match said.target() {
            Some(name) if self.role(name).is_none() => Some(format!("names {name}, whom nobody knows")),
            Some(_) | None => (!self.may_say(id, session, said)).then(|| format!("says {}", said.name())),
        };
        if let Some(wrong) = wrong {
            self.breach(Rule::OwnWords, format!("{id}, a {:?}, {wrong}", session.role));
        }
    }

    fn may_say(&self, id: SessionId, session: &Session, said: &AgentMessage) -> bool {
        let leads = session.role == Role::Orchestrator;
        // One that was called ends the call with it, whatever task it names.
        let is_called = self.calls.values().any(|call| call.open && call.session == Some(id));
        let speaks_for =
            |task| session.role != Role::Worker || session.task.as_ref() == Some(task) || is_called;
        match said {
            AgentMessage::AskUser(_)
            | AgentMessage::Invoke(_)
            | AgentMessage::DeliverResult(_)
            | AgentMessage::StepComplete(_)
            | AgentMessage::Progress(_)
            | AgentMessage::Direct(_)
            | AgentMessage::DependencyRequest(_)
            | AgentMessage::UserQuestion(_)
            | AgentMessage::Error(_)
            // Jangdan's own words are text where an agent says them.
            | AgentMessage::Ready(_)
            | AgentMessage::PhaseDone(_)
            | AgentMessage::AllDone
            | AgentMessage::ResolveError(_) => true,
            AgentMessage::PhaseComplete(complete) => {
                let of_task = session.task.as_ref().and_then(|task| self.tasks.get(task));
                of_task.map_or(session.phase, |task| Some(task.plan.phase)) == Some(complete.phase) || leads
            }
            AgentMessage::NeedHuman(_) | AgentMessage::ResolveNext(_) | AgentMessage::Task(_) | AgentMessage::Custom(_) => leads,
            AgentMessage::Done(done) => speaks_for(&done.task_id),
            AgentMessage::Fail(fail) => speaks_for(&fail.task_id),
        }
    }
}
