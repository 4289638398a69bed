//! Escalations: problems that are reported upwards until they are resolved.

use domain::{
    Actor, AgentName, BlockReason, BlockedWork, EscalationAction, EscalationId, EscalationLevel,
    EscalationSubject, EscalationType, PhaseNumber, SessionId, Severity, TaskId, Timestamp,
};
use serde::{Deserialize, Serialize};

use super::{InboxItem, InboxRow};
use crate::{RowKind, RowSessions, TableRow, Views, views::EventMoment};

/// A problem that needs a decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EscalationRow {
    pub id: EscalationId,
    pub kind: EscalationType,
    pub severity: Severity,
    pub task: Option<TaskId>,
    pub phase: Option<PhaseNumber>,
    pub session: Option<SessionId>,
    pub agent: Option<AgentName>,
    pub title: String,
    /// Korean text, if Jangdan wrote it.
    #[serde(default)]
    pub korean: Option<String>,
    pub description: String,
    pub context: String,
    pub suggested: Vec<EscalationAction>,
    pub status: EscalationState,
    /// Level that must decide.
    pub level: EscalationLevel,
    /// Session that must decide.
    pub level_session: Option<SessionId>,
    /// The decision; `None` if the cause disappeared.
    pub action: Option<EscalationAction>,
    pub note: Option<String>,
    pub resolved_by: Option<Actor>,
    /// Work that waits for it.
    pub blocks: BlockedWork,
    pub created_at: Timestamp,
    pub resolved_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum EscalationState {
    Open,
    Resolved,
}

impl EscalationRow {
    /// Returns whether a check that it is about failed; `false` if the check could not run.
    pub fn could_check_run(&self) -> bool {
        self.kind != EscalationType::CheckNotRun
    }
}

impl TableRow for EscalationRow {
    type Key = EscalationId;
    const KIND: RowKind = RowKind::Escalation;

    fn key(&self) -> EscalationId {
        self.id
    }

    fn key_to_text(key: &EscalationId) -> String {
        key.to_string()
    }

    fn sessions(&self) -> RowSessions {
        [self.session, None]
    }
}

/// Returns the task and the phase of a problem.
pub(crate) fn subject_task_and_phase(subject: &EscalationSubject) -> (Option<&TaskId>, Option<PhaseNumber>) {
    match subject {
        EscalationSubject::Task { task } => (Some(task), None),
        EscalationSubject::Phase { phase } => (None, Some(*phase)),
        EscalationSubject::Run => (None, None),
    }
}

impl Views {
    /// Adds an escalation; the caller has set all fields of the event.
    pub(crate) fn add_escalation(&mut self, mut row: EscalationRow) {
        row.agent = row.session.and_then(|session| self.agent_of_session(session));
        self.facts.open.set_party(InboxItem::Escalation(row.id), Some(row.level.into()));
        self.rows.escalations.put(row);
    }

    pub(crate) fn apply_escalation_forwarded(
        &mut self,
        moment: EventMoment<'_>,
        id: EscalationId,
        to: EscalationLevel,
        session: Option<SessionId>,
    ) {
        self.rows.escalations.change(&id, |row| (row.level, row.level_session) = (to, session));
        let Some(row) = self.rows.escalations.get(&id).cloned() else { return };
        self.facts.open.set_party(InboxItem::Escalation(id), Some(to.into()));
        if to == EscalationLevel::Person {
            self.rows.inbox.put(InboxRow::of_escalation(&row, moment.at));
        }
        if let Some(task) = &row.task {
            self.update_blocking_party(task, &BlockReason::Escalated { escalation: id });
        }
    }

    pub(crate) fn apply_escalation_resolved(
        &mut self,
        moment: EventMoment<'_>,
        id: EscalationId,
        action: Option<&EscalationAction>,
        note: &str,
    ) {
        self.rows.escalations.change(&id, |row| {
            (row.status, row.action) = (EscalationState::Resolved, action.cloned());
            (row.note, row.resolved_at) = (Some(note.to_owned()), Some(moment.at));
            row.resolved_by = Some(moment.actor.clone());
        });
        self.facts.open.set_party(InboxItem::Escalation(id), None);
        self.rows.inbox.remove(&InboxItem::Escalation(id));
    }
}
