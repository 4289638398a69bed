//! What time brings.

use domain::{
    BlockReason, CheckpointId, EscalationCause, EscalationSubject, EscalationType, Event, ParkMode,
    QuestionRoute, SessionId, SessionInput, Severity,
};

use super::{DecisionContext, escalation::NewEscalation};
use crate::{
    run::RunStatus,
    state::{Deadline, SessionState, TaskRef, TaskStage},
};

impl DecisionContext<'_> {
    /// Does everything whose time has come; what that brings forward comes with the next tick.
    pub(super) fn tick(&mut self) {
        for (at, deadline) in self.run.timers.due(self.now) {
            // What came before it may have moved it, or taken it away.
            if !self.run.timers.is_at(at, deadline) {
                continue;
            }
            match deadline {
                Deadline::TaskTimeout(task) => self.task_timed_out(task),
                Deadline::TaskRateLimit(task) => self.rate_limit_ended(task),
                Deadline::SessionRateLimit(session) => {
                    let reason = "the limit is over".to_owned();
                    self.send_input(session, SessionInput::Resume { reason });
                }
                Deadline::QuestionExpiry(question) => self.expire_question(question),
                // Whoever does not come to it, or hangs, keeps nobody waiting.
                Deadline::OrchestratorAnswer(question) => {
                    self.emit_by_rule(Event::QuestionRouted { question, to: QuestionRoute::Person });
                }
                Deadline::EscalationResponse(escalation) => self.forward_escalation(escalation),
                Deadline::Park(session) => self.park(session),
                Deadline::ResolveAnswer(session) => self.answer_with_wait_line(session),
                Deadline::OrchestratorSilence => self.raise_silence(),
                Deadline::RunTimeout => self.run_timed_out(),
            }
        }
    }

    fn task_timed_out(&mut self, task: TaskRef) {
        let id = self.id(task);
        let minutes = self.run.task(task).timeout_ms.unwrap_or(0) / 60_000;
        self.block_on_escalation(
            task,
            NewEscalation {
                kind: EscalationType::Timeout,
                severity: Severity::High,
                title: EscalationCause::TaskTimeout { task: id }.into(),
                description: format!("it has run for {minutes} minutes"),
                context: String::new(),
            },
        );
        self.freeze_session_of(task);
    }

    fn rate_limit_ended(&mut self, task: TaskRef) {
        let is_limit = |reason: &&BlockReason| matches!(reason, BlockReason::RateLimited { .. });
        if let Some(reason) = self.run.task(task).block_reasons.iter().find(is_limit).cloned() {
            self.emit(Event::TaskUnblocked { task: self.id(task), reason });
        }
    }

    /// Lets a session that waits do so at less cost.
    fn park(&mut self, session: SessionId) {
        let waiting = self.run.session(session);
        let works = |task: &TaskRef| {
            let state = self.run.task(*task);
            state.session == Some(session) && state.stage == TaskStage::Running && !state.is_blocked()
        };
        let is_at_work = self.run.status != RunStatus::Paused
            && waiting.in_turn
            && (waiting.task.is_none() || waiting.task.as_ref().is_some_and(works));
        let mode = match waiting.state {
            SessionState::Parked(ParkMode::Frozen) => ParkMode::Cold,
            SessionState::Starting | SessionState::Active | SessionState::Parked(_) => ParkMode::Frozen,
            SessionState::Ended => return,
        };
        if is_at_work || waiting.state == SessionState::Starting {
            // It is at work after all, or not even there; it will be looked at when its turn ends.
            self.emit(Event::SessionWoken { session });
            return;
        }
        if mode == ParkMode::Cold
            && let Some(task) = waiting.task.filter(|task| self.run.task(*task).session == Some(session))
        {
            // Its process ends when that is made.
            return self.request_checkpoint(task, domain::CheckpointReason::Park);
        }
        self.emit(Event::SessionParked { session, mode });
    }

    /// Ends the process of a session that waited for its checkpoint.
    pub(super) fn park_after_checkpoint(&mut self, checkpoint: CheckpointId) {
        let task = self.run.checkpoints.get(checkpoint.0).task;
        let session = task.and_then(|task| self.run.task(task).session);
        let cools = |id: &SessionId| {
            let session = self.run.session(*id);
            session.parking_checkpoint == Some(checkpoint) && session.is_alive()
        };
        if let Some(session) = session.filter(cools) {
            self.emit_by_rule(Event::SessionParked { session, mode: ParkMode::Cold });
        }
    }

    fn run_timed_out(&mut self) {
        let minutes = self.run.settings.time_ms.unwrap_or(0) / 60_000;
        let escalation = self.raise(
            EscalationSubject::Run,
            None,
            NewEscalation {
                kind: EscalationType::Timeout,
                severity: Severity::High,
                title: EscalationCause::RunTimeout.into(),
                description: format!("it has taken {minutes} minutes"),
                context: String::new(),
            },
        );
        let running: Vec<TaskRef> = self
            .run
            .schedule
            .running()
            .iter()
            .filter_map(|node| match self.run.kind_of(*node) {
                crate::run::NodeKind::Task(task) => Some(task),
                crate::run::NodeKind::Gate(_) | crate::run::NodeKind::External => None,
            })
            .collect();
        for task in running {
            let reason = BlockReason::Escalated { escalation };
            self.emit(Event::TaskBlocked { task: self.id(task), reason });
            self.freeze_session_of(task);
        }
    }

    fn freeze_session_of(&mut self, task: TaskRef) {
        if let Some(session) = self.run.task(task).session {
            self.freeze(session);
        }
    }
}
