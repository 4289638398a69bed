//! Transitions that several events share: starts, ends, attempts, merges.

use domain::{MergeOutcome, PhaseNumber, PlannedWork, QuestionId, SessionId, TaskId};

use super::{Model, Phase, QuestionState, Session, SessionState, Stage, Task};
use crate::rule::Rule;

impl Model {
    pub(super) fn start_run(&mut self, work: &PlannedWork) {
        self.started = true;
        for phase in &work.phases {
            let known =
                Phase { after: phase.after.clone(), verify: phase.verify.clone(), ..Phase::default() };
            self.phases.insert(phase.number, known);
        }
        for task in &work.tasks {
            self.tasks.insert(task.id.clone(), Task::new(task.clone()));
        }
    }

    pub(super) fn end_run(&mut self) {
        self.ended = true;
        if let Some(reason) = self.reason_run_continues() {
            self.add_violation(Rule::EndsIdle, format!("the run ends although {reason}"));
        }
    }

    pub(super) fn retry_task(&mut self, id: &TaskId, afresh: bool) {
        let Some(task) = self.tasks.get(id) else { return };
        if !afresh && task.failures >= self.settings.retries_max.get() {
            self.add_violation(
                Rule::AttemptsBounded,
                format!("{id} failed {} times and is retried", task.failures),
            );
        }
        if self.tasks.get(id).is_some_and(|task| task.stage == Stage::Done) {
            self.add_violation(Rule::TaskOrder, format!("{id} is done, and retried"));
        }
        self.end_attempt(id, Stage::Waiting);
        self.update_task(id, |task| {
            if afresh {
                (task.failures, task.losses) = (0, 0);
            }
            task.reasons.clear();
        });
    }

    /// Ends a task without success; a done task stays done.
    pub(super) fn end_task(&mut self, id: &TaskId, stage: Stage) {
        if self.tasks.get(id).is_some_and(|task| task.stage == Stage::Done) {
            self.add_violation(Rule::TaskOrder, format!("{id} is done, and becomes {stage:?}"));
        }
        self.end_attempt(id, stage);
    }

    /// Returns a task to its agent, or to another one if its session has ended.
    pub(super) fn return_task(&mut self, id: &TaskId) {
        let Some(task) = self.tasks.get(id) else { return };
        if task.has_unrun_check {
            let how = format!("{id} is returned to its agent, but its check could not run");
            self.add_violation(Rule::UnrunCheck, how);
        }
        let Some(task) = self.tasks.get(id) else { return };
        if !task.stage.is_live() {
            self.add_violation(
                Rule::TaskOrder,
                format!("{id} is returned to its agent, but has no live attempt"),
            );
        } else if task.session.is_some_and(|session| self.accepts_input(session)) {
            self.update_task(id, |task| task.stage = Stage::Working);
        } else {
            self.end_attempt(id, Stage::Waiting);
        }
        self.update_task(id, Task::reset_proof);
    }

    pub(super) fn start_merge(&mut self, id: &TaskId, attempt: u32) {
        self.check_current_attempt(id, attempt, "merges");
        self.check_turn_ended(id, "is merged");
        self.check_accepted(id, "is merged");
        if let Some(other) = self.merging.replace(id.clone()) {
            self.add_violation(Rule::OneMerge, format!("{id} merges while {other} does"));
        }
        self.update_task(id, |task| task.stage = Stage::Merging);
    }

    pub(super) fn end_merge(&mut self, id: &TaskId, attempt: u32, outcome: &MergeOutcome) {
        self.check_current_attempt(id, attempt, "is merged");
        if self.merging.take().as_ref() != Some(id) {
            self.add_violation(
                Rule::StaleReports,
                format!("{id} is merged, {outcome:?}, but was not merging"),
            );
        }
        let is_unrun = matches!(outcome, MergeOutcome::CheckFailed { receipt } if receipt.obstacle.is_some());
        self.update_task(id, |task| task.has_unrun_check = is_unrun);
    }

    /// Checks that a task is not checked or merged while its worker is in a turn, unless that took too long.
    pub(super) fn check_turn_ended(&mut self, id: &TaskId, what: &str) {
        let Some(task) = self.tasks.get(id) else { return };
        let worker = task.session.and_then(|session| self.sessions.get(&session));
        let is_in_turn = worker.is_some_and(|worker| worker.in_turn && worker.state != SessionState::Ended);
        if is_in_turn && !task.turn_wait_expired {
            self.add_violation(Rule::TurnEndFirst, format!("{id} {what} while its worker is in a turn"));
        }
        self.update_task(id, |task| task.turn_wait_expired = false);
    }

    /// Checks that an event is about the live attempt of a task.
    pub(super) fn check_current_attempt(&mut self, id: &TaskId, attempt: u32, what: &str) {
        let Some(task) = self.tasks.get(id) else { return };
        if task.attempt != attempt || !task.stage.is_live() {
            let how =
                format!("attempt {attempt} of {id} {what}; its attempt is {} {:?}", task.attempt, task.stage);
            self.add_violation(Rule::StaleReports, how);
        }
    }

    pub(super) fn check_cycle(&mut self, id: &TaskId) {
        if self.is_in_cycle(id) {
            self.add_violation(Rule::NoCycle, format!("{id} depends on itself"));
        }
    }

    pub(super) fn route_question(&mut self, id: QuestionId, state: QuestionState) {
        let Some(question) = self.questions.get_mut(&id) else { return };
        if question.state.is_open() {
            question.state = state;
        } else {
            self.add_violation(Rule::OneAnswer, format!("{id} is routed and is not open"));
        }
    }

    pub(super) fn update_task(&mut self, id: &TaskId, change: impl FnOnce(&mut Task)) {
        match self.tasks.get_mut(id) {
            Some(task) => change(task),
            None => self.add_violation(Rule::TaskOrder, format!("{id} is not a task")),
        }
    }

    pub(super) fn update_session(&mut self, id: SessionId, change: impl FnOnce(&mut Session)) {
        match self.sessions.get_mut(&id) {
            Some(session) => change(session),
            None => self.add_violation(Rule::OneAttempt, format!("{id} is not a session")),
        }
    }

    pub(super) fn update_phase(&mut self, number: PhaseNumber, change: impl FnOnce(&mut Phase)) {
        if let Some(phase) = self.phases.get_mut(&number) {
            change(phase);
        }
    }
}
