//! Passes an input to its rule.

use domain::{
    AgentOutput, CheckpointOutcome, CommandOrigin, EffectId, PostponementCause, Report, RunInput, SessionId,
    UserCommand, events,
};

use super::{
    DecisionContext, agent_message::MessageOrigin, message_limits::shorten_question,
    permission::PermissionChoice,
};
use crate::{rejection::Rejection, run::RunStatus, state::EffectKey};

impl DecisionContext<'_> {
    pub(super) fn decide_input(&mut self, input: RunInput) -> Result<(), Rejection> {
        if self.run.status == RunStatus::NotStarted && !matches!(input, RunInput::Start { .. }) {
            return Err(Rejection::NotStarted);
        }
        match input {
            RunInput::Start { person: _, origin, start } => {
                self.start_run(*start)?;
                self.record_command(|| "startRun".to_owned(), origin);
                Ok(())
            }
            RunInput::User { person: _, origin, command } => {
                if !is_accepted_after_cancellation(&command) {
                    self.run.check_accepts_commands()?;
                }
                let label = if origin.is_some() { command.label() } else { String::new() };
                self.decide_user_command(command)?;
                self.record_command(|| label, origin);
                Ok(())
            }
            RunInput::Agent { session, output } => self.decide_agent_output(session, output),
            RunInput::Report(report) => self.decide_report(report),
        }
    }

    /// Records where a command that was carried out came from.
    fn record_command(&mut self, label: impl FnOnce() -> String, origin: Option<CommandOrigin>) {
        if let Some(origin) = origin {
            self.emit(events::CommandExecuted { command: label(), origin });
        }
    }

    fn decide_user_command(&mut self, command: UserCommand) -> Result<(), Rejection> {
        match command {
            UserCommand::PauseRun => self.pause_run(),
            UserCommand::ContinueRun => self.continue_run(),
            UserCommand::CancelRun => self.cancel_run(),
            UserCommand::LandRun { all, into, squash } => self.request_landing(all, into, squash),
            UserCommand::CleanRun { refs } => self.request_cleanup(refs),
            UserCommand::StopSession(session) => self.request_session_stop(session),
            UserCommand::PausePhase(phase) => self.pause_phase(phase),
            UserCommand::ContinuePhase(phase) => self.continue_phase(phase),
            UserCommand::CancelPhase(phase) => self.cancel_phase(phase),
            UserCommand::PauseTask(task) => self.pause_task(&task),
            UserCommand::ContinueTask(task) => self.continue_task(&task),
            UserCommand::CancelTask(task) => self.cancel_task(&task),
            UserCommand::RetryTask { task, hint } => self.retry_task(&task, hint),
            UserCommand::SkipTask(task) => self.skip_task(&task),
            UserCommand::PrioritizeTask { task, priority } => self.prioritize_task(task, priority),
            UserCommand::SendMessage { task, text } => self.send_task_message(task, text),
            UserCommand::ReassignTask { task, agent } => self.reassign_task(&task, agent),
            UserCommand::RewindTask { task, checkpoint } => self.rewind_task(&task, checkpoint),
            UserCommand::CreateCheckpoint(task) => self.create_checkpoint(&task),
            UserCommand::AddTask(task) => self.add_task(task),
            UserCommand::AddDependency { earlier, later } => self.add_dependency(earlier, later),
            UserCommand::RemoveDependency { earlier, later } => self.remove_dependency(earlier, later),
            UserCommand::MarkExternalMet { name } => self.mark_external_met(name),
            UserCommand::ApplyPlanChange { offer } => self.apply_plan_change(offer),
            UserCommand::IgnorePlanChange { offer } => self.ignore_plan_change(offer),
            UserCommand::Answer { question, task, answer, scope, pattern, reason } => {
                let choice = PermissionChoice { scope, pattern, reason };
                self.answer_question(question, task.as_ref(), &answer, choice)
            }
            UserCommand::RequestClarification { question, text } => {
                self.request_clarification(question, text)
            }
            UserCommand::Chat { text, talk_only: false } => self.answer_question_or_chat(text),
            UserCommand::Chat { text, talk_only: true } => self.send_chat_message(text),
            UserCommand::Provide { request, provided } => self.provide_resource(request, provided),
            UserCommand::Refuse { request, reason } => self.refuse_request(request, reason),
            UserCommand::SkipRequest(request) => self.skip_request(request),
            UserCommand::ApproveGate { phase, note } => self.approve_gate(phase, note),
            UserCommand::RejectGate { phase, reason, tasks } => self.reject_gate(phase, reason, &tasks),
            UserCommand::Resolve { escalation, action, note } => {
                self.resolve_escalation(escalation, action, note)
            }
        }
    }

    fn decide_agent_output(&mut self, session: SessionId, output: AgentOutput) -> Result<(), Rejection> {
        match output {
            AgentOutput::Message { offset, read_from, message } => {
                self.check_new_message(session, offset)?;
                self.check_message_rate(session, Some(&message))?;
                self.receive_message(MessageOrigin { session, offset, read_from }, *message);
                self.escalate_message_flood(session);
            }
            AgentOutput::InvalidMessage { offset, read_from, protocol, error, raw } => {
                self.check_new_message(session, offset)?;
                self.check_message_rate(session, None)?;
                self.reject_message(MessageOrigin { session, offset, read_from }, protocol, error, raw);
                self.escalate_message_flood(session);
            }
            AgentOutput::NearMiss { offset, read_from, near, raw } => {
                self.check_new_message(session, offset)?;
                self.check_message_rate(session, None)?;
                self.emit(events::NearMissReceived { session, offset, read_from, near, raw });
                self.escalate_message_flood(session);
            }
            AgentOutput::TurnEnded { read_from, text, tools, failure } => {
                self.check_session_alive(session)?;
                self.end_turn(events::TurnEnded { session, read_from, text, tools }, failure)?;
            }
            AgentOutput::TurnInterrupted { read_from, text, tools } => {
                self.record_interrupted_turn(session, read_from, text, tools)?;
            }
            AgentOutput::PermissionRequested(request) => {
                self.check_session_alive(session)?;
                self.check_new_prompt(session, &request.prompt)?;
                self.check_unsent_decisions(session)?;
                self.ask_permission(session, request);
            }
            AgentOutput::QuestionAsked { prompt, question } => {
                self.check_session_alive(session)?;
                self.check_new_prompt(session, &prompt)?;
                if self.asking_rejection(session).is_some() {
                    return Err(Rejection::StaleReport);
                }
                self.ask_user(session, shorten_question(*question), Some(prompt));
            }
            AgentOutput::TestFeedback(feedback) => {
                self.check_session_alive(session)?;
                let task = self.tested_task(session).ok_or(Rejection::StaleReport)?;
                self.handle_test_verdict(task, feedback);
            }
            AgentOutput::Usage(usage) => {
                if !self.run.sessions.has(session.0) {
                    return Err(Rejection::UnknownSession { session });
                }
                self.handle_usage_report(session, usage);
            }
        }
        Ok(())
    }

    fn handle_effect_report(&mut self, effect: EffectId, error: Option<String>) -> Result<(), Rejection> {
        let (key, _) = self.run.pending_effects.find(effect).ok_or(Rejection::StaleReport)?;
        match (key, &error) {
            (EffectKey::Land(phase), None) => {
                let phase = *phase;
                self.emit(events::PhaseLanded { phase });
            }
            (EffectKey::Stop(session), _) => {
                let session = *session;
                self.emit(events::SessionStopFinished { session, error });
            }
            _ => self.emit(events::EffectFinished { effect, error }),
        }
        Ok(())
    }

    fn decide_report(&mut self, report: Report) -> Result<(), Rejection> {
        match report {
            Report::SessionStarted { session, agent_session } => {
                self.handle_session_started(session, agent_session)
            }
            Report::SessionEnded { session, exit_status } => self.handle_session_ended(session, exit_status),
            Report::SessionLost { session, reason } => self.handle_session_lost(session, reason),
            Report::SessionStopped { session } => self.handle_session_shutdown(session),
            Report::InputSent { session, input, text, tree } => {
                self.handle_input_sent(session, input, text, tree)
            }
            Report::CheckFinished { task, attempt, receipt } => {
                self.handle_check_report(&task, attempt, receipt)
            }
            Report::MergeFinished { task, attempt, outcome } => {
                self.handle_merge_report(&task, attempt, outcome)
            }
            Report::GateChecked { phase, round, report } => self.handle_gate_report(phase, round, report),
            Report::CheckpointFinished { checkpoint, outcome } => {
                let key = EffectKey::Checkpoint(checkpoint);
                if !self.run.pending_effects.has(&key) {
                    return Err(Rejection::StaleReport);
                }
                let is_made = matches!(outcome, CheckpointOutcome::Made { .. });
                self.emit(events::CheckpointFinished { checkpoint, outcome });
                self.withdraw_outdated_large_file_question(checkpoint);
                if is_made {
                    self.park_after_checkpoint(checkpoint);
                }
                Ok(())
            }
            Report::ProvisionFinished { effect, request, outcome } => {
                self.handle_provision_report(effect, request, outcome)
            }
            Report::LandingFinished { landing, report } => self.handle_landing_report(landing, report),
            Report::CleanupFinished { cleanup, report, error } => {
                self.handle_cleanup_report(cleanup, report, error)
            }
            Report::EffectFinished { effect, error } => self.handle_effect_report(effect, error),
            Report::DiskFull { effect, error } => {
                self.postpone_effect(effect, PostponementCause::DiskFull, error)
            }
            Report::ExecutionFailed { effect, error } => {
                self.postpone_effect(effect, PostponementCause::ExecutionFailed, error)
            }
            Report::RefMoved { effect, moved } => self.handle_moved_ref(effect, moved),
            Report::KeysTyped { person: _, session, bytes } => {
                if !self.run.sessions.has(session.0) {
                    return Err(Rejection::UnknownSession { session });
                }
                self.emit(events::KeysTyped { session, bytes });
                Ok(())
            }
            Report::PhaseNotLanded { effect } => {
                self.run.pending_effects.find(effect).ok_or(Rejection::StaleReport)?;
                self.emit(events::EffectFinished { effect, error: None });
                Ok(())
            }
            Report::PlanChanged { work, has_assigned_ids: false } => self.handle_plan_report(&work),
            Report::PlanChanged { work, has_assigned_ids: true } => {
                self.handle_plan_report(&self.run.with_kept_ids(&work))
            }
            Report::PlanUnreadable { problem } => self.handle_unreadable_plan(&problem),
            Report::UserActRefused { session, process, request } => {
                self.escalate_user_act(session, process, &request)
            }
            Report::DiskBudgetExceeded { session, reason } => {
                self.handle_disk_budget_exceeded(session, reason)
            }
            Report::DiskSpaceAvailable => self.handle_disk_space_available(),
            Report::OverlapsFound { overlaps } => {
                self.handle_overlap_report(overlaps);
                Ok(())
            }
            Report::ClockJumped { by_ms } => {
                self.emit(events::ClockJumped { by_ms });
                Ok(())
            }
            Report::TimerFired => {
                self.handle_due_deadlines();
                Ok(())
            }
        }
    }
}

/// Returns whether a command is still possible when the run was cancelled: it changes nothing in the run itself.
fn is_accepted_after_cancellation(command: &UserCommand) -> bool {
    matches!(
        command,
        UserCommand::LandRun { .. } | UserCommand::CleanRun { .. } | UserCommand::StopSession(_)
    )
}
