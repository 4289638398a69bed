//! Cards of permission requests: equal requests of several sessions are one card of the inbox, and a card counts how
//! often similar requests were allowed.

use std::collections::{BTreeMap, BTreeSet};

use domain::{InboxAction, PermissionRequest, QuestionId};
use serde::{Deserialize, Serialize};

use super::{InboxItem, InboxRow, QuestionRow, ResponsibleParty};
use crate::{Views, views::EventMoment};

/// Allowed requests of one pattern after which the pattern is suggested.
const ALLOWED_BEFORE_SUGGESTION: u32 = 3;

/// The pattern with which a permission request and similar ones can be decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SimilarPermission {
    /// For example `run:npm test *`; starts with `=` if it names exactly this request.
    pub pattern: String,
    /// Requests of this pattern that the user allowed in this run.
    pub n_allowed: u32,
    /// Whether "allow similar for this run" is the suggested answer.
    pub is_suggested: bool,
}

/// Kind and subject of a request.
type RequestKey = (&'static str, String);

/// Permission requests beside their rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct PermissionFacts {
    /// Requests that wait for the user. The first of each group has the card.
    groups: BTreeMap<RequestKey, BTreeSet<QuestionId>>,
    /// Actions of requests without a card of their own.
    hidden_actions: BTreeMap<InboxItem, Vec<InboxAction>>,
    n_allowed: BTreeMap<String, u32>,
}

impl PermissionFacts {
    /// Keeps the actions of a request until it has a card.
    pub(crate) fn keep_actions(&mut self, item: InboxItem, actions: &[InboxAction]) {
        if let Some(kept) = self.hidden_actions.get_mut(&item) {
            *kept = actions.to_vec();
        }
    }

    pub(crate) fn similar(&self, pattern: &str) -> SimilarPermission {
        let n_allowed = self.n_allowed.get(pattern).copied().unwrap_or(0);
        let is_suggested = n_allowed >= ALLOWED_BEFORE_SUGGESTION;
        SimilarPermission { pattern: pattern.to_owned(), n_allowed, is_suggested }
    }
}

fn request_key(request: &PermissionRequest) -> RequestKey {
    (request.kind.pattern_name(), request.subject.clone())
}

impl Views {
    /// Adds a request that reached the user to the card of equal requests.
    pub(super) fn add_permission_request(
        &mut self,
        moment: EventMoment<'_>,
        id: QuestionId,
        request: &PermissionRequest,
    ) {
        let key = request_key(request);
        self.facts.permissions.groups.entry(key.clone()).or_default().insert(id);
        self.update_permission_card(moment, &key);
    }

    /// Removes a decided or withdrawn request from its card; the next equal request has the card then.
    pub(super) fn remove_permission_request(
        &mut self,
        moment: EventMoment<'_>,
        id: QuestionId,
        request: &PermissionRequest,
    ) {
        let key = request_key(request);
        self.facts.permissions.hidden_actions.remove(&InboxItem::Question(id));
        if let Some(group) = self.facts.permissions.groups.get_mut(&key) {
            group.remove(&id);
            if group.is_empty() {
                self.facts.permissions.groups.remove(&key);
            }
        }
        self.update_permission_card(moment, &key);
    }

    /// Counts an allowed request, and updates the cards of similar ones.
    pub(super) fn count_allowed_permission(&mut self, row: &QuestionRow) {
        let Some(pattern) = row.similar.as_ref().map(|similar| similar.pattern.clone()) else { return };
        *self.facts.permissions.n_allowed.entry(pattern.clone()).or_default() += 1;
        let similar = self.facts.permissions.similar(&pattern);
        let waiting: Vec<QuestionId> =
            self.facts.permissions.groups.values().flatten().copied().filter(|id| *id != row.id).collect();
        for id in waiting {
            let is_similar =
                |row: &QuestionRow| row.similar.as_ref().is_some_and(|similar| similar.pattern == pattern);
            self.rows.questions.change_if(&id, is_similar, |row| row.similar = Some(similar.clone()));
        }
    }

    fn update_permission_card(&mut self, moment: EventMoment<'_>, key: &RequestKey) {
        let Some(group) = self.facts.permissions.groups.get(key) else { return };
        let Some((first, others)) = group
            .iter()
            .copied()
            .collect::<Vec<_>>()
            .split_first()
            .map(|(first, others)| (*first, others.to_vec()))
        else {
            return;
        };
        for other in &others {
            let item = InboxItem::Question(*other);
            let actions = self.rows.inbox.get(&item).map(|row| row.actions.clone());
            self.facts.permissions.hidden_actions.entry(item).or_insert(actions.unwrap_or_default());
            self.rows.inbox.remove(&item);
            self.facts.open.set_party(item, None);
        }
        let item = InboxItem::Question(first);
        let Some(row) = self.rows.questions.get(&first).cloned() else { return };
        // Ordered, each once: a task may have several equal requests.
        let equal_tasks: BTreeSet<_> = others
            .iter()
            .filter_map(|other| self.rows.questions.get(other).and_then(|row| row.task.clone()))
            .filter(|task| Some(task) != row.task.as_ref())
            .collect();
        let equal_tasks: Vec<_> = equal_tasks.into_iter().collect();
        if self.rows.inbox.get(&item).is_none() {
            self.add_question_card(moment, &row);
            let actions = self.facts.permissions.hidden_actions.remove(&item).unwrap_or_default();
            let since_at = row.reached_person_at.unwrap_or(moment.at);
            self.rows.inbox.put(InboxRow { actions, ..InboxRow::of_question(&row, since_at) });
        }
        self.facts.open.set_party(item, Some(ResponsibleParty::Person));
        let differs = |card: &InboxRow| card.equal != others || card.equal_tasks != equal_tasks;
        self.rows.inbox.change_if(&item, differs, |card| {
            (card.equal, card.equal_tasks) = (others.clone(), equal_tasks.clone());
        });
    }
}
