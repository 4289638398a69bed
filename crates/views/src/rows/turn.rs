//! The conversation of a task: inputs to its agent, and the agent's messages.

use domain::{AgentError, AgentName, QuestionId, SessionId, SessionInput, TaskId, Timestamp, TurnTools};
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
    pub task: TaskId,
    /// Position in the conversation, from 0.
    pub index: u32,
    pub role: TurnSpeaker,
    #[serde(default)]
    pub kind: TurnKind,
    /// `None` if Jangdan is the orchestrator.
    pub agent: Option<AgentName>,
    /// Session of the agent.
    pub session: SessionId,
    pub content: String,
    /// Korean text, if Jangdan wrote it.
    #[serde(default)]
    pub korean: Option<String>,
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

impl TableRow for TurnRow {
    type Key = (TaskId, u32);
    const KIND: RowKind = RowKind::Turn;

    fn key(&self) -> Self::Key {
        (self.task.clone(), self.index)
    }

    fn key_to_text((task, index): &Self::Key) -> String {
        format!("{task}/{index:010}")
    }

    fn sessions(&self) -> RowSessions {
        [Some(self.session), None]
    }
}

impl Views {
    pub(crate) fn add_input_turn(
        &mut self,
        moment: EventMoment<'_>,
        session: SessionId,
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
        if let Some(task) = named {
            let message = TurnMessage {
                question,
                ..TurnMessage::new(TurnSpeaker::Orchestrator, kind, describe_input(input))
            };
            // Texts of users and agents are not translated.
            let korean = Some(ko::describe_input(input)).filter(|korean| *korean != message.content);
            let message = TurnMessage { korean, ..message };
            self.add_turn(moment, task, session, message);
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
        let is_silent = message.content.trim().is_empty() && message.tools.is_empty();
        if let Some(task) = self.task_of_session(session).filter(|_| !is_silent) {
            self.add_turn(moment, task, session, message);
        }
    }

    pub(crate) fn add_completed_step_turn(
        &mut self,
        moment: EventMoment<'_>,
        session: SessionId,
        summary: Option<&String>,
    ) {
        if let (Some(task), Some(summary)) = (self.task_of_session(session), summary) {
            let message = TurnMessage::new(TurnSpeaker::Agent, TurnKind::Step, summary.clone());
            self.add_turn(moment, task, session, message);
        }
    }

    pub(crate) fn add_error_turn(
        &mut self,
        moment: EventMoment<'_>,
        session: SessionId,
        task: Option<&TaskId>,
        error: &AgentError,
    ) {
        if let Some(task) = task.cloned().or_else(|| self.task_of_session(session)) {
            let details = error.details.as_ref().map(|details| format!("\n{details}")).unwrap_or_default();
            let content = format!("Error: {}{details}", error.message);
            let korean = Some(format!("오류: {}{details}", error.message));
            let message =
                TurnMessage { korean, ..TurnMessage::new(TurnSpeaker::Agent, TurnKind::Notice, content) };
            self.add_turn(moment, task, session, message);
        }
    }

    pub(super) fn add_question_turn(&mut self, moment: EventMoment<'_>, id: QuestionId) {
        self.add_speaker_question_turn(moment, id, TurnSpeaker::Agent);
    }

    pub(super) fn add_forwarded_question_turn(&mut self, moment: EventMoment<'_>, id: QuestionId) {
        self.add_speaker_question_turn(moment, id, TurnSpeaker::Orchestrator);
    }

    fn add_speaker_question_turn(&mut self, moment: EventMoment<'_>, id: QuestionId, role: TurnSpeaker) {
        let Some(row) = self.rows.questions.get(&id) else { return };
        let Some(task) = row.task.clone() else { return };
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

    fn add_turn(&mut self, moment: EventMoment<'_>, task: TaskId, session: SessionId, message: TurnMessage) {
        let Some(facts) = self.facts.tasks.get_mut(&task) else { return };
        let index = facts.n_turns;
        facts.n_turns = facts.n_turns.saturating_add(1);
        let TurnMessage { role, kind, content, korean, tools, is_interrupted, question } = message;
        let speaker = match role {
            TurnSpeaker::Agent => Some(session),
            TurnSpeaker::Orchestrator => moment.actor.session(),
        };
        let agent = speaker.and_then(|speaker| self.agent_of_session(speaker));
        let sent_at = moment.at;
        self.rows.turns.put(TurnRow {
            task,
            index,
            role,
            kind,
            agent,
            session,
            content,
            korean,
            tools,
            is_interrupted,
            question,
            sent_at,
        });
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
