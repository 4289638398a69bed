//! Applies events about feedback loops, escalations, errors, budgets and checkpoints.

use domain::{
    AgentError, CheckpointId, CheckpointOutcome, CheckpointReason, CompletionProof, EscalationAction,
    EscalationCause, EscalationId, EscalationSubject, EscalationType, FeedbackLoopOutcome, ParkMode,
    Recovery, SessionInput, TestFailure, TestFeedback, Timestamp, events,
};

use super::{AGENT_RESPONSE_MS_MAX, start::add_ms};
use crate::{
    check_output::end_of_output,
    effect::Effect,
    effect_sink::EffectSink,
    run::{Run, RunStatus},
    state::{
        BudgetUsage, Checkpoint, Deadline, EffectKey, Escalation, FeedbackLoop, GateState, ProcessState,
        RateLimitWaits, RoundOrigin, SessionState, TaskIndex, TaskStage, TreeExamination, WorkItem,
    },
};

/// Returns the trace or message of the last failure that has one, or what the tester said.
fn last_detail(feedback: &TestFeedback) -> Option<&String> {
    let detail = |failure: &'_ TestFailure| failure.trace.is_some() || failure.message.is_some();
    let last = feedback.failures.iter().rev().find(|failure| detail(failure));
    last.and_then(|failure| failure.trace.as_ref().or(failure.message.as_ref())).or(feedback.text.as_ref())
}

impl Run {
    pub(super) fn apply_loop_started(&mut self, event: &events::LoopStarted) {
        let events::LoopStarted { feedback_loop, task, .. } = event;
        let task = self.find_task(task);
        self.loops.push(FeedbackLoop { task, is_open: true, ..FeedbackLoop::default() });
        if let Some(task) = task {
            self.mark_task_affected(task);
            if let Some(task) = self.task_mut(task) {
                task.feedback_loop = Some(*feedback_loop);
            }
        }
    }

    pub(super) fn apply_loop_round_failed(&mut self, event: &events::LoopRoundFailed) {
        let events::LoopRoundFailed { feedback_loop, round, feedback } = event;
        let Some(state) = self.loops.get_mut(feedback_loop.0) else { return };
        state.rounds = *round;
        if let Some(trace) = last_detail(feedback) {
            state.last_output = end_of_output(trace);
        }
        let Some(task) = state.task else { return };
        self.remove_test_work_item(task);
        if let Some(task) = self.task_mut(task) {
            task.stage = TaskStage::ChecksFailed;
            let earlier = task.history.failures.clone();
            let (attempt, words) = (task.attempt(), task.round.last_words.clone());
            task.history.add_failed_round(attempt, *round, feedback, &words);
            task.round.begin(RoundOrigin::FailedCheck);
            let feedback = feedback.clone();
            task.pending_inputs.push(SessionInput::Feedback {
                message: None,
                round: *round,
                feedback,
                earlier,
            });
        }
    }

    pub(super) fn apply_loop_ended(&mut self, at: Timestamp, event: &events::LoopEnded) {
        let events::LoopEnded { feedback_loop, outcome } = event;
        let Some(state) = self.loops.get_mut(feedback_loop.0) else { return };
        state.is_open = false;
        let Some(task) = state.task else { return };
        self.affected_tasks.insert(task);
        self.remove_test_work_item(task);
        // A loop that is closed together with its task does not change the task.
        let is_in_checks =
            matches!(self.task(task).stage, TaskStage::Accepted | TaskStage::Checked | TaskStage::Testing);
        if *outcome == FeedbackLoopOutcome::Success && is_in_checks {
            self.queue_for_merge(at, task, CompletionProof::Checked);
        }
    }

    pub(super) fn apply_escalation_raised(&mut self, at: Timestamp, event: &events::EscalationRaised) {
        let events::EscalationRaised {
            escalation,
            kind,
            severity,
            subject,
            session,
            title,
            cause,
            description,
            suggested,
            ..
        } = event;
        self.escalations.push(Escalation {
            kind: *kind,
            severity: *severity,
            subject: subject.clone(),
            session: *session,
            origin: *session,
            is_about_messages: matches!(cause, Some(EscalationCause::ProtocolViolated { .. })),
            title: title.clone(),
            description: description.clone(),
            suggested: suggested.clone(),
            // No agent can make a missing program available, and none may judge an agent that acted as the user or moved
            // a ref.
            is_for_person: *kind == EscalationType::CheckNotRun
                || matches!(cause, Some(EscalationCause::ActedAsUser { .. } | EscalationCause::RefMoved(_))),
            is_open: true,
            ..Escalation::default()
        });
        self.open_escalation(*escalation, *kind, subject);
        if *cause == Some(EscalationCause::DiskFull) {
            self.disk_full_escalation = Some(*escalation);
        }
        if matches!(cause, Some(EscalationCause::RefMoved(_))) {
            self.moved_ref_escalation = Some(*escalation);
            self.schedule.set_paused(true);
        }
        self.record_silence_escalation(at, *escalation, (*kind, subject, *session));
    }

    pub(super) fn apply_escalation_forwarded(&mut self, at: Timestamp, event: &events::EscalationForwarded) {
        let events::EscalationForwarded { escalation, to, session } = event;
        let before = self.escalations.get(escalation.0).session;
        // The previous session was too slow or has ended: nothing follows for it.
        if let Some(before) = before.and_then(|before| self.session_mut_unmarked(before)) {
            before.remove_work_item(WorkItem::Escalation(*escalation));
        }
        if let Some(escalation) = self.escalations.get_mut(escalation.0) {
            escalation.level = *to;
            escalation.session = *session;
        }
        let deadline = Deadline::EscalationResponse(*escalation);
        match session {
            Some(_) => self.timers.set(add_ms(at, AGENT_RESPONSE_MS_MAX), deadline),
            None => self.timers.clear(deadline),
        }
        self.queue_work_item(*session, WorkItem::Escalation(*escalation));
    }

    pub(super) fn apply_error_reported(&mut self, at: Timestamp, event: &events::ErrorReported) {
        // The consequences have events of their own; only a session without a task waits here.
        let events::ErrorReported { session, task, error } = event;
        let is_rate_limited = task.is_none() && error.recovery == Recovery::PauseAndRetry;
        if is_rate_limited && let Some(session_state) = self.session_mut(*session) {
            let until = rate_limit_retry_at(at, error, session_state.rate_limit_waits);
            session_state.rate_limit_waits += 1;
            session_state.rate_limited = true;
            self.timers.set(until, Deadline::SessionRateLimit(*session));
        }
    }

    pub(super) fn apply_usage_reported(&mut self, event: &events::UsageReported) {
        let events::UsageReported { session, task, usage } = event;
        self.budget_usage.add(usage);
        if let Some(session) = self.session_mut_unmarked(*session) {
            session.cost_micros = session.cost_micros.saturating_add(usage.cost_micros);
        }
        let Some(task_ref) = task.as_ref().and_then(|task| self.find_task(task)) else { return };
        let phase = self.task(task_ref).planned.phase;
        if let Some(task) = self.task_mut(task_ref) {
            task.budget_usage.add(usage);
        }
        if let Some(phase) = self.phases.get_mut(&phase) {
            phase.budget_usage.add(usage);
        }
    }

    pub(super) fn apply_budget_raised(&mut self, event: &events::BudgetRaised) {
        let events::BudgetRaised { subject, budget } = event;
        if let Some(usage_so_far) = self.budget_usage_mut(subject) {
            usage_so_far.set_max(*budget);
        }
    }

    pub(super) fn apply_checkpoint_requested(
        &mut self,
        event: &events::CheckpointRequested,
        sink: &mut EffectSink,
    ) {
        let events::CheckpointRequested { checkpoint, task, reason } = event;
        let task_ref = self.find_task(task);
        if *reason == CheckpointReason::Park
            && let Some(session) = task_ref.and_then(|task_ref| self.task(task_ref).session())
        {
            self.timers.clear(Deadline::Park(session));
            if let Some(session) = self.session_mut_unmarked(session) {
                session.set_process(ProcessState::Parking { checkpoint: *checkpoint });
            }
        }
        self.checkpoints.push(Checkpoint { task: task_ref, ..Checkpoint::default() });
        if matches!(reason, CheckpointReason::TurnEnd | CheckpointReason::Claim)
            && let Some(task) = task_ref.and_then(|task_ref| self.task_mut(task_ref))
        {
            task.turn_checkpoint = Some(*checkpoint);
            task.round.examination = TreeExamination::Requested(*checkpoint);
        }
        let session = task_ref.and_then(|task_ref| self.task(task_ref).session());
        let agent_session = session.and_then(|session| self.session(session).agent_session.clone());
        let large_files = task_ref.map(|task| self.task(task).large_files.committed()).unwrap_or_default();
        let (checkpoint, task) = (*checkpoint, task.clone());
        let effect = Effect::MakeCheckpoint { checkpoint, task, agent_session, large_files };
        sink.add(&mut self.pending_effects, EffectKey::Checkpoint(checkpoint), effect);
    }

    pub(super) fn apply_checkpoint_finished(
        &mut self,
        at: Timestamp,
        event: &events::CheckpointFinished,
        sink: &mut EffectSink,
    ) {
        let events::CheckpointFinished { checkpoint, outcome } = event;
        self.pending_effects.remove(&EffectKey::Checkpoint(*checkpoint));
        self.reschedule_failed_parking(at, *checkpoint, outcome);
        self.finish_examination(*checkpoint, outcome);
        self.end_turn_checkpoint(*checkpoint, sink);
        let task = self.checkpoints.get(checkpoint.0).task;
        if let CheckpointOutcome::Made { large_files, .. } = outcome
            && let Some(task) = task.and_then(|task| self.task_mut(task))
        {
            task.large_files.left_out.clone_from(large_files);
        }
        let Some(checkpoint) = self.checkpoints.get_mut(checkpoint.0) else { return };
        if let CheckpointOutcome::Made { commit, agent_session, .. } = outcome {
            checkpoint.is_made = true;
            checkpoint.commit.clone_from(commit);
            checkpoint.agent_session.clone_from(agent_session);
        }
    }

    /// Lets the inputs follow that waited for a checkpoint.
    fn end_turn_checkpoint(&mut self, checkpoint: CheckpointId, sink: &mut EffectSink) {
        let task = self.checkpoints.get(checkpoint.0).task;
        let is_awaited = |task: &TaskIndex| self.task(*task).turn_checkpoint == Some(checkpoint);
        let Some(task) = task.filter(is_awaited) else { return };
        if let Some(task) = self.task_mut(task) {
            task.turn_checkpoint = None;
        }
        self.send_withheld_inputs(task, sink);
    }

    /// Without its checkpoint a session stays in its parking mode, so that the agent's context is not lost; retried
    /// later.
    fn reschedule_failed_parking(
        &mut self,
        at: Timestamp,
        checkpoint: CheckpointId,
        outcome: &CheckpointOutcome,
    ) {
        let task = self.checkpoints.get(checkpoint.0).task;
        let Some(session) = task.and_then(|task| self.task(task).session()) else { return };
        if self.session(session).state == SessionState::Open(ProcessState::Parking { checkpoint })
            && matches!(outcome, CheckpointOutcome::Failed { .. })
        {
            self.timers.set(add_ms(at, self.settings.park_cold_after_ms), Deadline::Park(session));
            if let Some(session) = self.session_mut_unmarked(session) {
                session.set_process(ProcessState::Parked(ParkMode::Frozen));
            }
        }
    }

    fn remove_test_work_item(&mut self, task: crate::state::TaskIndex) {
        self.remove_work_item(self.task(task).tester(), WorkItem::Test(task));
    }

    fn open_escalation(&mut self, id: EscalationId, kind: EscalationType, subject: &EscalationSubject) {
        self.open_escalations.insert(id);
        if let Some(task) = self.subject_task(subject)
            && let Some(task) = self.task_mut(task)
        {
            task.escalations.push(id);
        }
        if kind == EscalationType::TokenExhausted
            && let Some(usage_so_far) = self.budget_usage_mut(subject)
        {
            usage_so_far.warned = Some(id);
        }
        if let (EscalationType::Quality | EscalationType::CheckNotRun, EscalationSubject::Phase { phase }) =
            (kind, subject)
        {
            self.remove_verify_work_item(*phase);
            self.set_gate_state(*phase, GateState::Escalated(id));
        }
        if (kind, subject) == (EscalationType::Timeout, &EscalationSubject::Run) {
            self.timers.clear(Deadline::RunTimeout);
            self.time_limit_escalation = Some(id);
            self.schedule.set_paused(true);
        }
    }

    pub(super) fn apply_escalation_resolved(&mut self, id: EscalationId, action: Option<&EscalationAction>) {
        self.open_escalations.remove(&id);
        self.timers.clear(Deadline::EscalationResponse(id));
        let Some(escalation) = self.escalations.get_mut(id.0) else { return };
        escalation.is_open = false;
        let (session, subject, kind) = (escalation.session, escalation.subject.clone(), escalation.kind);
        let uncorrected = escalation.origin.filter(|_| escalation.is_about_messages);
        if let Some(uncorrected) = uncorrected.and_then(|session| self.session_mut_unmarked(session)) {
            uncorrected.forget_invalid_messages();
        }
        self.remove_work_item(session, WorkItem::Escalation(id));
        if let Some(task) = self.subject_task(&subject).and_then(|task| self.task_mut(task)) {
            task.escalations.retain(|open| *open != id);
        }
        if kind == EscalationType::TokenExhausted
            && matches!(action, Some(EscalationAction::RaiseBudget { .. } | EscalationAction::Waive))
            && let Some(usage_so_far) = self.budget_usage_mut(&subject)
        {
            usage_so_far.warned = None;
        }
        self.release_disk_budget_holds(id);
        self.clear_silence_escalation(id);
        self.disk_full_escalation.take_if(|open| *open == id);
        let is_time_limit = self.time_limit_escalation.take_if(|open| *open == id).is_some();
        let is_moved_ref = self.moved_ref_escalation.take_if(|open| *open == id).is_some();
        if is_time_limit || is_moved_ref {
            self.schedule.set_paused(self.status == RunStatus::Paused || self.is_start_withheld());
        }
        if let EscalationSubject::Phase { phase } = &subject
            && let Some(phase) = self.phases.get_mut(phase)
            && phase.gate == GateState::Escalated(id)
        {
            phase.gate = GateState::Closed;
            phase.failures = 0;
            phase.losses = 0;
        }
    }

    pub(super) fn waive_limit(&mut self, at: Timestamp, subject: &EscalationSubject, limit: EscalationType) {
        match limit {
            EscalationType::TokenExhausted => {
                if let Some(usage_so_far) = self.budget_usage_mut(subject) {
                    usage_so_far.tokens_max = None;
                    usage_so_far.cost_micros_max = None;
                }
            }
            EscalationType::Timeout => {
                if let Some(task_ref) = self.subject_task(subject) {
                    self.timers.clear(Deadline::TaskTimeout(task_ref));
                    if let Some(task) = self.task_mut(task_ref) {
                        task.timeout_ms = None;
                        task.rate_limit = Some(RateLimitWaits { count: 0, since: at });
                    }
                }
            }
            EscalationType::TestFailure | EscalationType::CheckNotRun => {
                if let Some(task_ref) = self.subject_task(subject) {
                    self.queue_for_merge(at, task_ref, CompletionProof::Waived);
                }
            }
            EscalationType::General
            | EscalationType::Decision
            | EscalationType::Blocked
            | EscalationType::Conflict
            | EscalationType::Dependency
            | EscalationType::Protocol
            | EscalationType::Quality => {}
        }
    }

    pub(crate) fn subject_task(&self, subject: &EscalationSubject) -> Option<crate::state::TaskIndex> {
        match subject {
            EscalationSubject::Task { task } => self.find_task(task),
            EscalationSubject::Phase { .. } | EscalationSubject::Run => None,
        }
    }

    pub(crate) fn budget_usage(&self, subject: &EscalationSubject) -> Option<&BudgetUsage> {
        match subject {
            EscalationSubject::Task { task } => Some(&self.task(self.find_task(task)?).budget_usage),
            EscalationSubject::Phase { phase } => self.phases.get(phase).map(|phase| &phase.budget_usage),
            EscalationSubject::Run => Some(&self.budget_usage),
        }
    }

    fn budget_usage_mut(&mut self, subject: &EscalationSubject) -> Option<&mut BudgetUsage> {
        match subject {
            EscalationSubject::Task { task } => {
                let task_ref = self.find_task(task)?;
                self.task_mut(task_ref).map(|task| &mut task.budget_usage)
            }
            EscalationSubject::Phase { phase } => {
                self.phases.get_mut(phase).map(|phase| &mut phase.budget_usage)
            }
            EscalationSubject::Run => Some(&mut self.budget_usage),
        }
    }
}

/// First wait if the agent does not report when its rate limit resets; doubles with each wait.
const BACKOFF_MS: u64 = 30_000;
const BACKOFF_MS_MAX: u64 = 30 * 60_000;
/// Longest time to wait for a rate limit.
pub(crate) const RATE_LIMIT_WAIT_MS_MAX: i64 = 24 * 60 * 60_000;

/// Returns when to retry: the reset time that the agent reported, else after a growing backoff.
pub(crate) fn rate_limit_retry_at(now: Timestamp, error: &AgentError, waits: u32) -> Timestamp {
    let reported = error.resets_at.as_ref().and_then(|text| text.parse::<jiff::Timestamp>().ok());
    let reported = reported.map(|at| Timestamp(at.as_millisecond())).filter(|at| *at > now);
    let backoff = BACKOFF_MS.saturating_mul(1 << waits.min(16)).min(BACKOFF_MS_MAX);
    let latest = Timestamp(now.0.saturating_add(RATE_LIMIT_WAIT_MS_MAX));
    reported.unwrap_or(add_ms(now, backoff)).min(latest)
}
