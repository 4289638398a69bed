//! Handles deadlines that have passed.

use domain::{
    BlockReason, CheckpointId, EscalationCause, EscalationSubject, EscalationType, ParkMode, QuestionRoute,
    SessionId, SessionInput, Severity, events,
};

use super::{DecisionContext, escalation::NewEscalation};
use crate::{
    run::RunStatus,
    state::{Deadline, ProcessState, SessionState, TaskIndex},
};

impl DecisionContext<'_> {
    /// Handles all due deadlines; deadlines that this sets in the past are handled by the next tick.
    pub(super) fn handle_due_deadlines(&mut self) {
        if matches!(self.run.status, RunStatus::Ended(_)) {
            return self.retry_postponed_effects();
        }
        for (at, deadline) in self.run.timers.due(self.now) {
            // An earlier one may have moved or cleared it.
            if !self.run.timers.is_set_to(at, deadline) {
                continue;
            }
            match deadline {
                Deadline::TaskTimeout(task) => self.escalate_task_timeout(task),
                Deadline::TurnEnd(task) => self.emit(events::TurnWaitExpired { task: self.task_id(task) }),
                Deadline::TaskRateLimit(task) => self.unblock_after_rate_limit(task),
                Deadline::SessionRateLimit(session) => {
                    let reason = "the rate limit has reset".to_owned();
                    self.send_input(session, SessionInput::Resume { reason });
                }
                Deadline::QuestionExpiry(question) => self.expire_question(question),
                // A busy or hanging orchestrator must not delay the question.
                Deadline::OrchestratorAnswer(question) => {
                    self.emit_as_system(events::QuestionRouted { question, to: QuestionRoute::Person });
                }
                Deadline::EscalationResponse(escalation) => self.forward_escalation(escalation),
                // The run must not wait for an orchestrator that hangs.
                Deadline::ChatReply(session) => self.emit(events::ChatReplyOverdue { session }),
                Deadline::Park(session) => self.advance_parking(session),
                Deadline::ResolveAnswer(session) => self.answer_with_wait_line(session),
                Deadline::OrchestratorSilence => self.escalate_silence(),
                Deadline::EffectRetry => self.retry_postponed_effects(),
                Deadline::RunTimeout => self.escalate_run_timeout(),
            }
        }
    }

    fn escalate_task_timeout(&mut self, task: TaskIndex) {
        let id = self.task_id(task);
        let minutes = self.run.task(task).timeout_ms.unwrap_or(0) / 60_000;
        self.block_on_escalation(
            task,
            NewEscalation {
                kind: EscalationType::Timeout,
                severity: Severity::High,
                title: EscalationCause::TaskTimeout { task: id }.into(),
                description: format!("worked for {minutes} minutes"),
                context: String::new(),
            },
        );
        self.freeze_task_session(task);
    }

    fn unblock_after_rate_limit(&mut self, task: TaskIndex) {
        let is_rate_limit = |reason: &&BlockReason| matches!(reason, BlockReason::RateLimited { .. });
        if let Some(reason) = self.run.task(task).block_reasons.iter().find(is_rate_limit).cloned() {
            self.emit(events::TaskUnblocked { task: self.task_id(task), reason });
        }
    }

    /// Moves a waiting session to the next parking mode.
    fn advance_parking(&mut self, session: SessionId) {
        let waiting = self.run.session(session);
        let is_working_on = |task: &TaskIndex| {
            let state = self.run.task(*task);
            state.is_worked_on_by(session) && !state.is_blocked()
        };
        let is_working = self.run.status != RunStatus::Paused
            && waiting.in_turn
            && (waiting.task.is_none() || waiting.task.as_ref().is_some_and(is_working_on));
        let Some(process) = waiting.process() else { return };
        let mode = match waiting.park_mode() {
            Some(ParkMode::Frozen) => ParkMode::Cold,
            Some(ParkMode::Hot | ParkMode::Cold) | None => ParkMode::Frozen,
        };
        if is_working || process == ProcessState::Starting {
            // It works after all, or has not started; parking is considered again when its turn ends.
            self.emit(events::SessionWoken { session });
            return;
        }
        if mode == ParkMode::Cold
            && let Some(task) = waiting.task.filter(|task| self.run.task(*task).session() == Some(session))
        {
            // Its process is ended when the checkpoint exists.
            return self.request_checkpoint_creation(task, domain::CheckpointReason::Park);
        }
        self.emit(events::SessionParked { session, mode });
    }

    /// Ends the process of a session whose parking checkpoint exists.
    pub(super) fn park_after_checkpoint(&mut self, checkpoint: CheckpointId) {
        let task = self.run.checkpoints.get(checkpoint.0).task;
        let session = task.and_then(|task| self.run.task(task).session());
        let is_parking = |id: &SessionId| {
            self.run.session(*id).state == SessionState::Open(ProcessState::Parking { checkpoint })
        };
        if let Some(session) = session.filter(is_parking) {
            self.emit_as_system(events::SessionParked { session, mode: ParkMode::Cold });
        }
    }

    fn escalate_run_timeout(&mut self) {
        let minutes = self.run.settings.time_ms.unwrap_or(0) / 60_000;
        let escalation = self.raise_escalation(
            EscalationSubject::Run,
            None,
            NewEscalation {
                kind: EscalationType::Timeout,
                severity: Severity::Critical,
                title: EscalationCause::RunTimeout.into(),
                description: format!("ran for {minutes} minutes"),
                context: String::new(),
            },
        );
        let running: Vec<TaskIndex> = self
            .run
            .schedule
            .running()
            .iter()
            .filter_map(|node| match self.run.node_kind(*node) {
                crate::run::NodeKind::Task(task) => Some(task),
                crate::run::NodeKind::Gate(_) | crate::run::NodeKind::External => None,
            })
            .collect();
        for task in running {
            let reason = BlockReason::Escalated { escalation };
            self.emit(events::TaskBlocked { task: self.task_id(task), reason });
            self.freeze_task_session(task);
        }
    }

    fn freeze_task_session(&mut self, task: TaskIndex) {
        if let Some(session) = self.run.task(task).session() {
            self.freeze_session(session);
        }
    }
}
