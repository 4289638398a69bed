//! Actions on questions, requests, gates, escalations and plan changes.

use domain::{
    BlockReason, DependencyRequest, EscalationAction, EscalationId, EscalationSubject, InboxAction,
    InboxItem, OfferId, PhaseNumber, PlanChanges, QuestionId, RequestId,
};

use super::MERGING;
use crate::{
    rejection::Rejection,
    run::Run,
    state::{Escalation, GateState, QuestionState, Request, RequestState, TaskStage},
};

impl Run {
    /// Returns what a user may do with an item; nothing if it is unknown or does not need a decision.
    pub fn inbox_actions(&self, item: InboxItem) -> Vec<InboxAction> {
        if self.check_accepts_commands().is_err() {
            return Vec::new();
        }
        let mut actions = Vec::new();
        let mut add = |action, check: Result<(), Rejection>| actions.extend(check.is_ok().then_some(action));
        match item {
            InboxItem::Question(id) => {
                add(InboxAction::Answer, self.check_answerable(id));
                add(InboxAction::RequestClarification, self.check_question_open(id));
            }
            InboxItem::Request(id) => {
                add(InboxAction::Provide, self.open_request(id).map(|_| ()));
                add(InboxAction::Refuse, self.open_request(id).map(|_| ()));
                add(InboxAction::Skip, self.check_request_skippable(id));
            }
            InboxItem::Gate(phase) => {
                add(InboxAction::Approve, self.check_gate_reviewable(phase));
                add(InboxAction::Reject, self.check_gate_reviewable(phase));
            }
            InboxItem::Escalation(id) => {
                for action in &self.escalations.get(id.0).suggested {
                    add(InboxAction::Resolve(action.clone()), self.check_resolution(id, action));
                }
            }
            // Agents handle calls.
            InboxItem::Invocation(_) => {}
            InboxItem::Plan(offer) => {
                add(InboxAction::ApplyPlanChange, self.check_plan_change(offer));
                add(InboxAction::IgnorePlanChange, self.offered_changes(offer).map(|_| ()));
            }
        }
        actions
    }

    /// Rejects an answer to a question that does not wait for one.
    pub(crate) fn check_answerable(&self, question: QuestionId) -> Result<(), Rejection> {
        let state = self.question_state(question)?;
        match state {
            QuestionState::Pending | QuestionState::WithOrchestrator => Ok(()),
            QuestionState::Answered | QuestionState::Delivered | QuestionState::Resumed => {
                Err(Rejection::AlreadyAnswered { question })
            }
            QuestionState::Queued | QuestionState::Withdrawn | QuestionState::Expired => {
                Err(Rejection::QuestionNotPending { question, state: state.label() })
            }
        }
    }

    /// Rejects a clarification of a question that needs no answer any more.
    pub(crate) fn check_question_open(&self, question: QuestionId) -> Result<(), Rejection> {
        let state = self.question_state(question)?;
        if state.is_open() {
            return Ok(());
        }
        Err(Rejection::QuestionNotPending { question, state: state.label() })
    }

    fn question_state(&self, question: QuestionId) -> Result<QuestionState, Rejection> {
        if !self.questions.has(question.0) {
            return Err(Rejection::UnknownObject { object: format!("question {question}") });
        }
        Ok(self.questions.get(question.0).state)
    }

    /// Returns an open request and what it asks for.
    pub(crate) fn open_request(
        &self,
        request: RequestId,
    ) -> Result<(&Request, &DependencyRequest), Rejection> {
        let unknown = || Rejection::UnknownObject { object: format!("request {request}") };
        let record = self.requests.get(request.0);
        let dependency = record.dependency.as_ref().ok_or_else(unknown)?;
        if record.state != RequestState::Open {
            return Err(Rejection::RequestSettled { request, state: record.state.label() });
        }
        Ok((record, dependency))
    }

    pub(crate) fn check_request_skippable(&self, request: RequestId) -> Result<(), Rejection> {
        let (_, dependency) = self.open_request(request)?;
        if dependency.required {
            return Err(Rejection::RequestRequired { request });
        }
        Ok(())
    }

    /// Rejects a decision about a gate that does not wait for one.
    pub(crate) fn check_gate_reviewable(&self, phase: PhaseNumber) -> Result<(), Rejection> {
        let state = self.phases.get(&phase).ok_or(Rejection::UnknownPhase { phase })?;
        let (label, hint) = match state.gate {
            GateState::Review => return Ok(()),
            GateState::Closed => ("not at its gate", "wait until all its tasks are done"),
            GateState::Checking | GateState::Verifying(_) => {
                ("being checked", "wait for the result of its check")
            }
            GateState::Escalated(_) => ("escalated", "resolve the problem of its gate first"),
            GateState::Approved => ("already approved", "add tasks to a later phase for further changes"),
        };
        Err(Rejection::WrongRunState { object: format!("phase {phase}"), state: label, hint })
    }

    /// Rejects an action that does not resolve this escalation now.
    pub(crate) fn check_resolution(
        &self,
        escalation: EscalationId,
        action: &EscalationAction,
    ) -> Result<(), Rejection> {
        let record = self.escalations.get(escalation.0);
        if !self.escalations.has(escalation.0) {
            return Err(Rejection::UnknownObject { object: format!("escalation {escalation}") });
        }
        if !record.is_open {
            return Err(Rejection::EscalationResolved { escalation });
        }
        self.check_suitable(escalation, record, action)?;
        let task = self.subject_task(&record.subject);
        if let Some(task) = task.filter(|task| self.task(*task).stage.is_merging()) {
            let task = self.task(task).planned.id.clone();
            return Err(Rejection::WrongTaskState { task, state: "merging", hint: MERGING });
        }
        Ok(())
    }

    fn check_suitable(
        &self,
        escalation: EscalationId,
        record: &Escalation,
        action: &EscalationAction,
    ) -> Result<(), Rejection> {
        let task = self.subject_task(&record.subject);
        if let EscalationAction::Reassign { agent } = action {
            let known = self.team.agent_names();
            let is_known = known.contains(agent);
            if !is_known {
                return Err(Rejection::UnknownAgent { name: agent.clone(), known });
            }
        }
        let kind = |action: &EscalationAction| std::mem::discriminant(action);
        let is_suggested = record.suggested.iter().any(|suggested| kind(suggested) == kind(action));
        let can_retry =
            record.suggested.iter().any(|action| matches!(action, EscalationAction::Retry { .. }));
        let stage = task.map(|task| self.task(task).stage);
        let is_suitable = match action {
            EscalationAction::Reassign { .. } => task.is_some() && can_retry,
            // A done task stays done; a failed one can still be skipped.
            EscalationAction::Skip => {
                stage.is_some_and(|stage| !matches!(stage, TaskStage::Done | TaskStage::Skipped))
            }
            EscalationAction::MarkFailed => stage.is_some_and(|stage| !stage.is_final()),
            // An agent that sent invalid messages continues as it is.
            EscalationAction::Dismiss => record.is_about_messages || !self.is_blocking(escalation, record),
            EscalationAction::Retry { .. } | EscalationAction::Waive => is_suggested,
            EscalationAction::RaiseBudget { budget } => {
                let mut usage = self.budget_usage(&record.subject).cloned().unwrap_or_default();
                usage.set_max(*budget);
                is_suggested && !usage.has_reached_percent(100)
            }
        };
        if is_suitable {
            return Ok(());
        }
        let possible = record.suggested.iter().map(ToString::to_string).collect();
        Err(Rejection::UnsuitableAction { escalation, action: action.to_string(), possible })
    }

    fn is_blocking(&self, escalation: EscalationId, record: &Escalation) -> bool {
        let reason = BlockReason::Escalated { escalation };
        let at_gate = match &record.subject {
            EscalationSubject::Phase { phase } => {
                self.phases.get(phase).map(|phase| phase.gate) == Some(GateState::Escalated(escalation))
            }
            EscalationSubject::Task { .. } | EscalationSubject::Run => false,
        };
        at_gate
            || self.time_limit_escalation == Some(escalation)
            || self.disk_budget_escalation == Some(escalation)
            || self.tasks.iter().any(|task| task.block_reasons.contains(&reason))
    }

    /// Rejects a plan change that cannot be applied now.
    fn check_plan_change(&self, offer: OfferId) -> Result<(), Rejection> {
        let changes = self.offered_changes(offer)?;
        self.check_amendment(changes, &self.plan_amendment(changes))
    }

    /// Returns the offered changes, if the offer is still current.
    pub(crate) fn offered_changes(&self, offer: OfferId) -> Result<&PlanChanges, Rejection> {
        match &self.offer {
            Some(open) if open.id == offer => Ok(&open.changes),
            Some(open) if open.id > offer => {
                let state = "outdated, because the plan file changed again";
                let hint = "review the new changes";
                Err(Rejection::WrongRunState { object: offer.to_string(), state, hint })
            }
            Some(_) | None => Err(Rejection::UnknownObject { object: format!("open plan change {offer}") }),
        }
    }
}
