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
        RunState, SessionOpening, TaskState, subject_of,
    },
    sentences::ko,
    views::EventMoment,
};

impl Views {
    pub(crate) fn fold(&mut self, now: EventMoment<'_>, event: &Event) {
        match event {
            Event::RunStarted { project, work, settings, team } => {
                self.run_started(now, project, work, settings, team);
            }
            Event::RunPaused {} => self.run_status(RunState::Paused),
            Event::RunContinued {} | Event::RunReopened {} => self.run_status(RunState::Running),
            // The run ends after its tasks, with its own event.
            Event::RunCancelled {} => {}
            Event::RunEnded { outcome, failed, waiting } => self.run_ended(now, *outcome, failed, waiting),

            Event::PhaseStarted { phase, session } => self.phase_started(now, *phase, *session),
            Event::PhasePaused { phase } => self.phase_state(now, *phase, PhaseState::Paused),
            Event::PhaseContinued { phase } => self.phase_continued(*phase),
            Event::PhaseCancelled { phase } => self.phase_state(now, *phase, PhaseState::Cancelled),
            Event::PhaseLanded { phase } => self.phase_state(now, *phase, PhaseState::Landed),

            Event::TasksBecameReady { tasks } => {
                for task in tasks {
                    self.set_task_state(now, task, TaskState::Ready);
                }
            }
            Event::TaskStarted { task, attempt, agent, session } => {
                self.reopen_work(task);
                self.task_started(now, task, *attempt, agent, *session);
            }
            Event::TaskResumed { task, session } => self.task_resumed(now, task, *session),
            Event::TaskBlocked { task, reason } => self.task_blocked(now, task, reason),
            Event::TaskUnblocked { task, reason } => self.task_unblocked(now, task, reason),
            Event::TaskClaimed { task, source, fields } => {
                self.task_claimed(task, fields);
                self.attempt_claimed(task, *source);
                self.start_task_review(now, task);
            }
            Event::CheckStarted { task, .. } => self.set_task_state(now, task, TaskState::Checking),
            Event::CheckFinished { task, attempt, receipt } => {
                self.check_receipt(now, (task, *attempt), receipt);
            }
            Event::TestStarted { task, session } => {
                self.set_task_state(now, task, TaskState::Checking);
                self.session_works_at(*session, task);
            }
            Event::TaskReturned { task, .. } => {
                self.reopen_work(task);
                self.task_returned(now, task);
            }
            Event::MergeStarted { task, .. } => self.set_task_state(now, task, TaskState::Merging),
            Event::MergeFinished { task, attempt, outcome } => {
                self.merge_receipt(now, (task, *attempt), outcome);
                self.task_merged(now, task, outcome);
            }
            Event::TaskDone { task, proof } => self.task_done(now, task, *proof),
            Event::AttemptFailed { task, attempt, failure, counted } => {
                self.attempt_failed(now, (task, *attempt), failure, *counted);
            }
            Event::TaskRetried { task, .. } => self.task_retried(now, task),
            Event::TaskFailed { task, failure } => self.task_failed(now, task, failure),
            Event::TaskSkipped { task } => self.end_task_early(now, task, TaskState::Skipped),
            Event::TaskCancelled { task } => self.end_task_early(now, task, TaskState::Cancelled),
            Event::TaskReopened { task, .. } => self.task_reopened(now, task),
            Event::TaskPrioritized { task, priority } => {
                self.rows.tasks.change(task, |row| row.priority = *priority);
            }
            Event::TaskReassigned { task, agent } => {
                self.rows.tasks.change(task, |row| row.agent = Some(agent.clone()));
            }
            // The retry has its own event.
            Event::TaskRewound { task, checkpoint } => self.rewind_work(task, *checkpoint),
            Event::TaskRequested { task, worktree, .. } => self.task_requested(task, worktree.as_ref()),
            Event::TaskAdded { task, .. } => self.task_added(now, task),
            Event::PlanChangeDetected { offer, changes, problem } => {
                self.plan_change_detected(now, *offer, changes, problem.as_ref());
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
            Event::PhaseAdded { phase } => self.phase_added(phase),
            Event::PhaseChanged { phase, name, after } => self.phase_changed(now, *phase, name, after),
            Event::TaskChanged { task, fields } => self.task_changed(now, task, fields),
            Event::DependencyAdded { earlier, later } => self.dependency_added(now, earlier, later),
            Event::DependencyRemoved { earlier, later } => self.dependency_removed(earlier, later),
            Event::ExternalDependencyMet { name } => self.external_met(name),

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
                self.session_opened(now, &opened);
            }
            Event::SessionActivated { session, agent_session } => {
                self.session_activated(now, *session, agent_session.as_ref());
            }
            Event::SessionParked { session, mode } => self.session_parked(now, *session, *mode),
            Event::SessionWoken { session } => self.session_woken(now, *session),
            Event::SessionDismissed { session } => self.session_dismissed(now, *session),
            Event::SessionEnded { session, exit_status } => self.session_ended(now, *session, *exit_status),
            Event::SessionLost { session, reason } => self.session_lost(now, *session, reason),
            Event::InputQueued { session, content, .. } => self.add_input_turn(now, *session, content),
            Event::MessageReceived { session, message, .. } => self.message_received(now, *session, message),
            Event::TurnEnded { session, text, tools, .. } => {
                // Messages of the orchestrator to the user have their own event.
                self.turn_ended(now, *session, text, tools);
            }
            Event::TurnInterrupted { session, text, tools, .. } => {
                self.turn_interrupted(now, *session, text, tools)
            }
            // Shown in the timeline; the conversation shows the input that follows.
            Event::InputSent { .. } | Event::MessageRejected { .. } | Event::NearMissReceived { .. } => {}

            Event::QuestionAsked { .. } => self.question_asked_event(now, event),
            Event::QuestionRouted { question, to } => self.question_routed(now, *question, *to),
            Event::QuestionForwarded { question, text } => self.question_forwarded(now, *question, text),
            Event::ClarificationRequested { question, text } => {
                self.clarification_requested(now, *question, text)
            }
            Event::QuestionAnswered { question, answer } => self.question_answered(now, *question, answer),
            Event::QuestionDelivered { question, .. } => self.question_delivered(now, *question),
            Event::QuestionResumed { question } => self.question_resumed(*question),
            Event::QuestionWithdrawn { question, reason } => self.question_withdrawn(now, *question, reason),
            Event::QuestionExpired { question, default_used } => {
                self.question_expired(now, *question, default_used.as_ref());
            }
            Event::ManyQuestionsAsked { agent, phase, count } => {
                self.many_questions_asked(agent, *phase, *count)
            }
            Event::PermissionDecided { .. } | Event::PermissionRuleSaved { .. } => {}

            Event::RequestMade { request, session, task, dependency, blocks } => {
                self.request_made(now, (*request, *session), task.as_ref(), dependency, *blocks);
            }
            Event::RequestProvided { request, provided, default } => {
                self.request_provided(now, *request, provided, *default);
            }
            Event::RequestRefused { request, reason } => self.request_refused(now, *request, reason),
            Event::RequestSkipped { request } => self.resolve_request(now, *request, RequestState::Skipped),
            Event::RequestDelivered { request, .. } => self.request_delivered(now, *request),

            Event::InvocationMade { invocation, caller, callee, task, context } => {
                self.invocation_made(now, (*invocation, *caller), callee, task, context.as_ref());
            }
            Event::InvocationStarted { invocation, session } => {
                self.invocation_started(now, *invocation, *session);
            }
            Event::InvocationEnded { invocation, outcome } => {
                self.invocation_ended(now, *invocation, outcome);
            }
            Event::ResultSubmitted { result, from, to, result_type, content } => {
                self.result_submitted(now, (*result, *from), to, *result_type, content);
            }
            Event::ResultDelivered { result, session } => self.result_delivered(now, *result, *session),
            Event::ChannelCreated { channel, session_a, session_b } => {
                self.channel_created(now, *channel, (*session_a, *session_b));
            }
            Event::ChannelClosed { channel } => self.channel_closed(now, *channel),
            Event::DirectMessageSent { message, channel, from, to, direct_type, content } => {
                self.direct_sent(now, (*message, *channel), (*from, *to), *direct_type, content);
            }
            Event::DirectMessageReceived { message } => self.direct_received(now, *message),
            Event::DirectMessageAcknowledged { message } => self.direct_acknowledged(now, *message),

            // A claim; its consequences have their own events.
            Event::PhaseCompletionReported { .. } => {}
            Event::GateOpened { phase, round, documents } => self.gate_opened(now, *phase, *round, documents),
            Event::GateChecked { phase, round, report } => self.gate_checked(now, *phase, *round, report),
            Event::GateVerifierStarted { phase, round, session } => {
                self.gate_verifier_started(*phase, *round, *session)
            }
            Event::GatePassed { phase, round, blocks } => self.gate_passed(now, *phase, *round, *blocks),
            Event::GateApproved { phase, waived, note } => {
                self.gate_approved(now, *phase, *waived, note.as_ref());
            }
            Event::GateFailed { phase, round, reason, tasks } => {
                self.gate_failed(now, (*phase, *round), reason, tasks);
            }

            Event::LoopStarted { feedback_loop, task, tester } => {
                self.loop_started(now, *feedback_loop, task, tester.as_ref());
            }
            Event::LoopRoundFailed { feedback_loop, round, feedback } => {
                self.loop_round_failed(now, *feedback_loop, *round, feedback);
            }
            Event::LoopEnded { feedback_loop, outcome } => self.loop_ended(now, *feedback_loop, *outcome),

            Event::EscalationRaised { .. } => self.escalation_raised_event(now, event),
            Event::EscalationForwarded { escalation, to, session } => {
                self.escalation_forwarded(now, *escalation, *to, *session);
            }
            Event::EscalationResolved { escalation, action, note } => {
                self.escalation_resolved(now, *escalation, action.as_ref(), note);
            }

            Event::ErrorReported { session, task, error } => {
                self.add_error_turn(now, *session, task.as_ref(), error);
            }
            Event::UsageReported { session, task, usage } => {
                self.usage_reported(now, *session, task.as_ref(), usage);
            }
            Event::BudgetRaised { subject, budget } => self.budget_raised(subject, *budget),
            Event::LimitWaived {
                subject: EscalationSubject::Task { task },
                limit: EscalationType::TestFailure,
            } => {
                // The task passes, so the merge is next.
                self.set_task_state(now, task, TaskState::Merging);
            }
            Event::LimitWaived { .. } => {}

            Event::CheckpointRequested { checkpoint, task, reason } => {
                self.checkpoint_requested(now, *checkpoint, task, *reason);
            }
            Event::CheckpointFinished { checkpoint, outcome } => {
                self.checkpoint_finished(now, *checkpoint, outcome);
            }
            // The escalation has its own row.
            Event::DiskBudgetExhausted { .. } => {}
            Event::OverlapDetected { overlap } => self.overlap_detected(now, overlap),
            Event::OverlapResolved { tasks } => self.rows.overlaps.remove(tasks),
            Event::EffectFinished { .. } => {}

            Event::ChatMessageSent { text, answers } => self.add_chat_message(now, text, *answers),
            // The conversation shows the message when the agent gets it.
            Event::TaskMessageSent { .. }
            | Event::ChatAnsweredWithStatus { .. }
            | Event::ResolveRequested { .. }
            | Event::ResolveAnswered { .. } => {}
        }
        if is_told_in_chat(event) {
            self.add_chat_notice(now, event);
        }
        self.update_pending_counts();
    }

    /// Applies a message of an agent that has no event of its own.
    fn message_received(&mut self, now: EventMoment<'_>, session: SessionId, message: &AgentMessage) {
        match message {
            AgentMessage::Progress(progress) => self.progress_reported(now, session, progress),
            AgentMessage::StepComplete(step) => {
                self.step_completed(now, session);
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

    fn question_asked_event(&mut self, now: EventMoment<'_>, event: &Event) {
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
        self.question_asked(now, row);
    }

    fn escalation_raised_event(&mut self, now: EventMoment<'_>, event: &Event) {
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
        let (task, phase) = subject_of(subject);
        self.escalation_raised(EscalationRow {
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
fn is_told_in_chat(event: &Event) -> bool {
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
