//! Whether a run waits for its user alone: no task, session, effect or rate limit can continue it.

use domain::EscalationLevel;

use crate::{
    graph::Node,
    run::{NodeKind, Run, RunStatus},
    state::{Deadline, QuestionState, Session, TaskStage},
};

impl Run {
    /// Returns whether nothing continues until the user acts. Between two events of a decision it may seem so.
    pub fn needs_user(&self) -> bool {
        match self.status {
            RunStatus::NotStarted | RunStatus::Ended(_) => false,
            RunStatus::Active => !(self.has_work_in_progress() || self.has_work_to_start()),
            // A pause lets turns and effects finish, and starts nothing.
            RunStatus::Paused => !self.has_work_in_progress(),
        }
    }

    fn has_work_in_progress(&self) -> bool {
        self.pending_effects.iter_executing().next().is_some()
            || self.alive.iter().any(|session| self.is_session_working(self.session(*session)))
    }

    /// Returns whether a task can continue or start, or waits for an agent or the clock.
    fn has_work_to_start(&self) -> bool {
        // The session of a tester may wait for the user, and postponed effects keep the slots of tasks.
        let is_tested = |node: &Node| match self.node_kind(*node) {
            NodeKind::Task(task) => self.task(task).stage == TaskStage::Testing,
            NodeKind::Gate(_) | NodeKind::External => false,
        };
        let is_hindered = self.disk_full_escalation.is_some() || self.moved_ref_escalation.is_some();
        let has_running_task = !is_hindered && !self.schedule.running().iter().all(is_tested);
        let is_forwarded = |state| state == QuestionState::WithOrchestrator;
        has_running_task
            || self.schedule.next_candidate().is_some()
            || self.open_questions.iter().any(|id| is_forwarded(self.questions.get(id.0).state))
            || self
                .open_escalations
                .iter()
                .any(|id| self.escalations.get(id.0).level != EscalationLevel::Person)
            || self.timers.iter().any(|deadline| match deadline {
                Deadline::TaskRateLimit(_) | Deadline::SessionRateLimit(_) => true,
                Deadline::TaskTimeout(_)
                | Deadline::TurnEnd(_)
                | Deadline::QuestionExpiry(_)
                | Deadline::OrchestratorAnswer(_)
                | Deadline::EscalationResponse(_)
                | Deadline::ChatReply(_)
                | Deadline::Park(_)
                | Deadline::ResolveAnswer(_)
                | Deadline::OrchestratorSilence
                | Deadline::EffectRetry
                | Deadline::RunTimeout => false,
            })
    }

    /// Returns whether a session works at its task or at an item of its queue, and does not wait for the user. A main
    /// agent may stay in its turn for as long as it likes.
    fn is_session_working(&self, session: &Session) -> bool {
        let is_waiting = session.is_parked() || !session.questions.is_empty();
        let is_blocked = session.task.is_some_and(|task| self.task(task).is_blocked());
        let has_work = session.current_item.is_some() || (session.in_turn && session.task.is_some());
        session.is_alive() && session.agent.is_some() && has_work && !is_waiting && !is_blocked
    }
}
