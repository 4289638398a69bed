//! Applies each event to the model.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    EffectId, EscalationCause, EscalationLevel, EscalationSubject, EscalationType, Event,
    FeedbackLoopOutcome, MergeOutcome, ParkMode, QuestionRoute, RecordedEvent, events,
};

use super::{Escalation, Model, Question, QuestionState, Request, Session, SessionState, Stage, Task};
use crate::rule::Rule;

/// Requests of a session that may be open.
const REQUESTS_MAX: usize = 16;

impl Model {
    /// Changes the model by an event.
    pub(super) fn apply_event(&mut self, recorded: &RecordedEvent) {
        match &recorded.event {
            Event::RunStarted(events::RunStarted { work, settings, team, .. }) => {
                self.settings = (**settings).clone();
                self.team.clone_from(team);
                self.start_run(work);
            }
            Event::RunPaused(events::RunPaused {}) => self.paused = true,
            Event::RunContinued(events::RunContinued {}) => self.paused = false,
            Event::RunCancelled(events::RunCancelled {}) => self.cancelled = true,
            Event::RunEnded(_) => self.end_run(),
            Event::RunReopened(events::RunReopened {}) => self.ended = false,
            Event::PhasePaused(events::PhasePaused { phase }) => {
                self.update_phase(*phase, |phase| phase.paused = true)
            }
            Event::PhaseContinued(events::PhaseContinued { phase }) => {
                self.update_phase(*phase, |phase| phase.paused = false)
            }
            Event::PhaseCancelled(events::PhaseCancelled { phase }) => {
                self.update_phase(*phase, |phase| phase.cancelled = true)
            }
            Event::TaskStarted(events::TaskStarted { task, attempt, agent, session }) => {
                self.start_task(task, *attempt, agent, *session);
            }
            Event::TaskResumed(events::TaskResumed { task, session }) => self.resume_task(task, *session),
            Event::TaskMessageSent(events::TaskMessageSent { task, .. }) => self.add_task_message(task),
            Event::TaskBlocked(events::TaskBlocked { task, reason }) => self.update_task(task, |task| {
                task.reasons.push(reason.clone());
                task.slot = false;
            }),
            Event::TaskUnblocked(events::TaskUnblocked { task, reason }) => {
                let known = self.tasks.get(task).is_some_and(|task| task.reasons.contains(reason));
                if !known {
                    self.add_violation(Rule::TaskOrder, format!("{task} was not blocked by {reason:?}"));
                }
                self.update_task(task, |task| task.reasons.retain(|known| known != reason));
            }
            Event::CheckStarted(events::CheckStarted { task, attempt, .. }) => {
                self.check_current_attempt(task, *attempt, "checks");
                self.check_turn_ended(task, "is checked");
                self.check_accepted(task, "is checked");
                self.update_task(task, |task| task.stage = Stage::Checking);
            }
            Event::CheckFinished(events::CheckFinished { task, attempt, receipt }) => {
                self.check_current_attempt(task, *attempt, "is checked");
                self.update_task(task, |task| {
                    task.receipt = receipt.passed();
                    task.has_unrun_check = receipt.obstacle.is_some();
                    if receipt.passed() {
                        task.checked_commit.clone_from(&receipt.commit);
                    }
                });
            }
            Event::TurnWaitExpired(events::TurnWaitExpired { task }) => {
                self.update_task(task, |task| task.turn_wait_expired = true)
            }
            Event::TestStarted(events::TestStarted { task, .. }) => {
                self.update_task(task, |task| task.stage = Stage::Checking)
            }
            Event::TaskReturned(events::TaskReturned { task, .. }) => self.return_task(task),
            Event::MergeStarted(events::MergeStarted { task, attempt }) => self.start_merge(task, *attempt),
            Event::MergeFinished(events::MergeFinished { task, attempt, outcome }) => {
                self.end_merge(task, *attempt, outcome);
                self.record_merge(outcome);
                if matches!(outcome, MergeOutcome::Conflicted { .. }) {
                    self.begin_round(task);
                }
            }
            Event::TaskDone(events::TaskDone { task, proof }) => self.finish_task(task, *proof),
            Event::AttemptFailed(events::AttemptFailed { task, attempt, failure, counted }) => {
                self.check_current_attempt(task, *attempt, "fails");
                self.end_attempt(task, Stage::Waiting);
                self.update_task(task, |task| {
                    task.failures += u32::from(*counted);
                    task.losses += u32::from(!counted && failure.is_process_loss());
                });
            }
            Event::TaskRetried(events::TaskRetried { task, resets_attempts: afresh, hint }) => {
                self.retry_task(task, *afresh);
                let is_accepted = self.tasks.get(task).is_some_and(|task| task.round.is_accepted);
                if *afresh && hint.is_some() && !is_accepted {
                    self.begin_round(task);
                }
            }
            Event::TaskFailed(events::TaskFailed { task, .. }) => self.end_task(task, Stage::Failed),
            Event::TaskSkipped(events::TaskSkipped { task }) => self.end_task(task, Stage::Skipped),
            Event::TaskCancelled(events::TaskCancelled { task }) => self.end_task(task, Stage::Cancelled),
            Event::TaskReopened(events::TaskReopened { task, .. }) => {
                self.end_attempt(task, Stage::Waiting);
                self.update_task(task, |task| {
                    task.failures = 0;
                    task.losses = 0;
                    task.reset_proof();
                });
            }
            Event::TaskRewound(events::TaskRewound { task, checkpoint }) => {
                // Its only effect has the index 0 of this event.
                let effect = EffectId { sequence: recorded.sequence, index: 0 };
                self.restoring.retain(|_, restored| restored != task);
                self.restoring.insert(effect, task.clone());
                self.update_task(task, |task| task.restoring = true);
                self.rewind_round(task, checkpoint.is_none());
            }
            Event::TaskClaimed(event) => self.claim_task(event),
            Event::ClaimAccepted(event) => self.accept_claim(event),
            Event::EvidenceRequested(events::EvidenceRequested { task, .. }) => self.request_evidence(task),
            Event::TaskPrioritized(events::TaskPrioritized { task, priority }) => {
                self.update_task(task, |task| task.plan.priority = *priority)
            }
            Event::TaskReassigned(events::TaskReassigned { task, agent }) => {
                self.update_task(task, |task| task.plan.agent = Some(agent.clone()));
            }
            Event::TaskRequested(events::TaskRequested { task, .. }) => {
                self.update_task(task, |task| task.requested = true)
            }
            Event::PlanChangeDetected(events::PlanChangeDetected { offer, .. }) => self.offer = Some(*offer),
            Event::PlanChangeWithdrawn(events::PlanChangeWithdrawn { offer, .. }) => {
                self.offer.take_if(|open| open == offer);
            }
            Event::PlanChangeIgnored(events::PlanChangeIgnored { offer })
            | Event::PlanChangeApplied(events::PlanChangeApplied { offer, .. }) => self.close_offer(*offer),
            Event::PhaseAdded(events::PhaseAdded { phase }) => self.add_phase(phase),
            Event::PhaseChanged(events::PhaseChanged { phase, after, .. }) => {
                self.update_phase(*phase, |phase| phase.after.clone_from(after));
            }
            Event::TaskChanged(events::TaskChanged { task, fields }) => {
                self.change_planned_task(task, fields)
            }
            Event::TaskAdded(events::TaskAdded { task, .. }) => {
                let id = task.id.clone();
                if self.tasks.insert(id.clone(), Task::new((**task).clone())).is_some() {
                    self.add_violation(Rule::TaskOrder, format!("{id} is added again"));
                }
                self.phases.entry(task.phase).or_default();
                self.add_task_waiting_for_disk(&id);
                self.check_cycle(&id);
            }
            Event::DependencyAdded(events::DependencyAdded { earlier, later }) => {
                self.update_task(later, |task| {
                    task.earlier.insert(earlier.clone());
                });
                self.check_cycle(later);
            }
            Event::DependencyRemoved(events::DependencyRemoved { earlier, later }) => {
                self.update_task(later, |task| {
                    task.earlier.remove(earlier);
                })
            }
            Event::ExternalDependencyMet(events::ExternalDependencyMet { name }) => {
                self.externals.insert(name.clone());
            }
            Event::SessionOpened(events::SessionOpened { session, role, agent, task, phase, .. }) => {
                let opened = Session {
                    agent: agent.clone(),
                    role: *role,
                    task: task.clone(),
                    phase: *phase,
                    state: SessionState::Opened,
                    inputs: BTreeMap::new(),
                    message_offsets: BTreeSet::new(),
                    read_from: 0,
                    prompts: BTreeSet::new(),
                    in_turn: false,
                    invalid_in_a_row: 0,
                };
                if self.sessions.insert(*session, opened).is_some() {
                    self.add_violation(Rule::OneAttempt, format!("{session} is opened again"));
                }
            }
            Event::SessionActivated(events::SessionActivated { session, .. })
            | Event::SessionWoken(events::SessionWoken { session }) => {
                self.update_session(*session, |session| session.state = SessionState::Active);
            }
            Event::SessionParked(events::SessionParked { session, mode }) => {
                self.update_session(*session, |session| {
                    session.state = SessionState::Parked;
                    if *mode == ParkMode::Cold {
                        session.prompts.clear();
                        session.in_turn = false;
                    }
                });
            }
            Event::SessionDismissed(events::SessionDismissed { session }) => {
                self.update_session(*session, |session| session.state = SessionState::Dismissed);
            }
            Event::SessionEnded(events::SessionEnded { session, .. })
            | Event::SessionLost(events::SessionLost { session, .. }) => {
                if self.sessions.get(session).is_none_or(|session| session.state == SessionState::Ended) {
                    self.add_violation(Rule::StaleReports, format!("{session} ends again"));
                }
                self.update_session(*session, |session| session.state = SessionState::Ended);
            }
            Event::InputQueued(events::InputQueued { session, input, content }) => {
                self.queue_input(*session, *input, content)
            }
            Event::InputSent(events::InputSent { session, input, tree, .. }) => {
                self.mark_input_typed(*session, *input);
                self.record_tree(*session, *input, tree.as_ref());
            }
            Event::MessageReceived(events::MessageReceived { offset, session, read_from, message: said }) => {
                self.record_message(*session, *offset, *read_from);
                self.update_session(*session, |session| session.in_turn = true);
                self.check_permitted(*session, said);
                self.count_valid_message(*session, said);
                self.record_reason_or_result(*session, said);
            }
            Event::MessageRejected(events::MessageRejected { session, offset, read_from, .. }) => {
                self.record_message(*session, *offset, *read_from);
                self.update_session(*session, |session| session.invalid_in_a_row += 1);
            }
            Event::NearMissReceived(events::NearMissReceived { session, offset, read_from, .. }) => {
                self.record_message(*session, *offset, *read_from);
            }
            Event::TurnEnded(events::TurnEnded { session, read_from, .. }) => {
                self.update_session(*session, |session| {
                    session.read_from = session.read_from.max(*read_from);
                    session.prompts.clear();
                    session.in_turn = false;
                });
            }
            Event::TurnInterrupted(events::TurnInterrupted { session, read_from, .. }) => {
                self.update_session(*session, |session| {
                    session.read_from = session.read_from.max(*read_from)
                });
            }
            Event::QuestionAsked(events::QuestionAsked {
                question,
                session,
                task,
                options,
                default,
                required,
                permission,
                prompt,
                evidence_gap,
                large_files,
                ..
            }) => {
                if let Some(prompt) = prompt.as_ref().or(permission.as_ref().map(|request| &request.prompt)) {
                    self.record_prompt(*session, prompt);
                }
                let asked = Question {
                    session: *session,
                    task: task.clone(),
                    options: options.clone(),
                    default: default.clone(),
                    required: *required,
                    action: permission.as_ref().map(|request| (request.kind, request.subject.clone())),
                    state: QuestionState::Asked,
                    answer: None,
                    delivered: Vec::new(),
                    is_about_evidence: evidence_gap.is_some(),
                    large_files: large_files.clone(),
                };
                self.questions.insert(*question, asked);
            }
            Event::PermissionDecided(events::PermissionDecided { session, request, .. }) => {
                self.record_prompt(*session, &request.prompt)
            }
            Event::QuestionRouted(events::QuestionRouted { question, to }) => {
                let state = match to {
                    QuestionRoute::Orchestrator => QuestionState::Orchestrator,
                    QuestionRoute::Person => QuestionState::Person,
                };
                self.route_question(*question, state);
            }
            Event::QuestionForwarded(events::QuestionForwarded { question, .. }) => {
                self.route_question(*question, QuestionState::Person)
            }
            Event::QuestionAnswered(events::QuestionAnswered { question, answer, .. }) => {
                self.answer(*question, answer);
                let asked = self.questions.get(question).filter(|question| question.is_about_evidence);
                if let Some(task) = asked.and_then(|question| question.task.clone()) {
                    self.continue_round(&task);
                }
                self.decide_large_files(*question, answer);
            }
            Event::QuestionExpired(events::QuestionExpired { question, default_used: took_default }) => {
                self.expire(*question, took_default.as_ref());
            }
            Event::QuestionWithdrawn(events::QuestionWithdrawn { question, .. }) => {
                if let Some(question) = self.questions.get_mut(question) {
                    question.state = QuestionState::Closed;
                }
            }
            Event::RequestMade(events::RequestMade { request, session, task, dependency: asked, .. }) => {
                let request_made = Request {
                    session: *session,
                    task: task.clone(),
                    asked: asked.clone(),
                    open: true,
                    is_delivering: false,
                    delivered: Vec::new(),
                };
                self.requests.insert(*request, request_made);
                let is_open = |made: &&Request| made.open && made.session == *session;
                let n_open = self.requests.values().filter(is_open).count();
                if n_open > REQUESTS_MAX {
                    self.add_violation(
                        Rule::QueuesBounded,
                        format!("{n_open} requests of {session} are open"),
                    );
                }
            }
            Event::ProvisionStarted(events::ProvisionStarted { request, .. }) => {
                if let Some(request) = self.requests.get_mut(request) {
                    request.is_delivering = true;
                }
            }
            Event::ProvisionFailed(events::ProvisionFailed { request, .. }) => {
                if let Some(request) = self.requests.get_mut(request) {
                    request.is_delivering = false;
                }
            }
            Event::RequestProvided(events::RequestProvided { request, provided, default, .. }) => {
                self.check_provision(*request, provided);
                self.close_request(*request, false, *default)
            }
            Event::RequestRefused(events::RequestRefused { request, .. }) => {
                self.close_request(*request, false, false)
            }
            Event::RequestSkipped(events::RequestSkipped { request, provided }) => {
                if let Some(provided) = provided {
                    self.check_provision(*request, provided);
                }
                self.close_request(*request, true, false)
            }
            Event::InvocationMade(events::InvocationMade { invocation, caller, callee, .. }) => {
                self.add_call(*invocation, *caller, callee);
            }
            Event::InvocationStarted(events::InvocationStarted { invocation, session }) => {
                if let Some(call) = self.calls.get_mut(invocation) {
                    call.session = Some(*session);
                }
            }
            Event::InvocationEnded(events::InvocationEnded { invocation, .. }) => {
                if let Some(call) = self.calls.get_mut(invocation) {
                    call.open = false;
                }
            }
            Event::GateOpened(events::GateOpened { phase, round, .. }) => self.open_gate(*phase, *round),
            Event::GateChecked(events::GateChecked { phase, round, report }) => {
                self.apply_gate_report(*phase, *round, report)
            }
            Event::GateVerifierStarted(events::GateVerifierStarted { phase, session, .. }) => {
                self.update_phase(*phase, |phase| {
                    phase.gate.verifier = Some(*session);
                    phase.gate.needs_verdict = true;
                });
            }
            Event::GateVerdictGiven(events::GateVerdictGiven { phase, session, verdict, .. }) => {
                self.apply_verdict(*phase, *session, verdict.accepted);
            }
            Event::GatePassed(events::GatePassed { phase, .. }) => self.pass_gate(*phase),
            Event::GateApproved(events::GateApproved { phase, .. }) => self.update_phase(*phase, |phase| {
                phase.gate.approved = true;
                phase.gate.passed = false;
                phase.gate.checking = false;
                phase.gate.verifier = None;
            }),
            Event::GateReopened(events::GateReopened { phase, .. }) => self.reopen_gate(*phase),
            Event::GateFailed(events::GateFailed { phase, tasks, .. }) => {
                self.fail_gate(*phase, recorded.actor.is_person());
                tasks.iter().for_each(|task| self.begin_round(task));
            }
            Event::EscalationRaised(events::EscalationRaised {
                escalation,
                kind,
                subject,
                session,
                suggested,
                cause,
                ..
            }) => {
                let raised = Escalation {
                    withholds_starts: matches!(cause, Some(EscalationCause::RefMoved(_))),
                    kind: *kind,
                    subject: subject.clone(),
                    level: EscalationLevel::Worker,
                    session: *session,
                    origin: *session,
                    suggested: suggested.clone(),
                    open: true,
                };
                if let (EscalationType::Quality, EscalationSubject::Phase { phase }) = (kind, subject) {
                    self.update_phase(*phase, |phase| phase.gate.verifier = None);
                }
                self.escalations.insert(*escalation, raised);
            }
            Event::EscalationForwarded(events::EscalationForwarded { escalation, to, session }) => {
                if let Some(escalation) = self.escalations.get_mut(escalation) {
                    escalation.level = *to;
                    escalation.session = *session;
                }
            }
            Event::EscalationResolved(events::EscalationResolved { escalation, .. }) => {
                let subject = self.escalations.get_mut(escalation).map(|escalation| {
                    escalation.open = false;
                    escalation.subject.clone()
                });
                self.forget_invalid_messages(*escalation);
                subject.iter().for_each(|subject| self.reset_gate_failures(subject));
                self.end_disk_problem(*escalation);
            }
            Event::LimitWaived(events::LimitWaived { subject: EscalationSubject::Task { task }, limit }) => {
                let accepts_work = matches!(limit, EscalationType::TestFailure | EscalationType::CheckNotRun);
                self.update_task(task, |task| {
                    task.waived |= accepts_work;
                    task.has_unrun_check &= !accepts_work;
                });
            }
            Event::LoopStarted(events::LoopStarted { feedback_loop, task, .. }) => {
                self.loops.insert(*feedback_loop, task.clone());
            }
            Event::LoopRoundFailed(events::LoopRoundFailed { round, feedback_loop, .. }) => {
                if let Some(task) = self.loops.get(feedback_loop).cloned() {
                    self.begin_round(&task);
                }
                if *round > self.settings.retries_max.get() {
                    self.add_violation(Rule::AttemptsBounded, format!("round {round} of testing fails"));
                }
            }
            Event::LoopEnded(events::LoopEnded { feedback_loop, outcome }) => {
                if let Some(task) = self.loops.get(feedback_loop).cloned() {
                    self.update_task(&task, |task| task.tested = *outcome == FeedbackLoopOutcome::Success);
                }
            }
            Event::CheckpointRequested(event) => {
                self.checkpoints.insert(event.checkpoint, (event.task.clone(), false));
                self.request_checkpoint(event);
            }
            Event::CheckpointFinished(events::CheckpointFinished { checkpoint, outcome }) => {
                self.record_checkpoint(*checkpoint, outcome);
                let before =
                    self.checkpoints.get_mut(checkpoint).map(|(_, done)| std::mem::replace(done, true));
                if before != Some(false) {
                    self.add_violation(Rule::StaleReports, format!("{checkpoint} is finished again"));
                }
            }
            Event::EffectFinished(events::EffectFinished { effect, .. }) => {
                if let Some(task) = self.restoring.remove(effect) {
                    self.update_task(&task, |task| task.restoring = false);
                }
                if !self.finished.insert(*effect) {
                    self.add_violation(Rule::StaleReports, format!("effect {effect:?} is finished again"));
                }
            }
            Event::EffectPostponed(events::EffectPostponed { effect, .. }) => {
                if !self.postponed.insert(*effect) {
                    self.add_violation(Rule::StaleReports, format!("effect {effect:?} is postponed again"));
                }
            }
            Event::EffectRetried(events::EffectRetried { effect }) => {
                if !self.postponed.contains(effect) || !self.finished.insert(*effect) {
                    self.add_violation(Rule::EffectOnce, format!("effect {effect:?} is retried"));
                }
                if let Some(task) = self.restoring.remove(effect) {
                    // Its only effect has the index 0 of this event.
                    let again = EffectId { sequence: recorded.sequence, index: 0 };
                    self.restoring.insert(again, task);
                }
            }
            Event::LandingRequested(events::LandingRequested { landing, .. }) => {
                self.request_landing(*landing)
            }
            Event::LandingFinished(events::LandingFinished { landing, .. }) => self.finish_landing(*landing),
            Event::CleanupRequested(events::CleanupRequested { cleanup, .. }) => {
                self.request_cleanup(*cleanup)
            }
            Event::CleanupFinished(events::CleanupFinished { cleanup, .. }) => self.finish_cleanup(*cleanup),
            Event::DiskBudgetExhausted(events::DiskBudgetExhausted { escalation, task }) => {
                self.run_out_of_disk(*escalation, task)
            }
            Event::OverlapDetected(events::OverlapDetected { overlap }) => self.add_overlap(overlap),
            Event::OverlapResolved(events::OverlapResolved { tasks }) => self.remove_overlap(tasks),
            Event::ChatMessageSent(_)
            | Event::ChatAnsweredWithStatus(_)
            | Event::ChatReplyOverdue(_)
            | Event::PhaseStarted(_)
            | Event::PlanUnreadable(_)
            | Event::SessionStopRequested(_)
            | Event::SessionStopFinished(_)
            | Event::KeysTyped(_)
            | Event::PhaseLanded(_)
            | Event::TasksBecameReady(_)
            | Event::ClarificationRequested(_)
            | Event::QuestionDelivered(_)
            | Event::QuestionResumed(_)
            | Event::ManyQuestionsAsked(_)
            | Event::PermissionRuleSaved(_)
            | Event::RequestDelivered(_)
            | Event::ResultSubmitted(_)
            | Event::ResultDelivered(_)
            | Event::ChannelCreated(_)
            | Event::ChannelClosed(_)
            | Event::DirectMessageSent(_)
            | Event::DirectMessageReceived(_)
            | Event::DirectMessageAcknowledged(_)
            | Event::PhaseCompletionReported(_)
            | Event::ErrorReported(_)
            | Event::UsageReported(_)
            | Event::BudgetRaised(_)
            | Event::LimitWaived(events::LimitWaived {
                subject: EscalationSubject::Phase { .. } | EscalationSubject::Run,
                ..
            })
            | Event::CommandExecuted(_)
            | Event::ClockJumped(_)
            | Event::ResolveRequested(_)
            | Event::ResolveAnswered(_) => {}
        }
    }
}
