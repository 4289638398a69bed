//! Marks the tasks and sessions for which an event may have consequences.

use domain::{Event, TaskId};

use super::DecisionContext;

impl DecisionContext<'_> {
    pub(super) fn mark_affected_by_event(&mut self, event: &Event) {
        match event {
            Event::TaskStarted { task, session, .. }
            | Event::TaskResumed { task, session }
            | Event::TestStarted { task, session } => {
                self.mark_task_affected(task);
                self.sessions.insert(*session);
            }
            Event::TaskBlocked { task, .. }
            | Event::TaskUnblocked { task, .. }
            | Event::TaskClaimed { task, .. }
            | Event::CheckStarted { task, .. }
            | Event::CheckFinished { task, .. }
            | Event::TaskReturned { task, .. }
            | Event::MergeStarted { task, .. }
            | Event::MergeFinished { task, .. }
            | Event::TaskDone { task, .. }
            | Event::AttemptFailed { task, .. }
            | Event::TaskRetried { task, .. }
            | Event::TaskFailed { task, .. }
            | Event::TaskSkipped { task }
            | Event::TaskCancelled { task }
            | Event::TaskReopened { task, .. }
            | Event::LoopStarted { task, .. } => self.mark_task_affected(task),
            Event::LoopRoundFailed { feedback_loop, .. } | Event::LoopEnded { feedback_loop, .. } => {
                let task = self.run.loops.get(feedback_loop.0).task;
                self.tasks.extend(task);
                self.sessions.extend(task.and_then(|task| self.run.task(task).tester));
            }
            Event::TaskChanged { task, .. } => self.mark_task_affected(&task.id),
            Event::TaskMessageSent { task, .. } => self.mark_task_affected(task),
            Event::LimitWaived { subject, .. } => self.tasks.extend(self.run.subject_task(subject)),
            Event::RunContinued {} | Event::RunReopened {} => {
                let live = (0..).zip(&self.run.tasks).filter(|(_, task)| task.stage.is_in_progress());
                self.tasks.extend(live.map(|(number, _)| crate::state::TaskRef(number)));
                self.sessions.extend(self.run.alive.iter().copied());
            }
            Event::SessionOpened { session, .. }
            | Event::SessionActivated { session, .. }
            | Event::SessionWoken { session }
            | Event::TurnEnded { session, .. }
            | Event::MessageRejected { session, .. }
            | Event::NearMissReceived { session, .. }
            | Event::QuestionAsked { session, .. }
            | Event::InvocationStarted { session, .. }
            | Event::GateVerifierStarted { session, .. }
            | Event::DirectMessageSent { to: session, .. }
            | Event::SessionEnded { session, .. }
            | Event::SessionLost { session, .. } => {
                self.sessions.insert(*session);
            }
            Event::QuestionRouted { question, .. }
            | Event::QuestionForwarded { question, .. }
            | Event::QuestionAnswered { question, .. }
            | Event::QuestionWithdrawn { question, .. }
            | Event::QuestionExpired { question, .. } => {
                self.sessions.insert(self.run.questions.get(question.0).session);
                self.sessions.extend(self.run.root_session);
            }
            Event::InvocationEnded { invocation, .. } => {
                self.sessions.extend(self.run.invocations.get(invocation.0).caller);
            }
            Event::EscalationForwarded { session, .. } => self.sessions.extend(*session),
            Event::EscalationResolved { escalation, .. } => {
                self.sessions.extend(self.run.escalations.get(escalation.0).session);
            }
            Event::GatePassed { .. } | Event::GateApproved { .. } | Event::GateFailed { .. } => {
                let verifiers = self
                    .run
                    .sessions
                    .iter()
                    .filter(|(_, session)| session.role == domain::Role::Verifier && session.is_alive());
                self.sessions.extend(verifiers.map(|(number, _)| domain::SessionId(number)));
            }
            Event::ChatMessageSent { .. } => self.sessions.extend(self.run.root_session),
            // The rules that emit these events decide their consequences themselves.
            Event::RunStarted { .. }
            | Event::RunPaused {}
            | Event::RunCancelled {}
            | Event::RunEnded { .. }
            | Event::PhaseStarted { .. }
            | Event::PhasePaused { .. }
            | Event::PhaseContinued { .. }
            | Event::PhaseCancelled { .. }
            | Event::PhaseLanded { .. }
            | Event::TasksBecameReady { .. }
            | Event::TaskPrioritized { .. }
            | Event::TaskReassigned { .. }
            | Event::TaskRewound { .. }
            | Event::TaskRequested { .. }
            | Event::TaskAdded { .. }
            | Event::DependencyAdded { .. }
            | Event::DependencyRemoved { .. }
            | Event::ExternalDependencyMet { .. }
            | Event::PlanChangeDetected { .. }
            | Event::PlanChangeWithdrawn { .. }
            | Event::PlanUnreadable { .. }
            | Event::PlanChangeApplied { .. }
            | Event::PlanChangeIgnored { .. }
            | Event::PhaseAdded { .. }
            | Event::PhaseChanged { .. }
            | Event::SessionParked { .. }
            | Event::SessionDismissed { .. }
            | Event::InputQueued { .. }
            | Event::InputSent { .. }
            | Event::MessageReceived { .. }
            | Event::TurnInterrupted { .. }
            | Event::ClarificationRequested { .. }
            | Event::QuestionDelivered { .. }
            | Event::QuestionResumed { .. }
            | Event::ManyQuestionsAsked { .. }
            | Event::PermissionDecided { .. }
            | Event::PermissionRuleSaved { .. }
            | Event::RequestMade { .. }
            | Event::RequestProvided { .. }
            | Event::RequestRefused { .. }
            | Event::RequestSkipped { .. }
            | Event::RequestDelivered { .. }
            | Event::InvocationMade { .. }
            | Event::ResultSubmitted { .. }
            | Event::ResultDelivered { .. }
            | Event::ChannelCreated { .. }
            | Event::ChannelClosed { .. }
            | Event::DirectMessageReceived { .. }
            | Event::DirectMessageAcknowledged { .. }
            | Event::PhaseCompletionReported { .. }
            | Event::GateOpened { .. }
            | Event::GateChecked { .. }
            | Event::EscalationRaised { .. }
            | Event::ErrorReported { .. }
            | Event::UsageReported { .. }
            | Event::BudgetRaised { .. }
            | Event::CheckpointRequested { .. }
            | Event::CheckpointFinished { .. }
            | Event::DiskBudgetExhausted { .. }
            | Event::OverlapDetected { .. }
            | Event::OverlapResolved { .. }
            | Event::EffectFinished { .. }
            | Event::ChatAnsweredWithStatus { .. }
            | Event::ResolveRequested { .. }
            | Event::ResolveAnswered { .. } => {}
        }
    }

    fn mark_task_affected(&mut self, task: &TaskId) {
        if let Some(task) = self.run.find_task(task) {
            self.tasks.insert(task);
            self.sessions.extend(self.run.task(task).session);
        }
    }
}
