//! The messages that an agent may send, by its role.

use domain::{AgentMessage, Role, SessionId};

use super::{Model, Session};
use crate::rule::Rule;

impl Model {
    /// Checks that the role of an agent permits its message.
    pub(super) fn check_permitted(&mut self, id: SessionId, said: &AgentMessage) {
        let Some(session) = self.sessions.get(&id) else { return };
        let problem = match said.target() {
            Some(name) if self.agent_role(name).is_none() => {
                Some(format!("names {name}, which is not in the team"))
            }
            Some(_) | None => (!self.may_send(id, session, said)).then(|| format!("sends {}", said.name())),
        };
        if let Some(problem) = problem {
            self.add_violation(Rule::PermittedMessages, format!("{id}, a {:?}, {problem}", session.role));
        }
    }

    fn may_send(&self, id: SessionId, session: &Session, said: &AgentMessage) -> bool {
        let is_orchestrator = session.role == Role::Orchestrator;
        // A callee ends its call with it, whatever task it names.
        let is_called = self.calls.values().any(|call| call.open && call.session == Some(id));
        let may_end = |task| session.role != Role::Worker || session.task.as_ref() == Some(task) || is_called;
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
            // Messages of Jangdan are text in the output of an agent.
            | AgentMessage::Ready(_)
            | AgentMessage::PhaseDone(_)
            | AgentMessage::AllDone
            | AgentMessage::ResolveError(_) => true,
            AgentMessage::PhaseComplete(complete) => {
                let of_task = session.task.as_ref().and_then(|task| self.tasks.get(task));
                of_task.map_or(session.phase, |task| Some(task.plan.phase)) == Some(complete.phase) || is_orchestrator
            }
            AgentMessage::NeedHuman(_) | AgentMessage::ResolveNext(_) | AgentMessage::Task(_) | AgentMessage::Custom(_) => is_orchestrator,
            AgentMessage::Done(done) => may_end(&done.task_id),
            AgentMessage::Fail(fail) => may_end(&fail.task_id),
        }
    }
}
