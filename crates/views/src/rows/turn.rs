//! The conversation of a task: what its agent was told, what it said.

use domain::{AgentError, AgentName, QuestionId, SessionId, SessionInput, TaskId, Timestamp, TurnTools};
use serde::{Deserialize, Serialize};

use crate::{
    RowKind, RowSessions, TableRow, Views,
    sentences::{en::inputs::describe_input, ko},
    views::EventMoment,
};

/// One utterance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TurnRow {
    /// The task.
    pub task: TaskId,
    /// Its place in the conversation, from 0.
    pub index: u32,
    /// Who speaks.
    pub role: TurnSpeaker,
    /// What it is.
    #[serde(default)]
    pub kind: TurnKind,
    /// Which agent that is; none where Jangdan plays the orchestrator.
    pub agent: Option<AgentName>,
    /// The session that speaks or is spoken to.
    pub session: SessionId,
    /// What is said.
    pub content: String,
    /// The same in Korean, where Jangdan itself says it.
    #[serde(default)]
    pub korean: Option<String>,
    /// The tools that were used meanwhile.
    #[serde(default, skip_serializing_if = "TurnTools::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
    pub tools: TurnTools,
    /// Whether the turn was cut off, because its process ended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
    pub is_interrupted: bool,
    /// The question that it asks, hands on or answers.
    pub question: Option<QuestionId>,
    /// When.
    pub sent_at: Timestamp,
}

/// Who speaks in a task's conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum TurnSpeaker {
    /// Whoever leads the agent.
    Orchestrator,
    /// The agent.
    Agent,
}

/// What an utterance is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum TurnKind {
    /// What an agent said in its turn.
    #[default]
    Text,
    /// What an agent has done so far, by its own word.
    Step,
    /// What an agent is told to do or to know.
    Prompt,
    /// A question, or one that is handed on.
    Question,
    /// The answer to a question.
    Answer,
    /// What is not clear about a question.
    Clarification,
    /// That something went wrong.
    Notice,
}

impl TableRow for TurnRow {
    type Key = (TaskId, u32);
    const KIND: RowKind = RowKind::Turn;

    fn key(&self) -> Self::Key {
        (self.task.clone(), self.index)
    }

    fn write_key((task, index): &Self::Key) -> String {
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
            self.task_of(session)
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
            let told = Utterance {
                question,
                ..Utterance::new(TurnSpeaker::Orchestrator, kind, describe_input(input))
            };
            // What somebody else said is passed on as it is.
            let korean = Some(ko::describe_input(input)).filter(|korean| *korean != told.content);
            let told = Utterance { korean, ..told };
            self.add_turn(moment, task, session, told);
        }
    }

    pub(crate) fn turn_ended(
        &mut self,
        now: EventMoment<'_>,
        session: SessionId,
        words: &str,
        tools: &TurnTools,
    ) {
        let said = Utterance::new(TurnSpeaker::Agent, TurnKind::Text, words.to_owned());
        self.add_agent_turn(now, session, Utterance { tools: tools.clone(), ..said });
    }

    pub(crate) fn turn_interrupted(
        &mut self,
        now: EventMoment<'_>,
        session: SessionId,
        words: &str,
        tools: &TurnTools,
    ) {
        let said = Utterance::new(TurnSpeaker::Agent, TurnKind::Text, words.to_owned());
        self.add_agent_turn(now, session, Utterance { tools: tools.clone(), is_interrupted: true, ..said });
    }

    fn add_agent_turn(&mut self, moment: EventMoment<'_>, session: SessionId, said: Utterance) {
        let is_silent = said.content.trim().is_empty() && said.tools.is_empty();
        if let Some(task) = self.task_of(session).filter(|_| !is_silent) {
            self.add_turn(moment, task, session, said);
        }
    }

    pub(crate) fn add_step_turn(
        &mut self,
        moment: EventMoment<'_>,
        session: SessionId,
        summary: Option<&String>,
    ) {
        if let (Some(task), Some(summary)) = (self.task_of(session), summary) {
            let said = Utterance::new(TurnSpeaker::Agent, TurnKind::Step, summary.clone());
            self.add_turn(moment, task, session, said);
        }
    }

    pub(crate) fn add_error_turn(
        &mut self,
        moment: EventMoment<'_>,
        session: SessionId,
        task: Option<&TaskId>,
        error: &AgentError,
    ) {
        if let Some(task) = task.cloned().or_else(|| self.task_of(session)) {
            let details = error.details.as_ref().map(|details| format!("\n{details}")).unwrap_or_default();
            let content = format!("Error: {}{details}", error.message);
            let korean = Some(format!("오류: {}{details}", error.message));
            let said = Utterance { korean, ..Utterance::new(TurnSpeaker::Agent, TurnKind::Notice, content) };
            self.add_turn(moment, task, session, said);
        }
    }

    pub(super) fn add_question_turn(&mut self, moment: EventMoment<'_>, id: QuestionId) {
        self.add_turn_of_question(moment, id, TurnSpeaker::Agent);
    }

    pub(super) fn add_forwarded_turn(&mut self, moment: EventMoment<'_>, id: QuestionId) {
        self.add_turn_of_question(moment, id, TurnSpeaker::Orchestrator);
    }

    fn add_turn_of_question(&mut self, moment: EventMoment<'_>, id: QuestionId, role: TurnSpeaker) {
        let Some(row) = self.rows.questions.get(&id) else { return };
        let Some(task) = row.task.clone() else { return };
        let options: String = row.options.iter().map(|option| format!("\n- {option}")).collect();
        let content = format!("{}{options}", row.text);
        let korean = row.korean.as_ref().map(|korean| format!("{korean}{options}"));
        let session = match role {
            TurnSpeaker::Agent => row.session,
            TurnSpeaker::Orchestrator => moment.actor.session().unwrap_or(row.session),
        };
        let said = Utterance::new(role, TurnKind::Question, content);
        let said = Utterance { korean, question: Some(id), ..said };
        self.add_turn(moment, task, session, said);
    }

    fn add_turn(&mut self, moment: EventMoment<'_>, task: TaskId, session: SessionId, said: Utterance) {
        let Some(facts) = self.facts.tasks.get_mut(&task) else { return };
        let index = facts.n_turns;
        facts.n_turns = facts.n_turns.saturating_add(1);
        let Utterance { role, kind, content, korean, tools, is_interrupted, question } = said;
        let speaker = match role {
            TurnSpeaker::Agent => Some(session),
            TurnSpeaker::Orchestrator => moment.actor.session(),
        };
        let agent = speaker.and_then(|speaker| self.agent_of(speaker));
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

/// What is said, before it is known where it stands.
struct Utterance {
    role: TurnSpeaker,
    kind: TurnKind,
    content: String,
    korean: Option<String>,
    tools: TurnTools,
    is_interrupted: bool,
    question: Option<QuestionId>,
}

impl Utterance {
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
