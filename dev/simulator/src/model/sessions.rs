//! Sessions: their states, inputs and messages.

use std::collections::{BTreeMap, BTreeSet};

use domain::{AgentName, InputNumber, MessageOffset, PhaseNumber, Role, SessionId, SessionInput, TaskId};

use super::Model;
use crate::rule::Rule;

/// Maximum number of queued inputs of a session.
const INPUTS_MAX: usize = 400;

/// The state of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionState {
    /// Its process is not started yet, or it has none.
    Opened,
    Active,
    Parked,
    /// Its process is being ended.
    Dismissed,
    Ended,
}

/// A session with its inputs and the position of its reader.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    /// `None` for a level without a process.
    pub agent: Option<AgentName>,
    pub role: Role,
    pub task: Option<TaskId>,
    /// The phase that it leads or verifies.
    pub phase: Option<PhaseNumber>,
    pub state: SessionState,
    /// Each input, and whether it was typed.
    pub inputs: BTreeMap<InputNumber, (SessionInput, bool)>,
    /// Positions of the processed messages.
    pub message_offsets: BTreeSet<MessageOffset>,
    /// Offset at which reading restarts.
    pub read_from: u64,
    /// Processed prompts of the current turn.
    pub prompts: BTreeSet<String>,
    /// Whether it got an input or sent a message, and has not ended its turn.
    pub in_turn: bool,
    /// Rejected messages since the last valid one.
    pub invalid_in_a_row: u32,
}

impl Session {
    /// Returns the number of inputs that are not typed yet.
    pub(crate) fn n_pending_inputs(&self) -> usize {
        self.inputs.values().filter(|(_, typed)| !typed).count()
    }
}

impl Model {
    /// Tells whether a session has not ended.
    pub(crate) fn is_session_open(&self, session: SessionId) -> bool {
        self.sessions.get(&session).is_some_and(|session| session.state != SessionState::Ended)
    }

    /// Tells whether a session accepts inputs.
    pub(crate) fn accepts_input(&self, session: SessionId) -> bool {
        self.sessions
            .get(&session)
            .is_some_and(|session| !matches!(session.state, SessionState::Dismissed | SessionState::Ended))
    }

    /// Adds a processed message, valid or not.
    pub(super) fn record_message(&mut self, id: SessionId, offset: MessageOffset, read_from: u64) {
        let Some(session) = self.sessions.get_mut(&id) else { return };
        session.read_from = session.read_from.max(read_from);
        let is_new = session.message_offsets.insert(offset);
        if !is_new {
            self.add_violation(Rule::MessageOnce, format!("{id} has two messages at {}", offset.start));
        }
    }

    /// Adds a processed prompt.
    pub(super) fn record_prompt(&mut self, id: SessionId, prompt: &str) {
        let Some(session) = self.sessions.get_mut(&id) else { return };
        if !session.prompts.insert(prompt.to_owned()) {
            self.add_violation(Rule::PromptOnce, format!("{id} has two questions with {prompt}"));
        }
    }

    /// Adds an input of a session.
    pub(super) fn queue_input(&mut self, id: SessionId, number: InputNumber, content: &SessionInput) {
        if matches!(content, SessionInput::InvalidMessage { .. }) {
            self.check_correction(id);
        }
        let mut violations = Vec::new();
        let Some(session) = self.sessions.get_mut(&id) else {
            return self.add_violation(Rule::TaskOrder, format!("{id} gets an input and is not a session"));
        };
        let expected = session.inputs.len() + 1;
        if number as usize != expected {
            violations
                .push((Rule::AnswerToAsker, format!("input {number} of {id} comes instead of {expected}")));
        }
        if session.agent.is_none() {
            violations.push((Rule::AnswerToAsker, format!("{id} has no process and gets an input")));
        }
        session.inputs.insert(number, (content.clone(), false));
        session.in_turn = true;
        let parts = if let SessionInput::Task { carried, .. } = content {
            carried.as_slice()
        } else {
            std::slice::from_ref(content)
        };
        let has_message = parts.iter().any(|part| matches!(part, SessionInput::UserMessage { .. }));
        let reader = session.task.clone().filter(|_| has_message);
        if session.n_pending_inputs() > INPUTS_MAX {
            violations.push((
                Rule::QueuesBounded,
                format!("{id} has {} queued inputs", session.n_pending_inputs()),
            ));
        }
        for (rule, how) in violations {
            self.add_violation(rule, how);
        }
        if let Some(task) = reader.and_then(|task| self.tasks.get_mut(&task)) {
            task.n_unread_messages = 0;
        }
        self.record_delivery(id, number, content);
    }

    /// Marks an input as typed.
    pub(super) fn mark_input_typed(&mut self, id: SessionId, number: InputNumber) {
        let typed = self.sessions.get_mut(&id).and_then(|session| session.inputs.get_mut(&number));
        match typed {
            Some((_, typed)) if !*typed => *typed = true,
            Some(_) => {
                self.add_violation(Rule::StaleReports, format!("input {number} of {id} is typed twice"))
            }
            None => self.add_violation(
                Rule::StaleReports,
                format!("input {number} of {id} is typed, but was not queued"),
            ),
        }
    }
}
