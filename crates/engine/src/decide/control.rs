//! Commands of the user on tasks, phases and the run.

use domain::{
    Actor, AgentName, AttemptFailure, BlockReason, CheckpointReason, FeedbackLoopOutcome, ParkMode,
    PhaseNumber, Priority, RewindTarget, RunAction, RunOutcome, SessionId, SessionInput, TaskAction, TaskId,
    events,
};

use super::DecisionContext;
use crate::{
    allowed_actions::{check_task_action, is_paused},
    rejection::Rejection,
    run::RunStatus,
    state::{ProcessState, SessionState, TaskIndex, TaskStage},
};

impl DecisionContext<'_> {
    /// Rejects an action that the state of the task does not allow.
    fn check_task_action(&self, task: TaskIndex, action: TaskAction) -> Result<(), Rejection> {
        check_task_action(self.run.task(task), action)
    }

    pub(super) fn pause_task(&mut self, id: &TaskId) -> Result<(), Rejection> {
        let task = self.find_task(id)?;
        self.check_task_action(task, TaskAction::Pause)?;
        self.emit_task_pause(task);
        Ok(())
    }

    fn emit_task_pause(&mut self, task: TaskIndex) {
        let reason = BlockReason::Paused { by: self.actor.clone() };
        self.emit(events::TaskBlocked { task: self.task_id(task), reason });
        if let Some(session) = self.run.task(task).session() {
            self.freeze_session(session);
        }
    }

    /// Suspends the processes of a working session.
    pub(super) fn freeze_session(&mut self, session: SessionId) {
        let is_working = matches!(
            self.run.session(session).state,
            SessionState::Open(ProcessState::Active | ProcessState::Parked(ParkMode::Hot))
        );
        if is_working && self.run.session(session).agent.is_some() {
            self.emit(events::SessionParked { session, mode: ParkMode::Frozen });
        }
    }

    pub(super) fn continue_task(&mut self, id: &TaskId) -> Result<(), Rejection> {
        let task = self.find_task(id)?;
        self.check_task_action(task, TaskAction::Continue)?;
        self.unpause_task(task);
        Ok(())
    }

    fn unpause_task(&mut self, task: TaskIndex) {
        let paused = |reason: &&BlockReason| matches!(reason, BlockReason::Paused { .. });
        let reasons: Vec<BlockReason> =
            self.run.task(task).block_reasons.iter().filter(paused).cloned().collect();
        for reason in reasons {
            self.emit(events::TaskUnblocked { task: self.task_id(task), reason });
        }
    }

    pub(super) fn cancel_task(&mut self, id: &TaskId) -> Result<(), Rejection> {
        let task = self.find_task(id)?;
        self.check_task_action(task, TaskAction::Cancel)?;
        self.emit_task_cancellation(task);
        Ok(())
    }

    fn emit_task_cancellation(&mut self, task: TaskIndex) {
        self.emit(events::TaskCancelled { task: self.task_id(task) });
        self.close_attempt(task, "was cancelled", FeedbackLoopOutcome::Failed);
    }

    pub(super) fn skip_task(&mut self, id: &TaskId) -> Result<(), Rejection> {
        let task = self.find_task(id)?;
        self.check_task_action(task, TaskAction::Skip)?;
        self.reopen_run();
        self.emit_task_skip(task);
        Ok(())
    }

    pub(super) fn emit_task_skip(&mut self, task: TaskIndex) {
        self.emit(events::TaskSkipped { task: self.task_id(task) });
        self.close_attempt(task, "was skipped", FeedbackLoopOutcome::Failed);
    }

    pub(super) fn retry_task(&mut self, id: &TaskId, hint: Option<String>) -> Result<(), Rejection> {
        let task = self.find_task(id)?;
        self.check_task_action(task, TaskAction::Retry)?;
        self.reopen_run();
        self.restart_task(task, hint);
        Ok(())
    }

    /// Ends the current attempt and starts another one, with attempts counted from zero.
    pub(super) fn restart_task(&mut self, task: TaskIndex, hint: Option<String>) {
        self.end_attempt(task);
        self.reopen_gate(task);
        self.emit(events::TaskRetried { task: self.task_id(task), hint, resets_attempts: true });
    }

    fn end_attempt(&mut self, task: TaskIndex) {
        let state = self.run.task(task);
        let (attempt, is_live) =
            (state.attempt(), state.stage.is_in_progress() && state.stage != TaskStage::AttemptFailed);
        if is_live {
            let failure = AttemptFailure::MarkedFailed;
            self.emit(events::AttemptFailed { task: self.task_id(task), attempt, failure, counted: false });
        }
        self.close_attempt(task, "is retried", FeedbackLoopOutcome::Failed);
    }

    pub(super) fn prioritize_task(&mut self, task: TaskId, priority: Priority) -> Result<(), Rejection> {
        let task_ref = self.find_task(&task)?;
        self.check_task_action(task_ref, TaskAction::Prioritize)?;
        self.emit(events::TaskPrioritized { task, priority });
        Ok(())
    }

    /// Sends a message to the agent that works, or will work, on a task.
    pub(super) fn send_task_message(&mut self, id: TaskId, text: String) -> Result<(), Rejection> {
        let task = self.find_task(&id)?;
        if text.trim().is_empty() {
            return Err(Rejection::EmptyAnswer);
        }
        self.check_task_action(task, TaskAction::SendMessage)?;
        self.emit(events::TaskMessageSent { task: id, text });
        if self.run.status == RunStatus::Active {
            self.send_pending_inputs(task);
        }
        Ok(())
    }

    pub(super) fn reassign_task(&mut self, id: &TaskId, agent: AgentName) -> Result<(), Rejection> {
        let task = self.find_task(id)?;
        let known = self.run.team.agent_names();
        if !known.contains(&agent) {
            return Err(Rejection::UnknownAgent { name: agent, known });
        }
        self.check_task_action(task, TaskAction::Reassign)?;
        self.reopen_run();
        self.emit_task_reassignment(task, agent);
        Ok(())
    }

    pub(super) fn emit_task_reassignment(&mut self, task: TaskIndex, agent: AgentName) {
        let has_begun = !matches!(self.run.task(task).stage, TaskStage::Waiting | TaskStage::Ready);
        if has_begun {
            self.restart_task(task, None);
        }
        self.emit(events::TaskReassigned { task: self.task_id(task), agent });
    }

    pub(super) fn rewind_task(&mut self, id: &TaskId, checkpoint: RewindTarget) -> Result<(), Rejection> {
        let task = self.find_task(id)?;
        if let Some(checkpoint) = checkpoint {
            let record = self.run.checkpoints.get(checkpoint.0);
            if record.task != Some(task) || !record.is_made {
                return Err(Rejection::UnknownObject { object: format!("checkpoint {checkpoint} of {id}") });
            }
        }
        self.check_task_action(task, TaskAction::Rewind)?;
        self.reopen_run();
        if !matches!(self.run.task(task).stage, TaskStage::Waiting | TaskStage::Ready) {
            self.restart_task(task, None);
        }
        self.emit(events::TaskRewound { task: id.clone(), checkpoint });
        Ok(())
    }

    pub(super) fn create_checkpoint(&mut self, id: &TaskId) -> Result<(), Rejection> {
        let task = self.find_task(id)?;
        self.check_task_action(task, TaskAction::CreateCheckpoint)?;
        self.request_checkpoint_creation(task, CheckpointReason::Requested);
        Ok(())
    }

    pub(super) fn pause_phase(&mut self, phase: PhaseNumber) -> Result<(), Rejection> {
        if self.is_phase_paused(phase)? {
            return Err(Rejection::WrongRunState {
                object: format!("phase {phase}"),
                state: "already paused",
                hint: "continue it when its agents should work again",
            });
        }
        self.emit(events::PhasePaused { phase });
        for task in self.phase_tasks(phase) {
            if self.run.task(task).stage.is_in_progress() && !is_paused(self.run.task(task)) {
                self.emit_task_pause(task);
            }
        }
        Ok(())
    }

    pub(super) fn continue_phase(&mut self, phase: PhaseNumber) -> Result<(), Rejection> {
        if !self.is_phase_paused(phase)? {
            return Err(Rejection::WrongRunState {
                object: format!("phase {phase}"),
                state: "not paused",
                hint: "only paused phases can be continued",
            });
        }
        self.emit(events::PhaseContinued { phase });
        for task in self.phase_tasks(phase) {
            self.unpause_task(task);
        }
        Ok(())
    }

    pub(super) fn cancel_phase(&mut self, phase: PhaseNumber) -> Result<(), Rejection> {
        self.is_phase_paused(phase)?;
        let open = |task: &TaskIndex| {
            let stage = self.run.task(*task).stage;
            !stage.is_final() && !stage.is_merging()
        };
        let open: Vec<TaskIndex> = self.phase_tasks(phase).into_iter().filter(open).collect();
        if open.is_empty() {
            return Err(Rejection::WrongRunState {
                object: format!("phase {phase}"),
                state: "already finished",
                hint: "only phases with unfinished tasks can be cancelled",
            });
        }
        self.emit(events::PhaseCancelled { phase });
        for task in open {
            self.emit_task_cancellation(task);
        }
        Ok(())
    }

    fn is_phase_paused(&self, phase: PhaseNumber) -> Result<bool, Rejection> {
        self.run.phases.get(&phase).map(|phase| phase.paused).ok_or(Rejection::UnknownPhase { phase })
    }

    fn phase_tasks(&self, phase: PhaseNumber) -> Vec<TaskIndex> {
        self.run.phases.get(&phase).map(|phase| phase.tasks.clone()).unwrap_or_default()
    }

    pub(super) fn pause_run(&mut self) -> Result<(), Rejection> {
        self.run.check_run_action(RunAction::Pause)?;
        self.emit(events::RunPaused {});
        let sessions: Vec<SessionId> = self.run.alive.iter().copied().collect();
        for session in sessions {
            self.freeze_session(session);
        }
        Ok(())
    }

    pub(super) fn continue_run(&mut self) -> Result<(), Rejection> {
        self.run.check_run_action(RunAction::Continue)?;
        self.emit(events::RunContinued {});
        self.wake_sessions();
        Ok(())
    }

    /// Resumes every session that was suspended, or whose turn ended while the run was paused.
    pub(super) fn wake_sessions(&mut self) {
        let sessions: Vec<SessionId> = self.run.alive.iter().copied().collect();
        for session in sessions {
            let waiting = self.run.session(session);
            let task_waits = waiting.task.is_some_and(|task| self.run.task(task).is_blocked());
            let task_works = waiting.task.is_some_and(|task| self.run.task(task).stage.is_running());
            // Testers, verifiers and callees were suspended too, or ended their turns while the run was paused.
            let has_work = task_works || waiting.current_item.is_some();
            let waits_for_others = !waiting.questions.is_empty()
                || waiting.rate_limited
                || !self.open_calls_made_by(session).is_empty();
            let waits_for_slot = waiting.task.is_some_and(|task| {
                let state = self.run.task(task);
                let has_inputs = state.session() == Some(session) && !state.pending_inputs.is_empty();
                has_inputs || !self.run.schedule.running().contains(&state.node)
            });
            let needs_resume = !waiting.in_turn && has_work && !waits_for_others && !waits_for_slot;
            if waiting.is_parked_in_turn() && !task_waits {
                self.emit(events::SessionWoken { session });
            } else if needs_resume && !task_waits {
                let reason = "the run continues".to_owned();
                self.send_input(session, SessionInput::Resume { reason });
            }
        }
    }

    pub(super) fn cancel_run(&mut self) -> Result<(), Rejection> {
        self.run.check_run_action(RunAction::Cancel)?;
        self.emit(events::RunCancelled {});
        let open: Vec<TaskIndex> = (0..)
            .zip(&self.run.tasks)
            .filter(|(_, task)| !task.stage.is_final())
            .map(|(number, _)| TaskIndex(number))
            .collect();
        for task in &open {
            self.emit_task_cancellation(*task);
        }
        let failed = open.iter().map(|task| self.task_id(*task)).collect();
        let actor = std::mem::replace(&mut self.actor, Actor::System);
        self.finish_run(RunOutcome::Cancelled, failed, Vec::new());
        self.actor = actor;
        Ok(())
    }
}
