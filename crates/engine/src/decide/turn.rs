//! The end of a turn: an answer, a verdict, or a reminder. [`super::evidence`] examines turns without a message.

use domain::{
    AgentInvocationOutcome, CheckpointReason, EscalationCause, EscalationType, ResultType, Role, SessionId,
    SessionInput, Severity, TurnFailure, TurnTools, events, without_key_marks,
};

use super::{DecisionContext, agent_error::error_of_turn_failure, escalation::NewEscalation};
use crate::{
    rejection::Rejection,
    run::RunStatus,
    state::{TaskIndex, WorkItem},
};

impl DecisionContext<'_> {
    pub(super) fn end_turn(
        &mut self,
        turn: events::TurnEnded,
        failure: Option<TurnFailure>,
    ) -> Result<(), Rejection> {
        let session = turn.session;
        let sender = self.run.session(session);
        // A turn that ended before a restart may be reported again.
        if !sender.in_turn && turn.read_from <= sender.read_from && turn.text.is_empty() {
            return Ok(());
        }
        if let Some(failure) = failure {
            self.handle_agent_error(session, error_of_turn_failure(failure));
        }
        let reply = without_key_marks(turn.text.trim());
        let replies_to_chat = self.run.replies_to_chat(session, &reply);
        self.emit(turn);
        // Before anything else that follows: its next input is about something else.
        if replies_to_chat && !reply.is_empty() {
            self.emit(events::ChatMessageSent { text: reply.clone(), answers: None });
        }
        let sender = self.run.session(session);
        let (current_item, task, role) = (sender.current_item, sender.task, sender.role);
        if let Some(task) = task.filter(|task| role == Role::Worker && self.is_working_on(*task, session)) {
            self.request_checkpoint_creation(task, CheckpointReason::TurnEnd);
        } else if let Some(task) = task.filter(|task| self.run.large_file_question(*task).is_some()) {
            // An agent that did not wait may have removed the files.
            self.request_checkpoint_creation(task, CheckpointReason::Claim);
        }
        // Pending inputs come before corrections: an agent that reports DONE too early would never receive them.
        let has_inputs = |task: &TaskIndex| {
            let state = self.run.task(*task);
            self.is_working_on(*task, session) && !state.is_blocked() && !state.pending_inputs.is_empty()
        };
        if let Some(task) =
            task.filter(|_| self.run.status == RunStatus::Active && current_item.is_none()).filter(has_inputs)
        {
            self.send_pending_inputs(task);
            return Ok(());
        }
        if self.run.status != RunStatus::Active
            || self.send_corrections(session)
            || self.run.is_session_waiting(session)
        {
            return Ok(());
        }
        match current_item {
            Some(item) => self.finish_work_item(session, item, reply),
            None => {
                if let Some(task) = task.filter(|task| self.is_working_on(*task, session)) {
                    self.settle_turn(task, session);
                }
            }
        }
        Ok(())
    }

    /// Records the text and tools of an unfinished turn. Nothing else follows from it.
    pub(super) fn record_interrupted_turn(
        &mut self,
        session: SessionId,
        read_from: u64,
        text: String,
        tools: TurnTools,
    ) -> Result<(), Rejection> {
        let sender = self.run.session(session);
        if !sender.may_have_process() {
            return Err(Rejection::UnknownSession { session });
        }
        // After a recorded interruption, the rest of the turn may be empty.
        if text.trim().is_empty() && tools.is_empty() {
            return Ok(());
        }
        if read_from < sender.read_from {
            return Err(Rejection::StaleReport);
        }
        self.emit(events::TurnInterrupted { session, read_from, text, tools });
        Ok(())
    }

    /// Returns whether a session is the working session of a task.
    fn is_working_on(&self, task: TaskIndex, session: SessionId) -> bool {
        self.run.task(task).is_worked_on_by(session)
    }

    fn finish_work_item(&mut self, session: SessionId, item: WorkItem, reply: String) {
        match item {
            WorkItem::Question(question) => self.accept_reply(question, reply),
            WorkItem::Escalation(escalation) => self.forward_escalation(escalation),
            WorkItem::Call(invocation) => {
                let outcome =
                    AgentInvocationOutcome::Completed { result_type: ResultType::Message, content: reply };
                self.end_call(invocation, outcome);
                self.resume_own_work(session);
            }
            WorkItem::Test(task) => self.remind_or_escalate_tester(task, session),
            WorkItem::Verify(phase) => self.finish_verification(phase, session, &reply),
            // The turn that replies to it was the end of it.
            WorkItem::Chat => {}
        }
    }

    /// Continues a task that has its slot.
    pub(super) fn continue_work(&mut self, task: TaskIndex) {
        self.send_pending_inputs(task);
        let Some(session) = self.run.task(task).session() else { return };
        let worker = self.run.session(session);
        let is_idle = worker.is_alive() && !worker.in_turn && worker.current_item.is_none();
        if is_idle && !self.run.is_session_waiting(session) {
            self.settle_turn(task, session);
        }
    }

    /// Continues a worker's own task after a call.
    pub(super) fn resume_own_work(&mut self, session: SessionId) {
        let Some(task) = self.run.session(session).task else { return };
        let may_continue = self.is_working_on(task, session) && !self.run.task(task).is_blocked();
        if may_continue && !self.run.session(session).in_turn {
            self.settle_turn(task, session);
        }
    }

    /// Continues after a worker's turn: pending inputs first, then messages and calls, then what is missing for a claim.
    fn settle_turn(&mut self, task: TaskIndex, session: SessionId) {
        let state = self.run.task(task);
        if state.is_blocked() {
            return;
        }
        if !state.pending_inputs.is_empty() {
            return self.send_pending_inputs(task);
        }
        if self.deliver_messages(session) || self.assign_call_to(session) {
            return;
        }
        self.examine_turn_without_message(task, session);
    }

    /// Reminds a tester that ended its turn without a verdict, and escalates the second time.
    fn remind_or_escalate_tester(&mut self, task: TaskIndex, session: SessionId) {
        if self.run.task(task).is_blocked() {
            return;
        }
        if self.run.session(session).reminded {
            self.escalate_test(task, "the tester ended its turn without a verdict");
        } else {
            self.send_input(session, SessionInput::Reminder);
        }
    }

    pub(super) fn escalate_test(&mut self, task: TaskIndex, description: &str) {
        let id = self.task_id(task);
        self.block_on_escalation(
            task,
            NewEscalation {
                kind: EscalationType::TestFailure,
                severity: Severity::High,
                title: EscalationCause::TestingFailed { task: id }.into(),
                description: description.to_owned(),
                context: String::new(),
            },
        );
    }
}
