//! Applies recorded events to the state and returns the effects they cause. Never fails: events are facts.
//!
//! The match has no wildcard, so that the compiler reports this place for a new kind of event.

mod collaboration;
mod disk_budget;
mod escalation;
mod evidence;
mod gate;
mod landing;
mod large_files;
mod orchestrator_silence;
mod plan_change;
mod question;
mod session;
mod start;
mod task;
mod turn_wait;

pub(crate) use escalation::{RATE_LIMIT_WAIT_MS_MAX, rate_limit_retry_at};
pub(crate) use question::is_allowing_answer;
pub(crate) use session::unpack_carried_inputs;
pub(crate) use start::GraphLayout;

use domain::{Actor, BlockReason, CompletionProof, EffectId, Event, RecordedEvent, Timestamp, events};

use crate::{
    effect::Effect,
    effect_sink::EffectSink,
    run::{Run, RunStatus},
    schedule::HoldReason,
    state::{Deadline, EffectKey, QuestionState, RequestState, TaskIndex, TaskOrigin, TaskStage},
};

/// How long an agent may take to answer a question or to resolve an escalation before it is forwarded.
const AGENT_RESPONSE_MS_MAX: u64 = 10 * 60_000;

impl Run {
    /// Applies a recorded event and returns the effects it causes.
    pub fn apply(&mut self, recorded: &RecordedEvent) -> Vec<(EffectId, Effect)> {
        let effects = self.apply_in_decision(recorded);
        // The follow-up events are in the log.
        self.affected_tasks.clear();
        self.affected_sessions.clear();
        effects
    }

    /// Applies an event of a decision that is not complete: what it affects stays marked for follow-up events.
    pub(crate) fn apply_in_decision(&mut self, recorded: &RecordedEvent) -> Vec<(EffectId, Effect)> {
        self.sequence = recorded.sequence;
        let mut sink = EffectSink::new(recorded.sequence);
        self.apply_event(recorded.at, &recorded.actor, &recorded.event, &mut sink);
        self.schedule.defer_unstartable();
        self.update_silence_deadline(recorded.at);
        self.update_effect_retry_deadline();
        sink.effects
    }

    fn apply_event(&mut self, at: Timestamp, actor: &Actor, event: &Event, sink: &mut EffectSink) {
        match event {
            Event::RunStarted(events::RunStarted { project, work, settings, team, is_evidence_required }) => {
                self.project.clone_from(project);
                self.apply_run_started(at, work, settings, team, *is_evidence_required)
            }
            Event::RunPaused(events::RunPaused {}) => {
                self.status = RunStatus::Paused;
                self.schedule.set_paused(true);
                self.working_tasks().for_each(|task| self.stop_work_clock(at, task));
            }
            Event::RunContinued(events::RunContinued {}) | Event::RunReopened(events::RunReopened {}) => {
                self.status = RunStatus::Active;
                self.schedule.set_paused(self.is_start_withheld());
                self.working_tasks().for_each(|task| self.start_work_clock(at, task));
                self.mark_all_affected();
            }
            Event::RunCancelled(events::RunCancelled {}) => self.schedule.set_paused(true),
            Event::RunEnded(events::RunEnded { outcome, .. }) => self.status = RunStatus::Ended(*outcome),
            Event::PhaseStarted(events::PhaseStarted { phase, session }) => {
                if let Some(phase) = self.phases.get_mut(phase) {
                    phase.leader = Some(*session);
                }
            }
            Event::PhasePaused(events::PhasePaused { phase }) => self.set_phase_paused(*phase, true),
            Event::PhaseContinued(events::PhaseContinued { phase }) => self.set_phase_paused(*phase, false),
            // Its tasks are cancelled by events of their own.
            Event::PhaseCancelled(_) => {}
            Event::PhaseLanded(events::PhaseLanded { phase }) => {
                self.pending_effects.remove(&EffectKey::Land(*phase))
            }

            Event::LandingRequested(event) => self.apply_landing_requested(event, sink),
            Event::LandingFinished(_) => self.pending_effects.remove(&EffectKey::LandRun),
            Event::CleanupRequested(event) => self.apply_cleanup_requested(event, sink),
            Event::CleanupFinished(_) => self.pending_effects.remove(&EffectKey::CleanRun),

            Event::TasksBecameReady(events::TasksBecameReady { tasks }) => {
                self.apply_tasks_became_ready(tasks)
            }
            Event::TaskStarted(events::TaskStarted { task, attempt, session, .. }) => {
                self.apply_task_started(at, task, *attempt, *session);
            }
            Event::TaskResumed(events::TaskResumed { task, .. }) => self.apply_task_resumed(at, task),
            Event::TaskBlocked(events::TaskBlocked { task, reason }) => {
                self.apply_task_blocked(at, task, reason)
            }
            Event::TaskUnblocked(events::TaskUnblocked { task, reason }) => {
                self.apply_task_unblocked(task, reason)
            }
            Event::TaskClaimed(event) => self.apply_task_claimed(at, event),
            Event::ClaimAccepted(event) => self.apply_claim_accepted(event),
            Event::EvidenceRequested(event) => self.apply_evidence_requested(at, event),
            Event::CheckStarted(events::CheckStarted { task, attempt, command }) => {
                let Some(task_ref) = self.find_task(task) else { return };
                self.set_task_stage(task_ref, TaskStage::Checking);
                self.cancel_turn_wait(task_ref);
                let order = self.check_order(task_ref, *attempt, command.clone());
                let effect = Effect::RunCheck(Box::new(order));
                sink.add(&mut self.pending_effects, EffectKey::Check(task_ref), effect);
            }
            Event::CheckFinished(events::CheckFinished { task, receipt, .. }) => {
                self.apply_check_finished(at, task, receipt);
            }
            Event::TurnWaitExpired(events::TurnWaitExpired { task }) => {
                if let Some(task) = self.find_task(task) {
                    self.cancel_turn_wait(task);
                    self.mark_task_affected(task);
                }
            }
            Event::TestStarted(events::TestStarted { task, session }) => {
                self.apply_test_started(task, *session)
            }
            Event::TaskReturned(events::TaskReturned { task, reason }) => {
                self.apply_task_returned(at, task, *reason)
            }
            Event::MergeStarted(events::MergeStarted { task, attempt }) => {
                let Some(task_ref) = self.find_task(task) else { return };
                // Events are facts: work that was not queued for its merge is merged without a proof.
                let queued = self.task(task_ref).stage.queued_proof();
                let proof = queued.unwrap_or(CompletionProof::Unchecked);
                self.set_task_stage(task_ref, TaskStage::Merging(proof));
                self.cancel_turn_wait(task_ref);
                self.mergeable.retain(|waiting| *waiting != task_ref);
                self.merging = Some(task_ref);
                let effect = Effect::Merge(Box::new(self.merge_order(task_ref, *attempt, proof)));
                sink.add(&mut self.pending_effects, EffectKey::Merge(task_ref), effect);
            }
            Event::MergeFinished(events::MergeFinished { task, outcome, .. }) => {
                self.apply_merge_finished(at, task, outcome)
            }
            Event::TaskDone(events::TaskDone { task, .. }) => self.apply_task_done(at, task, sink),
            Event::AttemptFailed(event) => self.apply_attempt_failed(at, event),
            Event::TaskRetried(events::TaskRetried { task, hint, resets_attempts }) => {
                self.count_agent_retry(actor, task);
                self.apply_task_retried(task, hint.as_ref(), *resets_attempts)
            }
            Event::TaskFailed(events::TaskFailed { task, .. }) => {
                self.apply_task_ended(at, task, TaskStage::Failed, sink)
            }
            Event::TaskSkipped(events::TaskSkipped { task }) => {
                self.apply_task_ended(at, task, TaskStage::Skipped, sink)
            }
            Event::TaskCancelled(events::TaskCancelled { task }) => {
                self.apply_task_ended(at, task, TaskStage::Cancelled, sink)
            }
            Event::TaskReopened(events::TaskReopened { task, .. }) => self.apply_task_reopened(task),
            Event::TaskPrioritized(events::TaskPrioritized { task, priority }) => {
                let Some(task_ref) = self.find_task(task) else { return };
                self.schedule.set_priority(self.task(task_ref).node, *priority);
            }
            Event::TaskMessageSent(events::TaskMessageSent { task, text }) => {
                self.apply_task_message_sent(task, text)
            }
            Event::TaskReassigned(events::TaskReassigned { task, agent }) => {
                self.apply_task_reassigned(task, agent)
            }
            Event::TaskRewound(events::TaskRewound { task, checkpoint }) => {
                self.apply_task_rewound(task, *checkpoint, sink)
            }
            Event::TaskRequested(events::TaskRequested { task, worktree, meta }) => {
                self.apply_task_requested(task, worktree.as_ref(), meta.as_ref());
            }
            Event::TaskAdded(events::TaskAdded { task, in_file }) => {
                let origin = if *in_file { TaskOrigin::PlanFile } else { TaskOrigin::User };
                self.apply_task_added(task, origin);
            }
            Event::PlanChangeDetected(event) => self.apply_plan_change_detected(event),
            Event::PlanChangeWithdrawn(event) => self.apply_plan_change_withdrawn(event),
            Event::PlanChangeIgnored(_) => self.ignored_offer = self.offer.take(),
            Event::PlanChangeApplied(event) => self.apply_plan_change_applied(event),
            // Only for display.
            Event::PlanUnreadable(_) => {}
            Event::PhaseAdded(events::PhaseAdded { phase }) => self.apply_phase_added(phase),
            Event::PhaseChanged(events::PhaseChanged { phase, name, after }) => {
                self.apply_phase_changed(*phase, name, after)
            }
            Event::TaskChanged(events::TaskChanged { task, fields }) => self.apply_task_changed(task, fields),
            Event::DependencyAdded(events::DependencyAdded { earlier, later }) => {
                if let (Some(earlier), Some(later)) = (self.find_task(earlier), self.find_task(later)) {
                    let (earlier, later_node) = (self.task(earlier).node, self.task(later).node);
                    // A cycle was rejected before the event was recorded.
                    let _ = self.schedule.connect(earlier, later_node);
                    if !self.schedule.has_met_dependencies(later_node) {
                        self.set_task_stage(later, TaskStage::Waiting);
                    }
                }
            }
            Event::DependencyRemoved(events::DependencyRemoved { earlier, later }) => {
                if let (Some(earlier), Some(later)) = (self.find_task(earlier), self.find_task(later)) {
                    self.schedule.disconnect(self.task(earlier).node, self.task(later).node);
                }
            }
            Event::ExternalDependencyMet(events::ExternalDependencyMet { name }) => {
                if let Some(node) = self.externals.get(name) {
                    self.schedule.mark_met(*node);
                }
            }

            Event::SessionOpened(opened) => self.apply_session_opened(at, opened, sink),
            Event::SessionActivated(events::SessionActivated { session, agent_session }) => {
                self.apply_session_activated(*session, agent_session.as_ref());
            }
            Event::SessionParked(events::SessionParked { session, mode }) => {
                self.apply_session_parked(at, *session, *mode, sink)
            }
            Event::SessionWoken(events::SessionWoken { session }) => self.apply_session_woken(*session, sink),
            Event::SessionDismissed(events::SessionDismissed { session }) => {
                self.apply_session_dismissed(*session, sink)
            }
            Event::SessionStopRequested(events::SessionStopRequested { session }) => {
                let effect = Effect::StopSession { session: *session };
                sink.add(&mut self.pending_effects, EffectKey::Stop(*session), effect);
            }
            Event::SessionStopFinished(events::SessionStopFinished { session, .. }) => {
                self.pending_effects.remove(&EffectKey::Stop(*session))
            }
            // Written to the terminal already, past the inputs of the run.
            Event::KeysTyped(_) => {}
            Event::SessionEnded(events::SessionEnded { session, exit_status: Some(_) }) => {
                self.apply_session_ended(*session, sink)
            }
            Event::SessionEnded(events::SessionEnded { session, exit_status: None })
            | Event::SessionLost(events::SessionLost { session, .. }) => {
                self.count_loss(*session);
                self.apply_session_ended(*session, sink);
            }
            Event::InputQueued(events::InputQueued { session, input, content }) => {
                self.apply_input_queued(*session, *input, content, sink);
                self.wait_for_new_turn(at, *session);
            }
            Event::InputSent(event) => {
                self.record_tree_of_input(event);
                self.apply_input_sent(event.session, event.input, event.text.as_ref());
            }
            Event::MessageReceived(events::MessageReceived { session, offset, read_from, message }) => {
                self.record_message_offset(*session, *offset, *read_from);
                self.count_message(at, *session, message);
                self.apply_message_received(*session, message);
                self.wait_for_new_turn(at, *session);
            }
            Event::MessageRejected(events::MessageRejected {
                session,
                offset,
                read_from,
                protocol,
                error,
                raw,
            }) => {
                self.record_message_offset(*session, *offset, *read_from);
                self.count_message_bytes(at, *session, error.len() + raw.len());
                self.apply_message_rejected(*session, protocol, error);
            }
            Event::NearMissReceived(events::NearMissReceived { session, offset, read_from, near, raw }) => {
                self.record_message_offset(*session, *offset, *read_from);
                self.count_message_bytes(at, *session, raw.len());
                self.apply_near_miss_received(*session, near, raw);
            }
            Event::TurnEnded(events::TurnEnded { session, read_from, text, .. }) => {
                self.apply_turn_ended(at, *session, *read_from, text)
            }
            Event::TurnInterrupted(events::TurnInterrupted { session, read_from, text, .. }) => {
                self.apply_turn_interrupted(*session, *read_from, text)
            }

            Event::QuestionAsked(event) => self.apply_question_asked(at, event),
            Event::QuestionRouted(event) => self.apply_question_routed(at, event),
            Event::QuestionForwarded(event) => self.apply_question_forwarded(event),
            // The question stays open; the session receives an input.
            Event::ClarificationRequested(_) => {}
            Event::QuestionAnswered(events::QuestionAnswered { question, answer, reason }) => {
                self.apply_question_answered(at, *question, answer, reason.as_ref())
            }
            Event::QuestionDelivered(events::QuestionDelivered { question, .. }) => {
                self.set_question_state(*question, QuestionState::Delivered);
            }
            Event::QuestionResumed(events::QuestionResumed { question }) => {
                self.set_question_state(*question, QuestionState::Resumed)
            }
            Event::QuestionWithdrawn(events::QuestionWithdrawn { question, .. }) => {
                self.close_question(*question, QuestionState::Withdrawn);
            }
            Event::QuestionExpired(event) => self.apply_question_expired(at, event),
            Event::PermissionRuleSaved(event) => self.apply_permission_rule_saved(event, sink),
            Event::RequestMade(event) => self.apply_request_made(event),
            Event::ProvisionStarted(event) => self.apply_provision_started(event, sink),
            Event::ProvisionFailed(event) => self.apply_provision_failed(event),
            Event::RequestProvided(event) => self.apply_request_provided(event),
            Event::RequestRefused(events::RequestRefused { request, reason }) => {
                self.refuse_request(*request, RequestState::Refused, reason);
            }
            Event::RequestSkipped(event) => self.apply_request_skipped(event),
            Event::RequestDelivered(event) => self.apply_request_delivered(event),
            // The decision reaches the agent as an input.
            Event::PermissionDecided(events::PermissionDecided { session, request, .. }) => {
                self.record_handled_prompt(*session, &request.prompt)
            }
            // Only for display.
            Event::ManyQuestionsAsked(_) => {}

            Event::InvocationMade(event) => self.apply_invocation_made(event),
            Event::InvocationStarted(event) => self.apply_invocation_started(event),
            Event::InvocationEnded(event) => self.apply_invocation_ended(event),
            Event::ResultSubmitted(event) => {
                self.count_message_bytes(at, event.from, event.content.len());
                self.apply_result_submitted(event);
            }
            Event::ResultDelivered(event) => self.apply_result_delivered(event),
            Event::ChannelCreated(event) => self.apply_channel_created(event),
            Event::ChannelClosed(event) => self.apply_channel_closed(event),
            Event::DirectMessageSent(event) => self.apply_direct_message_sent(event),
            Event::DirectMessageReceived(event) => self.apply_direct_message_received(event),
            // The receiving session has the message: no state changes.
            Event::DirectMessageAcknowledged(_) => {}

            Event::PhaseCompletionReported(event) => self.apply_phase_completion_reported(event),
            Event::GateOpened(event) => self.apply_gate_opened(event, sink),
            Event::GateChecked(event) => self.apply_gate_checked(event),
            Event::GateVerifierStarted(event) => self.apply_gate_verifier_started(event),
            // What follows from it has events of its own.
            Event::GateVerdictGiven(_) => {}
            Event::GatePassed(event) => self.apply_gate_passed(event),
            Event::GateApproved(event) => self.apply_gate_approved(event, sink),
            Event::GateFailed(event) => self.apply_gate_failed(event),
            Event::GateReopened(event) => self.apply_gate_reopened(event),

            Event::LoopStarted(event) => self.apply_loop_started(event),
            Event::LoopRoundFailed(event) => self.apply_loop_round_failed(event),
            Event::LoopEnded(event) => self.apply_loop_ended(at, event),
            Event::EscalationRaised(event) => self.apply_escalation_raised(at, event),
            Event::EscalationForwarded(event) => self.apply_escalation_forwarded(at, event),
            Event::EscalationResolved(events::EscalationResolved { escalation, action, .. }) => {
                self.apply_escalation_resolved(*escalation, action.as_ref());
            }
            Event::ErrorReported(event) => self.apply_error_reported(at, event),
            Event::UsageReported(event) => self.apply_usage_reported(event),
            Event::BudgetRaised(event) => self.apply_budget_raised(event),
            Event::LimitWaived(events::LimitWaived { subject, limit }) => {
                self.waive_limit(at, subject, *limit)
            }
            Event::CheckpointRequested(event) => self.apply_checkpoint_requested(event, sink),
            Event::CheckpointFinished(event) => self.apply_checkpoint_finished(at, event, sink),

            Event::DiskBudgetExhausted(events::DiskBudgetExhausted { escalation, task }) => {
                self.apply_disk_budget_exhausted(*escalation, task)
            }
            Event::OverlapDetected(events::OverlapDetected { overlap }) => {
                self.overlaps.retain(|known| known.tasks != overlap.tasks);
                self.overlaps.push(overlap.clone());
            }
            Event::OverlapResolved(events::OverlapResolved { tasks }) => {
                self.overlaps.retain(|known| known.tasks != *tasks)
            }
            Event::EffectPostponed(events::EffectPostponed { effect, retry_at, .. }) => {
                self.pending_effects.postpone(*effect, *retry_at)
            }
            Event::EffectRetried(events::EffectRetried { effect }) => {
                sink.retry(&mut self.pending_effects, *effect)
            }
            Event::EffectFinished(events::EffectFinished { effect, .. }) => {
                self.apply_effect_finished(*effect)
            }
            Event::CommandExecuted(_) => {}
            Event::ClockJumped(events::ClockJumped { by_ms }) => self.move_time_limits(*by_ms),
            Event::ChatMessageSent(events::ChatMessageSent { text, answers }) => {
                self.apply_chat_message_sent(at, actor, text, *answers)
            }
            Event::ChatReplyOverdue(events::ChatReplyOverdue { session }) => {
                self.timers.clear(Deadline::ChatReply(*session));
                if let Some(session) = self.session_mut(*session) {
                    session.is_chat_overdue = true;
                }
            }
            // Only for display.
            Event::ChatAnsweredWithStatus(_) => {}
            Event::ResolveRequested(events::ResolveRequested { session, phase }) => {
                self.resolve_requests.insert(*session, *phase);
                let wait = i64::try_from(self.settings.thin_wait_ms).unwrap_or(i64::MAX);
                self.timers.set(Timestamp(at.0.saturating_add(wait)), Deadline::ResolveAnswer(*session));
            }
            Event::ResolveAnswered(events::ResolveAnswered { session, .. }) => {
                self.resolve_requests.remove(session);
                self.timers.clear(Deadline::ResolveAnswer(*session));
            }
        }
    }

    fn apply_effect_finished(&mut self, effect: EffectId) {
        let Some((key, _)) = self.pending_effects.find(effect) else { return };
        let key = key.clone();
        self.pending_effects.remove(&key);
        if let EffectKey::Restore(task) = &key
            && let Some(task_ref) = self.find_task(task)
        {
            self.schedule.release(self.task(task_ref).node, HoldReason::Restoring);
        }
    }

    /// Moves all time limits but those of rate limits, which reset at a time of the wall clock.
    fn move_time_limits(&mut self, by_ms: i64) {
        self.timers.shift(by_ms, |deadline| {
            !matches!(deadline, Deadline::TaskRateLimit(_) | Deadline::SessionRateLimit(_))
        });
        self.pending_effects.shift_retries(by_ms);
        for task in &mut self.tasks {
            if let TaskStage::Running(work) = &mut task.stage {
                work.since = work.since.map(|since| Timestamp(since.0.saturating_add(by_ms)));
            }
        }
    }

    fn update_effect_retry_deadline(&mut self) {
        match self.pending_effects.next_retry_at() {
            Some(at) => self.timers.set(at, Deadline::EffectRetry),
            None => self.timers.clear(Deadline::EffectRetry),
        }
    }

    pub(crate) fn set_task_stage(&mut self, task: TaskIndex, stage: TaskStage) {
        if let Some(state) = self.task_mut(task) {
            state.stage = stage;
            self.mark_task_affected(task);
        }
    }

    pub(crate) fn is_task_blocked_by(&self, task: TaskIndex, reason: &BlockReason) -> bool {
        self.task(task).block_reasons.contains(reason)
    }
}
