//! A result: what an agent delivers to another.

use domain::{AgentName, ResultId, ResultType, SessionId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{RowKind, RowSessions, TableRow, Views, views::EventMoment};

/// What an agent delivers to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ResultRow {
    /// The result.
    pub id: ResultId,
    /// The session that made it.
    pub from_session: SessionId,
    /// Who that is.
    pub from: Option<AgentName>,
    /// Who gets it.
    pub to: AgentName,
    /// The session that got it.
    pub to_session: Option<SessionId>,
    /// What kind of result it is.
    pub result_type: ResultType,
    /// The media type of its content.
    pub content_type: String,
    /// The result itself.
    pub content: String,
    /// How it stands.
    pub status: ResultState,
    /// When it was made.
    pub created_at: Timestamp,
    /// When the other got it.
    pub delivered_at: Option<Timestamp>,
}

/// How a result stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ResultState {
    /// It waits for the receiver's next turn.
    Pending,
    /// The other has it.
    Delivered,
}

impl TableRow for ResultRow {
    type Key = ResultId;
    const KIND: RowKind = RowKind::Result;

    fn key(&self) -> ResultId {
        self.id
    }

    fn write_key(key: &ResultId) -> String {
        key.to_string()
    }

    fn sessions(&self) -> RowSessions {
        [Some(self.from_session), self.to_session]
    }
}

impl Views {
    pub(crate) fn result_submitted(
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
            from: self.agent_of(from),
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

    pub(crate) fn result_delivered(&mut self, moment: EventMoment<'_>, id: ResultId, session: SessionId) {
        self.rows.results.change(&id, |row| {
            row.status = ResultState::Delivered;
            (row.to_session, row.delivered_at) = (Some(session), Some(moment.at));
        });
    }
}
