//! The chat of a run: messages of the user and the orchestrator, questions, and notices of Jangdan.

use domain::{Actor, Event, QuestionId, Timestamp};
use serde::{Deserialize, Serialize};

use super::QuestionRow;
use crate::{
    RowKind, TableRow, Views,
    sentences::{en::describe_event, ko},
    views::EventMoment,
};

/// One message in the chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatRow {
    /// Position in the chat, from 0.
    pub index: u32,
    pub author: ChatAuthor,
    /// Name of the user, if the author is one.
    pub name: Option<String>,
    pub text: String,
    /// Korean text, if Jangdan wrote it.
    #[serde(default)]
    pub korean: Option<String>,
    /// The question that the message asks, answers or concerns.
    pub question: Option<QuestionId>,
    /// Whether the message is the card of the question.
    pub is_card: bool,
    pub sent_at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ChatAuthor {
    Person,
    /// An agent, or Jangdan in its place.
    Orchestrator,
    /// Jangdan, about an event.
    System,
}

impl TableRow for ChatRow {
    type Key = u32;
    const KIND: RowKind = RowKind::Chat;

    fn key(&self) -> u32 {
        self.index
    }

    fn key_to_text(key: &u32) -> String {
        format!("{key:010}")
    }
}

impl Views {
    pub(crate) fn add_chat_message(
        &mut self,
        moment: EventMoment<'_>,
        text: &str,
        answers: Option<QuestionId>,
    ) {
        self.facts.answered_in_chat = answers;
        self.add_chat(moment, author_of(moment.actor), text, answers, false);
    }

    /// Adds a message of Jangdan about an event.
    pub(crate) fn add_chat_notice(&mut self, moment: EventMoment<'_>, event: &Event) {
        let text = describe_event(event, &self.rows, moment.actor).text;
        let korean = ko::describe_event_in_korean(event, &self.rows, moment.actor);
        let index = self.add_chat(moment, ChatAuthor::System, &text, None, false);
        self.rows.chat.change(&index, |row| row.korean = Some(korean));
    }

    /// Adds the card of a question that reached the user, once.
    pub(super) fn add_question_card(&mut self, moment: EventMoment<'_>, row: &QuestionRow) {
        if row.chat.is_some() {
            return;
        }
        let key = self.add_chat(moment, ChatAuthor::Orchestrator, &row.text, Some(row.id), true);
        self.rows.chat.change(&key, |message| message.korean.clone_from(&row.korean));
        self.rows.questions.change(&row.id, |row| row.chat = Some(ChatRow::key_to_text(&key)));
    }

    /// Adds a reply to a question that the user has seen, unless the reply is already in the chat.
    pub(super) fn add_chat_reply(&mut self, moment: EventMoment<'_>, id: QuestionId, text: &str) {
        let is_seen = self.rows.questions.get(&id).is_some_and(|row| row.chat.is_some());
        if is_seen && self.facts.answered_in_chat.take() != Some(id) {
            self.add_chat(moment, author_of(moment.actor), text, Some(id), false);
        }
    }

    fn add_chat(
        &mut self,
        moment: EventMoment<'_>,
        author: ChatAuthor,
        text: &str,
        question: Option<QuestionId>,
        is_card: bool,
    ) -> u32 {
        let index = self.n_chat_messages();
        let name = if let (ChatAuthor::Person, Actor::Person(name)) = (author, moment.actor) {
            Some(name.clone())
        } else {
            None
        };
        let (text, sent_at) = (text.to_owned(), moment.at);
        self.rows.chat.put(ChatRow { index, author, name, text, korean: None, question, is_card, sent_at });
        index
    }

    fn n_chat_messages(&self) -> u32 {
        u32::try_from(self.rows.chat.len()).unwrap_or(u32::MAX)
    }
}

fn author_of(actor: &Actor) -> ChatAuthor {
    match actor {
        Actor::Person(_) => ChatAuthor::Person,
        Actor::Agent(_) => ChatAuthor::Orchestrator,
        Actor::Clock | Actor::System => ChatAuthor::System,
    }
}
