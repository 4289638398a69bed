//! Escalations: how they are raised, forwarded from level to level, and resolved.

use domain::{
    AgentName, AttemptFailure, BlockReason, BlockedWork, Budget, EscalationAction, EscalationCause,
    EscalationId, EscalationLevel, EscalationSubject, EscalationType, FeedbackLoopOutcome, SessionId,
    Severity, TaskId, events,
};

use super::DecisionContext;
use crate::{
    graph::Node,
    rejection::Rejection,
    run::NodeKind,
    state::{Escalation, TaskIndex, TaskStage},
};

/// An escalation that has no id yet.
pub(super) struct NewEscalation {
    pub(super) kind: EscalationType,
    pub(super) severity: Severity,
    pub(super) title: EscalationTitle,
    pub(super) description: String,
    pub(super) context: String,
}

pub(super) enum EscalationTitle {
    /// A cause that Jangdan knows and can translate.
    Cause(EscalationCause),
    /// The message of an agent or of its service, in its own words.
    Reported(String),
}

impl From<EscalationCause> for EscalationTitle {
    fn from(cause: EscalationCause) -> Self {
        Self::Cause(cause)
    }
}

impl DecisionContext<'_> {
    /// Raises an escalation and blocks the task until it is resolved.
    pub(super) fn block_on_escalation(&mut self, task: TaskIndex, escalation: NewEscalation) {
        let session = self.run.task(task).session();
        let escalation =
            self.raise_escalation(EscalationSubject::Task { task: self.task_id(task) }, session, escalation);
        let reason = BlockReason::Escalated { escalation };
        self.emit_as_system(events::TaskBlocked { task: self.task_id(task), reason });
    }

    pub(super) fn raise_escalation(
        &mut self,
        subject: EscalationSubject,
        session: Option<SessionId>,
        new: NewEscalation,
    ) -> EscalationId {
        let escalation = EscalationId(self.run.escalations.next_number());
        let blocks = match &subject {
            EscalationSubject::Task { task } => {
                self.run.find_task(task).map(|task| self.work_blocked_by(task))
            }
            EscalationSubject::Phase { phase } => {
                self.run.phases.get(phase).map(|phase| self.work_blocked_by_node(phase.node))
            }
            EscalationSubject::Run => None,
        };
        let NewEscalation { kind, severity, title, description, context } = new;
        let (title, cause) = match title {
            EscalationTitle::Cause(cause) => (cause.to_string(), Some(cause)),
            EscalationTitle::Reported(title) => (title, None),
        };
        let suggested = self.suggested_actions(kind, cause.as_ref(), &subject);
        self.emit_as_system(events::EscalationRaised {
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
            blocks: blocks.unwrap_or_default(),
        });
        self.forward_escalation(escalation);
        escalation
    }

    /// Forwards an escalation to the next level that has an agent, at last to the user.
    pub(super) fn forward_escalation(&mut self, escalation: EscalationId) {
        loop {
            let record = self.run.escalations.get(escalation.0);
            if !record.is_open {
                return;
            }
            let origin = record.origin;
            let is_running_agent = |id: &SessionId| {
                let session = self.run.session(*id);
                session.is_alive() && session.agent.is_some() && origin != Some(*id)
            };
            let (to, session) = match record.level {
                EscalationLevel::Worker if record.is_for_person => (EscalationLevel::Person, None),
                EscalationLevel::Worker => {
                    (EscalationLevel::Operator, self.operator_of(&record.subject).filter(is_running_agent))
                }
                EscalationLevel::Operator => {
                    let orchestrator = self.run.orchestrator().filter(is_running_agent);
                    (EscalationLevel::Orchestrator, orchestrator)
                }
                EscalationLevel::Orchestrator => (EscalationLevel::Person, None),
                EscalationLevel::Person => return,
            };
            self.emit_as_system(events::EscalationForwarded { escalation, to, session });
            if session.is_some() || to == EscalationLevel::Person {
                return;
            }
        }
    }

    fn operator_of(&self, subject: &EscalationSubject) -> Option<SessionId> {
        let phase = match subject {
            EscalationSubject::Task { task } => self.run.task(self.run.find_task(task)?).planned.phase,
            EscalationSubject::Phase { phase } => *phase,
            EscalationSubject::Run => return None,
        };
        self.run.phases.get(&phase)?.leader
    }

    /// Returns the actions that are possible and have an effect.
    fn suggested_actions(
        &self,
        kind: EscalationType,
        cause: Option<&EscalationCause>,
        subject: &EscalationSubject,
    ) -> Vec<EscalationAction> {
        let mut actions = self.actions_of_kind(kind, cause, subject);
        let stage = self.run.subject_task(subject).map(|task| self.run.task(task).stage);
        actions.retain(|action| match action {
            // The task may have ended before, such as one whose agent reported a fatal error.
            EscalationAction::MarkFailed => stage.is_some_and(|stage| !stage.is_final()),
            EscalationAction::Skip => {
                stage.is_some_and(|stage| !matches!(stage, TaskStage::Done | TaskStage::Skipped))
            }
            EscalationAction::Retry { .. }
            | EscalationAction::Reassign { .. }
            | EscalationAction::Waive
            | EscalationAction::RaiseBudget { .. }
            | EscalationAction::Dismiss => true,
        });
        actions
    }

    fn actions_of_kind(
        &self,
        kind: EscalationType,
        cause: Option<&EscalationCause>,
        subject: &EscalationSubject,
    ) -> Vec<EscalationAction> {
        let retry = EscalationAction::Retry { hint: None };
        match kind {
            // The session has no task that could be retried.
            EscalationType::General | EscalationType::Decision if *subject == EscalationSubject::Run => {
                vec![EscalationAction::Dismiss]
            }
            EscalationType::General | EscalationType::Decision => {
                vec![EscalationAction::Waive, retry, EscalationAction::Skip, EscalationAction::MarkFailed]
            }
            EscalationType::Blocked | EscalationType::Protocol if *subject == EscalationSubject::Run => {
                vec![EscalationAction::Dismiss]
            }
            EscalationType::Blocked => {
                let mut actions = vec![retry];
                actions.extend(
                    self.replacement_agent(subject).map(|agent| EscalationAction::Reassign { agent }),
                );
                actions.extend([EscalationAction::Skip, EscalationAction::MarkFailed]);
                actions
            }
            EscalationType::CheckNotRun if matches!(subject, EscalationSubject::Phase { .. }) => {
                vec![retry, EscalationAction::Waive]
            }
            EscalationType::TestFailure | EscalationType::CheckNotRun => {
                vec![retry, EscalationAction::Waive, EscalationAction::Skip, EscalationAction::MarkFailed]
            }
            EscalationType::TokenExhausted => {
                let budget =
                    self.doubled_budget(subject).map(|budget| EscalationAction::RaiseBudget { budget });
                budget.into_iter().chain([EscalationAction::Waive]).collect()
            }
            EscalationType::Timeout if *subject == EscalationSubject::Run => vec![EscalationAction::Waive],
            EscalationType::Timeout => {
                vec![EscalationAction::Waive, retry, EscalationAction::Skip, EscalationAction::MarkFailed]
            }
            EscalationType::Conflict => vec![retry, EscalationAction::Skip, EscalationAction::MarkFailed],
            // No task starts until there is space.
            EscalationType::Dependency if cause == Some(&EscalationCause::DiskBudgetExhausted) => vec![retry],
            EscalationType::Dependency => vec![EscalationAction::Dismiss, retry],
            EscalationType::Protocol => {
                let reassign =
                    self.replacement_agent(subject).map(|agent| EscalationAction::Reassign { agent });
                let mut actions = vec![EscalationAction::Dismiss, retry];
                actions.extend(reassign);
                actions.extend([EscalationAction::Skip, EscalationAction::MarkFailed]);
                actions
            }
            EscalationType::Quality => vec![retry, EscalationAction::Waive],
        }
    }

    /// Returns another agent with the same role.
    fn replacement_agent(&self, subject: &EscalationSubject) -> Option<AgentName> {
        let task = self.run.task(self.run.subject_task(subject)?);
        let own = self.run.team.agent_name(task.agent)?;
        let role = self.run.team.agent_role(own)?;
        let other = self.run.team.members.iter().find(|member| member.role == role && member.name != *own);
        other.map(|member| member.name.clone())
    }

    fn doubled_budget(&self, subject: &EscalationSubject) -> Option<Budget> {
        let usage = self.run.budget_usage(subject)?;
        let tokens = usage.tokens_max.map(|max| Budget::Tokens(max.saturating_mul(2)));
        tokens.or(usage.cost_micros_max.map(|max| Budget::Cents(max.saturating_mul(2) / 10_000)))
    }

    pub(super) fn resolve_escalation(
        &mut self,
        escalation: EscalationId,
        action: EscalationAction,
        note: Option<String>,
    ) -> Result<(), Rejection> {
        self.run.check_resolution(escalation, &action)?;
        let record = self.run.escalations.get(escalation.0).clone();
        self.reopen_run();
        let note = note.unwrap_or_else(|| action.to_string());
        self.emit(events::EscalationResolved { escalation, action: Some(action.clone()), note });
        self.perform_action(escalation, &record, action);
        Ok(())
    }

    fn perform_action(&mut self, escalation: EscalationId, record: &Escalation, action: EscalationAction) {
        let task = self.run.subject_task(&record.subject);
        let phase = match &record.subject {
            EscalationSubject::Phase { phase } => Some(*phase),
            EscalationSubject::Task { .. } | EscalationSubject::Run => None,
        };
        let is_check_not_run = record.kind == EscalationType::CheckNotRun;
        match (action, task, phase) {
            (EscalationAction::Retry { hint: None }, Some(_), _) if is_check_not_run => {
                // Its check, or its merge, is next.
                self.unblock_escalated_tasks(escalation);
            }
            // The gate is closed: it opens again and runs its check.
            (EscalationAction::Retry { .. }, None, Some(_)) if is_check_not_run => {}
            (EscalationAction::Retry { hint }, Some(task), _) => self.restart_task(task, hint),
            (EscalationAction::Retry { hint }, None, Some(phase)) => {
                self.return_tasks_for_rework(phase, &hint.unwrap_or_else(|| record.description.clone()));
            }
            (EscalationAction::Reassign { agent }, Some(task), _) => self.emit_task_reassignment(task, agent),
            (EscalationAction::Skip, Some(task), _) => self.emit_task_skip(task),
            (EscalationAction::MarkFailed, Some(task), _) => self.mark_task_failed(task),
            (EscalationAction::Waive, _, Some(phase))
                if is_check_not_run || record.kind == EscalationType::Quality =>
            {
                self.emit_gate_approval(phase, true, Some(record.title.clone()));
            }
            (EscalationAction::Waive, _, _) => {
                let (subject, limit) = (record.subject.clone(), record.kind);
                self.emit(events::LimitWaived { subject, limit });
                self.unblock_escalated_tasks(escalation);
            }
            (EscalationAction::RaiseBudget { budget }, _, _) => {
                self.emit(events::BudgetRaised { subject: record.subject.clone(), budget });
                self.unblock_escalated_tasks(escalation);
            }
            // Its task continues as it is.
            (EscalationAction::Dismiss, _, _) => self.unblock_escalated_tasks(escalation),
            // What waits for disk space is retried at once.
            (EscalationAction::Retry { .. }, None, None) => self.retry_all_postponed_effects(),
            (EscalationAction::Reassign { .. }, _, _)
            | (EscalationAction::Skip | EscalationAction::MarkFailed, None, _) => {}
        }
    }

    /// Unblocks all tasks that waited for this escalation.
    pub(super) fn unblock_escalated_tasks(&mut self, escalation: EscalationId) {
        let reason = BlockReason::Escalated { escalation };
        let tasks = self.run.tasks.iter().filter(|task| task.block_reasons.contains(&reason));
        let blocked: Vec<TaskId> = tasks.map(|task| task.planned.id.clone()).collect();
        for task in blocked {
            self.emit(events::TaskUnblocked { task, reason: reason.clone() });
        }
    }

    /// Resolves the escalations of a task whose cause no longer exists.
    pub(super) fn resolve_obsolete_escalations(&mut self, task: TaskIndex, cause: &str) {
        // A used budget stays used in the next attempt.
        let has_ended = self.run.task(task).stage.is_final();
        let stays_open = |id: &EscalationId| {
            !has_ended && self.run.escalations.get(id.0).kind == EscalationType::TokenExhausted
        };
        let open = self.run.task(task).escalations.clone();
        for escalation in open.into_iter().filter(|id| !stays_open(id)).collect::<Vec<_>>() {
            let note = format!("the cause no longer exists: {cause}");
            self.emit_as_system(events::EscalationResolved { escalation, action: None, note });
            self.unblock_escalated_tasks(escalation);
        }
    }

    fn mark_task_failed(&mut self, task: TaskIndex) {
        self.emit(events::TaskFailed { task: self.task_id(task), failure: AttemptFailure::MarkedFailed });
        self.close_attempt(task, "was marked as failed", FeedbackLoopOutcome::Failed);
    }

    /// Returns the number of dependent tasks and the critical path behind a task.
    pub(super) fn work_blocked_by(&self, task: TaskIndex) -> BlockedWork {
        self.work_blocked_by_node(self.run.task(task).node)
    }

    pub(super) fn work_blocked_by_node(&self, node: Node) -> BlockedWork {
        let graph = self.run.schedule.graph();
        let mut seen = std::collections::BTreeSet::new();
        let mut open = vec![node];
        let mut tasks = 0;
        while let Some(next) = open.pop() {
            for dependent in graph.dependents(next) {
                if !self.run.schedule.is_met(*dependent) && seen.insert(*dependent) {
                    tasks += u32::from(matches!(self.run.node_kind(*dependent), NodeKind::Task(_)));
                    open.push(*dependent);
                }
            }
        }
        BlockedWork { time_ms: self.run.scale_to_observed_pace(graph.critical_path(node)), tasks }
    }
}
