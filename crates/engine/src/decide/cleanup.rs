//! Closes the open questions, requests, calls and sessions of an ended attempt or session.

use domain::{
    AgentInvocationOutcome, BlockReason, ChannelId, EscalationId, EscalationLevel, FeedbackLoopOutcome,
    InvocationId, QuestionId, RequestId, Role, SessionId, events,
};

use super::DecisionContext;
use crate::state::{TaskIndex, WorkItem};

impl DecisionContext<'_> {
    /// Closes everything that the current attempt at a task left open, and dismisses its sessions.
    pub(super) fn close_attempt(
        &mut self,
        task: TaskIndex,
        outcome_text: &str,
        outcome: FeedbackLoopOutcome,
    ) {
        let reason = format!("{} {outcome_text}", self.task_id(task));
        let of_task = |id: &QuestionId| self.run.questions.get(id.0).task == Some(task);
        let questions: Vec<QuestionId> = self.run.open_questions.iter().copied().filter(of_task).collect();
        for question in questions {
            self.emit_as_system(events::QuestionWithdrawn { question, reason: reason.clone() });
            self.unblock_by_question(question);
        }
        let of_task = |id: &RequestId| self.run.requests.get(id.0).task == Some(task);
        let requests: Vec<RequestId> = self.run.open_requests.iter().copied().filter(of_task).collect();
        for request in requests {
            self.emit_as_system(events::RequestRefused { request, reason: reason.clone() });
            let block = BlockReason::Request { request };
            if self.run.is_task_blocked_by(task, &block) {
                self.emit_as_system(events::TaskUnblocked { task: self.task_id(task), reason: block });
            }
        }
        self.end_feedback_loop(task, outcome);
        self.dismiss_tester(task);
        if let Some(session) = self.run.task(task).session() {
            self.dismiss_session(session);
        }
        self.resolve_obsolete_escalations(task, &reason);
        self.notify_of_task_end(task);
    }

    /// Ends a session that is no longer needed.
    pub(super) fn dismiss_session(&mut self, session: SessionId) {
        if self.run.session(session).is_alive() {
            self.emit_as_system(events::SessionDismissed { session });
            self.close_session_interactions(session, "its session ended");
        }
    }

    /// Closes the calls, channels, escalations, requests and questions of an ended session.
    pub(super) fn close_session_interactions(&mut self, session: SessionId, reason: &str) {
        for invocation in self.open_calls_made_by(session) {
            let call = Some(WorkItem::Call(invocation));
            let callee = self.run.alive.iter().copied().find(|id| self.run.session(*id).current_item == call);
            let outcome = AgentInvocationOutcome::Failed { reason: "the caller has ended".to_owned() };
            self.end_call(invocation, outcome);
            if let Some(callee) = callee.filter(|callee| self.served_only_a_call(*callee)) {
                self.dismiss_session(callee);
            }
        }
        if let Some(WorkItem::Call(invocation)) = self.run.session(session).current_item {
            self.end_call(invocation, AgentInvocationOutcome::Failed { reason: reason.to_owned() });
        }
        let connects = |id: &ChannelId| {
            self.run.channels.get(id.0).ends.is_some_and(|(a, b)| a == session || b == session)
        };
        let channels: Vec<ChannelId> = self.run.open_channels.iter().copied().filter(connects).collect();
        for channel in channels {
            self.emit_as_system(events::ChannelClosed { channel });
        }
        let is_assigned = |id: &EscalationId| {
            let escalation = self.run.escalations.get(id.0);
            escalation.session == Some(session) && escalation.level != EscalationLevel::Worker
        };
        let assigned: Vec<EscalationId> =
            self.run.open_escalations.iter().copied().filter(is_assigned).collect();
        for escalation in assigned {
            self.forward_escalation(escalation);
        }
        let of_session = |id: &RequestId| {
            let request = self.run.requests.get(id.0);
            request.session == Some(session) && request.task.is_none()
        };
        let requests: Vec<RequestId> = self.run.open_requests.iter().copied().filter(of_session).collect();
        for request in requests {
            self.emit_as_system(events::RequestRefused { request, reason: reason.to_owned() });
        }
        // A task's questions outlive its session: the next session receives the answer.
        if self.run.session(session).task.is_none() || self.run.session(session).role != Role::Worker {
            let questions: Vec<QuestionId> = self.run.session(session).questions.iter().copied().collect();
            for question in questions {
                self.emit_as_system(events::QuestionWithdrawn { question, reason: reason.to_owned() });
                self.unblock_by_question(question);
            }
        }
    }

    /// Returns whether a session was started for a call and has nothing else to do.
    fn served_only_a_call(&self, session: SessionId) -> bool {
        let session = self.run.session(session);
        let is_leader = matches!(session.role, Role::Orchestrator | Role::Operator);
        !is_leader
            && session.task.is_none()
            && session.current_item.is_none()
            && session.work_queue.is_empty()
    }

    /// Returns the open calls that a session made.
    pub(super) fn open_calls_made_by(&self, session: SessionId) -> Vec<InvocationId> {
        self.run.open_calls_made_by(session).collect()
    }
}
