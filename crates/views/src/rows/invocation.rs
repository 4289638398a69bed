//! An invocation: one agent calls another, and waits.

use domain::{AgentName, InvocationId, InvocationOutcome, ResultType, SessionId, Timestamp};
use serde::{Deserialize, Serialize};

use super::{InboxItem, ResponsibleParty};
use crate::{RowKind, RowSessions, TableRow, Views, views::EventMoment};

/// One agent calling another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct InvocationRow {
    /// The call.
    pub id: InvocationId,
    /// The session that calls.
    pub caller_session: SessionId,
    /// Who that is.
    pub caller: Option<AgentName>,
    /// Who is called.
    pub callee: AgentName,
    /// The session that does it.
    pub callee_session: Option<SessionId>,
    /// What is wanted.
    pub wanted: String,
    /// What one should know.
    pub context: Option<String>,
    /// How it stands.
    pub status: InvocationState,
    /// What kind of result came of it.
    pub result_type: Option<ResultType>,
    /// The result, or why there is none.
    pub outcome: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When the called one took it in hand.
    pub started_at: Option<Timestamp>,
    /// When it was over.
    pub ended_at: Option<Timestamp>,
}

/// How a call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum InvocationState {
    /// The called one has other things to do.
    Pending,
    /// The called one has it in hand.
    InProgress,
    /// It was done.
    Completed,
    /// It was not done.
    Failed,
}

impl TableRow for InvocationRow {
    type Key = InvocationId;
    const KIND: RowKind = RowKind::Invocation;

    fn key(&self) -> InvocationId {
        self.id
    }

    fn write_key(key: &InvocationId) -> String {
        key.to_string()
    }

    fn sessions(&self) -> RowSessions {
        [Some(self.caller_session), self.callee_session]
    }
}

impl Views {
    pub(crate) fn invocation_made(
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
            caller: self.agent_of(caller),
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
        self.facts.open.set(InboxItem::Invocation(id), Some(party));
    }

    pub(crate) fn invocation_started(
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

    pub(crate) fn invocation_ended(
        &mut self,
        moment: EventMoment<'_>,
        id: InvocationId,
        outcome: &InvocationOutcome,
    ) {
        self.facts.open.set(InboxItem::Invocation(id), None);
        self.rows.invocations.change(&id, |row| {
            row.ended_at = Some(moment.at);
            (row.status, row.result_type, row.outcome) = match outcome {
                InvocationOutcome::Completed { result_type, content } => {
                    (InvocationState::Completed, Some(*result_type), Some(content.clone()))
                }
                InvocationOutcome::Failed { reason } => (InvocationState::Failed, None, Some(reason.clone())),
            };
        });
    }
}
