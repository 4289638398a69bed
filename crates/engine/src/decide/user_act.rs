//! Processes of sessions that called the server as if they were the user.

use domain::{EscalationCause, EscalationId, EscalationSubject, EscalationType, SessionId, Severity};

use super::{
    DecisionContext,
    escalation::{EscalationTitle, NewEscalation},
};
use crate::{rejection::Rejection, run::RunStatus};

/// Characters of the request that are recorded.
const REQUEST_CHARS_MAX: usize = 200;

impl DecisionContext<'_> {
    /// Raises an escalation for the user, unless one for the same process is open.
    pub(super) fn escalate_user_act(
        &mut self,
        session: Option<SessionId>,
        process: String,
        request: &str,
    ) -> Result<(), Rejection> {
        let cause = EscalationCause::ActedAsUser { process };
        let title = cause.to_string();
        let is_same = |id: &EscalationId| self.run.escalations.get(id.0).title == title;
        let is_known = self.run.open_escalations.iter().any(is_same);
        if is_known || !matches!(self.run.status, RunStatus::Active | RunStatus::Paused) {
            return Err(Rejection::StaleReport);
        }
        let session = session.filter(|session| self.run.sessions.has(session.0));
        let request: String = request.chars().take(REQUEST_CHARS_MAX).collect();
        // Not about the task, whose end would resolve it.
        self.raise_escalation(
            EscalationSubject::Run,
            session,
            NewEscalation {
                kind: EscalationType::Protocol,
                severity: Severity::Critical,
                title: EscalationTitle::Cause(cause),
                description: format!("it sent {request}, which only the user may do; it was refused"),
                context: String::new(),
            },
        );
        Ok(())
    }
}
