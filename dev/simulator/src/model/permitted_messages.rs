//! The messages that an agent may send, by its role.

use domain::{AgentMessage, CustomMessage, EscalationId, EscalationType, Role, SessionId};

use super::{Model, Session};
use crate::rule::Rule;

/// Invalid messages in a row after which an agent is not corrected.
const INVALID_MESSAGES_MAX: u32 = 3;

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
            AgentMessage::NeedHuman(_) | AgentMessage::ResolveNext(_) | AgentMessage::Task(_) => is_orchestrator,
            AgentMessage::Custom(custom) => is_orchestrator || self.may_send_custom(id, session, custom),
            AgentMessage::Done(done) => may_end(&done.task_id),
            AgentMessage::Fail(fail) => may_end(&fail.task_id),
        }
    }

    /// A verifier states its verdict; an operator acts on the tasks of its phase.
    fn may_send_custom(&self, id: SessionId, session: &Session, custom: &CustomMessage) -> bool {
        let is_verdict = custom.kind == "VERDICT";
        let is_verifier = || self.phases.values().any(|phase| phase.gate.verifier == Some(id));
        let object = custom.value.split_whitespace().next().unwrap_or_default();
        let task = object.parse().ok().and_then(|id| self.tasks.get(&id));
        match session.role {
            Role::Operator => task.is_none_or(|task| Some(task.plan.phase) == session.phase),
            Role::Verifier => is_verdict && is_verifier(),
            Role::Orchestrator | Role::Worker | Role::Tester | Role::Specialist => false,
        }
    }

    /// Counts a message that was accepted. Progress does not show that an agent understands its corrections.
    pub(super) fn count_valid_message(&mut self, id: SessionId, said: &AgentMessage) {
        if !matches!(said, AgentMessage::Progress(_)) {
            self.update_session(id, |session| session.invalid_in_a_row = 0);
        }
    }

    /// Checks that an agent which keeps sending invalid messages is not corrected for ever.
    pub(super) fn check_correction(&mut self, id: SessionId) {
        let count = self.sessions.get(&id).map_or(0, |session| session.invalid_in_a_row);
        if count >= INVALID_MESSAGES_MAX {
            let how = format!("{id} is corrected after {count} invalid messages in a row");
            self.add_violation(Rule::CorrectionsBounded, how);
        }
    }

    /// A decision about the problem of a session lets it be corrected again.
    pub(super) fn forget_invalid_messages(&mut self, id: EscalationId) {
        let Some(escalation) = self.escalations.get(&id) else { return };
        let session = escalation.origin.filter(|_| escalation.kind == EscalationType::Protocol);
        if let Some(session) = session {
            self.update_session(session, |session| session.invalid_in_a_row = 0);
        }
    }
}
