//! Problems: how they are raised, how they climb, and what is done about them.

use domain::{
    AgentName, AttemptFailure, BlockReason, BlockedWork, Budget, EscalationAction, EscalationCause,
    EscalationId, EscalationLevel, EscalationSubject, EscalationType, Event, LoopOutcome, SessionId,
    Severity, TaskId,
};

use super::DecisionContext;
use crate::{
    graph::Node,
    rejection::Rejection,
    run::NodeKind,
    state::{Escalation, GateState, TaskRef, TaskStage},
};

/// A problem before it has its number.
pub(super) struct NewEscalation {
    pub(super) kind: EscalationType,
    pub(super) severity: Severity,
    pub(super) title: EscalationTitle,
    pub(super) description: String,
    pub(super) context: String,
}

/// Who says what a problem is.
pub(super) enum EscalationTitle {
    /// Jangdan, which knows where it came from.
    Cause(EscalationCause),
    /// An agent, or the service behind it.
    Reported(String),
}

impl From<EscalationCause> for EscalationTitle {
    fn from(cause: EscalationCause) -> Self {
        Self::Cause(cause)
    }
}

impl DecisionContext<'_> {
    /// Raises a problem, and lets a task wait until somebody has done something about it.
    pub(super) fn block_on_escalation(&mut self, task: TaskRef, problem: NewEscalation) {
        let session = self.run.task(task).session;
        let escalation = self.raise(EscalationSubject::Task { task: self.id(task) }, session, problem);
        let reason = BlockReason::Escalated { escalation };
        self.emit_by_rule(Event::TaskBlocked { task: self.id(task), reason });
    }

    pub(super) fn raise(
        &mut self,
        subject: EscalationSubject,
        session: Option<SessionId>,
        problem: NewEscalation,
    ) -> EscalationId {
        let escalation = EscalationId(self.run.escalations.next());
        let blocks = match &subject {
            EscalationSubject::Task { task } => self.run.find(task).map(|task| self.work_blocked_by(task)),
            EscalationSubject::Phase { phase } => {
                self.run.phases.get(phase).map(|phase| self.work_blocked_by_node(phase.node))
            }
            EscalationSubject::Run => None,
        };
        let NewEscalation { kind, severity, title, description, context } = problem;
        let (title, cause) = match title {
            EscalationTitle::Cause(cause) => (cause.to_string(), Some(cause)),
            EscalationTitle::Reported(title) => (title, None),
        };
        let suggested = self.suggest(kind, &subject);
        self.emit_by_rule(Event::EscalationRaised {
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

    /// Hands a problem to the next level that has somebody.
    pub(super) fn forward_escalation(&mut self, escalation: EscalationId) {
        loop {
            let found = self.run.escalations.get(escalation.0);
            if !found.is_open {
                return;
            }
            let alive = |session: &SessionId| {
                let session = self.run.session(*session);
                session.is_alive() && session.agent.is_some()
            };
            let (to, session) = match found.level {
                EscalationLevel::Worker => {
                    (EscalationLevel::Operator, self.operator_of(&found.subject).filter(alive))
                }
                EscalationLevel::Operator => {
                    let orchestrator = self.run.orchestrator().filter(|id| found.session != Some(*id));
                    (EscalationLevel::Orchestrator, orchestrator)
                }
                EscalationLevel::Orchestrator => (EscalationLevel::Person, None),
                EscalationLevel::Person => return,
            };
            self.emit_by_rule(Event::EscalationForwarded { escalation, to, session });
            if session.is_some() || to == EscalationLevel::Person {
                return;
            }
        }
    }

    fn operator_of(&self, subject: &EscalationSubject) -> Option<SessionId> {
        let phase = match subject {
            EscalationSubject::Task { task } => self.run.task(self.run.find(task)?).planned.phase,
            EscalationSubject::Phase { phase } => *phase,
            EscalationSubject::Run => return None,
        };
        self.run.phases.get(&phase)?.leader
    }

    fn suggest(&self, kind: EscalationType, subject: &EscalationSubject) -> Vec<EscalationAction> {
        let retry = EscalationAction::Retry { hint: None };
        match kind {
            EscalationType::General | EscalationType::Decision => {
                vec![EscalationAction::Waive, retry, EscalationAction::Skip, EscalationAction::MarkFailed]
            }
            EscalationType::Blocked if *subject == EscalationSubject::Run => vec![EscalationAction::Dismiss],
            EscalationType::Blocked => {
                let mut actions = vec![retry];
                actions.extend(
                    self.replacement_agent(subject).map(|agent| EscalationAction::Reassign { agent }),
                );
                actions.extend([EscalationAction::Skip, EscalationAction::MarkFailed]);
                actions
            }
            EscalationType::TestFailure => {
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
            EscalationType::Dependency | EscalationType::Protocol => vec![EscalationAction::Dismiss, retry],
            EscalationType::Quality => vec![retry, EscalationAction::Waive],
        }
    }

    /// Returns another agent that could do a task.
    fn replacement_agent(&self, subject: &EscalationSubject) -> Option<AgentName> {
        let task = self.run.task(self.run.subject_task(subject)?);
        let own = self.run.team.name(task.agent)?;
        let role = self.run.team.role(own)?;
        let other = self.run.team.members.iter().find(|member| member.role == role && member.name != *own);
        other.map(|member| member.name.clone())
    }

    fn doubled_budget(&self, subject: &EscalationSubject) -> Option<Budget> {
        let spent = match subject {
            EscalationSubject::Task { task } => &self.run.task(self.run.find(task)?).budget_usage,
            EscalationSubject::Phase { phase } => &self.run.phases.get(phase)?.budget_usage,
            EscalationSubject::Run => &self.run.budget_usage,
        };
        let tokens = spent.tokens_max.map(|max| Budget::Tokens(max.saturating_mul(2)));
        tokens.or(spent.cost_micros_max.map(|max| Budget::Cents(max.saturating_mul(2) / 10_000)))
    }

    pub(super) fn resolve(
        &mut self,
        escalation: EscalationId,
        action: EscalationAction,
        note: Option<String>,
    ) -> Result<(), Rejection> {
        let found = self.run.escalations.get(escalation.0).clone();
        if !self.run.escalations.has(escalation.0) {
            return Err(Rejection::UnknownObject { what: format!("escalation {escalation}") });
        }
        if !found.is_open {
            return Err(Rejection::EscalationResolved { escalation });
        }
        self.check_action(escalation, &found, &action)?;
        let task = self.run.subject_task(&found.subject);
        if let Some(task) = task.filter(|task| self.run.task(*task).stage == TaskStage::Merging) {
            let hint = "it is being merged; wait a moment";
            return Err(Rejection::WrongTaskState { task: self.id(task), state: "merging", hint });
        }
        self.reopen();
        let note = note.unwrap_or_else(|| action.to_string());
        self.emit(Event::EscalationResolved { escalation, action: Some(action.clone()), note });
        self.perform_action(escalation, &found, action);
        Ok(())
    }

    /// Refuses an action that does nothing for this problem.
    fn check_action(
        &mut self,
        escalation: EscalationId,
        found: &Escalation,
        action: &EscalationAction,
    ) -> Result<(), Rejection> {
        let task = self.run.subject_task(&found.subject);
        if let EscalationAction::Reassign { agent } = action {
            let known = self.run.team.names();
            let is_known = known.contains(agent);
            if !is_known {
                return Err(Rejection::UnknownAgent { name: agent.clone(), known });
            }
        }
        let kind = |action: &EscalationAction| std::mem::discriminant(action);
        let is_suggested = found.suggested.iter().any(|suggested| kind(suggested) == kind(action));
        let can_retry = found.suggested.iter().any(|action| matches!(action, EscalationAction::Retry { .. }));
        let stage = task.map(|task| self.run.task(task).stage);
        let helps = match action {
            EscalationAction::Reassign { .. } => task.is_some() && can_retry,
            // What is done stays done; what failed can still be left out.
            EscalationAction::Skip => {
                stage.is_some_and(|stage| !matches!(stage, TaskStage::Done | TaskStage::Skipped))
            }
            EscalationAction::MarkFailed => stage.is_some_and(|stage| !stage.is_final()),
            EscalationAction::Dismiss => !self.is_blocking(escalation, found),
            EscalationAction::Retry { .. } | EscalationAction::Waive => is_suggested,
            EscalationAction::RaiseBudget { budget } => {
                let mut spent = self.run.budget_usage_of(&found.subject).cloned().unwrap_or_default();
                spent.set_max(*budget);
                is_suggested && !spent.has_reached(100)
            }
        };
        if helps {
            return Ok(());
        }
        let possible = found.suggested.iter().map(ToString::to_string).collect();
        Err(Rejection::UnsuitableAction { escalation, action: action.to_string(), possible })
    }

    fn is_blocking(&self, escalation: EscalationId, found: &Escalation) -> bool {
        let reason = BlockReason::Escalated { escalation };
        let at_gate = match &found.subject {
            EscalationSubject::Phase { phase } => {
                self.run.phases.get(phase).map(|phase| phase.gate) == Some(GateState::Escalated(escalation))
            }
            EscalationSubject::Task { .. } | EscalationSubject::Run => false,
        };
        at_gate
            || self.run.time_limit_escalation == Some(escalation)
            || self.run.disk_budget_escalation == Some(escalation)
            || self.run.tasks.iter().any(|task| task.block_reasons.contains(&reason))
    }

    fn perform_action(&mut self, escalation: EscalationId, found: &Escalation, action: EscalationAction) {
        let task = self.run.subject_task(&found.subject);
        let phase = match &found.subject {
            EscalationSubject::Phase { phase } => Some(*phase),
            EscalationSubject::Task { .. } | EscalationSubject::Run => None,
        };
        match (action, task, phase) {
            (EscalationAction::Retry { hint }, Some(task), _) => self.restart(task, hint),
            (EscalationAction::Retry { hint }, None, Some(phase)) => {
                self.rework(phase, &hint.unwrap_or_else(|| found.description.clone()));
            }
            (EscalationAction::Reassign { agent }, Some(task), _) => self.reassign(task, agent),
            (EscalationAction::Skip, Some(task), _) => self.skip(task),
            (EscalationAction::MarkFailed, Some(task), _) => self.mark_task_failed(task),
            (EscalationAction::Waive, _, Some(phase)) if found.kind == EscalationType::Quality => {
                self.approve(phase, true, Some(found.title.clone()));
            }
            (EscalationAction::Waive, _, _) => {
                let (subject, limit) = (found.subject.clone(), found.kind);
                self.emit(Event::LimitWaived { subject, limit });
                self.unblock_all(escalation);
            }
            (EscalationAction::RaiseBudget { budget }, _, _) => {
                self.emit(Event::BudgetRaised { subject: found.subject.clone(), budget });
                self.unblock_all(escalation);
            }
            (
                EscalationAction::Dismiss
                | EscalationAction::Retry { .. }
                | EscalationAction::Reassign { .. },
                _,
                _,
            )
            | (EscalationAction::Skip | EscalationAction::MarkFailed, None, _) => {}
        }
    }

    /// Lets everything go on that waited for a problem to be solved.
    fn unblock_all(&mut self, escalation: EscalationId) {
        let reason = BlockReason::Escalated { escalation };
        let tasks = self.run.tasks.iter().filter(|task| task.block_reasons.contains(&reason));
        let blocked: Vec<TaskId> = tasks.map(|task| task.planned.id.clone()).collect();
        for task in blocked {
            self.emit(Event::TaskUnblocked { task, reason: reason.clone() });
        }
    }

    /// Settles the problems of a task whose cause went away.
    pub(super) fn resolve_obsolete_escalations(&mut self, task: TaskRef, why: &str) {
        // What was used stays used, however often the task is tried.
        let is_over = self.run.task(task).stage.is_final();
        let stays = |id: &EscalationId| {
            !is_over && self.run.escalations.get(id.0).kind == EscalationType::TokenExhausted
        };
        let open = self.run.task(task).escalations.clone();
        for escalation in open.into_iter().filter(|id| !stays(id)).collect::<Vec<_>>() {
            let note = format!("its cause went away: {why}");
            self.emit_by_rule(Event::EscalationResolved { escalation, action: None, note });
            self.unblock_all(escalation);
        }
    }

    fn mark_task_failed(&mut self, task: TaskRef) {
        self.emit(Event::TaskFailed { task: self.id(task), failure: AttemptFailure::MarkedFailed });
        self.close_attempt(task, "was sink up", LoopOutcome::Failed);
    }

    /// Returns what waits behind a task.
    pub(super) fn work_blocked_by(&self, task: TaskRef) -> BlockedWork {
        self.work_blocked_by_node(self.run.task(task).node)
    }

    pub(super) fn work_blocked_by_node(&self, node: Node) -> BlockedWork {
        let graph = self.run.schedule.graph();
        let mut seen = std::collections::BTreeSet::new();
        let mut open = vec![node];
        let mut tasks = 0;
        while let Some(at) = open.pop() {
            for after in graph.dependents(at) {
                if !self.run.schedule.is_met(*after) && seen.insert(*after) {
                    tasks += u32::from(matches!(self.run.kind_of(*after), NodeKind::Task(_)));
                    open.push(*after);
                }
            }
        }
        BlockedWork { time_ms: self.run.scale_to_observed_pace(graph.critical_path(node)), tasks }
    }
}
