//! What several events have in common: beginnings, ends, tries, merges.

use domain::{MergeOutcome, PhaseNumber, PlannedWork, QuestionId, SessionId, TaskId};

use super::{Model, Phase, Session, Stage, Standing, Task};
use crate::rule::Rule;

impl Model {
    pub(super) fn begin(&mut self, work: &PlannedWork) {
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

    pub(super) fn end(&mut self) {
        self.ended = true;
        if let Some(why) = self.why_not_over() {
            self.breach(Rule::EndsIdle, format!("the run ends although {why}"));
        }
    }

    pub(super) fn retry(&mut self, id: &TaskId, afresh: bool) {
        let Some(task) = self.tasks.get(id) else { return };
        if !afresh && task.failures >= self.settings.retries_max.get() {
            self.breach(
                Rule::TriesBounded,
                format!("{id} failed {} times and is tried again", task.failures),
            );
        }
        if self.tasks.get(id).is_some_and(|task| task.stage == Stage::Done) {
            self.breach(Rule::TaskOrder, format!("{id} is done, and tried again"));
        }
        self.rest(id, Stage::Waiting);
        self.task(id, |task| {
            if afresh {
                (task.failures, task.losses) = (0, 0);
            }
            task.reasons.clear();
        });
    }

    /// A task comes to another end than it should; one that is done stays done.
    pub(super) fn call_off(&mut self, id: &TaskId, stage: Stage) {
        if self.tasks.get(id).is_some_and(|task| task.stage == Stage::Done) {
            self.breach(Rule::TaskOrder, format!("{id} is done, and becomes {stage:?}"));
        }
        self.rest(id, stage);
    }

    /// A task goes back to its agent, or to the next one where that is gone.
    pub(super) fn give_back(&mut self, id: &TaskId) {
        let Some(task) = self.tasks.get(id) else { return };
        if !task.stage.is_live() {
            self.breach(Rule::TaskOrder, format!("{id} goes back to its agent and has none"));
        } else if task.session.is_some_and(|session| self.lives(session)) {
            self.task(id, |task| task.stage = Stage::Working);
        } else {
            self.rest(id, Stage::Waiting);
        }
        self.task(id, Task::forget_proof);
    }

    pub(super) fn start_merge(&mut self, id: &TaskId, attempt: u32) {
        self.present(id, attempt, "merges");
        if let Some(other) = self.merging.replace(id.clone()) {
            self.breach(Rule::OneMerge, format!("{id} merges while {other} does"));
        }
        self.task(id, |task| task.stage = Stage::Merging);
    }

    pub(super) fn end_merge(&mut self, id: &TaskId, attempt: u32, outcome: &MergeOutcome) {
        self.present(id, attempt, "is merged");
        if self.merging.take().as_ref() != Some(id) {
            self.breach(Rule::StaleReports, format!("{id} is merged, {outcome:?}, and was not merging"));
        }
    }

    /// What happens to a try happens to the one that lives.
    pub(super) fn present(&mut self, id: &TaskId, attempt: u32, what: &str) {
        let Some(task) = self.tasks.get(id) else { return };
        if task.attempt != attempt || !task.stage.is_live() {
            let how = format!("try {attempt} of {id} {what}; it has try {} {:?}", task.attempt, task.stage);
            self.breach(Rule::StaleReports, how);
        }
    }

    pub(super) fn no_circle(&mut self, id: &TaskId) {
        if self.in_circle(id) {
            self.breach(Rule::NoCircle, format!("{id} waits for itself"));
        }
    }

    pub(super) fn route(&mut self, id: QuestionId, standing: Standing) {
        let Some(question) = self.questions.get_mut(&id) else { return };
        if question.standing.is_open() {
            question.standing = standing;
        } else {
            self.breach(Rule::OneAnswer, format!("{id} goes to somebody and is not open"));
        }
    }

    pub(super) fn task(&mut self, id: &TaskId, change: impl FnOnce(&mut Task)) {
        match self.tasks.get_mut(id) {
            Some(task) => change(task),
            None => self.breach(Rule::TaskOrder, format!("{id} is no task")),
        }
    }

    pub(super) fn session(&mut self, id: SessionId, change: impl FnOnce(&mut Session)) {
        match self.sessions.get_mut(&id) {
            Some(session) => change(session),
            None => self.breach(Rule::OneAttempt, format!("{id} is no session")),
        }
    }

    pub(super) fn phase(&mut self, number: PhaseNumber, change: impl FnOnce(&mut Phase)) {
        if let Some(phase) = self.phases.get_mut(&number) {
            change(phase);
        }
    }
}
