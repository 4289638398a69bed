//! Errors that agents report, and the use of budgets.

use domain::{
    AgentError, AttemptFailure, BlockReason, CheckpointReason, ErrorType, EscalationCause, EscalationId,
    EscalationSubject, EscalationType, FeedbackLoopOutcome, Recovery, Role, SessionId, Severity, TurnFailure,
    Usage, events,
};

use super::{
    DecisionContext,
    escalation::{EscalationTitle, NewEscalation},
};
use crate::{
    apply::{RATE_LIMIT_WAIT_MS_MAX, rate_limit_retry_at},
    state::{BudgetUsage, TaskIndex},
};

/// Number of waits after which a rate limit is escalated.
const RATE_LIMIT_WAITS_MAX: u32 = 10;
/// Share of a budget at which it is escalated.
const WARN_PERCENT: u64 = 95;

impl DecisionContext<'_> {
    pub(super) fn handle_agent_error(&mut self, session: SessionId, error: AgentError) {
        let sender = self.run.session(session);
        let is_working_on =
            |task: &TaskIndex| sender.role == Role::Worker && self.run.task(*task).is_worked_on_by(session);
        let task = sender.task.filter(is_working_on);
        let id = task.map(|task| self.task_id(task));
        self.emit(events::ErrorReported { session, task: id, error: error.clone() });
        match (error.recovery, task) {
            (Recovery::PauseAndRetry, Some(task)) => self.block_until_rate_limit_reset(task, &error),
            (Recovery::PauseAndRetry, None) => self.escalate_repeated_rate_limit(session, &error),
            (Recovery::CheckpointAndFail, Some(task)) => {
                self.request_checkpoint_creation(task, CheckpointReason::Error);
                self.fail_task_by_error(task, session, &error);
            }
            (Recovery::NotifyUser, Some(task)) => {
                self.block_on_escalation(task, escalation_of_error(&error));
            }
            (Recovery::CheckpointAndFail | Recovery::NotifyUser, None) => {
                self.raise_escalation(EscalationSubject::Run, Some(session), escalation_of_error(&error));
            }
        }
    }

    fn block_until_rate_limit_reset(&mut self, task: TaskIndex, error: &AgentError) {
        let earlier = self.run.task(task).rate_limit;
        let waits = earlier.map_or(0, |earlier| earlier.count);
        let waited = earlier.map_or(0, |earlier| self.now.0.saturating_sub(earlier.since.0));
        self.request_checkpoint_creation(task, CheckpointReason::Error);
        if waits >= RATE_LIMIT_WAITS_MAX || waited >= RATE_LIMIT_WAIT_MS_MAX {
            let id = self.task_id(task);
            let escalation = NewEscalation {
                kind: EscalationType::Timeout,
                severity: Severity::High,
                title: EscalationCause::RateLimitPersists { task: id }.into(),
                description: error.message.clone(),
                context: format!("{waits} waits so far"),
            };
            return self.block_on_escalation(task, escalation);
        }
        let reason = BlockReason::RateLimited { until: rate_limit_retry_at(self.now, error, waits) };
        self.emit_as_system(events::TaskBlocked { task: self.task_id(task), reason });
    }

    fn escalate_repeated_rate_limit(&mut self, session: SessionId, error: &AgentError) {
        let waits = self.run.session(session).rate_limit_waits;
        if waits > RATE_LIMIT_WAITS_MAX {
            self.raise_escalation(EscalationSubject::Run, Some(session), escalation_of_error(error));
        }
    }

    fn fail_task_by_error(&mut self, task: TaskIndex, session: SessionId, error: &AgentError) {
        let failure = AttemptFailure::Error { message: error.message.clone() };
        let (id, attempt) = (self.task_id(task), self.run.task(task).attempt());
        self.emit(events::AttemptFailed {
            task: id.clone(),
            attempt,
            failure: failure.clone(),
            counted: true,
        });
        self.emit(events::TaskFailed { task: id.clone(), failure });
        self.close_attempt(task, "failed", FeedbackLoopOutcome::Failed);
        let mut escalation = escalation_of_error(error);
        escalation.kind = EscalationType::Blocked;
        escalation.title =
            EscalationCause::TaskFailed { task: id.clone(), why: error.message.clone() }.into();
        self.raise_escalation(EscalationSubject::Task { task: id }, Some(session), escalation);
    }

    pub(super) fn handle_usage_report(&mut self, session: SessionId, usage: Usage) {
        let task = self.run.session(session).task;
        self.emit(events::UsageReported { session, task: task.map(|task| self.task_id(task)), usage });
        let mut scopes = vec![EscalationSubject::Run];
        if let Some(task) = task {
            scopes.push(EscalationSubject::Phase { phase: self.run.task(task).planned.phase });
            // Usage reported after the end of a task counts, but is not escalated for the task.
            if !self.run.task(task).stage.is_final() {
                scopes.push(EscalationSubject::Task { task: self.task_id(task) });
            }
        }
        for subject in scopes.into_iter().rev() {
            self.check_budget(task, session, &subject);
        }
    }

    fn check_budget(&mut self, task: Option<TaskIndex>, session: SessionId, subject: &EscalationSubject) {
        let Some(usage_so_far) = self.run.budget_usage(subject).cloned() else { return };
        if !usage_so_far.has_reached_percent(WARN_PERCENT) {
            return;
        }
        // If the escalation was resolved without a higher budget, raise it again only when the budget is used up.
        let open = usage_so_far.warned.filter(|id| self.run.escalations.get(id.0).is_open);
        if open.is_none() && usage_so_far.warned.is_some() && !usage_so_far.has_reached_percent(100) {
            return;
        }
        let severity = match subject {
            // Every task of the run stops.
            EscalationSubject::Run if usage_so_far.has_reached_percent(100) => Severity::Critical,
            EscalationSubject::Run | EscalationSubject::Phase { .. } | EscalationSubject::Task { .. } => {
                Severity::Medium
            }
        };
        let is_severe_enough = |id: &EscalationId| self.run.escalations.get(id.0).severity >= severity;
        if let Some(warning) = open.filter(|id| !is_severe_enough(id)) {
            let note = "the cause no longer exists: the budget is used up".to_owned();
            self.emit_as_system(events::EscalationResolved { escalation: warning, action: None, note });
        }
        let open = open.filter(|id| self.run.escalations.get(id.0).is_open);
        let escalation = open.unwrap_or_else(|| {
            let escalation = NewEscalation {
                kind: EscalationType::TokenExhausted,
                severity,
                title: EscalationCause::BudgetNearlyUsed { of: subject.clone() }.into(),
                description: usage_text(&usage_so_far),
                context: String::new(),
            };
            self.raise_escalation(subject.clone(), Some(session), escalation)
        });
        let reason = BlockReason::Escalated { escalation };
        let is_working_on = |task: &TaskIndex| {
            let state = self.run.task(*task);
            state.is_worked_on_by(session) && !state.block_reasons.contains(&reason)
        };
        if let Some(task) = task.filter(is_working_on).filter(|_| usage_so_far.has_reached_percent(100)) {
            self.emit_as_system(events::TaskBlocked { task: self.task_id(task), reason });
            // A working agent would exceed its budget further.
            self.freeze_session(session);
        }
    }
}

/// Returns the error that a failed turn amounts to.
pub(super) fn error_of_turn_failure(failure: TurnFailure) -> AgentError {
    let (r#type, message, recovery, resets_at) = match failure {
        TurnFailure::RateLimited { message, resets_at } => {
            (ErrorType::Recoverable, message, Recovery::PauseAndRetry, resets_at)
        }
        TurnFailure::Unauthorized { message } => (ErrorType::Fatal, message, Recovery::NotifyUser, None),
        TurnFailure::Other { message } => (ErrorType::Recoverable, message, Recovery::PauseAndRetry, None),
    };
    let resets_at = resets_at.and_then(|at| jiff::Timestamp::from_millisecond(at.0).ok());
    AgentError {
        r#type,
        message,
        details: None,
        recovery,
        resets_at: resets_at.map(|at| at.to_string()),
        extra: std::collections::BTreeMap::new(),
    }
}

fn usage_text(usage_so_far: &BudgetUsage) -> String {
    let tokens = usage_so_far.tokens_max.map(|max| format!("{} of {max} tokens", usage_so_far.tokens));
    let dollars = |micros: u64| format!("${}.{:02}", micros / 1_000_000, micros % 1_000_000 / 10_000);
    let money = usage_so_far
        .cost_micros_max
        .map(|max| format!("{} of {}", dollars(usage_so_far.cost_micros), dollars(max)));
    tokens.into_iter().chain(money).collect::<Vec<_>>().join(", ")
}

fn escalation_of_error(error: &AgentError) -> NewEscalation {
    NewEscalation {
        kind: EscalationType::General,
        severity: match error.r#type {
            ErrorType::Recoverable => Severity::Medium,
            ErrorType::Fatal => Severity::High,
        },
        title: EscalationTitle::Reported(error.message.clone()),
        description: error.details.clone().unwrap_or_default(),
        context: String::new(),
    }
}
