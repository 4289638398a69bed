//! Results that agents deliver to each other.

use domain::{AgentName, ResultId, ResultType, SessionId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{RowKind, RowSessions, TableRow, Views, views::EventMoment};

/// A result that one agent delivers to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ResultRow {
    pub id: ResultId,
    pub from_session: SessionId,
    pub from: Option<AgentName>,
    pub to: AgentName,
    pub to_session: Option<SessionId>,
    pub result_type: ResultType,
    /// Media type of the content.
    pub content_type: String,
    pub content: String,
    pub status: ResultState,
    pub created_at: Timestamp,
    pub delivered_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ResultState {
    /// Waiting for the receiver's next turn.
    Pending,
    Delivered,
}

impl TableRow for ResultRow {
    type Key = ResultId;
    const KIND: RowKind = RowKind::Result;

    fn key(&self) -> ResultId {
        self.id
    }

    fn key_to_text(key: &ResultId) -> String {
        key.to_string()
    }

    fn sessions(&self) -> RowSessions {
        [Some(self.from_session), self.to_session]
    }
}

impl Views {
    pub(crate) fn apply_result_submitted(
        &mut self,
        moment: EventMoment<'_>,
        (id, from): (ResultId, SessionId),
        to: &AgentName,
        result_type: ResultType,
        content: &str,
    ) {
        let content_type = match result_type {
            ResultType::Markdown => "text/markdown",
            ResultType::Json => "application/json",
            ResultType::GithubIssue | ResultType::FilePath | ResultType::Message => "text/plain",
        };
        self.rows.results.put(ResultRow {
            id,
            from_session: from,
            from: self.agent_of_session(from),
            to: to.clone(),
            to_session: None,
            result_type,
            content_type: content_type.to_owned(),
            content: content.to_owned(),
            status: ResultState::Pending,
            created_at: moment.at,
            delivered_at: None,
        });
    }

    pub(crate) fn apply_result_delivered(
        &mut self,
        moment: EventMoment<'_>,
        id: ResultId,
        session: SessionId,
    ) {
        self.rows.results.change(&id, |row| {
            row.status = ResultState::Delivered;
            (row.to_session, row.delivered_at) = (Some(session), Some(moment.at));
        });
    }
}
