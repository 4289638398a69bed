//! The objects whose actions an event may change, so that the actions of all others need not be computed again.

use std::collections::BTreeSet;

use domain::{ActionUpdate, EscalationSubject, Event, InboxItem, SessionId, TaskId, events};

use crate::{run::Run, state::TaskIndex};

impl Run {
    /// Returns the actions of every object whose actions an event may have changed. The event is the last one applied.
    pub fn action_update(&self, event: &Event) -> ActionUpdate {
        let mut affected = AffectedObjects::new(self);
        affected.mark_event(event);
        let AffectedObjects { has_run, tasks, sessions, items, .. } = affected;
        let id = |task: TaskIndex| &self.task(task).planned.id;
        ActionUpdate {
            needs_user: self.needs_user(),
            run: has_run.then(|| self.run_actions()),
            tasks: tasks.into_iter().map(|task| (id(task).clone(), self.task_actions(id(task)))).collect(),
            sessions: sessions.into_iter().map(|session| (session, self.session_actions(session))).collect(),
            inbox: items.into_iter().map(|item| (item, self.inbox_actions(item))).collect(),
        }
    }
}

struct AffectedObjects<'a> {
    run: &'a Run,
    has_run: bool,
    tasks: BTreeSet<TaskIndex>,
    sessions: BTreeSet<SessionId>,
    items: BTreeSet<InboxItem>,
}

impl<'a> AffectedObjects<'a> {
    fn new(run: &'a Run) -> Self {
        Self {
            run,
            has_run: false,
            tasks: BTreeSet::new(),
            sessions: BTreeSet::new(),
            items: BTreeSet::new(),
        }
    }

    fn mark_event(&mut self, event: &Event) {
        match event {
            Event::RunStarted(_) | Event::RunEnded(_) | Event::RunReopened(events::RunReopened {}) => {
                self.mark_all()
            }
            Event::RunPaused(events::RunPaused {})
            | Event::RunContinued(events::RunContinued {})
            | Event::LandingRequested(_)
            | Event::LandingFinished(_)
            | Event::CleanupRequested(_)
            | Event::CleanupFinished(_) => self.has_run = true,

            Event::TaskStarted(events::TaskStarted { task, .. })
            | Event::TaskResumed(events::TaskResumed { task, .. })
            | Event::TestStarted(events::TestStarted { task, .. })
            | Event::TaskBlocked(events::TaskBlocked { task, .. })
            | Event::TaskUnblocked(events::TaskUnblocked { task, .. })
            | Event::TaskClaimed(events::TaskClaimed { task, .. })
            | Event::ClaimAccepted(events::ClaimAccepted { task, .. })
            | Event::EvidenceRequested(events::EvidenceRequested { task, .. })
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
            | Event::TaskReassigned(events::TaskReassigned { task, .. })
            | Event::TaskRewound(events::TaskRewound { task, .. })
            | Event::LoopStarted(events::LoopStarted { task, .. }) => self.mark_task(task),
            Event::TaskAdded(events::TaskAdded { task, .. })
            | Event::TaskChanged(events::TaskChanged { task, .. }) => self.mark_task(&task.id),
            Event::LoopRoundFailed(events::LoopRoundFailed { feedback_loop, .. })
            | Event::LoopEnded(events::LoopEnded { feedback_loop, .. }) => {
                let task = self.run.loops.get(feedback_loop.0).task;
                self.tasks.extend(task);
            }

            // They change the number of messages that wait for the agent of a task.
            Event::TaskMessageSent(events::TaskMessageSent { task, .. }) => {
                self.tasks.extend(self.run.find_task(task))
            }
            Event::InputQueued(events::InputQueued { session, .. }) => self.mark_task_of_session(*session),
            Event::SessionDismissed(events::SessionDismissed { session })
            | Event::SessionEnded(events::SessionEnded { session, .. })
            | Event::SessionLost(events::SessionLost { session, .. }) => {
                self.sessions.insert(*session);
                self.mark_task_of_session(*session);
            }
            Event::SessionOpened(events::SessionOpened { session, .. })
            | Event::SessionActivated(events::SessionActivated { session, .. })
            | Event::SessionParked(events::SessionParked { session, .. })
            | Event::SessionWoken(events::SessionWoken { session }) => {
                self.sessions.insert(*session);
            }

            Event::QuestionAsked(events::QuestionAsked { question, session, .. }) => {
                self.items.insert(InboxItem::Question(*question));
                // A question about the evidence of a task takes its claim back.
                self.mark_task_of_session(*session);
            }
            Event::QuestionRouted(events::QuestionRouted { question, .. })
            | Event::QuestionForwarded(events::QuestionForwarded { question, .. })
            | Event::QuestionAnswered(events::QuestionAnswered { question, .. })
            | Event::QuestionWithdrawn(events::QuestionWithdrawn { question, .. })
            | Event::QuestionExpired(events::QuestionExpired { question, .. }) => {
                self.items.insert(InboxItem::Question(*question));
            }
            Event::RequestMade(events::RequestMade { request, .. })
            | Event::RequestProvided(events::RequestProvided { request, .. })
            | Event::RequestRefused(events::RequestRefused { request, .. })
            | Event::ProvisionStarted(events::ProvisionStarted { request, .. })
            | Event::ProvisionFailed(events::ProvisionFailed { request, .. })
            | Event::RequestSkipped(events::RequestSkipped { request, .. }) => {
                self.items.insert(InboxItem::Request(*request));
            }
            Event::GateOpened(events::GateOpened { phase, .. })
            | Event::GateChecked(events::GateChecked { phase, .. })
            | Event::GateVerifierStarted(events::GateVerifierStarted { phase, .. })
            | Event::GateVerdictGiven(events::GateVerdictGiven { phase, .. })
            | Event::GatePassed(events::GatePassed { phase, .. })
            | Event::GateApproved(events::GateApproved { phase, .. })
            | Event::GateFailed(events::GateFailed { phase, .. })
            | Event::GateReopened(events::GateReopened { phase, .. }) => {
                self.items.insert(InboxItem::Gate(*phase));
                self.mark_shared_escalations();
                self.mark_plan_offer();
            }
            Event::EscalationRaised(events::EscalationRaised { escalation, .. })
            | Event::EscalationForwarded(events::EscalationForwarded { escalation, .. })
            | Event::EscalationResolved(events::EscalationResolved { escalation, .. }) => {
                self.items.insert(InboxItem::Escalation(*escalation));
                self.mark_subject(&self.run.escalations.get(escalation.0).subject);
            }
            Event::DiskBudgetExhausted(_) => self.mark_shared_escalations(),
            Event::UsageReported(events::UsageReported { task, .. }) => {
                if let Some(task) = task.as_ref().and_then(|task| self.run.find_task(task)) {
                    self.mark_escalations_of_task(task);
                }
                self.mark_shared_escalations();
            }
            Event::BudgetRaised(events::BudgetRaised { subject, .. })
            | Event::LimitWaived(events::LimitWaived { subject, .. }) => self.mark_subject(subject),

            Event::PlanChangeDetected(events::PlanChangeDetected { offer, .. })
            | Event::PlanChangeWithdrawn(events::PlanChangeWithdrawn { offer, .. })
            | Event::PlanChangeApplied(events::PlanChangeApplied { offer, .. })
            | Event::PlanChangeIgnored(events::PlanChangeIgnored { offer }) => {
                self.items.insert(InboxItem::Plan(*offer));
            }
            Event::PhaseAdded(_)
            | Event::PhaseChanged(_)
            | Event::DependencyAdded(_)
            | Event::DependencyRemoved(_) => self.mark_plan_offer(),

            // Each task and session of these has an event of its own, or keeps its actions.
            Event::RunCancelled(events::RunCancelled {})
            | Event::PhaseStarted(_)
            | Event::PhasePaused(_)
            | Event::PhaseContinued(_)
            | Event::PhaseCancelled(_)
            | Event::PhaseLanded(_)
            // Waiting and ready tasks have the same actions.
            | Event::TasksBecameReady(_)
            | Event::TaskPrioritized(_)
            | Event::SessionStopRequested(_)
            | Event::SessionStopFinished(_)
            | Event::KeysTyped(_)
            | Event::TaskRequested(_)
            | Event::ExternalDependencyMet(_)
            | Event::PlanUnreadable(_)
            | Event::InputSent(_)
            | Event::MessageReceived(_)
            | Event::MessageRejected(_)
            | Event::NearMissReceived(_)
            | Event::TurnEnded(_)
            | Event::TurnInterrupted(_)
            | Event::ClarificationRequested(_)
            | Event::QuestionDelivered(_)
            | Event::QuestionResumed(_)
            | Event::ManyQuestionsAsked(_)
            | Event::PermissionDecided(_)
            | Event::PermissionRuleSaved(_)
            | Event::RequestDelivered(_)
            | Event::InvocationMade(_)
            | Event::InvocationStarted(_)
            | Event::InvocationEnded(_)
            | Event::ResultSubmitted(_)
            | Event::ResultDelivered(_)
            | Event::ChannelCreated(_)
            | Event::ChannelClosed(_)
            | Event::DirectMessageSent(_)
            | Event::DirectMessageReceived(_)
            | Event::DirectMessageAcknowledged(_)
            | Event::PhaseCompletionReported(_)
            | Event::ErrorReported(_)
            | Event::CheckpointRequested(_)
            | Event::CheckpointFinished(_)
            | Event::OverlapDetected(_)
            | Event::OverlapResolved(_)
            | Event::TurnWaitExpired(_)
            | Event::EffectPostponed(_)
            | Event::EffectRetried(_)
            | Event::EffectFinished(_)
            | Event::CommandExecuted(_)
            | Event::ClockJumped(_)
            | Event::ChatMessageSent(_)
            | Event::ChatAnsweredWithStatus(_)
            | Event::ChatReplyOverdue(_)
            | Event::ResolveRequested(_)
            | Event::ResolveAnswered(_) => {}
        }
    }

    /// Marks every task and open item: the run may start or stop accepting commands.
    fn mark_all(&mut self) {
        let run = self.run;
        self.has_run = true;
        self.tasks.extend((0..).zip(&run.tasks).map(|(number, _)| TaskIndex(number)));
        self.items.extend(run.open_questions.iter().copied().map(InboxItem::Question));
        self.items.extend(run.open_requests.iter().copied().map(InboxItem::Request));
        self.items.extend(run.open_escalations.iter().copied().map(InboxItem::Escalation));
        self.items.extend(run.phases.keys().copied().map(InboxItem::Gate));
        self.mark_plan_offer();
    }

    /// Marks a task whose stage or block reasons changed, and the items that depend on them.
    fn mark_task(&mut self, task: &TaskId) {
        let Some(task) = self.run.find_task(task) else { return };
        self.tasks.insert(task);
        self.items.insert(InboxItem::Gate(self.run.task(task).planned.phase));
        self.mark_escalations_of_task(task);
        self.mark_shared_escalations();
        self.mark_plan_offer();
    }

    fn mark_task_of_session(&mut self, session: SessionId) {
        self.tasks.extend(self.run.session(session).task);
    }

    fn mark_subject(&mut self, subject: &EscalationSubject) {
        match subject {
            EscalationSubject::Task { task } => self.mark_task(task),
            EscalationSubject::Phase { phase } => {
                self.items.insert(InboxItem::Gate(*phase));
                self.mark_shared_escalations();
                self.mark_plan_offer();
            }
            EscalationSubject::Run => self.mark_shared_escalations(),
        }
    }

    fn mark_escalations_of_task(&mut self, task: TaskIndex) {
        self.items.extend(self.run.task(task).escalations.iter().copied().map(InboxItem::Escalation));
    }

    /// Marks the escalations about phases and the run: they depend on the state of several tasks.
    fn mark_shared_escalations(&mut self) {
        let run = self.run;
        let is_shared = |id: &&domain::EscalationId| {
            !matches!(run.escalations.get(id.0).subject, EscalationSubject::Task { .. })
        };
        let shared = run.open_escalations.iter().filter(is_shared);
        self.items.extend(shared.copied().map(InboxItem::Escalation));
    }

    fn mark_plan_offer(&mut self) {
        self.items.extend(self.run.offer.as_ref().map(|offer| InboxItem::Plan(offer.id)));
    }
}
