//! Tasks that could run but do not, and the reasons why a run has not ended.

use domain::{EscalationSubject, EscalationType, OrchestrationMode, TaskId};

use super::{Model, Stage, Task};
use crate::rule::Rule;

impl Model {
    /// Adds a violation for tasks that could run now and do not.
    pub(crate) fn check_idle_tasks(&mut self) {
        if !self.started || self.paused || self.ended || self.cancelled {
            return;
        }
        let idle: Vec<String> = self
            .tasks
            .iter()
            .filter(|(_, task)| self.is_startable(task) || self.is_resumable(task))
            .filter(|(id, task)| self.has_resources(id, task))
            .map(|(id, task)| format!("{id} ({:?}, attempt {})", task.stage, task.attempt))
            .collect();
        if !idle.is_empty() {
            self.add_violation(Rule::NoIdleTask, format!("{} could run", idle.join(", ")));
        }
    }

    /// Tells whether a task without a live attempt may start now, if there are resources.
    pub(crate) fn is_startable(&self, task: &Task) -> bool {
        let is_requested = self.settings.mode == OrchestrationMode::Automatic || task.requested;
        task.stage == Stage::Waiting
            && is_requested
            && task.reasons.is_empty()
            && !task.restoring
            && !self.must_wait(task)
            && !task.session.is_some_and(|session| self.is_session_open(session))
            && self.unmet_dependencies(task).is_empty()
            && self.unapproved_phases_before(task).is_empty()
    }

    /// Tells whether a task with a live attempt may continue now, if there are resources.
    pub(crate) fn is_resumable(&self, task: &Task) -> bool {
        let is_ending = |session| self.is_session_open(session) && !self.accepts_input(session);
        task.stage.is_live()
            && !task.slot
            && task.reasons.is_empty()
            && !task.restoring
            && !task.session.is_some_and(is_ending)
            && !self.must_wait(task)
    }

    fn has_resources(&self, id: &TaskId, task: &Task) -> bool {
        let agent = if task.stage.is_live() { task.runner.as_ref() } else { task.plan.agent.as_ref() };
        match agent {
            Some(agent) => self.missing_resource(id, Some(agent)).is_none(),
            // The worker is chosen at the start, so all of them must have resources.
            None => self
                .team
                .iter()
                .filter(|member| member.role == domain::Role::Worker)
                .all(|member| self.missing_resource(id, Some(&member.name)).is_none()),
        }
    }

    /// Returns the reason why the run must not end: a task that can continue, or an open question.
    pub(crate) fn reason_run_continues(&self) -> Option<String> {
        if self.cancelled {
            return None;
        }
        if let Some((id, _)) = self.tasks.iter().find(|(_, task)| task.stage.is_live()) {
            return Some(format!("{id} has a live attempt"));
        }
        if let Some((id, _)) = self.tasks.iter().find(|(_, task)| self.is_startable(task)) {
            return Some(format!("{id} could start"));
        }
        if let Some((id, task)) =
            self.tasks.iter().find(|(_, task)| task.stage == Stage::Waiting && !task.reasons.is_empty())
        {
            return Some(format!("{id} waits for {:?}", task.reasons));
        }
        if let Some(id) = self.questions_with_person().first() {
            return Some(format!("{id} waits for the person"));
        }
        if let Some((id, _)) = self.requests.iter().find(|(_, request)| request.open) {
            return Some(format!("{id} waits for the person"));
        }
        // A problem that blocks no task and no gate needs no decision.
        let at_gate = |escalation: &&super::Escalation| {
            escalation.open
                && matches!(escalation.kind, EscalationType::Quality | EscalationType::CheckNotRun)
                && matches!(escalation.subject, EscalationSubject::Phase { .. })
        };
        if let Some(escalation) = self.escalations.values().find(at_gate) {
            return Some(format!("{:?} waits at its gate", escalation.subject));
        }
        let (number, _) = self
            .phases
            .iter()
            .find(|(_, phase)| phase.gate.checking || phase.gate.passed || phase.gate.verifier.is_some())?;
        Some(format!("phase {number} is at its gate"))
    }
}
