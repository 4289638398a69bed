//! Commands of the user on tasks, phases and the run.

use domain::{
    Actor, AgentName, AttemptFailure, BlockReason, CheckpointReason, FeedbackLoopOutcome, ParkMode,
    PhaseNumber, Priority, RewindTarget, RunOutcome, SessionId, SessionInput, TaskId, events,
};

use super::DecisionContext;
use crate::{
    rejection::Rejection,
    run::RunStatus,
    state::{ProcessState, SessionState, TaskIndex, TaskStage},
};

/// Maximum number of unsent messages to the agent of a task.
const TASK_MESSAGES_MAX: usize = 16;

impl DecisionContext<'_> {
    /// Rejects a command on a task that has ended or is being merged.
    fn check_task_open(&self, task: TaskIndex, hint: &'static str) -> Result<(), Rejection> {
        let stage = self.run.task(task).stage;
        if stage.is_merging() {
            let hint = "wait until the merge has finished";
            return Err(Rejection::WrongTaskState { task: self.task_id(task), state: stage.label(), hint });
        }
        if stage.is_final() {
            return Err(Rejection::WrongTaskState { task: self.task_id(task), state: stage.label(), hint });
        }
        Ok(())
    }

    pub(super) fn pause_task(&mut self, id: &TaskId) -> Result<(), Rejection> {
        let task = self.find_task(id)?;
        self.check_task_open(task, "only unfinished tasks can be paused")?;
        if self.is_task_paused(task) {
            let hint = "continue it when its agent should work again";
            return Err(Rejection::WrongTaskState { task: id.clone(), state: "already paused", hint });
        }
        self.emit_task_pause(task);
        Ok(())
    }

    fn is_task_paused(&self, task: TaskIndex) -> bool {
        self.run.task(task).block_reasons.iter().any(|reason| matches!(reason, BlockReason::Paused { .. }))
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
        if !self.is_task_paused(task) {
            let (state, hint) =
                (self.run.task(task).stage.label(), "it is not paused: only paused tasks can be continued");
            return Err(Rejection::WrongTaskState { task: id.clone(), state, hint });
        }
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
        self.check_task_open(task, "only unfinished tasks can be cancelled")?;
        self.emit_task_cancellation(task);
        Ok(())
    }

    fn emit_task_cancellation(&mut self, task: TaskIndex) {
        self.emit(events::TaskCancelled { task: self.task_id(task) });
        self.close_attempt(task, "was cancelled", FeedbackLoopOutcome::Failed);
    }

    pub(super) fn skip_task(&mut self, id: &TaskId) -> Result<(), Rejection> {
        let task = self.find_task(id)?;
        // A failed task can still be skipped, so that its dependents continue.
        if !matches!(self.run.task(task).stage, TaskStage::Failed | TaskStage::Cancelled) {
            self.check_task_open(task, "only tasks that are not done can be skipped")?;
        }
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
        let state = match self.run.task(task).stage {
            TaskStage::Merging(_) => Some(("merging", "wait until the merge has finished")),
            TaskStage::Done => Some(("done", "request changes to its phase at the gate")),
            TaskStage::Waiting | TaskStage::Ready => Some(("not started", "wait until it has started")),
            TaskStage::Running(_)
            | TaskStage::Claimed
            | TaskStage::Checking
            | TaskStage::Checked
            | TaskStage::ChecksFailed
            | TaskStage::Testing
            | TaskStage::Mergeable(_)
            | TaskStage::Conflicted
            | TaskStage::Merged(_)
            | TaskStage::AttemptFailed
            | TaskStage::Failed
            | TaskStage::Skipped
            | TaskStage::Cancelled => None,
        };
        if let Some((state, hint)) = state {
            return Err(Rejection::WrongTaskState { task: id.clone(), state, hint });
        }
        self.reopen_run();
        self.restart_task(task, hint);
        Ok(())
    }

    /// Ends the current attempt and starts another one, with attempts counted from zero.
    pub(super) fn restart_task(&mut self, task: TaskIndex, hint: Option<String>) {
        self.end_attempt(task);
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
        if self.run.task(task_ref).stage.is_final() {
            let hint = "only unfinished tasks have a priority";
            let state = self.run.task(task_ref).stage.label();
            return Err(Rejection::WrongTaskState { task, state, hint });
        }
        self.emit(events::TaskPrioritized { task, priority });
        Ok(())
    }

    /// Sends a message to the agent that works, or will work, on a task.
    pub(super) fn send_task_message(&mut self, id: TaskId, text: String) -> Result<(), Rejection> {
        let task = self.find_task(&id)?;
        if text.trim().is_empty() {
            return Err(Rejection::EmptyAnswer);
        }
        let state = self.run.task(task);
        let is_deliverable = matches!(
            state.stage,
            TaskStage::Waiting | TaskStage::Ready | TaskStage::Running(_) | TaskStage::AttemptFailed
        );
        if !is_deliverable {
            let hint = match state.stage {
                TaskStage::Done => "request changes to its phase at the gate: no agent works on it",
                TaskStage::Failed | TaskStage::Skipped | TaskStage::Cancelled => {
                    "retry it with a hint: no agent works on it"
                }
                TaskStage::Waiting
                | TaskStage::Ready
                | TaskStage::Running(_)
                | TaskStage::AttemptFailed
                | TaskStage::Claimed
                | TaskStage::Checking
                | TaskStage::Checked
                | TaskStage::ChecksFailed
                | TaskStage::Testing
                | TaskStage::Mergeable(_)
                | TaskStage::Merging(_)
                | TaskStage::Conflicted
                | TaskStage::Merged(_) => "wait for the result of its check or merge: no agent works on it",
            };
            return Err(Rejection::WrongTaskState { task: id, state: state.stage.label(), hint });
        }
        let n_unsent = state
            .pending_inputs
            .iter()
            .filter(|input| matches!(input, SessionInput::UserMessage { .. }))
            .count();
        if n_unsent >= TASK_MESSAGES_MAX {
            return Err(Rejection::TooMany {
                object: "unread messages for the agent",
                max: TASK_MESSAGES_MAX,
                hint: "wait until the agent has read some of them",
            });
        }
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
        let stage = self.run.task(task).stage;
        if !matches!(stage, TaskStage::Failed | TaskStage::Cancelled | TaskStage::Skipped) {
            self.check_task_open(task, "request changes to its phase at the gate")?;
        }
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
        if matches!(self.run.task(task).stage, TaskStage::Waiting | TaskStage::Ready)
            && self.run.task(task).attempt() == 0
        {
            let hint = "only started tasks have work to rewind";
            return Err(Rejection::WrongTaskState { task: id.clone(), state: "not started", hint });
        }
        let stage = self.run.task(task).stage;
        if !matches!(stage, TaskStage::Failed | TaskStage::Cancelled | TaskStage::Skipped) {
            self.check_task_open(task, "merged work cannot be rewound")?;
        }
        self.reopen_run();
        if !matches!(self.run.task(task).stage, TaskStage::Waiting | TaskStage::Ready) {
            self.restart_task(task, None);
        }
        self.emit(events::TaskRewound { task: id.clone(), checkpoint });
        Ok(())
    }

    pub(super) fn create_checkpoint(&mut self, id: &TaskId) -> Result<(), Rejection> {
        let task = self.find_task(id)?;
        if !self.run.task(task).stage.is_in_progress() {
            let (state, hint) =
                (self.run.task(task).stage.label(), "only tasks in progress have work to save");
            return Err(Rejection::WrongTaskState { task: id.clone(), state, hint });
        }
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
            if self.run.task(task).stage.is_in_progress() && !self.is_task_paused(task) {
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
        match self.run.status {
            RunStatus::Active => {}
            RunStatus::Paused => {
                return Err(wrong_run_state(
                    "already paused",
                    "continue it when its agents should work again",
                ));
            }
            RunStatus::NotStarted | RunStatus::Ended(_) => {
                return Err(wrong_run_state("not active", "only active runs can be paused"));
            }
        }
        self.emit(events::RunPaused {});
        let sessions: Vec<SessionId> = self.run.alive.iter().copied().collect();
        for session in sessions {
            self.freeze_session(session);
        }
        Ok(())
    }

    pub(super) fn continue_run(&mut self) -> Result<(), Rejection> {
        if self.run.status != RunStatus::Paused {
            return Err(wrong_run_state("not paused", "only paused runs can be continued"));
        }
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
        if !matches!(self.run.status, RunStatus::Active | RunStatus::Paused) {
            return Err(wrong_run_state("already finished", "only unfinished runs can be cancelled"));
        }
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

fn wrong_run_state(state: &'static str, hint: &'static str) -> Rejection {
    Rejection::WrongRunState { object: "the run".to_owned(), state, hint }
}
