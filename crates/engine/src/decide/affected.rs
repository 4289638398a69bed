//! Marks the tasks and sessions for which an event may have consequences.

use domain::{Event, TaskId, events};

use super::DecisionContext;
use crate::state::{TaskIndex, TaskStage};

impl DecisionContext<'_> {
    pub(super) fn mark_affected_by_event(&mut self, event: &Event) {
        match event {
            Event::TaskStarted(events::TaskStarted { task, session, .. })
            | Event::TaskResumed(events::TaskResumed { task, session })
            | Event::TestStarted(events::TestStarted { task, session }) => {
                self.mark_task_affected(task);
                self.sessions.insert(*session);
            }
            Event::TaskBlocked(events::TaskBlocked { task, .. })
            | Event::TaskUnblocked(events::TaskUnblocked { task, .. })
            | Event::TaskClaimed(events::TaskClaimed { task, .. })
            | Event::TurnWaitExpired(events::TurnWaitExpired { task })
            | Event::CheckStarted(events::CheckStarted { task, .. })
            | Event::CheckFinished(events::CheckFinished { task, .. })
            | Event::TaskReturned(events::TaskReturned { task, .. })
            | Event::MergeStarted(events::MergeStarted { task, .. })
            | Event::MergeFinished(events::MergeFinished { task, .. })
            | Event::TaskDone(events::TaskDone { task, .. })
            | Event::AttemptFailed(events::AttemptFailed { task, .. })
            | Event::TaskRetried(events::TaskRetried { task, .. })
            | Event::TaskFailed(events::TaskFailed { task, .. })
            | Event::TaskSkipped(events::TaskSkipped { task })
            | Event::TaskCancelled(events::TaskCancelled { task })
            | Event::TaskReopened(events::TaskReopened { task, .. })
            | Event::LoopStarted(events::LoopStarted { task, .. }) => self.mark_task_affected(task),
            Event::LoopRoundFailed(events::LoopRoundFailed { feedback_loop, .. })
            | Event::LoopEnded(events::LoopEnded { feedback_loop, .. }) => {
                let task = self.run.loops.get(feedback_loop.0).task;
                self.tasks.extend(task);
                self.sessions.extend(task.and_then(|task| self.run.task(task).tester));
            }
            Event::TaskChanged(events::TaskChanged { task, .. }) => self.mark_task_affected(&task.id),
            Event::TaskMessageSent(events::TaskMessageSent { task, .. }) => self.mark_task_affected(task),
            Event::LimitWaived(events::LimitWaived { subject, .. }) => {
                self.tasks.extend(self.run.subject_task(subject))
            }
            Event::RunContinued(events::RunContinued {}) | Event::RunReopened(events::RunReopened {}) => {
                let live = (0..).zip(&self.run.tasks).filter(|(_, task)| task.stage.is_in_progress());
                self.tasks.extend(live.map(|(number, _)| crate::state::TaskIndex(number)));
                self.sessions.extend(self.run.alive.iter().copied());
            }
            Event::SessionOpened(events::SessionOpened { session, .. })
            | Event::SessionActivated(events::SessionActivated { session, .. })
            | Event::SessionWoken(events::SessionWoken { session })
            | Event::TurnEnded(events::TurnEnded { session, .. })
            | Event::MessageRejected(events::MessageRejected { session, .. })
            | Event::NearMissReceived(events::NearMissReceived { session, .. })
            | Event::QuestionAsked(events::QuestionAsked { session, .. })
            | Event::InvocationStarted(events::InvocationStarted { session, .. })
            | Event::GateVerifierStarted(events::GateVerifierStarted { session, .. })
            | Event::DirectMessageSent(events::DirectMessageSent { to: session, .. })
            | Event::SessionEnded(events::SessionEnded { session, .. })
            | Event::SessionLost(events::SessionLost { session, .. }) => {
                self.sessions.insert(*session);
                // Its check may have waited for the end of the turn.
                let is_claimed = |task: &TaskIndex| self.run.task(*task).stage == TaskStage::Claimed;
                self.tasks.extend(self.run.session(*session).task.filter(is_claimed));
            }
            Event::QuestionRouted(events::QuestionRouted { question, .. })
            | Event::QuestionForwarded(events::QuestionForwarded { question, .. })
            | Event::QuestionAnswered(events::QuestionAnswered { question, .. })
            | Event::QuestionWithdrawn(events::QuestionWithdrawn { question, .. })
            | Event::QuestionExpired(events::QuestionExpired { question, .. }) => {
                self.sessions.insert(self.run.questions.get(question.0).session);
                self.sessions.extend(self.run.root_session);
            }
            Event::InvocationEnded(events::InvocationEnded { invocation, .. }) => {
                self.sessions.extend(self.run.invocations.get(invocation.0).caller);
            }
            Event::EscalationForwarded(events::EscalationForwarded { session, .. }) => {
                self.sessions.extend(*session)
            }
            Event::EscalationResolved(events::EscalationResolved { escalation, .. }) => {
                self.sessions.extend(self.run.escalations.get(escalation.0).session);
            }
            Event::GatePassed(_) | Event::GateApproved(_) | Event::GateFailed(_) => {
                let verifiers = self
                    .run
                    .sessions
                    .iter()
                    .filter(|(_, session)| session.role == domain::Role::Verifier && session.is_alive());
                self.sessions.extend(verifiers.map(|(number, _)| domain::SessionId(number)));
            }
            Event::ChatMessageSent(_) => self.sessions.extend(self.run.root_session),
            // The rules that emit these events decide their consequences themselves.
            Event::RunStarted(_)
            | Event::RunPaused(events::RunPaused {})
            | Event::RunCancelled(events::RunCancelled {})
            | Event::RunEnded(_)
            | Event::PhaseStarted(_)
            | Event::PhasePaused(_)
            | Event::PhaseContinued(_)
            | Event::PhaseCancelled(_)
            | Event::PhaseLanded(_)
            | Event::TasksBecameReady(_)
            | Event::TaskPrioritized(_)
            | Event::TaskReassigned(_)
            | Event::TaskRewound(_)
            | Event::TaskRequested(_)
            | Event::TaskAdded(_)
            | Event::DependencyAdded(_)
            | Event::DependencyRemoved(_)
            | Event::ExternalDependencyMet(_)
            | Event::PlanChangeDetected(_)
            | Event::PlanChangeWithdrawn(_)
            | Event::PlanUnreadable(_)
            | Event::PlanChangeApplied(_)
            | Event::PlanChangeIgnored(_)
            | Event::PhaseAdded(_)
            | Event::PhaseChanged(_)
            | Event::SessionParked(_)
            | Event::SessionDismissed(_)
            | Event::InputQueued(_)
            | Event::InputSent(_)
            | Event::MessageReceived(_)
            | Event::TurnInterrupted(_)
            | Event::ClarificationRequested(_)
            | Event::QuestionDelivered(_)
            | Event::QuestionResumed(_)
            | Event::ManyQuestionsAsked(_)
            | Event::PermissionDecided(_)
            | Event::PermissionRuleSaved(_)
            | Event::RequestMade(_)
            | Event::RequestProvided(_)
            | Event::RequestRefused(_)
            | Event::RequestSkipped(_)
            | Event::RequestDelivered(_)
            | Event::InvocationMade(_)
            | Event::ResultSubmitted(_)
            | Event::ResultDelivered(_)
            | Event::ChannelCreated(_)
            | Event::ChannelClosed(_)
            | Event::DirectMessageReceived(_)
            | Event::DirectMessageAcknowledged(_)
            | Event::PhaseCompletionReported(_)
            | Event::GateOpened(_)
            | Event::GateChecked(_)
            | Event::EscalationRaised(_)
            | Event::ErrorReported(_)
            | Event::UsageReported(_)
            | Event::BudgetRaised(_)
            | Event::CheckpointRequested(_)
            | Event::CheckpointFinished(_)
            | Event::DiskBudgetExhausted(_)
            | Event::OverlapDetected(_)
            | Event::OverlapResolved(_)
            | Event::EffectPostponed(_)
            | Event::EffectRetried(_)
            | Event::EffectFinished(_)
            | Event::ChatAnsweredWithStatus(_)
            | Event::ResolveRequested(_)
            | Event::ResolveAnswered(_) => {}
        }
    }

    fn mark_task_affected(&mut self, task: &TaskId) {
        if let Some(task) = self.run.find_task(task) {
            self.tasks.insert(task);
            self.sessions.extend(self.run.task(task).session);
        }
    }
}
