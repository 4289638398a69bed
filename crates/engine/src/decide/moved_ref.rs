//! Refs of the run that another program moved: nothing is built on them, and the user is asked.

use domain::{
    EffectId, EscalationCause, EscalationSubject, EscalationType, MovedRef, PostponementCause, Severity,
};

use super::{DecisionContext, escalation::NewEscalation};
use crate::{
    rejection::Rejection,
    run::{Run, RunStatus},
};

impl DecisionContext<'_> {
    /// Executes an effect again later, when the user may have put the ref back, and asks the user. Until then no task
    /// starts.
    pub(super) fn handle_moved_ref(
        &mut self,
        effect: Option<EffectId>,
        moved: MovedRef,
    ) -> Result<(), Rejection> {
        let is_new = self.run.accepts_moved_ref_escalation();
        match effect {
            Some(effect) => self.postpone_effect(effect, PostponementCause::RefMoved, moved.to_string())?,
            None if !is_new => return Err(Rejection::StaleReport),
            None => {}
        }
        if is_new {
            let MovedRef { name, recorded, .. } = &moved;
            let escalation = NewEscalation {
                kind: EscalationType::Protocol,
                severity: Severity::Critical,
                description: moved.to_string(),
                context: format!(
                    "nothing is merged onto it, and no task starts; put it back with `git update-ref {name} {recorded}`, \
                     then dismiss this problem"
                ),
                title: EscalationCause::RefMoved(moved).into(),
            };
            self.raise_escalation(EscalationSubject::Run, None, escalation);
        }
        Ok(())
    }
}

impl Run {
    /// Returns whether a moved ref must be escalated: in a run that has ended nothing waits for an answer, and the outcome
    /// of the landing says it.
    fn accepts_moved_ref_escalation(&self) -> bool {
        matches!(self.status, RunStatus::Active | RunStatus::Paused) && self.moved_ref_escalation.is_none()
    }
}
