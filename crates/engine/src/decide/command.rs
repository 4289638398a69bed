//! Checks which actor may send a command, and passes it to its rule.

use domain::{Actor, CheckpointOutcome, Command, Event};

use super::{DecisionContext, agent_message::MessageOrigin};
use crate::{effect::Effect, rejection::Rejection, run::RunStatus};

impl DecisionContext<'_> {
    pub(super) fn decide_command(&mut self, command: Command) -> Result<(), Rejection> {
        if let Command::StartRun { project, work, settings, team } = command {
            return self.start_run(project, work, settings, team);
        }
        if self.run.status == RunStatus::NotStarted {
            return Err(Rejection::NotStarted);
        }
        match command {
            Command::StartRun { .. } => Err(Rejection::AlreadyStarted),
            Command::PauseRun
            | Command::ContinueRun
            | Command::CancelRun
            | Command::PausePhase(_)
            | Command::ContinuePhase(_)
            | Command::CancelPhase(_)
            | Command::PauseTask(_)
            | Command::ContinueTask(_)
            | Command::CancelTask(_)
            | Command::RetryTask { .. }
            | Command::SkipTask(_)
            | Command::PrioritizeTask { .. }
            | Command::SendMessage { .. }
            | Command::ReassignTask { .. }
            | Command::RewindTask { .. }
            | Command::CreateCheckpoint(_)
            | Command::AddTask(_)
            | Command::AddDependency { .. }
            | Command::RemoveDependency { .. }
            | Command::MarkExternalMet { .. }
            | Command::ApplyPlanChange { .. }
            | Command::IgnorePlanChange { .. }
            | Command::Answer { .. }
            | Command::RequestClarification { .. }
            | Command::Chat { .. }
            | Command::Provide { .. }
            | Command::Refuse { .. }
            | Command::SkipRequest(_)
            | Command::ApproveGate { .. }
            | Command::RejectGate { .. }
            | Command::Resolve { .. } => {
                if !self.actor.is_person() {
                    return Err(Rejection::ReservedForOtherActor);
                }
                self.check_accepts_commands()?;
                self.decide_user_command(command)
            }
            Command::ReceiveMessage { .. }
            | Command::ReceiveInvalid { .. }
            | Command::ReceiveNearMiss { .. }
            | Command::EndTurn { .. }
            | Command::InterruptTurn { .. }
            | Command::RequestPermission(_)
            | Command::RequestAnswer { .. }
            | Command::ReportTestFeedback(_)
            | Command::ReportUsage(_) => self.decide_agent_command(command),
            Command::ReportStarted { .. }
            | Command::ReportEnded { .. }
            | Command::ReportLost { .. }
            | Command::ReportStopped { .. }
            | Command::ReportInputSent { .. }
            | Command::ReportCheck { .. }
            | Command::ReportMerge { .. }
            | Command::ReportGate { .. }
            | Command::ReportCheckpoint { .. }
            | Command::ReportEffect { .. }
            | Command::ReportNotLanded { .. }
            | Command::ReportPlan { .. }
            | Command::ReportPlanUnreadable { .. }
            | Command::ReportDiskBudgetExceeded { .. }
            | Command::ReportDiskSpaceAvailable
            | Command::ReportOverlaps { .. }
            | Command::Tick => {
                if !matches!(self.actor, Actor::System | Actor::Clock) {
                    return Err(Rejection::ReservedForOtherActor);
                }
                self.decide_executor_report(command)
            }
        }
    }

    fn decide_user_command(&mut self, command: Command) -> Result<(), Rejection> {
        match command {
            Command::PauseRun => self.pause_run(),
            Command::ContinueRun => self.continue_run(),
            Command::CancelRun => self.cancel_run(),
            Command::PausePhase(phase) => self.pause_phase(phase),
            Command::ContinuePhase(phase) => self.continue_phase(phase),
            Command::CancelPhase(phase) => self.cancel_phase(phase),
            Command::PauseTask(task) => self.pause_task(&task),
            Command::ContinueTask(task) => self.continue_task(&task),
            Command::CancelTask(task) => self.cancel_task(&task),
            Command::RetryTask { task, hint } => self.retry_task(&task, hint),
            Command::SkipTask(task) => self.skip_task(&task),
            Command::PrioritizeTask { task, priority } => self.prioritize_task(task, priority),
            Command::SendMessage { task, text } => self.send_task_message(task, text),
            Command::ReassignTask { task, agent } => self.reassign_task(&task, agent),
            Command::RewindTask { task, checkpoint } => self.rewind_task(&task, checkpoint),
            Command::CreateCheckpoint(task) => self.create_checkpoint(&task),
            Command::AddTask(task) => self.add_task(task),
            Command::AddDependency { earlier, later } => self.add_dependency(earlier, later),
            Command::RemoveDependency { earlier, later } => self.remove_dependency(earlier, later),
            Command::MarkExternalMet { name } => self.mark_external_met(name),
            Command::ApplyPlanChange { offer } => self.apply_plan_change(offer),
            Command::IgnorePlanChange { offer } => self.ignore_plan_change(offer),
            Command::Answer { question, task, answer, scope } => {
                self.answer_question(question, task.as_ref(), &answer, scope)
            }
            Command::RequestClarification { question, text } => self.request_clarification(question, text),
            Command::Chat { text, talk_only: false } => self.answer_or_send_chat(text),
            Command::Chat { text, talk_only: true } => self.send_chat_message(text),
            Command::Provide { request, provided } => self.provide_resource(request, provided),
            Command::Refuse { request, reason } => self.refuse_request(request, reason),
            Command::SkipRequest(request) => self.skip_request(request),
            Command::ApproveGate { phase, note } => self.approve_gate(phase, note),
            Command::RejectGate { phase, reason, tasks } => self.reject_gate(phase, reason, &tasks),
            Command::Resolve { escalation, action, note } => {
                self.resolve_escalation(escalation, action, note)
            }
            _ => Err(Rejection::ReservedForOtherActor),
        }
    }

    fn decide_agent_command(&mut self, command: Command) -> Result<(), Rejection> {
        match command {
            Command::ReceiveMessage { offset, read_from, message } => {
                let session = self.sending_session(Some(offset))?;
                self.receive_message(MessageOrigin { session, offset, read_from }, *message);
            }
            Command::ReceiveInvalid { offset, read_from, protocol, error, raw } => {
                let session = self.sending_session(Some(offset))?;
                self.reject_message(MessageOrigin { session, offset, read_from }, protocol, error, raw);
            }
            Command::ReceiveNearMiss { offset, read_from, near, raw } => {
                let session = self.sending_session(Some(offset))?;
                self.emit(Event::NearMissReceived { session, offset, read_from, near, raw });
            }
            Command::EndTurn { read_from, text, tools } => {
                let session = self.sending_session(None)?;
                self.end_turn(session, read_from, text, tools)?;
            }
            Command::InterruptTurn { read_from, text, tools } => {
                self.interrupt_turn(read_from, text, tools)?;
            }
            Command::RequestPermission(request) => {
                let session = self.sending_session(None)?;
                self.check_new_prompt(session, &request.prompt)?;
                self.ask_permission(session, request);
            }
            Command::RequestAnswer { prompt, question } => {
                let session = self.sending_session(None)?;
                self.check_new_prompt(session, &prompt)?;
                if self.asking_rejection(session).is_some() {
                    return Err(Rejection::StaleReport);
                }
                self.ask_user(session, *question, Some(prompt));
            }
            Command::ReportTestFeedback(feedback) => {
                let session = self.sending_session(None)?;
                let task = self.tested_task(session).ok_or(Rejection::ReservedForOtherActor)?;
                self.handle_test_verdict(task, feedback);
            }
            Command::ReportUsage(usage) => {
                let session = self.actor.session().ok_or(Rejection::ReservedForOtherActor)?;
                if !self.run.sessions.has(session.0) {
                    return Err(Rejection::UnknownSession { session });
                }
                self.handle_usage_report(session, usage);
            }
            _ => return Err(Rejection::ReservedForOtherActor),
        }
        Ok(())
    }

    fn decide_executor_report(&mut self, command: Command) -> Result<(), Rejection> {
        match command {
            Command::ReportStarted { session, agent_session } => {
                self.handle_session_started(session, agent_session)
            }
            Command::ReportEnded { session, exit_status } => self.handle_session_ended(session, exit_status),
            Command::ReportLost { session, reason } => self.handle_session_lost(session, reason),
            Command::ReportStopped { session } => self.handle_session_stopped(session),
            Command::ReportInputSent { session, input } => self.handle_input_sent(session, input),
            Command::ReportCheck { task, attempt, receipt } => {
                self.handle_check_report(&task, attempt, receipt)
            }
            Command::ReportMerge { task, attempt, outcome } => {
                self.handle_merge_report(&task, attempt, outcome)
            }
            Command::ReportGate { phase, round, report } => self.handle_gate_report(phase, round, report),
            Command::ReportCheckpoint { checkpoint, outcome } => {
                let key = crate::state::EffectKey::Checkpoint(checkpoint);
                if !self.run.pending_effects.has(&key) {
                    return Err(Rejection::StaleReport);
                }
                let is_made = matches!(outcome, CheckpointOutcome::Made { .. });
                self.emit(Event::CheckpointFinished { checkpoint, outcome });
                if is_made {
                    self.park_after_checkpoint(checkpoint);
                }
                Ok(())
            }
            Command::ReportEffect { effect, error } => {
                let (_, order) = self.run.pending_effects.find(effect).ok_or(Rejection::StaleReport)?;
                let landed = match order {
                    Effect::LandPhase { phase } if error.is_none() => Some(*phase),
                    _ => None,
                };
                match landed {
                    Some(phase) => self.emit(Event::PhaseLanded { phase }),
                    None => self.emit(Event::EffectFinished { effect, error }),
                }
                Ok(())
            }
            Command::ReportNotLanded { effect } => {
                self.run.pending_effects.find(effect).ok_or(Rejection::StaleReport)?;
                self.emit(Event::EffectFinished { effect, error: None });
                Ok(())
            }
            Command::ReportPlan { work } => self.handle_plan_report(&work),
            Command::ReportPlanUnreadable { problem } => self.handle_unreadable_plan(&problem),
            Command::ReportDiskBudgetExceeded { session, reason } => {
                self.handle_disk_budget_exceeded(session, reason)
            }
            Command::ReportDiskSpaceAvailable => self.handle_disk_space_available(),
            Command::ReportOverlaps { overlaps } => {
                self.handle_overlap_report(overlaps);
                Ok(())
            }
            Command::Tick => {
                self.handle_due_deadlines();
                Ok(())
            }
            _ => Err(Rejection::ReservedForOtherActor),
        }
    }
}
