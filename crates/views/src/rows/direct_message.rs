//! Channels between sessions, and the messages sent over them.

use domain::{AgentName, ChannelId, DirectMessageId, DirectType, SessionId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{RowKind, RowSessions, TableRow, Views, views::EventMoment};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChannelRow {
    pub id: ChannelId,
    pub session_a: SessionId,
    pub session_b: SessionId,
    pub status: ChannelState,
    pub n_messages: u32,
    pub created_at: Timestamp,
    /// When one of the two sessions ended.
    pub closed_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ChannelState {
    Open,
    /// One of the two sessions has ended.
    Closed,
}

/// A message from one session to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DirectMessageRow {
    pub id: DirectMessageId,
    pub channel: ChannelId,
    pub from_session: SessionId,
    pub from: Option<AgentName>,
    pub to_session: SessionId,
    pub to: Option<AgentName>,
    pub direct_type: DirectType,
    pub content: String,
    pub status: DirectMessageState,
    pub created_at: Timestamp,
    /// When the delivery to the other session began.
    pub received_at: Option<Timestamp>,
    /// When the other session acknowledged it.
    pub delivered_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum DirectMessageState {
    Sent,
    /// The delivery to the other session has begun.
    Received,
    Acknowledged,
}

impl TableRow for ChannelRow {
    type Key = ChannelId;
    const KIND: RowKind = RowKind::Channel;

    fn key(&self) -> ChannelId {
        self.id
    }

    fn key_to_text(key: &ChannelId) -> String {
        key.to_string()
    }

    fn sessions(&self) -> RowSessions {
        [Some(self.session_a), Some(self.session_b)]
    }
}

impl TableRow for DirectMessageRow {
    type Key = DirectMessageId;
    const KIND: RowKind = RowKind::DirectMessage;

    fn key(&self) -> DirectMessageId {
        self.id
    }

    fn key_to_text(key: &DirectMessageId) -> String {
        key.to_string()
    }

    fn sessions(&self) -> RowSessions {
        [Some(self.from_session), Some(self.to_session)]
    }
}

impl Views {
    pub(crate) fn apply_channel_created(
        &mut self,
        moment: EventMoment<'_>,
        id: ChannelId,
        (session_a, session_b): (SessionId, SessionId),
    ) {
        self.rows.channels.put(ChannelRow {
            id,
            session_a,
            session_b,
            status: ChannelState::Open,
            n_messages: 0,
            created_at: moment.at,
            closed_at: None,
        });
    }

    pub(crate) fn apply_channel_closed(&mut self, moment: EventMoment<'_>, id: ChannelId) {
        self.rows.channels.change(&id, |row| {
            (row.status, row.closed_at) = (ChannelState::Closed, Some(moment.at));
        });
    }

    pub(crate) fn apply_direct_message_sent(
        &mut self,
        moment: EventMoment<'_>,
        (id, channel): (DirectMessageId, ChannelId),
        (from, to): (SessionId, SessionId),
        direct_type: DirectType,
        content: &str,
    ) {
        self.rows.direct_messages.put(DirectMessageRow {
            id,
            channel,
            from_session: from,
            from: self.agent_of_session(from),
            to_session: to,
            to: self.agent_of_session(to),
            direct_type,
            content: content.to_owned(),
            status: DirectMessageState::Sent,
            created_at: moment.at,
            received_at: None,
            delivered_at: None,
        });
        self.rows.channels.change(&channel, |row| row.n_messages = row.n_messages.saturating_add(1));
    }

    pub(crate) fn apply_direct_message_received(&mut self, moment: EventMoment<'_>, id: DirectMessageId) {
        self.rows.direct_messages.change(&id, |row| {
            (row.status, row.received_at) = (DirectMessageState::Received, Some(moment.at));
        });
    }

    pub(crate) fn apply_direct_message_acknowledged(&mut self, moment: EventMoment<'_>, id: DirectMessageId) {
        self.rows.direct_messages.change(&id, |row| {
            (row.status, row.delivered_at) = (DirectMessageState::Acknowledged, Some(moment.at));
        });
    }
}
