//! Reports of the executor about sessions: started, input sent, ended, lost.

use std::collections::BTreeMap;

use domain::{
    AttemptFailure, ClaimSource, EscalationCause, EscalationType, InputNumber, ParkMode, QuestionId,
    QuestionRoute, Role, SessionId, SessionInput, Severity, events,
};

use super::{DecisionContext, escalation::NewEscalation};
use crate::{
    apply::unpack_carried_inputs,
    rejection::Rejection,
    result_content::shorten_input_text,
    run::RunStatus,
    state::{ProcessState, QuestionState, SessionState, TaskIndex, WorkItem},
};

impl DecisionContext<'_> {
    pub(super) fn check_session_running(&self, session: SessionId) -> Result<(), Rejection> {
        if self.run.session(session).state == SessionState::Ended {
            return Err(Rejection::UnknownSession { session });
        }
        Ok(())
    }

    pub(super) fn handle_session_started(
        &mut self,
        session: SessionId,
        agent_session: Option<String>,
    ) -> Result<(), Rejection> {
        self.check_session_running(session)?;
        let state = self.run.session(session);
        if state.process() != Some(ProcessState::Starting) && state.agent_session == agent_session {
            return Err(Rejection::StaleReport);
        }
        self.emit(events::SessionActivated { session, agent_session });
        Ok(())
    }

    pub(super) fn handle_input_sent(
        &mut self,
        session: SessionId,
        input: InputNumber,
        text: Option<String>,
        tree: Option<String>,
    ) -> Result<(), Rejection> {
        let sent = self.run.session(session).unsent_inputs.iter().find(|(number, _)| *number == input);
        let Some((_, content)) = sent.cloned() else { return Err(Rejection::StaleReport) };
        let text = text.map(|text| shorten_input_text(&text));
        self.emit(events::InputSent { session, input, text, tree });
        for part in unpack_carried_inputs(&content) {
            match part {
                SessionInput::Answer { question, .. }
                | SessionInput::Permission { question: Some(question), .. } => {
                    self.emit(events::QuestionDelivered { question: *question, session });
                    self.emit(events::QuestionResumed { question: *question });
                }
                SessionInput::Provided { request, .. } | SessionInput::Refused { request, .. } => {
                    self.emit(events::RequestDelivered { request: *request, session });
                }
                SessionInput::Result { result, .. } => {
                    self.emit(events::ResultDelivered { result: *result, session });
                }
                SessionInput::Direct { message, .. }
                | SessionInput::Feedback { message: Some(message), .. } => {
                    self.emit(events::DirectMessageAcknowledged { message: *message });
                }
                SessionInput::Permission { question: None, .. }
                | SessionInput::Feedback { message: None, .. }
                | SessionInput::InvocationEnded { .. }
                | SessionInput::EvidenceRequest { .. }
                | SessionInput::Conflict { .. }
                | SessionInput::Rework { .. }
                | SessionInput::UserMessage { .. }
                | SessionInput::TaskChanged { .. }
                | SessionInput::Task { .. }
                | SessionInput::ClarificationRequest { .. }
                | SessionInput::Invocation { .. }
                | SessionInput::InvalidMessage { .. }
                | SessionInput::NearMiss { .. }
                | SessionInput::Reminder
                | SessionInput::Test { .. }
                | SessionInput::Verify { .. }
                | SessionInput::Question { .. }
                | SessionInput::Escalation { .. }
                | SessionInput::ThinLine { .. }
                | SessionInput::Chat { .. }
                | SessionInput::Resume { .. } => {}
            }
        }
        Ok(())
    }

    pub(super) fn handle_session_ended(
        &mut self,
        session: SessionId,
        exit_status: Option<i32>,
    ) -> Result<(), Rejection> {
        self.check_session_running(session)?;
        if self.run.session(session).state == SessionState::Open(ProcessState::Parked(ParkMode::Cold)) {
            // Expected: the process was ended to park the session.
            return Err(Rejection::StaleReport);
        }
        let was_alive = self.run.session(session).is_alive();
        self.emit(events::SessionEnded { session, exit_status });
        if was_alive {
            self.after_session_end(session, &AttemptFailure::Exited { exit_status });
        }
        Ok(())
    }

    pub(super) fn handle_session_lost(
        &mut self,
        session: SessionId,
        reason: String,
    ) -> Result<(), Rejection> {
        self.check_session_running(session)?;
        let was_alive = self.run.session(session).is_alive();
        self.emit(events::SessionLost { session, reason: reason.clone() });
        if was_alive {
            self.after_session_end(session, &AttemptFailure::Lost { reason });
        }
        Ok(())
    }

    /// Parks a session whose process was stopped together with the server: no attempt is lost, and its work
    /// continues.
    pub(super) fn handle_session_shutdown(&mut self, session: SessionId) -> Result<(), Rejection> {
        self.check_session_running(session)?;
        let stopped = self.run.session(session);
        if !stopped.is_alive() {
            self.emit(events::SessionEnded { session, exit_status: None });
            return Ok(());
        }
        if stopped.park_mode() == Some(ParkMode::Cold) {
            return Err(Rejection::StaleReport);
        }
        let (was_in_turn, has_unsent_inputs) = (stopped.in_turn, !stopped.unsent_inputs.is_empty());
        let is_blocked = stopped.task.is_some_and(|task| {
            self.run.task(task).session() == Some(session) && self.run.task(task).is_blocked()
        });
        self.emit(events::SessionParked { session, mode: ParkMode::Cold });
        if has_unsent_inputs {
            self.emit(events::SessionWoken { session });
        } else if was_in_turn
            && !is_blocked
            && !self.run.is_session_waiting(session)
            && self.run.status == RunStatus::Active
        {
            let reason = "Jangdan was stopped during your turn".to_owned();
            self.send_input(session, SessionInput::Resume { reason });
        }
        Ok(())
    }

    /// Handles the unexpected end of a session.
    fn after_session_end(&mut self, session: SessionId, failure: &AttemptFailure) {
        let ended = self.run.session(session);
        let (role, task, current_item) = (ended.role, ended.task, ended.current_item);
        self.close_session_interactions(session, "its process ended too early");
        match role {
            Role::Worker => {
                if let Some(task) = task.filter(|task| self.run.task(*task).session() == Some(session)) {
                    self.after_worker_end(task, failure);
                }
            }
            Role::Orchestrator => self.after_orchestrator_end(session),
            Role::Operator => {}
            Role::Tester => {
                if let Some(WorkItem::Test(task)) = current_item {
                    if self.is_uncounted_loss(failure, self.run.task(task).losses) {
                        self.start_tester(task);
                    } else {
                        self.escalate_test(task, "the tester ended without a verdict");
                    }
                }
            }
            Role::Verifier => {
                if let Some(WorkItem::Verify(phase)) = current_item {
                    self.handle_verifier_loss(phase, failure);
                }
            }
            Role::Specialist => {}
        }
    }

    fn after_worker_end(&mut self, task: TaskIndex, failure: &AttemptFailure) {
        let state = self.run.task(task);
        // A blocked task starts another attempt when it is unblocked; a task in its checks needs no agent.
        if !state.stage.is_running() || state.is_blocked() {
            return;
        }
        let has_slot = self.run.schedule.running().contains(&state.node);
        let succeeded = *failure == AttemptFailure::Exited { exit_status: Some(0) };
        if !has_slot {
            // It has no slot; the next attempt starts with its pending inputs.
        } else if succeeded && !state.pending_inputs.is_empty() {
            let (id, attempt) = (self.task_id(task), state.attempt());
            let failure = failure.clone();
            self.emit(events::AttemptFailed { task: id.clone(), attempt, failure, counted: false });
            self.emit(events::TaskRetried { task: id, hint: None, resets_attempts: false });
        } else if succeeded {
            self.claim_task(task, ClaimSource::Exit, None, BTreeMap::new());
        } else {
            self.fail_attempt(task, failure.clone());
        }
    }

    /// Starts another orchestrator; after too many losses questions go to the user directly.
    fn after_orchestrator_end(&mut self, session: SessionId) {
        if matches!(self.run.status, RunStatus::Ended(_)) {
            return;
        }
        let resumes = Some(session).filter(|id| self.run.session(*id).agent_session.is_some());
        self.open_orchestrator(resumes);
        // In a driven run nothing starts without it.
        let is_driven = self.run.settings.mode == domain::OrchestrationMode::Thin;
        if self.run.orchestrator().is_none() {
            self.raise_escalation(
                domain::EscalationSubject::Run,
                None,
                NewEscalation {
                    kind: EscalationType::Blocked,
                    severity: if is_driven { Severity::Critical } else { Severity::High },
                    title: EscalationCause::OrchestratorLost.into(),
                    description: "its process ended too often; questions now go to you directly".to_owned(),
                    context: String::new(),
                },
            );
        }
        let is_with_orchestrator =
            |id: &QuestionId| self.run.questions.get(id.0).state == QuestionState::WithOrchestrator;
        let questions: Vec<QuestionId> =
            self.run.open_questions.iter().copied().filter(is_with_orchestrator).collect();
        let to = if self.run.orchestrator().is_some() {
            QuestionRoute::Orchestrator
        } else {
            QuestionRoute::Person
        };
        for question in questions {
            self.emit_as_system(events::QuestionRouted { question, to });
        }
    }
}
