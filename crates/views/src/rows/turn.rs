//! Conversations: inputs to agents, and their messages. Agents that work for a task share its conversation; a session
//! without a task, such as that of a called agent or a verifier, has its own.

use std::fmt;

use domain::{
    AgentError, AgentName, InputNumber, Locale, QuestionId, SessionId, SessionInput, TaskId, Timestamp,
    TurnTools, without_key_marks,
};
use serde::{Deserialize, Serialize};

use crate::{
    RowKind, RowSessions, TableRow, Views,
    sentences::{en::inputs::describe_input, ko},
    views::EventMoment,
};

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TurnRow {
    /// `None` if the session works for no task; the conversation is that of the session then.
    pub task: Option<TaskId>,
    /// Position in the conversation, from 0.
    pub index: u32,
    pub role: TurnSpeaker,
    #[serde(default)]
    pub kind: TurnKind,
    /// `None` if Jangdan is the orchestrator.
    pub agent: Option<AgentName>,
    /// Session of the agent.
    pub session: SessionId,
    /// With a mark (`KEY_MARK`) where the agent wrote the key of its session, which its messages have.
    pub content: String,
    /// Korean text, if Jangdan wrote it.
    #[serde(default)]
    pub korean: Option<String>,
    /// The whole text that the agent was sent, as far as its form is a text. Session keys are replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub sent: Option<String>,
    /// Tools that the agent used in this turn.
    #[serde(default, skip_serializing_if = "TurnTools::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
    pub tools: TurnTools,
    /// Whether the turn ended early, because its process ended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
    pub is_interrupted: bool,
    /// The question that the message asks, forwards or answers.
    pub question: Option<QuestionId>,
    pub sent_at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum TurnSpeaker {
    /// The level above the agent, or Jangdan in its place.
    Orchestrator,
    Agent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum TurnKind {
    /// Text of an agent's turn.
    #[default]
    Text,
    /// A completed step, as the agent reported it.
    Step,
    /// An instruction or information for the agent.
    Prompt,
    /// A question, also a forwarded one.
    Question,
    Answer,
    /// A question back to the agent.
    Clarification,
    Notice,
}

/// Names a conversation. No task has an id of the form of a session's.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConversationId {
    Task(TaskId),
    Session(SessionId),
}

impl fmt::Display for ConversationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Task(task) => task.fmt(f),
            Self::Session(session) => session.fmt(f),
        }
    }
}

impl TurnRow {
    pub fn conversation(&self) -> ConversationId {
        match &self.task {
            Some(task) => ConversationId::Task(task.clone()),
            None => ConversationId::Session(self.session),
        }
    }

    /// Returns the text to show: a prompt as it was sent, anything else in the language of the user. Without marks of keys.
    pub fn shown_text(&self, locale: Locale) -> String {
        let sent = self.sent.as_deref().filter(|_| self.kind == TurnKind::Prompt);
        let korean = self.korean.as_deref().filter(|_| locale == Locale::Ko);
        without_key_marks(sent.or(korean).unwrap_or(&self.content))
    }
}

impl TableRow for TurnRow {
    type Key = (ConversationId, u32);
    const KIND: RowKind = RowKind::Turn;

    fn key(&self) -> Self::Key {
        (self.conversation(), self.index)
    }

    fn key_to_text((conversation, index): &Self::Key) -> String {
        format!("{conversation}/{index:010}")
    }

    fn sessions(&self) -> RowSessions {
        [Some(self.session), None]
    }
}

impl Views {
    pub(crate) fn add_input_turn(
        &mut self,
        moment: EventMoment<'_>,
        (session, number): (SessionId, InputNumber),
        input: &SessionInput,
    ) {
        let named = if let SessionInput::Task { task, .. } | SessionInput::Test { task, .. } = input {
            Some(task.clone())
        } else {
            self.task_of_session(session)
        };
        let question = if let SessionInput::Answer { question, .. }
        | SessionInput::ClarificationRequest { question, .. }
        | SessionInput::Permission { question: Some(question), .. } = input
        {
            Some(*question)
        } else {
            None
        };
        let kind = if let SessionInput::Answer { .. } | SessionInput::Permission { .. } = input {
            TurnKind::Answer
        } else if let SessionInput::ClarificationRequest { .. } = input {
            TurnKind::Clarification
        } else {
            TurnKind::Prompt
        };
        let message = TurnMessage {
            question,
            ..TurnMessage::new(TurnSpeaker::Orchestrator, kind, describe_input(input))
        };
        // Texts of users and agents are not translated.
        let korean = Some(ko::describe_input(input)).filter(|korean| *korean != message.content);
        let key = self.add_turn(moment, named, session, TurnMessage { korean, ..message });
        if let Some(facts) = self.facts.sessions.get_mut(&session) {
            facts.unsent_turns.extend(key.map(|key| (number, key)));
        }
    }

    /// Records the text that the agent was sent.
    pub(crate) fn apply_input_sent(
        &mut self,
        session: SessionId,
        number: InputNumber,
        text: Option<&String>,
    ) {
        let facts = self.facts.sessions.get_mut(&session);
        if let Some(key) = facts.and_then(|facts| facts.unsent_turns.remove(&number))
            && let Some(text) = text
        {
            self.rows.turns.change(&key, |row| row.sent = Some(text.clone()));
        }
    }

    pub(crate) fn apply_turn_ended(
        &mut self,
        now: EventMoment<'_>,
        session: SessionId,
        text: &str,
        tools: &TurnTools,
    ) {
        let message = TurnMessage::new(TurnSpeaker::Agent, TurnKind::Text, text.to_owned());
        self.add_agent_turn(now, session, TurnMessage { tools: tools.clone(), ..message });
    }

    pub(crate) fn apply_turn_interrupted(
        &mut self,
        now: EventMoment<'_>,
        session: SessionId,
        text: &str,
        tools: &TurnTools,
    ) {
        let message = TurnMessage::new(TurnSpeaker::Agent, TurnKind::Text, text.to_owned());
        self.add_agent_turn(
            now,
            session,
            TurnMessage { tools: tools.clone(), is_interrupted: true, ..message },
        );
    }

    fn add_agent_turn(&mut self, moment: EventMoment<'_>, session: SessionId, message: TurnMessage) {
        if !message.content.trim().is_empty() || !message.tools.is_empty() {
            self.add_turn(moment, self.task_of_session(session), session, message);
        }
    }

    pub(crate) fn add_completed_step_turn(
        &mut self,
        moment: EventMoment<'_>,
        session: SessionId,
        summary: Option<&String>,
    ) {
        if let Some(summary) = summary {
            let message = TurnMessage::new(TurnSpeaker::Agent, TurnKind::Step, summary.clone());
            self.add_turn(moment, self.task_of_session(session), session, message);
        }
    }

    pub(crate) fn add_error_turn(
        &mut self,
        moment: EventMoment<'_>,
        session: SessionId,
        task: Option<&TaskId>,
        error: &AgentError,
    ) {
        let task = task.cloned().or_else(|| self.task_of_session(session));
        let details = error.details.as_ref().map(|details| format!("\n{details}")).unwrap_or_default();
        let content = format!("Error: {}{details}", error.message);
        let korean = Some(format!("오류: {}{details}", error.message));
        let message =
            TurnMessage { korean, ..TurnMessage::new(TurnSpeaker::Agent, TurnKind::Notice, content) };
        self.add_turn(moment, task, session, message);
    }

    pub(super) fn add_question_turn(&mut self, moment: EventMoment<'_>, id: QuestionId) {
        self.add_speaker_question_turn(moment, id, TurnSpeaker::Agent);
    }

    pub(super) fn add_forwarded_question_turn(&mut self, moment: EventMoment<'_>, id: QuestionId) {
        self.add_speaker_question_turn(moment, id, TurnSpeaker::Orchestrator);
    }

    fn add_speaker_question_turn(&mut self, moment: EventMoment<'_>, id: QuestionId, role: TurnSpeaker) {
        let Some(row) = self.rows.questions.get(&id) else { return };
        let task = row.task.clone();
        let options: String = row.options.iter().map(|option| format!("\n- {option}")).collect();
        let content = format!("{}{options}", row.text);
        let korean = row.korean.as_ref().map(|korean| format!("{korean}{options}"));
        let session = match role {
            TurnSpeaker::Agent => row.session,
            TurnSpeaker::Orchestrator => moment.actor.session().unwrap_or(row.session),
        };
        let message = TurnMessage::new(role, TurnKind::Question, content);
        let message = TurnMessage { korean, question: Some(id), ..message };
        self.add_turn(moment, task, session, message);
    }

    /// Adds a turn to the conversation of a task, or of the session. Returns its key, `None` if there is no such task.
    fn add_turn(
        &mut self,
        moment: EventMoment<'_>,
        task: Option<TaskId>,
        session: SessionId,
        message: TurnMessage,
    ) -> Option<(ConversationId, u32)> {
        let n_turns = match &task {
            Some(task) => &mut self.facts.tasks.get_mut(task)?.n_turns,
            None => &mut self.facts.sessions.get_mut(&session)?.n_turns,
        };
        let index = *n_turns;
        *n_turns = index.saturating_add(1);
        let TurnMessage { role, kind, content, korean, tools, is_interrupted, question } = message;
        let speaker = match role {
            TurnSpeaker::Agent => Some(session),
            TurnSpeaker::Orchestrator => moment.actor.session(),
        };
        let agent = speaker.and_then(|speaker| self.agent_of_session(speaker));
        let sent_at = moment.at;
        let row = TurnRow {
            task,
            index,
            role,
            kind,
            agent,
            session,
            content,
            korean,
            sent: None,
            tools,
            is_interrupted,
            question,
            sent_at,
        };
        let key = row.key();
        self.rows.turns.put(row);
        Some(key)
    }
}

/// A message without its position.
struct TurnMessage {
    role: TurnSpeaker,
    kind: TurnKind,
    content: String,
    korean: Option<String>,
    tools: TurnTools,
    is_interrupted: bool,
    question: Option<QuestionId>,
}

impl TurnMessage {
    fn new(role: TurnSpeaker, kind: TurnKind, content: String) -> Self {
        Self {
            role,
            kind,
            content,
            korean: None,
            tools: TurnTools::default(),
            is_interrupted: false,
            question: None,
        }
    }
}
