//! Errors that agents report, and what they use up.

use domain::{
    AgentError, AttemptFailure, BlockReason, CheckpointReason, ErrorType, EscalationCause, EscalationSubject,
    EscalationType, Event, LoopOutcome, Recovery, Role, SessionId, Severity, Usage,
};

use super::{
    DecisionContext,
    escalation::{EscalationTitle, NewEscalation},
};
use crate::{
    apply::{RATE_LIMIT_WAIT_MS_MAX, resets_at},
    state::{BudgetUsage, TaskRef, TaskStage},
};

/// After so many waits, or so long, it is no longer a matter of patience.
const RATE_LIMIT_WAITS_MAX: u32 = 10;
/// From here on somebody should know.
const WARN_PERCENT: u64 = 95;

impl DecisionContext<'_> {
    pub(super) fn report_error(&mut self, session: SessionId, error: AgentError) {
        let speaker = self.run.session(session);
        let works = |task: &TaskRef| {
            let state = self.run.task(*task);
            speaker.role == Role::Worker
                && state.session == Some(session)
                && state.stage == TaskStage::Running
        };
        let task = speaker.task.filter(works);
        let id = task.map(|task| self.id(task));
        self.emit(Event::ErrorReported { session, task: id, error: error.clone() });
        match (error.recovery, task) {
            (Recovery::PauseAndRetry, Some(task)) => self.wait_for_limit(task, &error),
            (Recovery::PauseAndRetry, None) => self.wait_for_session_limit(session, &error),
            (Recovery::CheckpointAndFail, Some(task)) => {
                self.request_checkpoint(task, CheckpointReason::Error);
                self.fail_by_error(task, session, &error);
            }
            (Recovery::NotifyUser, Some(task)) => {
                self.block_on_escalation(task, problem(&error));
            }
            (Recovery::CheckpointAndFail | Recovery::NotifyUser, None) => {
                self.raise(EscalationSubject::Run, Some(session), problem(&error));
            }
        }
    }

    fn wait_for_limit(&mut self, task: TaskRef, error: &AgentError) {
        let state = self.run.task(task);
        let (waits, since) = (state.rate_limit_waits, state.rate_limited_since);
        let waited = since.map_or(0, |since| self.now.0.saturating_sub(since.0));
        self.request_checkpoint(task, CheckpointReason::Error);
        if waits >= RATE_LIMIT_WAITS_MAX || waited >= RATE_LIMIT_WAIT_MS_MAX {
            let id = self.id(task);
            let problem = NewEscalation {
                kind: EscalationType::Timeout,
                severity: Severity::High,
                title: EscalationCause::RateLimitPersists { task: id }.into(),
                description: error.message.clone(),
                context: format!("it has waited {waits} times"),
            };
            return self.block_on_escalation(task, problem);
        }
        let reason = BlockReason::RateLimited { until: resets_at(self.now, error, waits) };
        self.emit_by_rule(Event::TaskBlocked { task: self.id(task), reason });
    }

    fn wait_for_session_limit(&mut self, session: SessionId, error: &AgentError) {
        let waits = self.run.session(session).rate_limit_waits;
        if waits > RATE_LIMIT_WAITS_MAX {
            self.raise(EscalationSubject::Run, Some(session), problem(error));
        }
    }

    fn fail_by_error(&mut self, task: TaskRef, session: SessionId, error: &AgentError) {
        let failure = AttemptFailure::Error { message: error.message.clone() };
        let (id, attempt) = (self.id(task), self.run.task(task).attempt);
        self.emit(Event::AttemptFailed {
            task: id.clone(),
            attempt,
            failure: failure.clone(),
            counted: true,
        });
        self.emit(Event::TaskFailed { task: id.clone(), failure });
        self.close_attempt(task, "failed", LoopOutcome::Failed);
        let mut problem = problem(error);
        problem.kind = EscalationType::Blocked;
        problem.title = EscalationCause::TaskFailed { task: id.clone(), why: error.message.clone() }.into();
        self.raise(EscalationSubject::Task { task: id }, Some(session), problem);
    }

    pub(super) fn report_usage(&mut self, session: SessionId, usage: Usage) {
        let task = self.run.session(session).task;
        self.emit(Event::UsageReported { session, task: task.map(|task| self.id(task)), usage });
        let mut scopes = vec![EscalationSubject::Run];
        if let Some(task) = task {
            scopes.push(EscalationSubject::Phase { phase: self.run.task(task).planned.phase });
            // What comes in after a task is over is counted, and nobody's problem.
            if !self.run.task(task).stage.is_final() {
                scopes.push(EscalationSubject::Task { task: self.id(task) });
            }
        }
        for subject in scopes.into_iter().rev() {
            self.check_budget(task, session, &subject);
        }
    }

    fn check_budget(&mut self, task: Option<TaskRef>, session: SessionId, subject: &EscalationSubject) {
        let Some(spent) = self.run.budget_usage_of(subject).cloned() else { return };
        if !spent.has_reached(WARN_PERCENT) {
            return;
        }
        // Somebody who settled it and allowed no more is asked again when all is used, and not before.
        let open = spent.warned.filter(|id| self.run.escalations.get(id.0).is_open);
        if open.is_none() && spent.warned.is_some() && !spent.has_reached(100) {
            return;
        }
        let escalation = open.unwrap_or_else(|| {
            let problem = NewEscalation {
                kind: EscalationType::TokenExhausted,
                severity: Severity::Medium,
                title: EscalationCause::BudgetNearlyUsed { of: subject.clone() }.into(),
                description: describe(&spent),
                context: String::new(),
            };
            self.raise(subject.clone(), Some(session), problem)
        });
        let reason = BlockReason::Escalated { escalation };
        let works = |task: &TaskRef| {
            let state = self.run.task(*task);
            state.stage == TaskStage::Running
                && state.session == Some(session)
                && !state.block_reasons.contains(&reason)
        };
        if let Some(task) = task.filter(works).filter(|_| spent.has_reached(100)) {
            self.emit_by_rule(Event::TaskBlocked { task: self.id(task), reason });
            // In the middle of its turn it would go on using what it no longer has.
            self.freeze(session);
        }
    }
}

fn describe(spent: &BudgetUsage) -> String {
    let tokens = spent.tokens_max.map(|max| format!("{} of {max} tokens", spent.tokens));
    let dollars = |micros: u64| format!("${}.{:02}", micros / 1_000_000, micros % 1_000_000 / 10_000);
    let money =
        spent.cost_micros_max.map(|max| format!("{} of {}", dollars(spent.cost_micros), dollars(max)));
    tokens.into_iter().chain(money).collect::<Vec<_>>().join(", ")
}

fn problem(error: &AgentError) -> NewEscalation {
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
