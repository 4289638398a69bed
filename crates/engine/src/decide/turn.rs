//! What the end of a turn means: an answer, a verdict, a claim, or a silence that is asked about.

use std::collections::BTreeMap;

use domain::{
    CheckpointReason, ClaimSource, EscalationCause, EscalationType, Event, InvocationOutcome, QuestionRoute,
    RequestId, ResultType, Role, SessionId, SessionInput, Severity, TurnTools,
};

use super::{DecisionContext, escalation::NewEscalation};
use crate::{
    rejection::Rejection,
    run::RunStatus,
    state::{TaskRef, TaskStage, WorkItem},
};

impl DecisionContext<'_> {
    pub(super) fn end_turn(
        &mut self,
        session: SessionId,
        read_from: u64,
        text: String,
        tools: TurnTools,
    ) -> Result<(), Rejection> {
        let speaker = self.run.session(session);
        // A turn that ended before a restart may be reported again.
        if !speaker.in_turn && read_from <= speaker.read_from && text.is_empty() {
            return Ok(());
        }
        let reply = text.trim().to_owned();
        self.emit(Event::TurnEnded { session, read_from, text, tools });
        let speaker = self.run.session(session);
        let (current_item, task, role) = (speaker.current_item, speaker.task, speaker.role);
        if let Some(task) = task.filter(|task| role == Role::Worker && self.is_working_on(*task, session)) {
            self.request_checkpoint(task, CheckpointReason::TurnEnd);
        }
        // What it is pending_inputs comes before what it reply wrongly: else an agent that says DONE too early never gets it.
        let is_owed = |task: &TaskRef| {
            let state = self.run.task(*task);
            self.is_working_on(*task, session) && !state.is_blocked() && !state.pending_inputs.is_empty()
        };
        if let Some(task) =
            task.filter(|_| self.run.status == RunStatus::Active && current_item.is_none()).filter(is_owed)
        {
            self.send_pending_inputs(task);
            return Ok(());
        }
        if self.run.status != RunStatus::Active || self.send_corrections(session) || self.is_waiting(session)
        {
            return Ok(());
        }
        match current_item {
            Some(duty) => self.finish_work_item(session, duty, reply),
            None => {
                if let Some(task) = task.filter(|task| self.is_working_on(*task, session)) {
                    self.end_work_turn(task, session);
                }
            }
        }
        Ok(())
    }

    /// Keeps what was reply and done in a turn that is not over. Nothing else follows from it: how the session goes on
    /// is told by itself.
    pub(super) fn interrupt_turn(
        &mut self,
        read_from: u64,
        text: String,
        tools: TurnTools,
    ) -> Result<(), Rejection> {
        let session = self.actor.session().ok_or(Rejection::ReservedForOtherActor)?;
        let speaker = self.run.session(session);
        if !speaker.has_process() {
            return Err(Rejection::UnknownSession { session });
        }
        // Whoever reads on behind a cut that was recorded finds nothing left there.
        if text.trim().is_empty() && tools.is_empty() {
            return Ok(());
        }
        if read_from < speaker.read_from {
            return Err(Rejection::StaleReport);
        }
        self.emit(Event::TurnInterrupted { session, read_from, text, tools });
        Ok(())
    }

    /// Tells whether a session works at a task that goes on.
    fn is_working_on(&self, task: TaskRef, session: SessionId) -> bool {
        let state = self.run.task(task);
        state.session == Some(session) && state.stage == TaskStage::Running
    }

    /// Tells whether a session waits for an answer, for something from outside or for another agent.
    pub(super) fn is_waiting(&self, session: SessionId) -> bool {
        let speaker = self.run.session(session);
        let needs = |id: &RequestId| self.run.requests.get(id.0).session == Some(session);
        !speaker.questions.is_empty()
            || speaker.rate_limited
            || !self.calls_of(session).is_empty()
            || self.run.open_requests.iter().any(needs)
    }

    fn finish_work_item(&mut self, session: SessionId, duty: WorkItem, reply: String) {
        match duty {
            WorkItem::Question(question) if reply.is_empty() => {
                // Silence is no answer, and none is invented.
                self.emit(Event::QuestionRouted { question, to: QuestionRoute::Person });
            }
            WorkItem::Question(question) => self.accept_answer(question, reply),
            WorkItem::Escalation(escalation) => self.forward_escalation(escalation),
            WorkItem::Call(invocation) => {
                let outcome =
                    InvocationOutcome::Completed { result_type: ResultType::Message, content: reply };
                self.end_call(invocation, outcome);
                self.resume_own_work(session);
            }
            WorkItem::Test(task) => self.end_test_without_verdict(task, session),
            WorkItem::Verify(phase) => self.verifier_finished(phase),
            WorkItem::Chat if reply.is_empty() => {}
            WorkItem::Chat => self.emit(Event::ChatMessageSent { text: reply, answers: None }),
        }
    }

    /// Lets a task that has its slot go on, whoever would have to move next.
    pub(super) fn continue_work(&mut self, task: TaskRef) {
        self.send_pending_inputs(task);
        let Some(session) = self.run.task(task).session else { return };
        let worker = self.run.session(session);
        let stands_still = worker.is_alive() && !worker.in_turn && worker.current_item.is_none();
        if stands_still && !self.is_waiting(session) {
            self.end_work_turn(task, session);
        }
    }

    /// A worker that took a call in between goes on with its own task.
    pub(super) fn resume_own_work(&mut self, session: SessionId) {
        let Some(task) = self.run.session(session).task else { return };
        let goes_on = self.is_working_on(task, session) && !self.run.task(task).is_blocked();
        if goes_on && !self.run.session(session).in_turn {
            self.end_work_turn(task, session);
        }
    }

    /// A worker's turn ended. What it is pending_inputs comes first, then what others want of it, then its own silence.
    fn end_work_turn(&mut self, task: TaskRef, session: SessionId) {
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
        let state = self.run.task(task);
        let is_judged = self.run.check_of(task).is_some() || state.planned.tester.is_some();
        if is_judged || state.reminded {
            self.claim(task, ClaimSource::TurnEnd, BTreeMap::new());
        } else {
            self.send_input(session, SessionInput::Reminder);
        }
    }

    /// A tester's turn ended without a verdict: it is asked once, then somebody is told.
    fn end_test_without_verdict(&mut self, task: TaskRef, session: SessionId) {
        if self.run.session(session).reminded {
            self.escalate_test(task, "the tester gave no verdict");
        } else {
            self.send_input(session, SessionInput::Reminder);
        }
    }

    pub(super) fn escalate_test(&mut self, task: TaskRef, why: &str) {
        let id = self.id(task);
        self.block_on_escalation(
            task,
            NewEscalation {
                kind: EscalationType::TestFailure,
                severity: Severity::High,
                title: EscalationCause::TestingFailed { task: id }.into(),
                description: why.to_owned(),
                context: String::new(),
            },
        );
    }
}
