//! Runs without users until nothing is scheduled: then everything that does not continue must have an open reason.

use domain::{BlockReason, EscalationLevel, SessionId, TaskId};

use crate::{
    environment::ProcessState,
    model::{Model, QuestionState, SessionState, Stage, Task},
    rule::{Rule, RuleViolation},
    simulation::Simulation,
};

/// A run that continues for longer without users is checked at its end only.
const STEPS_MAX: u64 = 1_500;

impl Simulation<'_> {
    /// Runs until nothing is scheduled, and checks the reason of everything that waits.
    pub(crate) fn check_quiescence(&mut self) -> Result<(), RuleViolation> {
        self.trace.add_note("from here on there are no user commands");
        self.faults.crash_once_in = 0;
        self.environment.stop_user_commands();
        // A main agent asks for the next task without end.
        let is_thin = self.model.settings.mode == domain::OrchestrationMode::Thin;
        let last = self.step + if is_thin { STEPS_MAX / 10 } else { STEPS_MAX };
        while self.environment.has_scheduled_events() || self.has_waiting_effect() {
            if self.step > last {
                return Ok(());
            }
            if !self.process_next_event()? {
                break;
            }
        }
        if self.model.paused || self.model.ended || self.model.cancelled {
            return Ok(());
        }
        let tasks = self.model.tasks.iter().map(|(id, task)| self.check_task(id, task));
        let phases = self.model.phases.keys().map(|number| self.check_gate(*number));
        let others = [self.check_questions(), self.check_outstanding_effects()];
        match tasks.chain(phases).chain(others).flatten().next() {
            Some(how) => Err(RuleViolation::new(Rule::WaitHasReason, how)),
            None => Ok(()),
        }
    }

    /// Tells whether an effect waits for disk space; a timer retries it.
    fn has_waiting_effect(&self) -> bool {
        let Model { postponed, finished, .. } = &self.model;
        postponed.difference(finished).any(|effect| self.run.is_effect_pending(*effect))
    }

    /// Returns the problem of a task that does not continue.
    fn check_task(&self, id: &TaskId, task: &Task) -> Option<String> {
        if let Some(reason) = task.reasons.iter().find(|reason| !self.is_block_reason_open(reason)) {
            return Some(format!("{id} waits for {reason:?}, which has ended"));
        }
        if !task.reasons.is_empty() || self.model.must_wait(task) {
            return None;
        }
        let session = task.session.filter(|_| task.slot)?;
        match task.stage {
            Stage::Working if !self.is_starting_or_hanging(session) => {
                Some(format!("no agent works on {id} in {session}"))
            }
            // It has passed, and its merge waits for the end of the worker's turn until a deadline.
            Stage::Checking if task.receipt && self.is_in_turn(session) => None,
            Stage::Checking if !self.is_being_tested(id) => Some(format!("{id} is not being checked")),
            Stage::Merging if self.model.merging.is_none() => Some(format!("{id} is not being merged")),
            Stage::Waiting
            | Stage::Working
            | Stage::Checking
            | Stage::Merging
            | Stage::Done
            | Stage::Failed
            | Stage::Skipped
            | Stage::Cancelled => None,
        }
    }

    /// Tells whether the reason that blocks a task can still be resolved.
    fn is_block_reason_open(&self, reason: &BlockReason) -> bool {
        let model = &self.model;
        match reason {
            BlockReason::Question { question } => {
                model.questions.get(question).is_some_and(|question| question.state.is_open())
            }
            BlockReason::Request { request } => model.requests.get(request).is_some_and(|known| known.open),
            BlockReason::Invocation { invocation } => {
                model.calls.get(invocation).is_some_and(|call| call.open)
            }
            BlockReason::Approval { phase } => {
                model.phases.get(phase).is_some_and(|phase| !phase.gate.approved)
            }
            BlockReason::Escalated { escalation } => {
                model.escalations.get(escalation).is_some_and(|known| known.open)
            }
            BlockReason::RateLimited { .. } => self.run.next_deadline().is_some(),
            BlockReason::Paused { .. } => true,
        }
    }

    /// Tells whether a process is starting, or hangs until its timeout.
    fn is_starting_or_hanging(&self, session: domain::SessionId) -> bool {
        self.environment.process_of_session(session).is_some_and(|process| match process.state {
            ProcessState::Running => process.hangs,
            ProcessState::NotStarted => true,
            ProcessState::Parked | ProcessState::Ended => false,
        })
    }

    /// Tells whether a tester works on a task.
    fn is_being_tested(&self, id: &TaskId) -> bool {
        let tests = |session: &crate::model::Session| {
            session.task.as_ref() == Some(id) && session.role == domain::Role::Tester
        };
        let mut testers = self.model.sessions.iter().filter(|(_, session)| tests(session));
        testers.any(|(tester, _)| self.is_starting_or_hanging(*tester))
    }

    fn is_in_turn(&self, session: SessionId) -> bool {
        self.model
            .sessions
            .get(&session)
            .is_some_and(|session| session.in_turn && session.state != SessionState::Ended)
    }

    /// Returns the problem of a phase whose tasks are done and whose gate does not pass.
    fn check_gate(&self, number: u32) -> Option<String> {
        let phase = self.model.phases.get(&number)?;
        let mut tasks = self.model.tasks.values().filter(|task| task.plan.phase == number);
        let is_finished = |task: &Task| {
            let marked = task.reasons.iter().all(|reason| matches!(reason, BlockReason::Approval { .. }));
            task.stage.is_met() || (marked && !task.reasons.is_empty())
        };
        let before = phase.after.iter().filter_map(|before| self.model.phases.get(before));
        let is_due = tasks.all(is_finished) && before.into_iter().all(|before| before.gate.approved);
        let gate = &phase.gate;
        let is_verifying = gate.verifier.is_some_and(|verifier| self.is_starting_or_hanging(verifier));
        let escalated = self.model.escalations.values().any(|escalation| {
            escalation.open && escalation.subject == domain::EscalationSubject::Phase { phase: number }
        });
        let explained =
            gate.approved || gate.passed || is_verifying || escalated || phase.paused || phase.cancelled;
        (is_due && !explained)
            .then(|| format!("phase {number} is done, and its gate is not being checked: {gate:?}"))
    }

    /// Returns the problem of a question or an escalation that is assigned to no session or person.
    fn check_questions(&self) -> Option<String> {
        let asked = self.model.questions.iter().find(|(_, question)| question.state == QuestionState::Asked);
        let behind = |session| {
            let open = self.model.questions.values().filter(|question| question.state.is_open());
            open.filter(|question| question.session == session).count() > 1
        };
        if let Some((id, _)) = asked.filter(|(_, question)| !behind(question.session)) {
            return Some(format!("{id} is asked, but not assigned"));
        }
        let low = self.model.escalations.iter().find(|(_, escalation)| {
            escalation.open
                && escalation.level != EscalationLevel::Person
                && escalation.session.is_none_or(|session| !self.model.accepts_input(session))
        });
        low.map(|(id, escalation)| format!("{id} is at {:?}, but its session has ended", escalation.level))
    }

    /// Returns an effect that was reported and is still outstanding.
    fn check_outstanding_effects(&self) -> Option<String> {
        let outstanding = self.run.pending_effects();
        let reported =
            outstanding.into_iter().find(|(id, effect)| !self.environment.may_stay_unreported(*id, effect));
        reported.map(|effect| format!("{effect:?} was reported, and is still outstanding"))
    }
}
