//! Applies each event to the rows. The changes themselves are in the file of each row.
//!
//! No `_`: a new event must be handled here, even if it changes nothing.

use domain::{
    AgentMessage, BlockedWork, EscalationLevel, EscalationSubject, EscalationType, Event, QuestionId,
    QuestionKind, SessionId,
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
            Event::RunStarted { project, work, settings, team } => {
                self.apply_run_started(now, project, work, settings, team);
            }
            Event::RunPaused {} => self.set_run_state(RunState::Paused),
            Event::RunContinued {} | Event::RunReopened {} => self.set_run_state(RunState::Running),
            // The run ends after its tasks, with its own event.
            Event::RunCancelled {} => {}
            Event::RunEnded { outcome, failed, waiting } => {
                self.apply_run_ended(now, *outcome, failed, waiting)
            }

            Event::PhaseStarted { phase, session } => self.apply_phase_started(now, *phase, *session),
            Event::PhasePaused { phase } => self.set_phase_state(now, *phase, PhaseState::Paused),
            Event::PhaseContinued { phase } => self.apply_phase_continued(*phase),
            Event::PhaseCancelled { phase } => self.set_phase_state(now, *phase, PhaseState::Cancelled),
            Event::PhaseLanded { phase } => self.set_phase_state(now, *phase, PhaseState::Landed),

            Event::TasksBecameReady { tasks } => {
                for task in tasks {
                    self.set_task_state(now, task, TaskState::Ready);
                }
            }
            Event::TaskStarted { task, attempt, agent, session } => {
                self.reopen_work(task);
                self.apply_task_started(now, task, *attempt, agent, *session);
            }
            Event::TaskResumed { task, session } => self.apply_task_resumed(now, task, *session),
            Event::TaskBlocked { task, reason } => self.apply_task_blocked(now, task, reason),
            Event::TaskUnblocked { task, reason } => self.apply_task_unblocked(now, task, reason),
            Event::TaskClaimed { task, source, fields } => {
                self.set_reported_fields(task, fields);
                self.set_attempt_claim(task, *source);
                self.start_task_review(now, task);
            }
            Event::CheckStarted { task, .. } => self.set_task_state(now, task, TaskState::Checking),
            Event::CheckFinished { task, attempt, receipt } => {
                self.add_check_receipt(now, (task, *attempt), receipt);
            }
            Event::TestStarted { task, session } => {
                self.set_task_state(now, task, TaskState::Checking);
                self.set_session_task(*session, task);
            }
            Event::TaskReturned { task, .. } => {
                self.reopen_work(task);
                self.apply_task_returned(now, task);
            }
            Event::MergeStarted { task, .. } => self.set_task_state(now, task, TaskState::Merging),
            Event::MergeFinished { task, attempt, outcome } => {
                self.add_merge_receipt(now, (task, *attempt), outcome);
                self.apply_merge_finished(now, task, outcome);
            }
            Event::TaskDone { task, proof } => self.apply_task_done(now, task, *proof),
            Event::AttemptFailed { task, attempt, failure, counted } => {
                self.apply_attempt_failed(now, (task, *attempt), failure, *counted);
            }
            Event::TaskRetried { task, .. } => self.apply_task_retried(now, task),
            Event::TaskFailed { task, failure } => self.apply_task_failed(now, task, failure),
            Event::TaskSkipped { task } => self.end_task_early(now, task, TaskState::Skipped),
            Event::TaskCancelled { task } => self.end_task_early(now, task, TaskState::Cancelled),
            Event::TaskReopened { task, .. } => self.apply_task_reopened(now, task),
            Event::TaskPrioritized { task, priority } => {
                self.rows.tasks.change(task, |row| row.priority = *priority);
            }
            Event::TaskReassigned { task, agent } => {
                self.rows.tasks.change(task, |row| row.agent = Some(agent.clone()));
            }
            // The retry has its own event.
            Event::TaskRewound { task, checkpoint } => self.rewind_work(task, *checkpoint),
            Event::TaskRequested { task, worktree, .. } => self.apply_task_requested(task, worktree.as_ref()),
            Event::TaskAdded { task, .. } => self.apply_task_added(now, task),
            Event::PlanChangeDetected { offer, changes, problem } => {
                self.apply_plan_change_detected(now, *offer, changes, problem.as_ref());
            }
            Event::PlanChangeWithdrawn { offer, .. } => {
                self.resolve_plan_offer(now, *offer, PlanOfferState::Withdrawn);
            }
            Event::PlanChangeApplied { offer, .. } => {
                self.resolve_plan_offer(now, *offer, PlanOfferState::Applied)
            }
            Event::PlanChangeIgnored { offer } => {
                self.resolve_plan_offer(now, *offer, PlanOfferState::Ignored)
            }
            // Shown in the timeline and the chat only.
            Event::PlanUnreadable { .. } => {}
            Event::PhaseAdded { phase } => self.apply_phase_added(phase),
            Event::PhaseChanged { phase, name, after } => self.apply_phase_changed(now, *phase, name, after),
            Event::TaskChanged { task, fields } => self.apply_task_changed(now, task, fields),
            Event::DependencyAdded { earlier, later } => self.apply_dependency_added(now, earlier, later),
            Event::DependencyRemoved { earlier, later } => self.apply_dependency_removed(earlier, later),
            Event::ExternalDependencyMet { name } => self.apply_external_dependency_met(name),

            Event::SessionOpened { session, parent, depth, role, agent, task, phase, resumes } => {
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
            Event::SessionActivated { session, agent_session } => {
                self.apply_session_activated(now, *session, agent_session.as_ref());
            }
            Event::SessionParked { session, mode } => self.apply_session_parked(now, *session, *mode),
            Event::SessionWoken { session } => self.apply_session_woken(now, *session),
            Event::SessionDismissed { session } => self.apply_session_dismissed(now, *session),
            Event::SessionEnded { session, exit_status } => {
                self.apply_session_ended(now, *session, *exit_status)
            }
            Event::SessionLost { session, reason } => self.apply_session_lost(now, *session, reason),
            Event::InputQueued { session, content, .. } => self.add_input_turn(now, *session, content),
            Event::MessageReceived { session, message, .. } => {
                self.apply_message_received(now, *session, message)
            }
            Event::TurnEnded { session, text, tools, .. } => {
                // Messages of the orchestrator to the user have their own event.
                self.apply_turn_ended(now, *session, text, tools);
            }
            Event::TurnInterrupted { session, text, tools, .. } => {
                self.apply_turn_interrupted(now, *session, text, tools)
            }
            // Shown in the timeline; the conversation shows the input that follows.
            Event::InputSent { .. } | Event::MessageRejected { .. } | Event::NearMissReceived { .. } => {}

            Event::QuestionAsked { .. } => self.apply_question_asked(now, event),
            Event::QuestionRouted { question, to } => self.apply_question_routed(now, *question, *to),
            Event::QuestionForwarded { question, text } => {
                self.apply_question_forwarded(now, *question, text)
            }
            Event::ClarificationRequested { question, text } => {
                self.apply_clarification_requested(now, *question, text)
            }
            Event::QuestionAnswered { question, answer } => {
                self.apply_question_answered(now, *question, answer)
            }
            Event::QuestionDelivered { question, .. } => self.apply_question_delivered(now, *question),
            Event::QuestionResumed { question } => self.apply_question_resumed(*question),
            Event::QuestionWithdrawn { question, reason } => {
                self.apply_question_withdrawn(now, *question, reason)
            }
            Event::QuestionExpired { question, default_used } => {
                self.apply_question_expired(now, *question, default_used.as_ref());
            }
            Event::ManyQuestionsAsked { agent, phase, count } => {
                self.apply_many_questions_asked(agent, *phase, *count)
            }
            Event::PermissionDecided { .. } | Event::PermissionRuleSaved { .. } => {}

            Event::RequestMade { request, session, task, dependency, blocks } => {
                self.apply_request_made(now, (*request, *session), task.as_ref(), dependency, *blocks);
            }
            Event::RequestProvided { request, provided, default } => {
                self.apply_request_provided(now, *request, provided, *default);
            }
            Event::RequestRefused { request, reason } => self.apply_request_refused(now, *request, reason),
            Event::RequestSkipped { request } => self.resolve_request(now, *request, RequestState::Skipped),
            Event::RequestDelivered { request, .. } => self.apply_request_delivered(now, *request),

            Event::InvocationMade { invocation, caller, callee, task, context } => {
                self.apply_invocation_made(now, (*invocation, *caller), callee, task, context.as_ref());
            }
            Event::InvocationStarted { invocation, session } => {
                self.apply_invocation_started(now, *invocation, *session);
            }
            Event::InvocationEnded { invocation, outcome } => {
                self.apply_invocation_ended(now, *invocation, outcome);
            }
            Event::ResultSubmitted { result, from, to, result_type, content } => {
                self.apply_result_submitted(now, (*result, *from), to, *result_type, content);
            }
            Event::ResultDelivered { result, session } => self.apply_result_delivered(now, *result, *session),
            Event::ChannelCreated { channel, session_a, session_b } => {
                self.apply_channel_created(now, *channel, (*session_a, *session_b));
            }
            Event::ChannelClosed { channel } => self.apply_channel_closed(now, *channel),
            Event::DirectMessageSent { message, channel, from, to, direct_type, content } => {
                self.apply_direct_message_sent(
                    now,
                    (*message, *channel),
                    (*from, *to),
                    *direct_type,
                    content,
                );
            }
            Event::DirectMessageReceived { message } => self.apply_direct_message_received(now, *message),
            Event::DirectMessageAcknowledged { message } => {
                self.apply_direct_message_acknowledged(now, *message)
            }

            // A claim; its consequences have their own events.
            Event::PhaseCompletionReported { .. } => {}
            Event::GateOpened { phase, round, documents } => {
                self.apply_gate_opened(now, *phase, *round, documents)
            }
            Event::GateChecked { phase, round, report } => {
                self.apply_gate_checked(now, *phase, *round, report)
            }
            Event::GateVerifierStarted { phase, round, session } => {
                self.apply_gate_verifier_started(*phase, *round, *session)
            }
            Event::GatePassed { phase, round, blocks } => {
                self.apply_gate_passed(now, *phase, *round, *blocks)
            }
            Event::GateApproved { phase, waived, note } => {
                self.apply_gate_approved(now, *phase, *waived, note.as_ref());
            }
            Event::GateFailed { phase, round, reason, tasks } => {
                self.apply_gate_failed(now, (*phase, *round), reason, tasks);
            }

            Event::LoopStarted { feedback_loop, task, tester } => {
                self.apply_loop_started(now, *feedback_loop, task, tester.as_ref());
            }
            Event::LoopRoundFailed { feedback_loop, round, feedback } => {
                self.apply_loop_round_failed(now, *feedback_loop, *round, feedback);
            }
            Event::LoopEnded { feedback_loop, outcome } => {
                self.apply_loop_ended(now, *feedback_loop, *outcome)
            }

            Event::EscalationRaised { .. } => self.apply_escalation_raised(now, event),
            Event::EscalationForwarded { escalation, to, session } => {
                self.apply_escalation_forwarded(now, *escalation, *to, *session);
            }
            Event::EscalationResolved { escalation, action, note } => {
                self.apply_escalation_resolved(now, *escalation, action.as_ref(), note);
            }

            Event::ErrorReported { session, task, error } => {
                self.add_error_turn(now, *session, task.as_ref(), error);
            }
            Event::UsageReported { session, task, usage } => {
                self.apply_usage_reported(now, *session, task.as_ref(), usage);
            }
            Event::BudgetRaised { subject, budget } => self.apply_budget_raised(subject, *budget),
            Event::LimitWaived {
                subject: EscalationSubject::Task { task },
                limit: EscalationType::TestFailure,
            } => {
                // The task passes, so the merge is next.
                self.set_task_state(now, task, TaskState::Merging);
            }
            Event::LimitWaived { .. } => {}

            Event::CheckpointRequested { checkpoint, task, reason } => {
                self.apply_checkpoint_requested(now, *checkpoint, task, *reason);
            }
            Event::CheckpointFinished { checkpoint, outcome } => {
                self.apply_checkpoint_finished(now, *checkpoint, outcome);
            }
            // The escalation has its own row.
            Event::DiskBudgetExhausted { .. } => {}
            Event::OverlapDetected { overlap } => self.apply_overlap_detected(now, overlap),
            Event::OverlapResolved { tasks } => self.rows.overlaps.remove(tasks),
            Event::EffectFinished { .. } => {}

            Event::ChatMessageSent { text, answers } => self.add_chat_message(now, text, *answers),
            // The conversation shows the message when the agent gets it.
            Event::TaskMessageSent { .. }
            | Event::ChatAnsweredWithStatus { .. }
            | Event::ResolveRequested { .. }
            | Event::ResolveAnswered { .. } => {}
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
                self.add_step_turn(now, session, step.summary.as_ref());
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
        let Event::QuestionAsked {
            question,
            session,
            task,
            kind,
            text,
            options,
            default,
            context,
            required,
            permission,
            prompt,
            blocks,
        } = event
        else {
            return;
        };
        let row = QuestionRow {
            task: task.clone(),
            kind: *kind,
            text: text.clone(),
            korean: permission.as_ref().map(ko::permission_question),
            options: options.clone(),
            default: default.clone(),
            context: context.clone(),
            required: *required,
            permission: permission.clone(),
            is_in_turn: prompt.is_some(),
            blocks: *blocks,
            ..empty_question(now, *question, *session)
        };
        self.add_question(now, row);
    }

    fn apply_escalation_raised(&mut self, now: EventMoment<'_>, event: &Event) {
        let Event::EscalationRaised {
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
        } = event
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
        text: String::new(),
        korean: None,
        original_text: None,
        options: Vec::new(),
        default: None,
        context: None,
        required: false,
        permission: None,
        is_in_turn: false,
        status: QuestionState::Asked,
        answer: None,
        answered_by: None,
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
        Event::RunStarted { .. }
            | Event::RunPaused {}
            | Event::RunContinued {}
            | Event::RunCancelled {}
            | Event::RunEnded { .. }
            | Event::RunReopened {}
            | Event::GatePassed { .. }
            | Event::GateApproved { .. }
            | Event::GateFailed { .. }
            | Event::EscalationForwarded { to: EscalationLevel::Person, .. }
            | Event::EscalationResolved { .. }
            | Event::TaskFailed { .. }
            | Event::PlanChangeDetected { .. }
            | Event::PlanUnreadable { .. }
            | Event::PlanChangeApplied { .. }
            | Event::ChatAnsweredWithStatus { .. }
    )
}
