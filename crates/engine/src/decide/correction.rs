//! Agents that keep sending invalid messages: they are corrected a few times, then their work needs a decision.

use domain::{
    AgentInvocationOutcome, EscalationCause, EscalationSubject, EscalationType, QuestionRoute, Role,
    SessionId, Severity, events,
};

use super::{DecisionContext, escalation::NewEscalation};
use crate::state::{INVALID_MESSAGES_MAX, INVALID_OF_A_KIND_MAX, WorkItem};

const REASON: &str = "keeps sending invalid messages";

impl DecisionContext<'_> {
    /// Stops correcting a session. Its task waits for a decision; a duty goes to the next level.
    pub(super) fn give_up_correcting(&mut self, session: SessionId) {
        let sender = self.run.session(session);
        let (item, role, task) = (sender.current_item, sender.role, sender.task);
        let description = match sender.invalid_in_a_row >= INVALID_MESSAGES_MAX {
            true => format!("{INVALID_MESSAGES_MAX} invalid messages in a row"),
            false => format!("{INVALID_OF_A_KIND_MAX} invalid messages of one kind"),
        };
        match item {
            Some(WorkItem::Test(task)) => return self.escalate_test(task, &format!("the tester {REASON}")),
            Some(WorkItem::Verify(phase)) => {
                return self.escalate_gate_failure(phase, format!("the verifier {REASON}"), "");
            }
            Some(WorkItem::Call(invocation)) => {
                let reason = format!("the called agent {REASON}");
                self.end_call(invocation, AgentInvocationOutcome::Failed { reason });
            }
            Some(WorkItem::Question(question)) => {
                self.emit_as_system(events::QuestionRouted { question, to: QuestionRoute::Person });
            }
            Some(WorkItem::Escalation(escalation)) => self.forward_escalation(escalation),
            Some(WorkItem::Chat) | None => {}
        }
        let own_task = task.filter(|_| role == Role::Worker);
        let blocks = own_task.map(|task| self.work_blocked_by(task)).unwrap_or_default();
        let escalation = NewEscalation {
            kind: EscalationType::Protocol,
            severity: if blocks.tasks > 0 { Severity::High } else { Severity::Medium },
            title: EscalationCause::ProtocolViolated { session }.into(),
            description,
            context: String::new(),
        };
        let worked_on = own_task.filter(|task| {
            self.run.task(*task).is_worked_on_by(session) && self.run.task(*task).stage.is_running()
        });
        match (worked_on, own_task) {
            (Some(task), _) => self.block_on_escalation(task, escalation),
            (None, Some(task)) => {
                let subject = EscalationSubject::Task { task: self.task_id(task) };
                self.raise_escalation(subject, Some(session), escalation);
            }
            (None, None) => {
                self.raise_escalation(EscalationSubject::Run, Some(session), escalation);
            }
        }
    }

    /// Settles the problem of a session that sent a valid message after all.
    pub(super) fn resume_corrections(&mut self, session: SessionId) {
        let is_about = |id: &domain::EscalationId| {
            let escalation = self.run.escalations.get(id.0);
            escalation.is_about_messages && escalation.origin == Some(session)
        };
        let open: Vec<_> = self.run.open_escalations.iter().copied().filter(is_about).collect();
        for escalation in open {
            let note = "the cause no longer exists: the agent sent a valid message".to_owned();
            self.emit_as_system(events::EscalationResolved { escalation, action: None, note });
            self.unblock_escalated_tasks(escalation);
        }
    }
}
