//! An escalation: a problem on its way up, until somebody settles it.

use domain::{
    Actor, AgentName, BlockReason, BlockedWork, EscalationAction, EscalationId, EscalationLevel,
    EscalationSubject, EscalationType, PhaseNumber, SessionId, Severity, TaskId, Timestamp,
};
use serde::{Deserialize, Serialize};

use super::{InboxItem, InboxRow};
use crate::{RowKind, RowSessions, TableRow, Views, views::EventMoment};

/// A problem handed upward.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EscalationRow {
    /// The escalation.
    pub id: EscalationId,
    /// What kind of problem it is.
    pub kind: EscalationType,
    /// How bad it is.
    pub severity: Severity,
    /// The task that it is about.
    pub task: Option<TaskId>,
    /// The phase that it is about.
    pub phase: Option<PhaseNumber>,
    /// The session it came up in.
    pub session: Option<SessionId>,
    /// Who that is.
    pub agent: Option<AgentName>,
    /// What happened, in a line.
    pub title: String,
    /// The same in Korean, where Jangdan itself says it.
    #[serde(default)]
    pub korean: Option<String>,
    /// What happened.
    pub description: String,
    /// What led to it.
    pub context: String,
    /// What could be done.
    pub suggested: Vec<EscalationAction>,
    /// How it stands.
    pub status: EscalationState,
    /// Who has it in hand.
    pub level: EscalationLevel,
    /// The session that has it in hand.
    pub level_session: Option<SessionId>,
    /// What was done; nothing where its cause went away.
    pub action: Option<EscalationAction>,
    /// A word about it.
    pub note: Option<String>,
    /// Who settled it.
    pub resolved_by: Option<Actor>,
    /// What waits behind it.
    pub blocks: BlockedWork,
    /// When it was raised.
    pub created_at: Timestamp,
    /// When it was settled.
    pub resolved_at: Option<Timestamp>,
}

/// How an escalation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum EscalationState {
    /// Somebody must do something.
    Open,
    /// It is settled.
    Resolved,
}

impl TableRow for EscalationRow {
    type Key = EscalationId;
    const KIND: RowKind = RowKind::Escalation;

    fn key(&self) -> EscalationId {
        self.id
    }

    fn write_key(key: &EscalationId) -> String {
        key.to_string()
    }

    fn sessions(&self) -> RowSessions {
        [self.session, None]
    }
}

/// Returns the task and the phase that a problem is about.
pub fn subject_of(subject: &EscalationSubject) -> (Option<&TaskId>, Option<PhaseNumber>) {
    match subject {
        EscalationSubject::Task { task } => (Some(task), None),
        EscalationSubject::Phase { phase } => (None, Some(*phase)),
        EscalationSubject::Run => (None, None),
    }
}

impl Views {
    /// Takes an escalation in. The caller has filled what the event says.
    pub(crate) fn escalation_raised(&mut self, mut row: EscalationRow) {
        row.agent = row.session.and_then(|session| self.agent_of(session));
        self.facts.open.set(InboxItem::Escalation(row.id), Some(row.level.into()));
        self.rows.escalations.put(row);
    }

    pub(crate) fn escalation_forwarded(
        &mut self,
        moment: EventMoment<'_>,
        id: EscalationId,
        to: EscalationLevel,
        session: Option<SessionId>,
    ) {
        self.rows.escalations.change(&id, |row| (row.level, row.level_session) = (to, session));
        let Some(row) = self.rows.escalations.get(&id).cloned() else { return };
        self.facts.open.set(InboxItem::Escalation(id), Some(to.into()));
        if to == EscalationLevel::Person {
            self.rows.inbox.put(InboxRow::of_escalation(&row, moment.at));
        }
        if let Some(task) = &row.task {
            self.update_blocking_party(task, &BlockReason::Escalated { escalation: id });
        }
    }

    pub(crate) fn escalation_resolved(
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
        self.facts.open.set(InboxItem::Escalation(id), None);
        self.rows.inbox.remove(&InboxItem::Escalation(id));
    }
}
