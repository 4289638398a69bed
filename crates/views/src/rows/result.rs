//! Results that agents deliver to each other.

use domain::{AgentName, ResultId, ResultType, SessionId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{RowKind, RowSessions, TableRow, Views, views::EventMoment};

/// Bytes of a result in its row, which each change of the row stores and sends again.
const CONTENT_BYTES_MAX: usize = 4096;

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
    /// The beginning, if it is large; the event has it as a whole.
    pub content: String,
    /// Size of the whole content.
    #[serde(default)]
    pub content_bytes: u32,
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
            content: content
                .get(..content.floor_char_boundary(CONTENT_BYTES_MAX))
                .unwrap_or_default()
                .to_owned(),
            content_bytes: u32::try_from(content.len()).unwrap_or(u32::MAX),
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
