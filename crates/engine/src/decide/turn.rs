//! What the end of a turn means: an answer, a verdict, a claim, or a silence that is asked about.

use std::collections::BTreeMap;

use domain::{
    CheckpointReason, ClaimSource, EscalationCause, EscalationType, Event, InvocationOutcome, QuestionRoute,
    RequestId, ResultType, Role, SessionId, SessionInput, Severity, TurnTools,
};

use super::{Deciding, escalation::Problem};
use crate::{
    rejection::Rejection,
    run::Status,
    state::{Duty, Stage, TaskRef},
};

impl Deciding<'_> {
    pub(super) fn end_turn(
        &mut self,
        session: SessionId,
        read_from: u64,
        words: String,
        tools: TurnTools,
    ) -> Result<(), Rejection> {
        let speaker = self.run.session(session);
        // A turn that ended before a restart may be reported again.
        if !speaker.in_turn && read_from <= speaker.read_from && words.is_empty() {
            return Ok(());
        }
        let said = words.trim().to_owned();
        self.emit(Event::TurnEnded { session, read_from, text: words, tools });
        let speaker = self.run.session(session);
        let (in_hand, task, role) = (speaker.in_hand, speaker.task, speaker.role);
        if let Some(task) = task.filter(|task| role == Role::Worker && self.is_at_work(*task, session)) {
            self.order_checkpoint(task, CheckpointReason::TurnEnd);
        }
        // What it is owed comes before what it said wrongly: else an agent that says DONE too early never gets it.
        let is_owed = |task: &TaskRef| {
            let state = self.run.task(*task);
            self.is_at_work(*task, session) && !state.is_blocked() && !state.owed.is_empty()
        };
        if let Some(task) =
            task.filter(|_| self.run.status == Status::Going && in_hand.is_none()).filter(is_owed)
        {
            self.tell_what_is_owed(task);
            return Ok(());
        }
        if self.run.status != Status::Going || self.correct(session) || self.waits(session) {
            return Ok(());
        }
        match in_hand {
            Some(duty) => self.end_duty(session, duty, said),
            None => {
                if let Some(task) = task.filter(|task| self.is_at_work(*task, session)) {
                    self.end_work_turn(task, session);
                }
            }
        }
        Ok(())
    }

    /// Keeps what was said and done in a turn that is not over. Nothing else follows from it: how the session goes on
    /// is told by itself.
    pub(super) fn cut_turn(
        &mut self,
        read_from: u64,
        words: String,
        tools: TurnTools,
    ) -> Result<(), Rejection> {
        let session = self.actor.session().ok_or(Rejection::ReservedForOtherActor)?;
        let speaker = self.run.session(session);
        if !speaker.has_process() {
            return Err(Rejection::UnknownSession { session });
        }
        // Whoever reads on behind a cut that was recorded finds nothing left there.
        if words.trim().is_empty() && tools.is_empty() {
            return Ok(());
        }
        if read_from < speaker.read_from {
            return Err(Rejection::StaleReport);
        }
        self.emit(Event::TurnInterrupted { session, read_from, text: words, tools });
        Ok(())
    }

    /// Tells whether a session works at a task that goes on.
    fn is_at_work(&self, task: TaskRef, session: SessionId) -> bool {
        let state = self.run.task(task);
        state.session == Some(session) && state.stage == Stage::Running
    }

    /// Tells whether a session waits for an answer, for something from outside or for another agent.
    pub(super) fn waits(&self, session: SessionId) -> bool {
        let speaker = self.run.session(session);
        let needs = |id: &RequestId| self.run.requests.get(id.0).session == Some(session);
        !speaker.questions.is_empty()
            || speaker.limited
            || !self.calls_of(session).is_empty()
            || self.run.open_requests.iter().any(needs)
    }

    fn end_duty(&mut self, session: SessionId, duty: Duty, said: String) {
        match duty {
            Duty::Question(question) if said.is_empty() => {
                // Silence is no answer, and none is invented.
                self.emit(Event::QuestionRouted { question, to: QuestionRoute::Person });
            }
            Duty::Question(question) => self.take_answer(question, said),
            Duty::Escalation(escalation) => self.climb(escalation),
            Duty::Call(invocation) => {
                let outcome =
                    InvocationOutcome::Completed { result_type: ResultType::Message, content: said };
                self.end_call(invocation, outcome);
                self.resume_own_work(session);
            }
            Duty::Test(task) => self.end_silent_test(task, session),
            Duty::Judge(phase) => self.judged(phase),
            Duty::Chat if said.is_empty() => {}
            Duty::Chat => self.emit(Event::ChatMessageSent { text: said, answers: None }),
        }
    }

    /// Lets a task that has its slot go on, whoever would have to move next.
    pub(super) fn keep_going(&mut self, task: TaskRef) {
        self.tell_what_is_owed(task);
        let Some(session) = self.run.task(task).session else { return };
        let worker = self.run.session(session);
        let stands_still = worker.is_alive() && !worker.in_turn && worker.in_hand.is_none();
        if stands_still && !self.waits(session) {
            self.end_work_turn(task, session);
        }
    }

    /// A worker that took a call in between goes on with its own task.
    pub(super) fn resume_own_work(&mut self, session: SessionId) {
        let Some(task) = self.run.session(session).task else { return };
        let goes_on = self.is_at_work(task, session) && !self.run.task(task).is_blocked();
        if goes_on && !self.run.session(session).in_turn {
            self.end_work_turn(task, session);
        }
    }

    /// A worker's turn ended. What it is owed comes first, then what others want of it, then its own silence.
    fn end_work_turn(&mut self, task: TaskRef, session: SessionId) {
        let state = self.run.task(task);
        if state.is_blocked() {
            return;
        }
        if !state.owed.is_empty() {
            return self.tell_what_is_owed(task);
        }
        if self.deliver_mail(session) || self.take_call_for(session) {
            return;
        }
        let state = self.run.task(task);
        let is_judged = self.run.check_of(task).is_some() || state.planned.tester.is_some();
        if is_judged || state.nudged {
            self.claim(task, ClaimSource::TurnEnd, BTreeMap::new());
        } else {
            self.say(session, SessionInput::Reminder);
        }
    }

    /// A tester's turn ended without a verdict: it is asked once, then somebody is told.
    fn end_silent_test(&mut self, task: TaskRef, session: SessionId) {
        if self.run.session(session).nudged {
            self.untested(task, "the tester gave no verdict");
        } else {
            self.say(session, SessionInput::Reminder);
        }
    }

    pub(super) fn untested(&mut self, task: TaskRef, why: &str) {
        let id = self.id(task);
        self.block_on_problem(
            task,
            Problem {
                kind: EscalationType::TestFailure,
                severity: Severity::High,
                words: EscalationCause::TestingFailed { task: id }.into(),
                description: why.to_owned(),
                context: String::new(),
            },
        );
    }
}
