//! Effects that failed because the disk is full, or because the executor had no thread, are executed again: it is not the
//! fault of the agent's work.

use domain::{
    EffectId, EscalationCause, EscalationSubject, EscalationType, PostponementCause, Severity, Timestamp,
    events,
};

use super::{DecisionContext, escalation::NewEscalation};
use crate::{rejection::Rejection, run::RunStatus};

/// Time before the first retry; doubles with each one.
const RETRY_MS: i64 = 1_000;
const RETRY_MS_MAX: i64 = 30_000;
/// Number of failures of one effect after which the user is asked to free space.
const FAILURES_BEFORE_ESCALATION: u32 = 4;

impl DecisionContext<'_> {
    /// Executes an effect again later. The user can do something about a full disk, and is asked after some failures.
    pub(super) fn postpone_effect(
        &mut self,
        effect: EffectId,
        cause: PostponementCause,
        error: String,
    ) -> Result<(), Rejection> {
        if !self.run.pending_effects.is_executing(effect) {
            return Err(Rejection::StaleReport);
        }
        let failures_before = self.run.pending_effects.times_postponed(effect);
        let delay = RETRY_MS.saturating_mul(1 << failures_before.min(16)).min(RETRY_MS_MAX);
        let retry_at = Timestamp(self.now.0.saturating_add(delay));
        self.emit(events::EffectPostponed { effect, retry_at, cause, error: error.clone() });
        let is_repeated = failures_before + 1 >= FAILURES_BEFORE_ESCALATION;
        let is_active = !matches!(self.run.status, RunStatus::Ended(_));
        let is_repeated = is_repeated && cause == PostponementCause::DiskFull;
        if is_repeated && is_active && self.run.disk_full_escalation.is_none() {
            let escalation = NewEscalation {
                kind: EscalationType::Dependency,
                severity: Severity::Critical,
                title: EscalationCause::DiskFull.into(),
                description: error,
                context: "checks, merges and checkpoints are retried; nothing is lost".to_owned(),
            };
            self.raise_escalation(EscalationSubject::Run, None, escalation);
        }
        Ok(())
    }

    pub(super) fn retry_postponed_effects(&mut self) {
        for effect in self.run.pending_effects.due_retries(self.now) {
            self.emit(events::EffectRetried { effect });
        }
    }

    /// Retries what waits for disk space, without waiting for its deadline.
    pub(super) fn retry_all_postponed_effects(&mut self) {
        for effect in self.run.pending_effects.due_retries(Timestamp(i64::MAX)) {
            self.emit(events::EffectRetried { effect });
        }
    }

    /// Resolves the escalation about a full disk when no effect waits for space, and returns whether it did.
    pub(super) fn resolve_disk_full_escalation(&mut self) -> bool {
        let has_ended = !self.run.pending_effects.has_postponed();
        let Some(escalation) = self.run.disk_full_escalation.filter(|_| has_ended) else { return false };
        let note = "the cause no longer exists: disk space is available again".to_owned();
        self.emit_as_system(events::EscalationResolved { escalation, action: None, note });
        true
    }
}
