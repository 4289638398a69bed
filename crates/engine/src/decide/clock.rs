//! What time brings.

use domain::{
    BlockReason, CheckpointId, EscalationCause, EscalationSubject, EscalationType, Event, ParkMode,
    QuestionRoute, SessionId, SessionInput, Severity,
};

use super::{Deciding, escalation::Problem};
use crate::{
    run::Status,
    state::{Deadline, SessionState, Stage, TaskRef},
};

impl Deciding<'_> {
    /// Does everything whose time has come; what that brings forward comes with the next tick.
    pub(super) fn tick(&mut self) {
        for (at, deadline) in self.run.timers.due(self.now) {
            // What came before it may have moved it, or taken it away.
            if !self.run.timers.is_at(at, deadline) {
                continue;
            }
            match deadline {
                Deadline::TaskTime(task) => self.time_is_over(task),
                Deadline::TaskLimit(task) => self.limit_is_over(task),
                Deadline::SessionLimit(session) => {
                    let reason = "the limit is over".to_owned();
                    self.say(session, SessionInput::Resume { reason });
                }
                Deadline::Question(question) => self.expire(question),
                // Whoever does not come to it, or hangs, keeps nobody waiting.
                Deadline::Unanswered(question) => {
                    self.emit_by_rule(Event::QuestionRouted { question, to: QuestionRoute::Person });
                }
                Deadline::Unsolved(escalation) => self.climb(escalation),
                Deadline::Park(session) => self.park(session),
                Deadline::Resolve(session) => self.answer_wait(session),
                Deadline::Silence => self.tell_of_silence(),
                Deadline::RunTime => self.run_time_is_over(),
            }
        }
    }

    fn time_is_over(&mut self, task: TaskRef) {
        let id = self.id(task);
        let minutes = self.run.task(task).timeout_ms.unwrap_or(0) / 60_000;
        self.block_on_problem(
            task,
            Problem {
                kind: EscalationType::Timeout,
                severity: Severity::High,
                words: EscalationCause::TaskTimeout { task: id }.into(),
                description: format!("it has run for {minutes} minutes"),
                context: String::new(),
            },
        );
        self.freeze_agent_of(task);
    }

    fn limit_is_over(&mut self, task: TaskRef) {
        let is_limit = |reason: &&BlockReason| matches!(reason, BlockReason::RateLimited { .. });
        if let Some(reason) = self.run.task(task).blocks.iter().find(is_limit).cloned() {
            self.emit(Event::TaskUnblocked { task: self.id(task), reason });
        }
    }

    /// Lets a session that waits do so at less cost.
    fn park(&mut self, session: SessionId) {
        let waiting = self.run.session(session);
        let works = |task: &TaskRef| {
            let state = self.run.task(*task);
            state.session == Some(session) && state.stage == Stage::Running && !state.is_blocked()
        };
        let is_at_work = self.run.status != Status::Paused
            && waiting.in_turn
            && (waiting.task.is_none() || waiting.task.as_ref().is_some_and(works));
        let mode = match waiting.state {
            SessionState::Parked(ParkMode::Frozen) => ParkMode::Cold,
            SessionState::Starting | SessionState::Active | SessionState::Parked(_) => ParkMode::Frozen,
            SessionState::Over => return,
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
            return self.order_checkpoint(task, domain::CheckpointReason::Park);
        }
        self.emit(Event::SessionParked { session, mode });
    }

    /// Ends the process of a session that waited for its checkpoint.
    pub(super) fn cool(&mut self, checkpoint: CheckpointId) {
        let task = self.run.checkpoints.get(checkpoint.0).task;
        let session = task.and_then(|task| self.run.task(task).session);
        let cools = |id: &SessionId| {
            let session = self.run.session(*id);
            session.cooling == Some(checkpoint) && session.is_alive()
        };
        if let Some(session) = session.filter(cools) {
            self.emit_by_rule(Event::SessionParked { session, mode: ParkMode::Cold });
        }
    }

    fn run_time_is_over(&mut self) {
        let minutes = self.run.settings.time_ms.unwrap_or(0) / 60_000;
        let escalation = self.raise(
            EscalationSubject::Run,
            None,
            Problem {
                kind: EscalationType::Timeout,
                severity: Severity::High,
                words: EscalationCause::RunTimeout.into(),
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
            self.freeze_agent_of(task);
        }
    }

    fn freeze_agent_of(&mut self, task: TaskRef) {
        if let Some(session) = self.run.task(task).session {
            self.freeze(session);
        }
    }
}
