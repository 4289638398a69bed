//! Validates the messages of agents and passes each to its rule.
//!
//! A message that the sender may not send has no effect: it is recorded as rejected, and the sender is informed.

use std::collections::BTreeMap;

use domain::{
    AgentMessage, AttemptFailure, ClaimSource, DoneMessage, MessageOffset, PhaseComplete, Role, SessionId,
    TaskId, events,
};

use super::DecisionContext;
use crate::{
    rejection::Rejection,
    result_content::shorten_result,
    state::{TaskIndex, WorkItem},
};

/// Documents that an agent may report as created.
const DOCUMENTS_MAX: usize = 200;
/// Number of bytes of an invalid message that are recorded.
const RAW_BYTES_MAX: usize = 4096;

/// The session and output position of a message, and where reading resumes after it.
#[derive(Clone, Copy)]
pub(super) struct MessageOrigin {
    pub(super) session: SessionId,
    pub(super) offset: MessageOffset,
    pub(super) read_from: u64,
}

/// Why a message is rejected, as text for its sender.
pub(super) type RejectionText = String;

impl DecisionContext<'_> {
    /// Rejects output of a session that has ended, or that Jangdan plays itself.
    pub(super) fn check_session_alive(&self, session: SessionId) -> Result<(), Rejection> {
        let sender = self.run.session(session);
        if !sender.is_alive() || sender.agent.is_none() {
            return Err(Rejection::UnknownSession { session });
        }
        Ok(())
    }

    /// Rejects a message that was processed before: after a restart, output is read again.
    pub(super) fn check_new_message(
        &self,
        session: SessionId,
        offset: MessageOffset,
    ) -> Result<(), Rejection> {
        self.check_session_alive(session)?;
        let sender = self.run.session(session);
        let is_known = offset.start < sender.read_from || sender.received_offsets.contains(&offset);
        if is_known { Err(Rejection::StaleReport) } else { Ok(()) }
    }

    /// Rejects a prompt that was processed before: after a restart, the prompts of the current turn are read again.
    pub(super) fn check_new_prompt(&self, session: SessionId, prompt: &str) -> Result<(), Rejection> {
        let is_known = self.run.session(session).prompts.iter().any(|known| known == prompt);
        if is_known { Err(Rejection::StaleReport) } else { Ok(()) }
    }

    pub(super) fn receive_message(&mut self, origin: MessageOrigin, message: AgentMessage) {
        match self.rejection_reason(origin.session, &message) {
            Some(error) => {
                let raw = serde_json::to_string(&message).unwrap_or_default();
                self.reject_message(origin, message.name().to_owned(), error, raw);
            }
            None => {
                let was_beyond_correction = self.run.session(origin.session).is_beyond_correction();
                self.emit(events::MessageReceived {
                    session: origin.session,
                    offset: origin.offset,
                    read_from: origin.read_from,
                    message: Box::new(without_large_result(message.clone())),
                });
                if was_beyond_correction && !self.run.session(origin.session).is_beyond_correction() {
                    self.resume_corrections(origin.session);
                }
                self.handle_message(origin.session, message);
            }
        }
    }

    pub(super) fn reject_message(
        &mut self,
        origin: MessageOrigin,
        protocol: String,
        error: String,
        mut raw: String,
    ) {
        let mut end = RAW_BYTES_MAX.min(raw.len());
        while !raw.is_char_boundary(end) {
            end -= 1;
        }
        raw.truncate(end);
        let MessageOrigin { session, offset, read_from } = origin;
        let was_beyond_correction = self.run.session(session).is_beyond_correction();
        self.emit(events::MessageRejected { session, offset, read_from, protocol, error, raw });
        if !was_beyond_correction && self.run.session(session).is_beyond_correction() {
            self.give_up_correcting(session);
        }
    }

    /// Returns why the sender may not send this message.
    fn rejection_reason(&self, session: SessionId, message: &AgentMessage) -> Option<RejectionText> {
        let sender = self.run.session(session);
        if let Some(rejection) = self.size_rejection(message) {
            return Some(rejection);
        }
        let is_orchestrator = sender.role == Role::Orchestrator;
        let not_allowed = |owner: &str| {
            Some(format!("your role may not send {}: it is reserved for {owner}", message.name()))
        };
        match message {
            AgentMessage::Custom(custom) => self.custom_rejection(session, custom),
            AgentMessage::ResolveNext(_) | AgentMessage::Task(_) | AgentMessage::NeedHuman(_)
                if !is_orchestrator =>
            {
                not_allowed("the orchestrator")
            }
            // Its current question is only forwarded.
            AgentMessage::NeedHuman(_) if matches!(sender.current_item, Some(WorkItem::Question(_))) => None,
            AgentMessage::ResolveNext(_) => None,
            AgentMessage::Task(request) => self.unknown_task_rejection(&request.task_id),
            AgentMessage::Done(done) => self.claim_rejection(session, &done.task_id, false),
            AgentMessage::Fail(fail) => self.claim_rejection(session, &fail.task_id, true),
            AgentMessage::PhaseComplete(complete) => self.phase_complete_rejection(session, complete),
            AgentMessage::Invoke(invoke) => self.call_rejection(session, &invoke.target),
            AgentMessage::DeliverResult(result) => self.result_rejection(session, result),
            AgentMessage::Direct(direct) => self.direct_message_rejection(session, &direct.target),
            AgentMessage::AskUser(_)
            | AgentMessage::UserQuestion(_)
            | AgentMessage::NeedHuman(_)
            | AgentMessage::DependencyRequest(_) => self.asking_rejection(session),
            AgentMessage::Error(error) => self.error_rejection(session, error),
            // Messages that Jangdan sends have no effect when an agent prints them; the others are open to all roles.
            AgentMessage::Ready(_)
            | AgentMessage::PhaseDone(_)
            | AgentMessage::AllDone
            | AgentMessage::ResolveError(_)
            | AgentMessage::StepComplete(_)
            | AgentMessage::Progress(_) => None,
        }
    }

    pub(super) fn unknown_task_rejection(&self, task: &TaskId) -> Option<RejectionText> {
        self.run.find_task(task).is_none().then(|| format!("there is no task {task}"))
    }

    /// A worker reports on its own task, a tester on the task it tests, a callee on the call.
    fn claim_rejection(&self, session: SessionId, task: &TaskId, is_failure: bool) -> Option<RejectionText> {
        let sender = self.run.session(session);
        match sender.current_item {
            Some(WorkItem::Call(_)) => return None,
            Some(WorkItem::Test(tested)) => {
                let own = self.task_id(tested);
                return (own != *task).then(|| format!("{task} is not your task: you test {own}"));
            }
            Some(WorkItem::Verify(phase)) => {
                let is_of_phase =
                    self.run.find_task(task).is_some_and(|task| self.run.task(task).planned.phase == phase);
                return (!is_of_phase).then(|| format!("{task} is not in phase {phase}"));
            }
            Some(WorkItem::Question(_) | WorkItem::Escalation(_) | WorkItem::Chat) | None => {}
        }
        // A tester's feedback was its verdict; a line after it adds nothing.
        let is_tester_of = |own: TaskIndex| sender.role == Role::Tester && self.task_id(own) == *task;
        if sender.task.is_some_and(is_tester_of) {
            return None;
        }
        let Some(own) = sender.task.filter(|_| sender.role == Role::Worker) else {
            return Some("you have no task".to_owned());
        };
        let id = self.task_id(own);
        let state = self.run.task(own);
        if id != *task {
            return Some(format!("{task} is not your task: yours is {id}"));
        }
        if !is_failure && state.stage.is_claim_accepted() {
            return None;
        }
        if !state.stage.is_running() {
            return Some(format!("{id} is already {}", state.stage.label()));
        }
        match sender.questions.front() {
            // It is what the question is about.
            Some(question) if !is_failure && state.round.question == Some(*question) => None,
            Some(question) if !is_failure => {
                Some(format!("{id} waits for the answer to {question}: send DONE after it"))
            }
            _ if !is_failure && !state.pending_inputs.is_empty() => {
                Some(format!("{id} has unread inputs: send DONE after them"))
            }
            _ => None,
        }
    }

    fn phase_complete_rejection(
        &self,
        session: SessionId,
        complete: &PhaseComplete,
    ) -> Option<RejectionText> {
        let sender = self.run.session(session);
        if complete.documents.len() > DOCUMENTS_MAX {
            return Some(format!("at most {DOCUMENTS_MAX} documents can be listed"));
        }
        let task = sender.task.filter(|_| sender.role == Role::Worker);
        let Some(task) = task else {
            return Some("you have no task in a phase".to_owned());
        };
        let own = self.run.task(task).planned.phase;
        if own != complete.phase {
            return Some(format!("phase {} is not your phase: yours is {own}", complete.phase));
        }
        let has_siblings = self.has_open_siblings(task);
        if has_siblings { None } else { self.claim_rejection(session, &self.task_id(task), false) }
    }

    pub(super) fn has_open_siblings(&self, task: TaskIndex) -> bool {
        let phase = self.run.task(task).planned.phase;
        let siblings = self.run.phases.get(&phase).map(|phase| phase.tasks.as_slice()).unwrap_or_default();
        siblings.iter().any(|other| *other != task && !self.run.schedule.is_met(self.run.task(*other).node))
    }

    fn handle_message(&mut self, session: SessionId, message: AgentMessage) {
        match message {
            AgentMessage::AskUser(ask) => self.ask_user(session, ask, None),
            AgentMessage::UserQuestion(question) => self.handle_user_question_message(session, question),
            AgentMessage::NeedHuman(need) => self.forward_or_ask_user(session, need.question),
            AgentMessage::DependencyRequest(request) => self.make_request(session, request),
            AgentMessage::Invoke(invoke) => self.invoke_agent(session, invoke),
            AgentMessage::DeliverResult(result) => self.submit_result(session, result),
            AgentMessage::Direct(direct) => self.handle_direct_message(session, direct),
            AgentMessage::Error(error) => self.handle_agent_error(session, error),
            AgentMessage::PhaseComplete(complete) => self.handle_phase_complete(session, complete),
            AgentMessage::Done(done) => self.handle_done(session, done),
            AgentMessage::Fail(fail) => {
                let reason = fail.reason.unwrap_or_else(|| "the agent gave no reason".to_owned());
                self.handle_failed(session, reason);
            }
            AgentMessage::ResolveNext(next) => self.handle_resolve_next(session, next.phase, next.force),
            AgentMessage::Task(request) => self.request_task(session, request),
            AgentMessage::Custom(custom) => self.handle_custom(session, &custom),
            AgentMessage::StepComplete(_)
            | AgentMessage::Progress(_)
            | AgentMessage::Ready(_)
            | AgentMessage::PhaseDone(_)
            | AgentMessage::AllDone
            | AgentMessage::ResolveError(_) => {}
        }
    }

    fn handle_done(&mut self, session: SessionId, done: DoneMessage) {
        let DoneMessage { reason, fields, .. } = done;
        match self.run.session(session).current_item {
            Some(WorkItem::Call(invocation)) => {
                let fields = fields.iter().map(|(key, value)| format!("{key}={value}"));
                let content = fields.chain(reason).collect::<Vec<_>>();
                let content = if content.is_empty() { "done".to_owned() } else { content.join("\n") };
                let result_type = domain::ResultType::Message;
                self.end_call(invocation, domain::AgentInvocationOutcome::Completed { result_type, content });
            }
            Some(WorkItem::Test(task)) => {
                self.handle_test_verdict(
                    task,
                    domain::TestFeedback { success: true, ..domain::TestFeedback::default() },
                );
            }
            // Recorded with the phase, and evaluated when the verifier's turn ends.
            Some(WorkItem::Verify(_)) => {}
            Some(WorkItem::Question(_) | WorkItem::Escalation(_) | WorkItem::Chat) | None => {
                if let Some(task) = self.task_worked_on_by(session) {
                    self.withdraw_evidence_question(task);
                    self.claim_task(task, ClaimSource::DoneMessage, reason, fields);
                }
            }
        }
    }

    /// Returns the task that a worker reports on, unless its report was accepted before.
    fn task_worked_on_by(&self, session: SessionId) -> Option<TaskIndex> {
        let sender = self.run.session(session);
        let is_open = |task: &TaskIndex| self.run.task(*task).stage.is_running();
        sender.task.filter(|_| sender.role == Role::Worker).filter(is_open)
    }

    fn handle_failed(&mut self, session: SessionId, reason: String) {
        match self.run.session(session).current_item {
            Some(WorkItem::Call(invocation)) => {
                self.end_call(invocation, domain::AgentInvocationOutcome::Failed { reason });
            }
            Some(WorkItem::Test(tested)) => {
                // The reason of a tester names no test.
                self.handle_test_verdict(
                    tested,
                    domain::TestFeedback { text: Some(reason), ..domain::TestFeedback::default() },
                );
            }
            // Recorded with the phase, and evaluated when the verifier's turn ends.
            Some(WorkItem::Verify(_)) => {}
            Some(WorkItem::Question(_) | WorkItem::Escalation(_) | WorkItem::Chat) | None => {
                if let Some(task) = self.task_worked_on_by(session) {
                    self.fail_attempt(task, AttemptFailure::Reported { reason });
                }
            }
        }
    }

    fn handle_phase_complete(&mut self, session: SessionId, complete: PhaseComplete) {
        let Some(task) = self.run.session(session).task else { return };
        let has_siblings = self.has_open_siblings(task);
        let (phase, documents) = (complete.phase, complete.documents);
        self.emit(events::PhaseCompletionReported { phase, session, documents });
        // A task that is already checked or merged is not claimed again; only the report is recorded.
        let is_working = self.run.task(task).stage.is_running();
        if !has_siblings && is_working {
            self.withdraw_evidence_question(task);
            self.claim_task(task, ClaimSource::PhaseMarker, None, BTreeMap::new());
        }
    }
}

/// Shortens the content of a result: its own event has it as a whole.
fn without_large_result(mut message: AgentMessage) -> AgentMessage {
    if let AgentMessage::DeliverResult(result) = &mut message {
        result.content = shorten_result(&result.content);
    }
    message
}
