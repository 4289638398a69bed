//! A question: who asks, with whom it is, what came of it.

use domain::{
    Actor, AgentName, BlockReason, BlockedWork, PermissionRequest, QuestionId, QuestionKind, QuestionRoute,
    SessionId, TaskId, Timestamp,
};
use serde::{Deserialize, Serialize};

use super::{InboxItem, InboxRow, ResponsibleParty};
use crate::{RowKind, RowSessions, TableRow, Views, views::EventMoment};

/// What somebody must answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct QuestionRow {
    /// The question.
    pub id: QuestionId,
    /// The session that waits for the answer.
    pub session: SessionId,
    /// Who that is.
    pub agent: Option<AgentName>,
    /// The task; none where it is about the run.
    pub task: Option<TaskId>,
    /// What kind of answer is wanted.
    pub kind: QuestionKind,
    /// What is asked, in the words of whoever handed it on last.
    pub text: String,
    /// The same in Korean, where Jangdan itself asks.
    #[serde(default)]
    pub korean: Option<String>,
    /// What the agent asked, where the orchestrator put it into other words.
    pub original_text: Option<String>,
    /// The offered answers.
    pub options: Vec<String>,
    /// The answer the agent would take.
    pub default: Option<String>,
    /// What one should know.
    pub context: Option<String>,
    /// Whether the agent can't go on without an answer.
    pub required: bool,
    /// What the agent wants to do, where it asks for permission.
    pub permission: Option<PermissionRequest>,
    /// Whether the agent asks in the middle of its turn, which goes on with the answer.
    pub is_in_turn: bool,
    /// How it stands.
    pub status: QuestionState,
    /// The answer.
    pub answer: Option<String>,
    /// Who gave it.
    pub answered_by: Option<Actor>,
    /// What somebody wanted to know before they answer.
    pub clarifications: Vec<Clarification>,
    /// Why nobody needs the answer any more.
    pub withdrawal_reason: Option<String>,
    /// What waits behind it.
    pub blocks: BlockedWork,
    /// The chat message that shows it.
    pub chat: Option<String>,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// When it reached the person.
    pub reached_person_at: Option<Timestamp>,
    /// When its default is taken, or it becomes an escalation.
    pub expires_at: Option<Timestamp>,
    /// When it was answered.
    pub answered_at: Option<Timestamp>,
    /// When the answer reached the session.
    pub delivered_at: Option<Timestamp>,
}

/// Something that is not clear about a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Clarification {
    /// Who wants to know.
    pub by: Actor,
    /// What.
    pub text: String,
    /// When.
    pub asked_at: Timestamp,
}

/// How a question stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum QuestionState {
    /// It is asked, and with nobody yet.
    Asked,
    /// The orchestrator has it.
    WithOrchestrator,
    /// The person has it.
    Pending,
    /// The answer is there.
    Answered,
    /// The answer has reached the session.
    Delivered,
    /// The task goes on with it.
    Resumed,
    /// Nobody needs the answer any more.
    Withdrawn,
    /// Nobody answered in time.
    Expired,
}

impl TableRow for QuestionRow {
    type Key = QuestionId;
    const KIND: RowKind = RowKind::Question;

    fn key(&self) -> QuestionId {
        self.id
    }

    fn write_key(key: &QuestionId) -> String {
        key.to_string()
    }

    fn sessions(&self) -> RowSessions {
        [Some(self.session), None]
    }
}

impl Views {
    /// Takes a question in. The caller has filled what the event says.
    pub(crate) fn question_asked(&mut self, moment: EventMoment<'_>, mut row: QuestionRow) {
        let (id, session, task) = (row.id, row.session, row.task.clone());
        row.agent = self.agent_of(session);
        row.expires_at = self.facts.question_expires_after_ms.map(|after| {
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

    pub(crate) fn question_routed(&mut self, moment: EventMoment<'_>, id: QuestionId, to: QuestionRoute) {
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
        self.facts.open.set(InboxItem::Question(id), Some(party));
        self.update_question_party(&row);
        match to {
            QuestionRoute::Orchestrator => self.rows.inbox.remove(&InboxItem::Question(id)),
            QuestionRoute::Person => {
                self.add_question_card(moment, &row);
                self.rows.inbox.put(InboxRow::of_question(&row, moment.at));
            }
        }
    }

    pub(crate) fn question_forwarded(&mut self, moment: EventMoment<'_>, id: QuestionId, text: &str) {
        self.rows.questions.change(&id, |row| {
            let before = std::mem::replace(&mut row.text, text.to_owned());
            row.original_text.get_or_insert(before);
            row.korean = None;
        });
        self.rows.inbox.change(&InboxItem::Question(id), |row| {
            (row.text, row.korean) = (text.to_owned(), None);
        });
        self.add_forwarded_turn(moment, id);
        // Handing it on brings it to the person.
        self.question_routed(moment, id, QuestionRoute::Person);
        if let Some(task) = self.rows.questions.get(&id).and_then(|row| row.task.clone()) {
            self.update_pending_question(&task);
        }
    }

    pub(crate) fn clarification_requested(&mut self, moment: EventMoment<'_>, id: QuestionId, text: &str) {
        let (by, asked_at) = (moment.actor.clone(), moment.at);
        self.rows.questions.change(&id, |row| {
            row.clarifications.push(Clarification { by, text: text.to_owned(), asked_at });
        });
        self.add_chat_reply(moment, id, text);
    }

    pub(crate) fn question_answered(&mut self, moment: EventMoment<'_>, id: QuestionId, answer: &str) {
        self.rows.questions.change(&id, |row| {
            (row.status, row.answer) = (QuestionState::Answered, Some(answer.to_owned()));
            (row.answered_by, row.answered_at) = (Some(moment.actor.clone()), Some(moment.at));
        });
        self.close_question(id);
        self.add_chat_reply(moment, id, answer);
    }

    pub(crate) fn question_delivered(&mut self, moment: EventMoment<'_>, id: QuestionId) {
        self.rows.questions.change(&id, |row| {
            row.delivered_at = Some(moment.at);
            // An expired question stays one: what was delivered is its default.
            if row.status != QuestionState::Expired {
                row.status = QuestionState::Delivered;
            }
        });
        self.stop_session_waiting(moment, id);
    }

    pub(crate) fn question_resumed(&mut self, id: QuestionId) {
        self.rows.questions.change(&id, |row| {
            if row.status != QuestionState::Expired {
                row.status = QuestionState::Resumed;
            }
        });
    }

    pub(crate) fn question_withdrawn(&mut self, moment: EventMoment<'_>, id: QuestionId, reason: &str) {
        self.rows.questions.change(&id, |row| {
            (row.status, row.withdrawal_reason) = (QuestionState::Withdrawn, Some(reason.to_owned()));
        });
        self.close_question(id);
        self.stop_session_waiting(moment, id);
    }

    pub(crate) fn question_expired(
        &mut self,
        moment: EventMoment<'_>,
        id: QuestionId,
        took: Option<&String>,
    ) {
        self.rows.questions.change(&id, |row| {
            (row.status, row.answer) = (QuestionState::Expired, took.cloned());
            row.answered_at = took.is_some().then_some(moment.at);
        });
        self.close_question(id);
        if took.is_none() {
            self.stop_session_waiting(moment, id);
        }
    }

    /// Returns with whom a question is.
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

    /// Lets nobody be asked any more.
    fn close_question(&mut self, id: QuestionId) {
        self.facts.open.set(InboxItem::Question(id), None);
        self.rows.inbox.remove(&InboxItem::Question(id));
        let Some(row) = self.rows.questions.get(&id).cloned() else { return };
        if let Some(task) = &row.task
            && let Some(facts) = self.facts.tasks.get_mut(task)
        {
            facts.questions.retain(|other| *other != id);
            self.update_pending_question(task);
        }
        self.update_question_party(&row);
    }

    /// Lets the session that asked wait no more.
    fn stop_session_waiting(&mut self, moment: EventMoment<'_>, id: QuestionId) {
        let Some(session) = self.rows.questions.get(&id).map(|row| row.session) else { return };
        self.set_session_waiting(moment, session, InboxItem::Question(id), false);
    }

    fn update_question_party(&mut self, row: &QuestionRow) {
        if let Some(task) = &row.task {
            self.update_blocking_party(task, &BlockReason::Question { question: row.id });
        }
    }
}
