//! Invocations: one agent calls another and waits for the result.

use domain::{AgentInvocationOutcome, AgentName, InvocationId, ResultType, SessionId, Timestamp};
use serde::{Deserialize, Serialize};

use super::{InboxItem, ResponsibleParty};
use crate::{RowKind, RowSessions, TableRow, Views, views::EventMoment};

/// A call from one agent to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct InvocationRow {
    pub id: InvocationId,
    pub caller_session: SessionId,
    pub caller: Option<AgentName>,
    pub callee: AgentName,
    pub callee_session: Option<SessionId>,
    /// The work that the caller asks for.
    pub wanted: String,
    pub context: Option<String>,
    pub status: InvocationState,
    pub result_type: Option<ResultType>,
    /// The result, or the reason of the failure.
    pub outcome: Option<String>,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum InvocationState {
    /// The called agent is busy.
    Pending,
    InProgress,
    Completed,
    Failed,
}

impl TableRow for InvocationRow {
    type Key = InvocationId;
    const KIND: RowKind = RowKind::Invocation;

    fn key(&self) -> InvocationId {
        self.id
    }

    fn key_to_text(key: &InvocationId) -> String {
        key.to_string()
    }

    fn sessions(&self) -> RowSessions {
        [Some(self.caller_session), self.callee_session]
    }
}

impl Views {
    pub(crate) fn apply_invocation_made(
        &mut self,
        moment: EventMoment<'_>,
        (id, caller): (InvocationId, SessionId),
        callee: &AgentName,
        wanted: &str,
        context: Option<&String>,
    ) {
        self.rows.invocations.put(InvocationRow {
            id,
            caller_session: caller,
            caller: self.agent_of_session(caller),
            callee: callee.clone(),
            callee_session: None,
            wanted: wanted.to_owned(),
            context: context.cloned(),
            status: InvocationState::Pending,
            result_type: None,
            outcome: None,
            created_at: moment.at,
            started_at: None,
            ended_at: None,
        });
        let party = ResponsibleParty::Agent { agent: Some(callee.clone()) };
        self.facts.open.set_party(InboxItem::Invocation(id), Some(party));
    }

    pub(crate) fn apply_invocation_started(
        &mut self,
        moment: EventMoment<'_>,
        id: InvocationId,
        session: SessionId,
    ) {
        self.rows.invocations.change(&id, |row| {
            row.status = InvocationState::InProgress;
            (row.callee_session, row.started_at) = (Some(session), Some(moment.at));
        });
    }

    pub(crate) fn apply_invocation_ended(
        &mut self,
        moment: EventMoment<'_>,
        id: InvocationId,
        outcome: &AgentInvocationOutcome,
    ) {
        self.facts.open.set_party(InboxItem::Invocation(id), None);
        self.rows.invocations.change(&id, |row| {
            row.ended_at = Some(moment.at);
            (row.status, row.result_type, row.outcome) = match outcome {
                AgentInvocationOutcome::Completed { result_type, content } => {
                    (InvocationState::Completed, Some(*result_type), Some(content.clone()))
                }
                AgentInvocationOutcome::Failed { reason } => {
                    (InvocationState::Failed, None, Some(reason.clone()))
                }
            };
        });
    }
}
