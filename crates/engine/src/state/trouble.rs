//! Problems, rounds of testing, points to go back to.

use domain::{Action, EscalationType, Level, SessionId, Subject};

use super::TaskRef;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Escalation {
    pub(crate) kind: EscalationType,
    pub(crate) subject: Subject,
    pub(crate) session: Option<SessionId>,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) suggested: Vec<Action>,
    pub(crate) level: Level,
    pub(crate) is_open: bool,
}

impl Default for Escalation {
    fn default() -> Self {
        Self {
            kind: EscalationType::General,
            subject: Subject::Run,
            session: None,
            title: String::new(),
            description: String::new(),
            suggested: Vec::new(),
            level: Level::Worker,
            is_open: false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct FeedbackLoop {
    pub(crate) task: Option<TaskRef>,
    pub(crate) rounds: u32,
    /// What each round found, for whoever has to decide.
    pub(crate) history: Vec<String>,
    pub(crate) is_open: bool,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Checkpoint {
    pub(crate) task: Option<TaskRef>,
    pub(crate) is_made: bool,
    pub(crate) agent_session: Option<String>,
}
