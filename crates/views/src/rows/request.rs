//! Requests: something from outside that the user must provide.

use domain::{
    Actor, AgentName, BlockedWork, CommandOrigin, DependencyRequest, DependencyType, ProvidedResource,
    RequestId, SessionId, TaskId, Timestamp,
};
use serde::{Deserialize, Serialize};

use super::{InboxItem, InboxRow, ResponsibleParty};
use crate::{RowKind, RowSessions, TableRow, Views, views::EventMoment};

/// A request for something from outside, such as an API key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RequestRow {
    pub id: RequestId,
    /// Session that waits for it.
    pub session: SessionId,
    pub agent: Option<AgentName>,
    pub task: Option<TaskId>,
    pub r#type: DependencyType,
    pub name: String,
    pub description: String,
    /// Whether the task cannot be done without it.
    pub required: bool,
    /// Value that the agent uses if the request is skipped.
    pub default: Option<String>,
    pub status: RequestState,
    /// Where the agent finds it. Never the value itself.
    pub provided: Option<ProvidedResource>,
    /// Whether the agent's default is used.
    pub default_used: bool,
    /// What was changed and verified when it was provided, such as the lines of a manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub detail: Option<String>,
    /// Why the last attempt to provide it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub failure: Option<String>,
    pub refusal_reason: Option<String>,
    /// Whether the agent was informed.
    pub delivered: bool,
    pub resolved_by: Option<Actor>,
    /// Where the decision of a user came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub origin: Option<CommandOrigin>,
    /// Work that waits for it.
    pub blocks: BlockedWork,
    pub asked_at: Timestamp,
    pub resolved_at: Option<Timestamp>,
    pub delivered_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum RequestState {
    Asked,
    /// Decided; it is being delivered and verified.
    Providing,
    Provided,
    Refused,
    Skipped,
}

impl TableRow for RequestRow {
    type Key = RequestId;
    const KIND: RowKind = RowKind::Request;

    fn key(&self) -> RequestId {
        self.id
    }

    fn key_to_text(key: &RequestId) -> String {
        key.to_string()
    }

    fn sessions(&self) -> RowSessions {
        [Some(self.session), None]
    }
}

impl Views {
    pub(crate) fn apply_request_made(
        &mut self,
        moment: EventMoment<'_>,
        (id, session): (RequestId, SessionId),
        task: Option<&TaskId>,
        dependency: &DependencyRequest,
        blocks: BlockedWork,
    ) {
        let row = RequestRow {
            id,
            session,
            agent: self.agent_of_session(session),
            task: task.cloned(),
            r#type: dependency.r#type,
            name: dependency.name.clone(),
            description: dependency.description.clone(),
            required: dependency.required,
            default: dependency.default.clone(),
            status: RequestState::Asked,
            provided: None,
            default_used: false,
            detail: None,
            failure: None,
            refusal_reason: None,
            delivered: false,
            resolved_by: None,
            origin: None,
            blocks,
            asked_at: moment.at,
            resolved_at: None,
            delivered_at: None,
        };
        self.rows.inbox.put(InboxRow::of_request(&row));
        self.rows.requests.put(row);
        self.facts.open.set_party(InboxItem::Request(id), Some(ResponsibleParty::Person));
        self.set_session_waiting(moment, session, InboxItem::Request(id), true);
    }

    pub(crate) fn apply_provision_started(
        &mut self,
        moment: EventMoment<'_>,
        id: RequestId,
        provided: &ProvidedResource,
        is_default: bool,
    ) {
        self.rows.requests.change(&id, |row| {
            (row.provided, row.default_used) = (Some(provided.clone()), is_default);
            (row.status, row.failure) = (RequestState::Providing, None);
            row.resolved_by = Some(moment.actor.clone());
        });
        self.note_decision(moment, InboxItem::Request(id));
        self.rows.inbox.remove(&InboxItem::Request(id));
        self.facts.open.set_party(InboxItem::Request(id), None);
    }

    /// Opens the request again, with the reason.
    pub(crate) fn apply_provision_failed(&mut self, id: RequestId, error: &str) {
        self.rows.requests.change(&id, |row| {
            (row.provided, row.default_used) = (None, false);
            (row.status, row.failure) = (RequestState::Asked, Some(error.to_owned()));
            (row.resolved_by, row.origin) = (None, None);
        });
        if let Some(row) = self.rows.requests.get(&id).cloned() {
            self.rows.inbox.put(InboxRow::of_request(&row));
            self.facts.open.set_party(InboxItem::Request(id), Some(ResponsibleParty::Person));
        }
    }

    pub(crate) fn apply_request_provided(
        &mut self,
        moment: EventMoment<'_>,
        id: RequestId,
        (provided, is_default): (&ProvidedResource, bool),
        detail: Option<&String>,
    ) {
        self.rows.requests.change(&id, |row| {
            (row.provided, row.default_used) = (Some(provided.clone()), is_default);
            row.detail = detail.cloned();
        });
        self.resolve_request(moment, id, RequestState::Provided);
    }

    pub(crate) fn apply_request_refused(&mut self, moment: EventMoment<'_>, id: RequestId, reason: &str) {
        self.rows.requests.change(&id, |row| row.refusal_reason = Some(reason.to_owned()));
        self.resolve_request(moment, id, RequestState::Refused);
    }

    pub(crate) fn resolve_request(&mut self, moment: EventMoment<'_>, id: RequestId, status: RequestState) {
        // The executor reports the end of a delivery; the decision was made at its start.
        let was_delivering =
            self.rows.requests.get(&id).is_some_and(|row| row.status == RequestState::Providing);
        self.rows.requests.change(&id, |row| {
            (row.status, row.resolved_at) = (status, Some(moment.at));
            if !was_delivering || moment.actor.is_person() {
                row.resolved_by = Some(moment.actor.clone());
            }
        });
        if !was_delivering || moment.actor.is_person() {
            self.note_decision(moment, InboxItem::Request(id));
        }
        self.rows.inbox.remove(&InboxItem::Request(id));
        self.facts.open.set_party(InboxItem::Request(id), None);
    }

    pub(crate) fn apply_request_delivered(&mut self, moment: EventMoment<'_>, id: RequestId) {
        self.rows.requests.change(&id, |row| (row.delivered, row.delivered_at) = (true, Some(moment.at)));
        let Some(session) = self.rows.requests.get(&id).map(|row| row.session) else { return };
        self.set_session_waiting(moment, session, InboxItem::Request(id), false);
    }
}
