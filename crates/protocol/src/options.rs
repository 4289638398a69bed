//! The decoder's options: properties of the session whose output it reads.

use domain::{PlanTaskIds, Role, SessionKey, TaskReference};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecoderOptions {
    /// The role of the agent: only an orchestrator may send NEED_HUMAN.
    pub role: Role,
    pub key: Option<SessionKey>,
    pub key_requirement: KeyRequirement,
    pub task_ids: AcceptedTaskIds,
}

/// The words that a message may name as a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AcceptedTaskIds {
    /// `T1.3` and its like, and the ids of a plan.
    OfPlan(PlanTaskIds),
    /// Every well-formed id, for a text that must not contain a message of any plan.
    Any,
}

impl AcceptedTaskIds {
    pub(crate) fn parse_reference(&self, text: &str) -> Option<TaskReference> {
        match self {
            Self::OfPlan(ids) => ids.parse_reference(text),
            Self::Any => Some(TaskReference { task: text.parse().ok()?, phase: None }),
        }
    }
}

impl Default for AcceptedTaskIds {
    fn default() -> Self {
        Self::OfPlan(PlanTaskIds::default())
    }
}

/// Whether a message must carry its session's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyRequirement {
    /// Messages with the key and without one are accepted.
    Optional,
    /// Only messages with the key are accepted.
    Required,
}

impl DecoderOptions {
    /// Returns the options for a worker without a key.
    pub fn worker() -> Self {
        Self {
            role: Role::Worker,
            key: None,
            key_requirement: KeyRequirement::Optional,
            task_ids: AcceptedTaskIds::default(),
        }
    }

    /// Returns the options for an orchestrator without a key.
    pub fn orchestrator() -> Self {
        Self { role: Role::Orchestrator, ..Self::worker() }
    }

    pub(crate) fn is_key(&self, word: &str) -> bool {
        self.key.as_ref().is_some_and(|key| key.as_str() == word)
    }

    /// Checks the word in the position of a key.
    pub(crate) fn check_key(&self, word: Option<&str>) -> KeyCheck {
        match word {
            Some(word) if self.is_key(word) => KeyCheck::Accepted,
            Some(_) => KeyCheck::Wrong,
            None if self.key_requirement == KeyRequirement::Required => KeyCheck::Missing,
            None => KeyCheck::Accepted,
        }
    }
}

/// The result of checking a message's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyCheck {
    Accepted,
    Missing,
    Wrong,
}

impl KeyCheck {
    pub(crate) fn is_accepted(self) -> bool {
        self == Self::Accepted
    }
}
