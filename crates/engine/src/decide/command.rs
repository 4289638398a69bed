//! Where each wish goes, and who may wish it.

use domain::{Actor, CheckpointOutcome, Command, Event};

use super::{Deciding, hear::Place};
use crate::{effect::Effect, rejection::Rejection, run::Status};

impl Deciding<'_> {
    pub(super) fn command(&mut self, command: Command) -> Result<(), Rejection> {
        if let Command::StartRun { project, work, settings, team } = command {
            return self.start_run(project, work, settings, team);
        }
        if self.run.status == Status::NotStarted {
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
                self.must_go()?;
                self.wish_of_person(command)
            }
            Command::ReceiveMessage { .. }
            | Command::ReceiveInvalid { .. }
            | Command::ReceiveNearMiss { .. }
            | Command::EndTurn { .. }
            | Command::InterruptTurn { .. }
            | Command::RequestPermission(_)
            | Command::RequestAnswer { .. }
            | Command::ReportTestFeedback(_)
            | Command::ReportUsage(_) => self.word_of_agent(command),
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
                self.report_of_world(command)
            }
        }
    }

    fn wish_of_person(&mut self, command: Command) -> Result<(), Rejection> {
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
            Command::PrioritizeTask { task, priority } => self.prioritize(task, priority),
            Command::SendMessage { task, text } => self.tell_task(task, text),
            Command::ReassignTask { task, agent } => self.reassign_task(&task, agent),
            Command::RewindTask { task, checkpoint } => self.rewind_task(&task, checkpoint),
            Command::CreateCheckpoint(task) => self.make_checkpoint(&task),
            Command::AddTask(task) => self.add_task(task),
            Command::AddDependency { earlier, later } => self.add_dependency(earlier, later),
            Command::RemoveDependency { earlier, later } => self.remove_dependency(earlier, later),
            Command::MarkExternalMet { name } => self.mark_met(name),
            Command::ApplyPlanChange { offer } => self.take_plan(offer),
            Command::IgnorePlanChange { offer } => self.leave_plan(offer),
            Command::Answer { question, task, answer, scope: keep } => {
                self.answer(question, task.as_ref(), &answer, keep)
            }
            Command::RequestClarification { question, text } => self.ask_back(question, text),
            Command::Chat { text, talk_only: false } => self.chat(text),
            Command::Chat { text, talk_only: true } => self.talk(text),
            Command::Provide { request, provided } => self.provide(request, provided),
            Command::Refuse { request, reason } => self.refuse_request(request, reason),
            Command::SkipRequest(request) => self.skip_request(request),
            Command::ApproveGate { phase, note } => self.approve_gate(phase, note),
            Command::RejectGate { phase, reason, tasks } => self.reject_gate(phase, reason, &tasks),
            Command::Resolve { escalation, action, note } => self.resolve(escalation, action, note),
            _ => Err(Rejection::ReservedForOtherActor),
        }
    }

    fn word_of_agent(&mut self, command: Command) -> Result<(), Rejection> {
        match command {
            Command::ReceiveMessage { offset: heard, read_from, message: said } => {
                let session = self.speaker(Some(heard))?;
                self.hear(Place { session, heard, read_from }, *said);
            }
            Command::ReceiveInvalid { offset: heard, read_from, protocol, error, raw } => {
                let session = self.speaker(Some(heard))?;
                self.refuse(Place { session, heard, read_from }, protocol, error, raw);
            }
            Command::ReceiveNearMiss { offset: heard, read_from, near, raw } => {
                let session = self.speaker(Some(heard))?;
                self.emit(Event::NearMissReceived { session, offset: heard, read_from, near, raw });
            }
            Command::EndTurn { read_from, text: words, tools } => {
                let session = self.speaker(None)?;
                self.end_turn(session, read_from, words, tools)?;
            }
            Command::InterruptTurn { read_from, text: words, tools } => {
                self.cut_turn(read_from, words, tools)?;
            }
            Command::RequestPermission(wish) => {
                let session = self.speaker(None)?;
                self.not_asked_before(session, &wish.prompt)?;
                self.ask_permission(session, wish);
            }
            Command::RequestAnswer { prompt, question: asked } => {
                let session = self.speaker(None)?;
                self.not_asked_before(session, &prompt)?;
                if self.asking_refusal(session).is_some() {
                    return Err(Rejection::StaleReport);
                }
                self.ask_user(session, *asked, Some(prompt));
            }
            Command::ReportTestFeedback(feedback) => {
                let session = self.speaker(None)?;
                let task = self.test_in_hand(session).ok_or(Rejection::ReservedForOtherActor)?;
                self.tested(task, feedback);
            }
            Command::ReportUsage(usage) => {
                let session = self.actor.session().ok_or(Rejection::ReservedForOtherActor)?;
                if !self.run.sessions.has(session.0) {
                    return Err(Rejection::UnknownSession { session });
                }
                self.report_usage(session, usage);
            }
            _ => return Err(Rejection::ReservedForOtherActor),
        }
        Ok(())
    }

    fn report_of_world(&mut self, command: Command) -> Result<(), Rejection> {
        match command {
            Command::ReportStarted { session, agent_session } => self.report_started(session, agent_session),
            Command::ReportEnded { session, exit_status } => self.report_ended(session, exit_status),
            Command::ReportLost { session, reason } => self.report_lost(session, reason),
            Command::ReportStopped { session } => self.report_stopped(session),
            Command::ReportInputSent { session, input } => self.report_typed(session, input),
            Command::ReportCheck { task, attempt, receipt } => self.report_check(&task, attempt, receipt),
            Command::ReportMerge { task, attempt, outcome } => self.report_merge(&task, attempt, outcome),
            Command::ReportGate { phase, round, report } => self.report_gate(phase, round, report),
            Command::ReportCheckpoint { checkpoint, outcome } => {
                let key = crate::state::EffectKey::Checkpoint(checkpoint);
                if !self.run.orders.has(&key) {
                    return Err(Rejection::StaleReport);
                }
                let is_made = matches!(outcome, CheckpointOutcome::Made { .. });
                self.emit(Event::CheckpointFinished { checkpoint, outcome });
                if is_made {
                    self.cool(checkpoint);
                }
                Ok(())
            }
            Command::ReportEffect { effect, error } => {
                let (_, order) = self.run.orders.find(effect).ok_or(Rejection::StaleReport)?;
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
                self.run.orders.find(effect).ok_or(Rejection::StaleReport)?;
                self.emit(Event::EffectFinished { effect, error: None });
                Ok(())
            }
            Command::ReportPlan { work } => self.report_plan(&work),
            Command::ReportPlanUnreadable { problem } => self.report_plan_broken(&problem),
            Command::ReportDiskBudgetExceeded { session, reason } => self.report_no_room(session, reason),
            Command::ReportDiskSpaceAvailable => self.report_room(),
            Command::ReportOverlaps { overlaps } => {
                self.report_overlaps(overlaps);
                Ok(())
            }
            Command::Tick => {
                self.tick();
                Ok(())
            }
            _ => Err(Rejection::ReservedForOtherActor),
        }
    }
}
