//! Questions: the asking session, the party that must answer, and the answer.

use domain::{
    Actor, AgentName, BlockReason, BlockedWork, CommandOrigin, LargeFile, LargeFileDecision,
    PermissionRequest, QuestionCategory, QuestionId, QuestionKind, QuestionRoute, SessionId, TaskId,
    Timestamp,
};
use serde::{Deserialize, Serialize};

use super::{InboxItem, InboxRow, ResponsibleParty, SimilarPermission, TaskState};
use crate::{RowKind, RowSessions, TableRow, Views, views::EventMoment};

/// A question of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct QuestionRow {
    pub id: QuestionId,
    /// Session that waits for the answer.
    pub session: SessionId,
    pub agent: Option<AgentName>,
    /// `None` if it concerns the whole run.
    pub task: Option<TaskId>,
    pub kind: QuestionKind,
    /// The category that the agent named.
    #[serde(default)]
    pub category: Option<QuestionCategory>,
    /// The question, as forwarded last.
    pub text: String,
    /// Korean text, if Jangdan asks.
    #[serde(default)]
    pub korean: Option<String>,
    /// The agent's wording, if the orchestrator rephrased it.
    pub original_text: Option<String>,
    pub options: Vec<String>,
    /// Answer that is used if the question expires.
    pub default: Option<String>,
    pub context: Option<String>,
    /// Whether the agent cannot continue without an answer.
    pub required: bool,
    /// Action that the agent needs permission for.
    pub permission: Option<PermissionRequest>,
    /// Pattern of similar requests, which the user may decide with this one.
    #[serde(default)]
    pub similar: Option<SimilarPermission>,
    /// Untracked files above the size limit, if Jangdan asks whether to commit them.
    #[serde(default)]
    pub large_files: Vec<LargeFile>,
    /// Whether the agent asks during its turn, which continues with the answer.
    pub is_in_turn: bool,
    pub status: QuestionState,
    pub answer: Option<String>,
    /// Why a permission is denied, as the agent was told.
    #[serde(default)]
    pub denial_reason: Option<String>,
    pub answered_by: Option<Actor>,
    /// Where the answer of a user came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub origin: Option<CommandOrigin>,
    /// Questions back to the agent before answering.
    pub clarifications: Vec<Clarification>,
    pub withdrawal_reason: Option<String>,
    /// Work that waits for it.
    pub blocks: BlockedWork,
    /// Key of the chat message with its card.
    pub chat: Option<String>,
    pub asked_at: Timestamp,
    pub reached_person_at: Option<Timestamp>,
    /// When the default is used, or the question becomes an escalation.
    pub expires_at: Option<Timestamp>,
    pub answered_at: Option<Timestamp>,
    pub delivered_at: Option<Timestamp>,
}

/// A question about a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Clarification {
    pub by: Actor,
    pub text: String,
    pub asked_at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum QuestionState {
    /// Not routed yet.
    Asked,
    WithOrchestrator,
    /// Waiting for the user.
    Pending,
    Answered,
    Delivered,
    /// The task continues with the answer.
    Resumed,
    Withdrawn,
    Expired,
}

impl TableRow for QuestionRow {
    type Key = QuestionId;
    const KIND: RowKind = RowKind::Question;

    fn key(&self) -> QuestionId {
        self.id
    }

    fn key_to_text(key: &QuestionId) -> String {
        key.to_string()
    }

    fn sessions(&self) -> RowSessions {
        [Some(self.session), None]
    }
}

impl Views {
    /// Adds a question; the caller has set all fields of the event.
    pub(crate) fn add_question(&mut self, moment: EventMoment<'_>, mut row: QuestionRow) {
        let (id, session, task) = (row.id, row.session, row.task.clone());
        row.agent = self.agent_of_session(session);
        // A permission waits for the user without a limit.
        let expires_after = self.facts.question_expires_after_ms.filter(|_| row.permission.is_none());
        row.expires_at = expires_after.map(|after| {
            let after = i64::try_from(after).unwrap_or(i64::MAX);
            Timestamp(moment.at.0.saturating_add(after))
        });
        self.rows.questions.put(row);
        self.set_session_waiting(moment, session, InboxItem::Question(id), true);
        self.add_question_turn(moment, id);
        if let Some(task) = task
            && let Some(facts) = self.facts.tasks.get_mut(&task)
        {
            facts.questions.push(id);
            self.update_pending_question(&task);
        }
    }

    pub(crate) fn apply_question_routed(
        &mut self,
        moment: EventMoment<'_>,
        id: QuestionId,
        to: QuestionRoute,
    ) {
        let (status, party) = match to {
            QuestionRoute::Orchestrator => (QuestionState::WithOrchestrator, ResponsibleParty::Orchestrator),
            QuestionRoute::Person => (QuestionState::Pending, ResponsibleParty::Person),
        };
        self.rows.questions.change(&id, |row| {
            row.status = status;
            if to == QuestionRoute::Person {
                row.reached_person_at.get_or_insert(moment.at);
            }
        });
        let Some(row) = self.rows.questions.get(&id).cloned() else { return };
        self.facts.open.set_party(InboxItem::Question(id), Some(party));
        self.update_question_blocking_party(&row);
        if let (QuestionRoute::Person, Some(request)) = (to, &row.permission) {
            return self.add_permission_request(moment, id, request);
        }
        match to {
            QuestionRoute::Orchestrator => self.rows.inbox.remove(&InboxItem::Question(id)),
            QuestionRoute::Person => {
                self.add_question_card(moment, &row);
                self.rows.inbox.put(InboxRow::of_question(&row, moment.at));
            }
        }
    }

    pub(crate) fn apply_question_forwarded(&mut self, moment: EventMoment<'_>, id: QuestionId, text: &str) {
        self.rows.questions.change(&id, |row| {
            let before = std::mem::replace(&mut row.text, text.to_owned());
            row.original_text.get_or_insert(before);
            row.korean = None;
        });
        self.rows.inbox.change(&InboxItem::Question(id), |row| {
            (row.text, row.korean) = (text.to_owned(), None);
        });
        self.add_forwarded_question_turn(moment, id);
        // Forwarding routes it to the user.
        self.apply_question_routed(moment, id, QuestionRoute::Person);
        if let Some(task) = self.rows.questions.get(&id).and_then(|row| row.task.clone()) {
            self.update_pending_question(&task);
        }
    }

    pub(crate) fn apply_clarification_requested(
        &mut self,
        moment: EventMoment<'_>,
        id: QuestionId,
        text: &str,
    ) {
        let (by, asked_at) = (moment.actor.clone(), moment.at);
        self.rows.questions.change(&id, |row| {
            row.clarifications.push(Clarification { by, text: text.to_owned(), asked_at });
        });
        self.add_chat_reply(moment, id, text);
    }

    pub(crate) fn apply_question_answered(
        &mut self,
        moment: EventMoment<'_>,
        id: QuestionId,
        answer: &str,
        reason: Option<&String>,
    ) {
        self.rows.questions.change(&id, |row| {
            (row.status, row.answer) = (QuestionState::Answered, Some(answer.to_owned()));
            row.denial_reason = reason.cloned();
            (row.answered_by, row.answered_at) = (Some(moment.actor.clone()), Some(moment.at));
        });
        self.note_decision(moment, InboxItem::Question(id));
        self.close_question(moment, id);
        let about_files = self.rows.questions.get(&id).filter(|row| !row.large_files.is_empty());
        let task_of_files = about_files.and_then(|row| row.task.clone());
        if let Some(task) = task_of_files {
            self.apply_large_file_answer(moment, id, &task, answer);
        }
        let allowed =
            self.rows.questions.get(&id).filter(|row| row.permission.is_some() && answer == "allow");
        if let Some(row) = allowed.cloned() {
            self.count_allowed_permission(&row);
        }
        self.add_chat_reply(moment, id, answer);
    }

    /// Continues with the decision about large files, or returns the task to its agent with an instruction.
    fn apply_large_file_answer(
        &mut self,
        moment: EventMoment<'_>,
        id: QuestionId,
        task: &TaskId,
        answer: &str,
    ) {
        let base = self.facts.tasks.get(task).map(|facts| facts.base);
        if LargeFileDecision::parse(answer).is_some() {
            // The agent does not get it.
            self.stop_session_waiting(moment, id);
        } else if matches!(base, Some(TaskState::Checking | TaskState::Merging)) {
            self.apply_task_returned(moment, task);
        }
    }

    pub(crate) fn apply_question_delivered(&mut self, moment: EventMoment<'_>, id: QuestionId) {
        self.rows.questions.change(&id, |row| {
            row.delivered_at = Some(moment.at);
            // An expired question stays expired: its default was delivered.
            if row.status != QuestionState::Expired {
                row.status = QuestionState::Delivered;
            }
        });
        self.stop_session_waiting(moment, id);
    }

    pub(crate) fn apply_question_resumed(&mut self, id: QuestionId) {
        self.rows.questions.change(&id, |row| {
            if row.status != QuestionState::Expired {
                row.status = QuestionState::Resumed;
            }
        });
    }

    pub(crate) fn apply_question_withdrawn(&mut self, moment: EventMoment<'_>, id: QuestionId, reason: &str) {
        self.rows.questions.change(&id, |row| {
            (row.status, row.withdrawal_reason) = (QuestionState::Withdrawn, Some(reason.to_owned()));
        });
        self.close_question(moment, id);
        self.stop_session_waiting(moment, id);
    }

    pub(crate) fn apply_question_expired(
        &mut self,
        moment: EventMoment<'_>,
        id: QuestionId,
        default_used: Option<&String>,
    ) {
        self.rows.questions.change(&id, |row| {
            (row.status, row.answer) = (QuestionState::Expired, default_used.cloned());
            row.answered_at = default_used.is_some().then_some(moment.at);
        });
        self.close_question(moment, id);
        if default_used.is_none() {
            self.stop_session_waiting(moment, id);
        }
    }

    /// Returns the party that must answer.
    pub(super) fn party_of_question(&self, id: QuestionId) -> ResponsibleParty {
        self.rows.questions.get(&id).map_or(ResponsibleParty::Jangdan, |row| match row.status {
            QuestionState::Pending => ResponsibleParty::Person,
            QuestionState::WithOrchestrator => ResponsibleParty::Orchestrator,
            QuestionState::Asked
            | QuestionState::Answered
            | QuestionState::Delivered
            | QuestionState::Resumed
            | QuestionState::Withdrawn
            | QuestionState::Expired => ResponsibleParty::Jangdan,
        })
    }

    /// Removes a question from the inbox and from its task.
    fn close_question(&mut self, moment: EventMoment<'_>, id: QuestionId) {
        self.facts.open.set_party(InboxItem::Question(id), None);
        self.rows.inbox.remove(&InboxItem::Question(id));
        let Some(row) = self.rows.questions.get(&id).cloned() else { return };
        if let Some(request) = &row.permission {
            self.remove_permission_request(moment, id, request);
        }
        if let Some(task) = &row.task
            && let Some(facts) = self.facts.tasks.get_mut(task)
        {
            facts.questions.retain(|other| *other != id);
            self.update_pending_question(task);
        }
        self.update_question_blocking_party(&row);
    }

    /// Ends the waiting of the asking session.
    fn stop_session_waiting(&mut self, moment: EventMoment<'_>, id: QuestionId) {
        let Some(session) = self.rows.questions.get(&id).map(|row| row.session) else { return };
        self.set_session_waiting(moment, session, InboxItem::Question(id), false);
    }

    fn update_question_blocking_party(&mut self, row: &QuestionRow) {
        if let Some(task) = &row.task {
            self.update_blocking_party(task, &BlockReason::Question { question: row.id });
        }
    }
}
