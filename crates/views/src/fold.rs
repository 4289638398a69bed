//! Applies each event to the rows. The changes themselves are in the file of each row.
//!
//! No `_`: a new event must be handled here, even if it changes nothing.

use domain::{
    AgentMessage, BlockedWork, EscalationLevel, EscalationSubject, EscalationType, Event, QuestionId,
    QuestionKind, SessionId, events,
};

use crate::{
    Views,
    rows::{
        EscalationRow, EscalationState, PhaseState, PlanOfferState, QuestionRow, QuestionState, RequestState,
        RunState, SessionOpening, TaskState, subject_task_and_phase,
    },
    sentences::ko,
    views::EventMoment,
};

impl Views {
    pub(crate) fn fold(&mut self, now: EventMoment<'_>, event: &Event) {
        match event {
            Event::RunStarted(events::RunStarted { project, work, settings, team, .. }) => {
                self.apply_run_started(now, project, work, settings, team);
            }
            Event::RunPaused(events::RunPaused {}) => self.set_run_state(RunState::Paused),
            Event::RunContinued(events::RunContinued {}) => self.set_run_state(RunState::Running),
            Event::RunReopened(events::RunReopened {}) => {
                self.set_run_state(RunState::Running);
                self.restore_gates_in_inbox(now);
            }
            // The run ends after its tasks, with its own event.
            Event::RunCancelled(events::RunCancelled {}) => {}
            Event::RunEnded(events::RunEnded { outcome, failed, waiting }) => {
                self.apply_run_ended(now, *outcome, failed, waiting)
            }

            Event::PhaseStarted(events::PhaseStarted { phase, session }) => {
                self.apply_phase_started(now, *phase, *session)
            }
            Event::PhasePaused(events::PhasePaused { phase }) => {
                self.set_phase_state(now, *phase, PhaseState::Paused)
            }
            Event::PhaseContinued(events::PhaseContinued { phase }) => self.apply_phase_continued(*phase),
            Event::PhaseCancelled(events::PhaseCancelled { phase }) => {
                self.set_phase_state(now, *phase, PhaseState::Cancelled)
            }
            Event::PhaseLanded(events::PhaseLanded { phase }) => {
                self.set_phase_state(now, *phase, PhaseState::Landed)
            }

            Event::LandingRequested(event) => self.apply_landing_requested(now, event),
            Event::LandingFinished(event) => self.apply_landing_finished(now, event),
            Event::CleanupRequested(event) => self.apply_cleanup_requested(now, event),
            Event::CleanupFinished(event) => self.apply_cleanup_finished(now, event),

            Event::TasksBecameReady(events::TasksBecameReady { tasks }) => {
                for task in tasks {
                    self.set_task_state(now, task, TaskState::Ready);
                }
            }
            Event::TaskStarted(events::TaskStarted { task, attempt, agent, session }) => {
                self.reopen_work(task);
                self.apply_task_started(now, task, *attempt, agent, *session);
            }
            Event::TaskResumed(events::TaskResumed { task, session }) => {
                self.apply_task_resumed(now, task, *session)
            }
            Event::TaskBlocked(events::TaskBlocked { task, reason }) => {
                self.apply_task_blocked(now, task, reason)
            }
            Event::TaskUnblocked(events::TaskUnblocked { task, reason }) => {
                self.apply_task_unblocked(now, task, reason)
            }
            Event::TaskClaimed(events::TaskClaimed { task, source, reason, fields }) => {
                self.set_reported_fields(task, fields);
                self.set_attempt_claim(task, *source, reason.as_deref());
                self.apply_task_claimed(now, task);
            }
            Event::ClaimAccepted(event) => self.apply_claim_accepted(now, event),
            Event::EvidenceRequested(events::EvidenceRequested { task, .. }) => {
                self.apply_task_returned(now, task)
            }
            Event::CheckStarted(events::CheckStarted { task, .. }) => {
                self.set_task_state(now, task, TaskState::Checking)
            }
            Event::CheckFinished(events::CheckFinished { task, attempt, receipt }) => {
                self.add_check_receipt(now, (task, *attempt), receipt);
            }
            Event::TestStarted(events::TestStarted { task, session }) => {
                self.set_task_state(now, task, TaskState::Checking);
                self.set_session_task(*session, task);
            }
            Event::TaskReturned(events::TaskReturned { task, .. }) => {
                self.reopen_work(task);
                self.apply_task_returned(now, task);
            }
            Event::MergeStarted(events::MergeStarted { task, .. }) => {
                self.set_task_state(now, task, TaskState::Merging)
            }
            Event::MergeFinished(events::MergeFinished { task, attempt, outcome }) => {
                self.add_merge_receipt(now, (task, *attempt), outcome);
                self.apply_merge_finished(now, task, outcome);
            }
            Event::TaskDone(events::TaskDone { task, proof }) => self.apply_task_done(now, task, *proof),
            Event::AttemptFailed(events::AttemptFailed { task, attempt, failure, counted }) => {
                self.apply_attempt_failed(now, (task, *attempt), failure, *counted);
            }
            Event::TaskRetried(events::TaskRetried { task, .. }) => self.apply_task_retried(now, task),
            Event::TaskFailed(events::TaskFailed { task, failure }) => {
                self.apply_task_failed(now, task, failure)
            }
            Event::TaskSkipped(events::TaskSkipped { task }) => {
                self.end_task_early(now, task, TaskState::Skipped)
            }
            Event::TaskCancelled(events::TaskCancelled { task }) => {
                self.end_task_early(now, task, TaskState::Cancelled)
            }
            Event::TaskReopened(events::TaskReopened { task, .. }) => self.apply_task_reopened(now, task),
            Event::TaskPrioritized(events::TaskPrioritized { task, priority }) => {
                self.rows.tasks.change(task, |row| row.priority = *priority);
            }
            Event::TaskReassigned(events::TaskReassigned { task, agent }) => {
                self.rows.tasks.change(task, |row| row.agent = Some(agent.clone()));
            }
            // The retry has its own event.
            Event::TaskRewound(events::TaskRewound { task, checkpoint }) => {
                self.rewind_work(task, *checkpoint)
            }
            Event::TaskRequested(events::TaskRequested { task, worktree, .. }) => {
                self.apply_task_requested(task, worktree.as_ref())
            }
            Event::TaskAdded(events::TaskAdded { task, .. }) => self.apply_task_added(now, task),
            Event::PlanChangeDetected(events::PlanChangeDetected { offer, changes, problem }) => {
                self.apply_plan_change_detected(now, *offer, changes, problem.as_ref());
            }
            Event::PlanChangeWithdrawn(events::PlanChangeWithdrawn { offer, .. }) => {
                self.resolve_plan_offer(now, *offer, PlanOfferState::Withdrawn);
            }
            Event::PlanChangeApplied(events::PlanChangeApplied { offer, .. }) => {
                self.resolve_plan_offer(now, *offer, PlanOfferState::Applied)
            }
            Event::PlanChangeIgnored(events::PlanChangeIgnored { offer }) => {
                self.resolve_plan_offer(now, *offer, PlanOfferState::Ignored)
            }
            // Shown in the timeline and the chat only.
            Event::PlanUnreadable(_) => {}
            Event::PhaseAdded(events::PhaseAdded { phase }) => self.apply_phase_added(phase),
            Event::PhaseChanged(events::PhaseChanged { phase, name, after }) => {
                self.apply_phase_changed(now, *phase, name, after)
            }
            Event::TaskChanged(events::TaskChanged { task, fields }) => {
                self.apply_task_changed(now, task, fields)
            }
            Event::DependencyAdded(events::DependencyAdded { earlier, later }) => {
                self.apply_dependency_added(now, earlier, later)
            }
            Event::DependencyRemoved(events::DependencyRemoved { earlier, later }) => {
                self.apply_dependency_removed(earlier, later)
            }
            Event::ExternalDependencyMet(events::ExternalDependencyMet { name }) => {
                self.apply_external_dependency_met(name)
            }

            Event::SessionOpened(events::SessionOpened {
                session,
                parent,
                depth,
                role,
                agent,
                task,
                phase,
                resumes,
            }) => {
                let opened = SessionOpening {
                    session: *session,
                    parent: *parent,
                    depth: *depth,
                    role: *role,
                    agent: agent.as_ref(),
                    task: task.as_ref(),
                    phase: *phase,
                    resumes: *resumes,
                };
                self.apply_session_opened(now, &opened);
            }
            Event::SessionActivated(events::SessionActivated { session, agent_session }) => {
                self.apply_session_activated(now, *session, agent_session.as_ref());
            }
            Event::SessionParked(events::SessionParked { session, mode }) => {
                self.apply_session_parked(now, *session, *mode)
            }
            Event::SessionWoken(events::SessionWoken { session }) => self.apply_session_woken(now, *session),
            Event::SessionDismissed(events::SessionDismissed { session }) => {
                self.apply_session_dismissed(now, *session)
            }
            Event::SessionStopRequested(events::SessionStopRequested { session }) => {
                self.apply_session_stop_requested(now, *session)
            }
            Event::SessionStopFinished(events::SessionStopFinished { session, error }) => {
                self.apply_session_stop_finished(*session, error.as_ref())
            }
            Event::SessionEnded(events::SessionEnded { session, exit_status }) => {
                self.apply_session_ended(now, *session, *exit_status)
            }
            Event::SessionLost(events::SessionLost { session, reason }) => {
                self.apply_session_lost(now, *session, reason)
            }
            Event::InputQueued(events::InputQueued { session, input, content }) => {
                self.add_input_turn(now, (*session, *input), content)
            }
            Event::InputSent(events::InputSent { session, input, text, .. }) => {
                self.apply_input_sent(*session, *input, text.as_ref())
            }
            Event::MessageReceived(events::MessageReceived { session, message, .. }) => {
                self.apply_message_received(now, *session, message)
            }
            Event::TurnEnded(events::TurnEnded { session, text, tools, .. }) => {
                // Messages of the orchestrator to the user have their own event.
                self.apply_turn_ended(now, *session, text, tools);
            }
            Event::TurnInterrupted(events::TurnInterrupted { session, text, tools, .. }) => {
                self.apply_turn_interrupted(now, *session, text, tools)
            }
            // Shown in the timeline; the conversation shows the input that follows.
            Event::KeysTyped(_) | Event::MessageRejected(_) | Event::NearMissReceived(_) => {}

            Event::QuestionAsked(_) => self.apply_question_asked(now, event),
            Event::QuestionRouted(events::QuestionRouted { question, to }) => {
                self.apply_question_routed(now, *question, *to)
            }
            Event::QuestionForwarded(events::QuestionForwarded { question, text }) => {
                self.apply_question_forwarded(now, *question, text)
            }
            Event::ClarificationRequested(events::ClarificationRequested { question, text }) => {
                self.apply_clarification_requested(now, *question, text)
            }
            Event::QuestionAnswered(events::QuestionAnswered { question, answer, reason }) => {
                self.apply_question_answered(now, *question, answer, reason.as_ref())
            }
            Event::QuestionDelivered(events::QuestionDelivered { question, .. }) => {
                self.apply_question_delivered(now, *question)
            }
            Event::QuestionResumed(events::QuestionResumed { question }) => {
                self.apply_question_resumed(*question)
            }
            Event::QuestionWithdrawn(events::QuestionWithdrawn { question, reason }) => {
                self.apply_question_withdrawn(now, *question, reason)
            }
            Event::QuestionExpired(events::QuestionExpired { question, default_used }) => {
                self.apply_question_expired(now, *question, default_used.as_ref());
            }
            Event::ManyQuestionsAsked(events::ManyQuestionsAsked { agent, phase, count }) => {
                self.apply_many_questions_asked(agent, *phase, *count)
            }
            Event::PermissionDecided(_) | Event::PermissionRuleSaved(_) => {}

            Event::RequestMade(events::RequestMade { request, session, task, dependency, blocks }) => {
                self.apply_request_made(now, (*request, *session), task.as_ref(), dependency, *blocks);
            }
            Event::ProvisionStarted(events::ProvisionStarted { request, provided, default, skipped: _ }) => {
                self.apply_provision_started(now, *request, provided, *default);
            }
            Event::ProvisionFailed(events::ProvisionFailed { request, error }) => {
                self.apply_provision_failed(*request, error);
            }
            Event::RequestProvided(events::RequestProvided { request, provided, default, detail }) => {
                self.apply_request_provided(now, *request, (provided, *default), detail.as_ref());
            }
            Event::RequestRefused(events::RequestRefused { request, reason }) => {
                self.apply_request_refused(now, *request, reason)
            }
            Event::RequestSkipped(events::RequestSkipped { request, provided: _ }) => {
                self.resolve_request(now, *request, RequestState::Skipped)
            }
            Event::RequestDelivered(events::RequestDelivered { request, .. }) => {
                self.apply_request_delivered(now, *request)
            }

            Event::InvocationMade(events::InvocationMade { invocation, caller, callee, task, context }) => {
                self.apply_invocation_made(now, (*invocation, *caller), callee, task, context.as_ref());
            }
            Event::InvocationStarted(events::InvocationStarted { invocation, session }) => {
                self.apply_invocation_started(now, *invocation, *session);
            }
            Event::InvocationEnded(events::InvocationEnded { invocation, outcome }) => {
                self.apply_invocation_ended(now, *invocation, outcome);
            }
            Event::ResultSubmitted(events::ResultSubmitted { result, from, to, result_type, content }) => {
                self.apply_result_submitted(now, (*result, *from), to, *result_type, content);
            }
            Event::ResultDelivered(events::ResultDelivered { result, session }) => {
                self.apply_result_delivered(now, *result, *session)
            }
            Event::ChannelCreated(events::ChannelCreated { channel, session_a, session_b }) => {
                self.apply_channel_created(now, *channel, (*session_a, *session_b));
            }
            Event::ChannelClosed(events::ChannelClosed { channel }) => {
                self.apply_channel_closed(now, *channel)
            }
            Event::DirectMessageSent(events::DirectMessageSent {
                message,
                channel,
                from,
                to,
                direct_type,
                content,
            }) => {
                self.apply_direct_message_sent(
                    now,
                    (*message, *channel),
                    (*from, *to),
                    *direct_type,
                    content,
                );
            }
            Event::DirectMessageReceived(events::DirectMessageReceived { message }) => {
                self.apply_direct_message_received(now, *message)
            }
            Event::DirectMessageAcknowledged(events::DirectMessageAcknowledged { message }) => {
                self.apply_direct_message_acknowledged(now, *message)
            }

            // A claim; its consequences have their own events.
            Event::PhaseCompletionReported(_) => {}
            Event::GateOpened(events::GateOpened { phase, round, documents }) => {
                self.apply_gate_opened(now, *phase, *round, documents)
            }
            Event::GateChecked(events::GateChecked { phase, round, report }) => {
                self.apply_gate_checked(now, *phase, *round, report)
            }
            Event::GateVerifierStarted(events::GateVerifierStarted { phase, round, session }) => {
                self.apply_gate_verifier_started(*phase, *round, *session)
            }
            Event::GateVerdictGiven(events::GateVerdictGiven { phase, round, verdict, .. }) => {
                self.apply_gate_verdict(*phase, *round, verdict)
            }
            Event::GatePassed(events::GatePassed { phase, round, blocks }) => {
                self.apply_gate_passed(now, *phase, *round, *blocks)
            }
            Event::GateApproved(events::GateApproved { phase, waived, note }) => {
                self.apply_gate_approved(now, *phase, *waived, note.as_ref());
            }
            Event::GateFailed(events::GateFailed { phase, round, reason, tasks }) => {
                self.apply_gate_failed(now, (*phase, *round), reason, tasks);
            }
            Event::GateReopened(events::GateReopened { phase, round, .. }) => {
                self.apply_gate_reopened(now, *phase, *round);
            }

            Event::LoopStarted(events::LoopStarted { feedback_loop, task, tester }) => {
                self.apply_loop_started(now, *feedback_loop, task, tester.as_ref());
            }
            Event::LoopRoundFailed(events::LoopRoundFailed { feedback_loop, round, feedback }) => {
                self.apply_loop_round_failed(now, *feedback_loop, *round, feedback);
            }
            Event::LoopEnded(events::LoopEnded { feedback_loop, outcome }) => {
                self.apply_loop_ended(now, *feedback_loop, *outcome)
            }

            Event::EscalationRaised(_) => self.apply_escalation_raised(now, event),
            Event::EscalationForwarded(events::EscalationForwarded { escalation, to, session }) => {
                self.apply_escalation_forwarded(now, *escalation, *to, *session);
            }
            Event::EscalationResolved(events::EscalationResolved { escalation, action, note }) => {
                self.apply_escalation_resolved(now, *escalation, action.as_ref(), note);
            }

            Event::ErrorReported(events::ErrorReported { session, task, error }) => {
                self.add_error_turn(now, *session, task.as_ref(), error);
            }
            Event::UsageReported(events::UsageReported { session, task, usage }) => {
                self.apply_usage_reported(now, *session, task.as_ref(), usage);
            }
            Event::BudgetRaised(events::BudgetRaised { subject, budget }) => {
                self.apply_budget_raised(subject, *budget)
            }
            Event::LimitWaived(events::LimitWaived {
                subject: EscalationSubject::Task { task },
                limit: EscalationType::TestFailure | EscalationType::CheckNotRun,
            }) => {
                // The task passes, so the merge is next.
                self.set_task_state(now, task, TaskState::Merging);
            }
            Event::LimitWaived(_) => {}

            Event::CheckpointRequested(events::CheckpointRequested { checkpoint, task, reason }) => {
                self.apply_checkpoint_requested(now, *checkpoint, task, *reason);
            }
            Event::CheckpointFinished(events::CheckpointFinished { checkpoint, outcome }) => {
                self.apply_checkpoint_finished(now, *checkpoint, outcome);
            }
            // The escalation has its own row.
            Event::DiskBudgetExhausted(_) => {}
            Event::OverlapDetected(events::OverlapDetected { overlap }) => {
                self.apply_overlap_detected(now, overlap)
            }
            Event::OverlapResolved(events::OverlapResolved { tasks }) => self.rows.overlaps.remove(tasks),
            Event::TurnWaitExpired(_)
            | Event::EffectPostponed(_)
            | Event::EffectRetried(_)
            | Event::EffectFinished(_)
            | Event::ClockJumped(_) => {}
            Event::CommandExecuted(events::CommandExecuted { origin, .. }) => self.record_origin(now, origin),

            Event::ChatMessageSent(events::ChatMessageSent { text, answers }) => {
                self.add_chat_message(now, text, *answers)
            }
            // The conversation shows the message when the agent gets it.
            Event::TaskMessageSent(_)
            | Event::ChatAnsweredWithStatus(_)
            | Event::ChatReplyOverdue(_)
            | Event::ResolveRequested(_)
            | Event::ResolveAnswered(_) => {}
        }
        if is_reported_in_chat(event) {
            self.add_chat_notice(now, event);
        }
        self.update_pending_counts();
    }

    /// Applies a message of an agent that has no event of its own.
    fn apply_message_received(&mut self, now: EventMoment<'_>, session: SessionId, message: &AgentMessage) {
        match message {
            AgentMessage::Progress(progress) => self.apply_progress_reported(now, session, progress),
            AgentMessage::StepComplete(step) => {
                self.apply_step_completed(now, session);
                self.add_completed_step_turn(now, session, step.summary.as_ref());
            }
            // Their consequences have their own events.
            AgentMessage::AskUser(_)
            | AgentMessage::Invoke(_)
            | AgentMessage::DeliverResult(_)
            | AgentMessage::Direct(_)
            | AgentMessage::DependencyRequest(_)
            | AgentMessage::UserQuestion(_)
            | AgentMessage::PhaseComplete(_)
            | AgentMessage::Error(_)
            | AgentMessage::NeedHuman(_)
            | AgentMessage::ResolveNext(_)
            | AgentMessage::Ready(_)
            | AgentMessage::PhaseDone(_)
            | AgentMessage::AllDone
            | AgentMessage::Task(_)
            | AgentMessage::Done(_)
            | AgentMessage::Fail(_)
            | AgentMessage::ResolveError(_)
            | AgentMessage::Custom(_) => {}
        }
    }

    fn apply_question_asked(&mut self, now: EventMoment<'_>, event: &Event) {
        let Event::QuestionAsked(events::QuestionAsked {
            question,
            session,
            task,
            kind,
            category,
            text,
            options,
            default,
            context,
            required,
            permission,
            similar,
            prompt,
            evidence_gap,
            large_files,
            blocks,
        }) = event
        else {
            return;
        };
        let row = QuestionRow {
            task: task.clone(),
            kind: *kind,
            category: *category,
            text: text.clone(),
            korean: permission
                .as_ref()
                .map(ko::permission_question)
                .or(evidence_gap.as_ref().map(ko::evidence_question))
                .or((!large_files.is_empty()).then(|| ko::large_file_question(large_files))),
            options: options.clone(),
            default: default.clone(),
            context: context.clone(),
            required: *required,
            permission: permission.clone(),
            similar: similar.as_ref().map(|pattern| self.facts.permissions.similar(pattern)),
            large_files: large_files.clone(),
            is_in_turn: prompt.is_some(),
            blocks: *blocks,
            ..empty_question(now, *question, *session)
        };
        self.add_question(now, row);
        // Its claim is not accepted.
        if let (Some(task), Some(_)) = (task, evidence_gap) {
            self.set_task_state(now, task, TaskState::Running);
        }
    }

    fn apply_escalation_raised(&mut self, now: EventMoment<'_>, event: &Event) {
        let Event::EscalationRaised(events::EscalationRaised {
            escalation,
            kind,
            severity,
            subject,
            session,
            title,
            cause,
            description,
            context,
            suggested,
            blocks,
        }) = event
        else {
            return;
        };
        let (task, phase) = subject_task_and_phase(subject);
        self.add_escalation(EscalationRow {
            id: *escalation,
            kind: *kind,
            severity: *severity,
            task: task.cloned(),
            phase,
            session: *session,
            agent: None,
            title: title.clone(),
            korean: cause.as_ref().map(ko::escalation_title),
            description: description.clone(),
            context: context.clone(),
            suggested: suggested.clone(),
            status: EscalationState::Open,
            level: EscalationLevel::Worker,
            level_session: None,
            action: None,
            note: None,
            resolved_by: None,
            blocks: *blocks,
            created_at: now.at,
            resolved_at: None,
        });
    }
}

fn empty_question(now: EventMoment<'_>, id: QuestionId, session: SessionId) -> QuestionRow {
    QuestionRow {
        id,
        session,
        agent: None,
        task: None,
        kind: QuestionKind::Text,
        category: None,
        text: String::new(),
        korean: None,
        original_text: None,
        options: Vec::new(),
        default: None,
        context: None,
        required: false,
        permission: None,
        similar: None,
        large_files: Vec::new(),
        is_in_turn: false,
        status: QuestionState::Asked,
        answer: None,
        denial_reason: None,
        answered_by: None,
        origin: None,
        clarifications: Vec::new(),
        withdrawal_reason: None,
        blocks: BlockedWork::default(),
        chat: None,
        asked_at: now.at,
        reached_person_at: None,
        expires_at: None,
        answered_at: None,
        delivered_at: None,
    }
}

/// Returns whether the chat reports an event, because it concerns the whole run.
fn is_reported_in_chat(event: &Event) -> bool {
    matches!(
        event,
        Event::RunStarted(_)
            | Event::RunPaused(events::RunPaused {})
            | Event::RunContinued(events::RunContinued {})
            | Event::RunCancelled(events::RunCancelled {})
            | Event::RunEnded(_)
            | Event::RunReopened(events::RunReopened {})
            | Event::GatePassed(_)
            | Event::GateApproved(_)
            | Event::GateFailed(_)
            | Event::GateReopened(_)
            | Event::EscalationForwarded(events::EscalationForwarded { to: EscalationLevel::Person, .. })
            | Event::EscalationResolved(_)
            | Event::TaskFailed(_)
            | Event::PlanChangeDetected(_)
            | Event::PlanUnreadable(_)
            | Event::PlanChangeApplied(_)
            | Event::ChatAnsweredWithStatus(_)
            | Event::ChatReplyOverdue(_)
    )
}
