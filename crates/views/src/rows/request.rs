//! A request: something from outside that somebody must provide.

use domain::{
    Actor, AgentName, BlockedWork, DependencyRequest, DependencyType, ProvidedResource, RequestId, SessionId,
    TaskId, Timestamp,
};
use serde::{Deserialize, Serialize};

use super::{InboxItem, InboxRow, ResponsibleParty};
use crate::{RowKind, RowSessions, TableRow, Views, views::EventMoment};

/// What somebody must provide.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RequestRow {
    /// The request.
    pub id: RequestId,
    /// The session that waits for it.
    pub session: SessionId,
    /// Who that is.
    pub agent: Option<AgentName>,
    /// The task.
    pub task: Option<TaskId>,
    /// What kind of thing is needed.
    pub r#type: DependencyType,
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Whether the task can't be done without it.
    pub required: bool,
    /// What the agent would take instead.
    pub default: Option<String>,
    /// How it stands.
    pub status: RequestState,
    /// How the agent gets at it. Never a value.
    pub provided: Option<ProvidedResource>,
    /// Whether that is the agent's own default.
    pub default_used: bool,
    /// Why it will not come.
    pub refusal_reason: Option<String>,
    /// Whether the agent knows.
    pub delivered: bool,
    /// Who provided, refused or skipped it.
    pub resolved_by: Option<Actor>,
    /// What waits behind it.
    pub blocks: BlockedWork,
    /// When it was asked for.
    pub asked_at: Timestamp,
    /// When it was provided, refused or skipped.
    pub resolved_at: Option<Timestamp>,
    /// When the agent knew.
    pub delivered_at: Option<Timestamp>,
}

/// How a request stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum RequestState {
    /// It is asked for.
    Asked,
    /// It is there.
    Provided,
    /// It will not come.
    Refused,
    /// It is not needed after all.
    Skipped,
}

impl TableRow for RequestRow {
    type Key = RequestId;
    const KIND: RowKind = RowKind::Request;

    fn key(&self) -> RequestId {
        self.id
    }

    fn write_key(key: &RequestId) -> String {
        key.to_string()
    }

    fn sessions(&self) -> RowSessions {
        [Some(self.session), None]
    }
}

impl Views {
    pub(crate) fn request_made(
        &mut self,
        moment: EventMoment<'_>,
        (id, session): (RequestId, SessionId),
        task: Option<&TaskId>,
        asked: &DependencyRequest,
        blocks: BlockedWork,
    ) {
        let row = RequestRow {
            id,
            session,
            agent: self.agent_of(session),
            task: task.cloned(),
            r#type: asked.r#type,
            name: asked.name.clone(),
            description: asked.description.clone(),
            required: asked.required,
            default: asked.default.clone(),
            status: RequestState::Asked,
            provided: None,
            default_used: false,
            refusal_reason: None,
            delivered: false,
            resolved_by: None,
            blocks,
            asked_at: moment.at,
            resolved_at: None,
            delivered_at: None,
        };
        self.rows.inbox.put(InboxRow::of_request(&row));
        self.rows.requests.put(row);
        self.facts.open.set(InboxItem::Request(id), Some(ResponsibleParty::Person));
        self.set_session_waiting(moment, session, InboxItem::Request(id), true);
    }

    pub(crate) fn request_provided(
        &mut self,
        moment: EventMoment<'_>,
        id: RequestId,
        provided: &ProvidedResource,
        is_default: bool,
    ) {
        self.rows.requests.change(&id, |row| {
            (row.provided, row.default_used) = (Some(provided.clone()), is_default);
        });
        self.resolve_request(moment, id, RequestState::Provided);
    }

    pub(crate) fn request_refused(&mut self, moment: EventMoment<'_>, id: RequestId, reason: &str) {
        self.rows.requests.change(&id, |row| row.refusal_reason = Some(reason.to_owned()));
        self.resolve_request(moment, id, RequestState::Refused);
    }

    pub(crate) fn resolve_request(&mut self, moment: EventMoment<'_>, id: RequestId, status: RequestState) {
        self.rows.requests.change(&id, |row| {
            (row.status, row.resolved_at) = (status, Some(moment.at));
            row.resolved_by = Some(moment.actor.clone());
        });
        self.rows.inbox.remove(&InboxItem::Request(id));
        self.facts.open.set(InboxItem::Request(id), None);
    }

    pub(crate) fn request_delivered(&mut self, moment: EventMoment<'_>, id: RequestId) {
        self.rows.requests.change(&id, |row| (row.delivered, row.delivered_at) = (true, Some(moment.at)));
        let Some(session) = self.rows.requests.get(&id).map(|row| row.session) else { return };
        self.set_session_waiting(moment, session, InboxItem::Request(id), false);
    }
}
