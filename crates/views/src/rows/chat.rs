//! The chat of a run: what person and orchestrator say, the questions, and what Jangdan has to tell.

use domain::{Actor, Event, QuestionId, Timestamp};
use serde::{Deserialize, Serialize};

use super::QuestionRow;
use crate::{
    RowKind, TableRow, Views,
    sentences::{en::describe_event, ko},
    views::EventMoment,
};

/// One utterance about the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatRow {
    /// Its place, from 0.
    pub index: u32,
    /// Who speaks.
    pub author: ChatAuthor,
    /// The person's name, where one speaks.
    pub name: Option<String>,
    /// What is said.
    pub text: String,
    /// The same in Korean, where Jangdan itself says it.
    #[serde(default)]
    pub korean: Option<String>,
    /// The question that it asks, answers or is about.
    pub question: Option<QuestionId>,
    /// Whether it is that question's card.
    pub is_card: bool,
    /// When.
    pub sent_at: Timestamp,
}

/// Who speaks in a chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ChatAuthor {
    /// Whose run it is.
    Person,
    /// Who leads the run, be it an agent or Jangdan.
    Orchestrator,
    /// Jangdan, about what happened.
    System,
}

impl TableRow for ChatRow {
    type Key = u32;
    const KIND: RowKind = RowKind::Chat;

    fn key(&self) -> u32 {
        self.index
    }

    fn write_key(key: &u32) -> String {
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

    /// Lets Jangdan tell what happened.
    pub(crate) fn add_chat_notice(&mut self, moment: EventMoment<'_>, event: &Event) {
        let text = describe_event(event, &self.rows, moment.actor).text;
        let korean = ko::describe_event_in_korean(event, &self.rows, moment.actor);
        let index = self.add_chat(moment, ChatAuthor::System, &text, None, false);
        self.rows.chat.change(&index, |row| row.korean = Some(korean));
    }

    /// Shows the card of a question that reached the person, once.
    pub(super) fn add_question_card(&mut self, moment: EventMoment<'_>, row: &QuestionRow) {
        if row.chat.is_some() {
            return;
        }
        let key = self.add_chat(moment, ChatAuthor::Orchestrator, &row.text, Some(row.id), true);
        self.rows.chat.change(&key, |said| said.korean.clone_from(&row.korean));
        self.rows.questions.change(&row.id, |row| row.chat = Some(ChatRow::write_key(&key)));
    }

    /// Shows what somebody says about a question that the person has seen; an answer said in the chat stands there.
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
        let index = self.chat_len();
        let name = if let (ChatAuthor::Person, Actor::Person(name)) = (author, moment.actor) {
            Some(name.clone())
        } else {
            None
        };
        let (text, sent_at) = (text.to_owned(), moment.at);
        self.rows.chat.put(ChatRow { index, author, name, text, korean: None, question, is_card, sent_at });
        index
    }

    fn chat_len(&self) -> u32 {
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
