//! Sessions in the model: who lives, what was said to them, what they said.

use std::collections::{BTreeMap, BTreeSet};

use domain::{AgentName, InputNumber, MessageOffset, PhaseNumber, Role, SessionId, SessionInput, TaskId};

use super::Model;
use crate::rule::Rule;

/// More inputs than these for one session at once is no queue with a bound.
const INPUTS_MAX: usize = 400;

/// How a session is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    /// Its process is to be started, or it is played by Jangdan.
    Opened,
    /// Its process is there.
    Active,
    /// It waits at less cost.
    Parked,
    /// Its process is to end.
    Dismissed,
    /// Its process is gone.
    Over,
}

/// One session.
#[derive(Debug, Clone)]
pub struct Session {
    /// Who it is; none where Jangdan plays it.
    pub agent: Option<AgentName>,
    /// What it is there for.
    pub role: Role,
    /// The task it works at.
    pub task: Option<TaskId>,
    /// The phase it leads or judges.
    pub phase: Option<PhaseNumber>,
    /// How it is.
    pub life: Life,
    /// What was said to it, and whether it was typed.
    pub inputs: BTreeMap<InputNumber, (SessionInput, bool)>,
    /// Where in its output messages were taken.
    pub heard: BTreeSet<MessageOffset>,
    /// Where reading starts again after a restart.
    pub read_from: u64,
    /// The prompts of the present turn that were taken.
    pub prompts: BTreeSet<String>,
}

impl Session {
    /// Returns how many inputs wait to be typed.
    pub fn n_waiting(&self) -> usize {
        self.inputs.values().filter(|(_, typed)| !typed).count()
    }
}

impl Model {
    /// Tells whether a process of a session may still be there.
    pub fn has_process(&self, session: SessionId) -> bool {
        self.sessions.get(&session).is_some_and(|session| session.life != Life::Over)
    }

    /// Tells whether something can be said to a session.
    pub fn lives(&self, session: SessionId) -> bool {
        self.sessions
            .get(&session)
            .is_some_and(|session| !matches!(session.life, Life::Dismissed | Life::Over))
    }

    /// A message was taken, understood or not.
    pub(super) fn hear(&mut self, id: SessionId, heard: MessageOffset, read_from: u64) {
        let Some(session) = self.sessions.get_mut(&id) else { return };
        session.read_from = session.read_from.max(read_from);
        let is_new = session.heard.insert(heard);
        if !is_new {
            self.breach(Rule::MessageOnce, format!("{id} is heard twice at {}", heard.start));
        }
    }

    /// A prompt was taken.
    pub(super) fn prompt(&mut self, id: SessionId, prompt: &str) {
        let Some(session) = self.sessions.get_mut(&id) else { return };
        if !session.prompts.insert(prompt.to_owned()) {
            self.breach(Rule::PromptOnce, format!("{id} asks twice with {prompt}"));
        }
    }

    /// Something is to be said to a session.
    pub(super) fn queue_input(&mut self, id: SessionId, number: InputNumber, content: &SessionInput) {
        let mut found = Vec::new();
        let Some(session) = self.sessions.get_mut(&id) else {
            return self.breach(Rule::TaskOrder, format!("{id} is told something and is no session"));
        };
        let expected = session.inputs.len() + 1;
        if number as usize != expected {
            found
                .push((Rule::AnswerToAsker, format!("input {number} of {id} comes where {expected} should")));
        }
        if session.agent.is_none() {
            found.push((Rule::AnswerToAsker, format!("{id} has no process and is told something")));
        }
        session.inputs.insert(number, (content.clone(), false));
        if session.n_waiting() > INPUTS_MAX {
            found.push((Rule::QueuesBounded, format!("{id} has {} inputs to come", session.n_waiting())));
        }
        for (rule, how) in found {
            self.breach(rule, how);
        }
        self.owe(id, number, content);
    }

    /// Something was said to a session.
    pub(super) fn type_input(&mut self, id: SessionId, number: InputNumber) {
        let typed = self.sessions.get_mut(&id).and_then(|session| session.inputs.get_mut(&number));
        match typed {
            Some((_, typed)) if !*typed => *typed = true,
            Some(_) => self.breach(Rule::StaleReports, format!("input {number} of {id} is typed twice")),
            None => self.breach(Rule::StaleReports, format!("input {number} of {id} is typed and unknown")),
        }
    }
}
